"""
Reproducing a paper's table
===========================

The folder ``benchmarks/papers`` reproduces every table and figure of five papers. Run them from a
clone of the repository::

    python -m benchmarks reproduce wang2011/table2 --quick

Most of them need data sets that you must fetch first. Table 1 of Chen, Rege, Dong and Hua (2008)
does not. Its data are two rings of ten points each, which k-means cannot separate, with links for
30 % of the pairs.
"""

import matplotlib.pyplot as plt
import numpy as np

from cocluster import SSNMF, KernelKMeans, Links
from cocluster.metrics import accuracy

classes = np.repeat([0, 1], 10)
angle = np.tile(np.linspace(0, 2 * np.pi, 10, endpoint=False), 2)
X = np.where(classes, 2.0, 1.0)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
links = Links.from_labels(classes, fraction=0.3, random_state=0)

# %%
# Fit the paper's method and its competitor with the links, and the paper's method without links.
models = {
    "SS-NMF": SSNMF(2, affinity="rbf", init="random", n_init=3, random_state=0).fit(X, links=links),
    "SS-KK": KernelKMeans(2, random_state=0).fit(X, links=links),
    "NMF, no links": SSNMF(2, affinity="rbf", init="random", n_init=3, random_state=0).fit(X),
}
for name, model in models.items():
    print(f"{name:14s} accuracy {accuracy(classes, model.labels_):.2f}")

# %%
# The rows of the factor are memberships. In the paper's figure, the points of each ring lie along
# one axis. Here the two rings are separated as well, but the points do not lie exactly along the
# axes. Kernel k-means has no memberships.
factor = models["SS-NMF"].row_factor_
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
left.scatter(*X.T, c=classes, cmap="coolwarm")
left.set(title="the points", aspect="equal")
right.scatter(*factor.T, c=classes, cmap="coolwarm")
right.set(title="their memberships", xlabel="cluster 0", ylabel="cluster 1")
plt.show()

# %%
# :doc:`/results/benchmarks/papers/README` documents for each paper what it leaves open, what we
# chose, and which printed numbers are doubtful.
