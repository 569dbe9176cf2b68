"""
Compose your own factorisation
==============================

Every factorisation of the library is made of three kinds of parts: a constraint on each factor, a
rule for the association between them, and penalties. ``TriFactorization`` puts parts together in
any way, and the one loop of the library solves it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from cocluster import TriFactorization
from cocluster.graphs import knn_graph, laplacian
from cocluster.metrics import nmi
from cocluster.report.plots import plot_objective
from cocluster.trifactor import Indicator, NonNegative, PairTerms

digits = load_digits(n_class=6)
X, y = digits.data[:, digits.data.any(axis=0)], digits.target

# %%
# Memberships for the images, hard groups for the pixels: no paper has this one.
parts = {"samples": NonNegative(0.5), "features": Indicator()}
mixed = TriFactorization(6, 12, constraint=parts, random_state=0).fit(X)
print(f"NMI {nmi(y, mixed.labels_):.2f} after {mixed.n_iter_} sweeps")

# %%
# Now with a penalty: images that look alike shall have memberships that are alike. It is a
# quadratic in the factor, so every constraint can lower it. Columns of the factors are kept at
# length one; else the penalty could be made small by making the factor small.
for strength in (0.0, 10.0):
    graph = PairTerms(strength * laplacian(knn_graph(X, 5)))
    smooth = TriFactorization(
        6,
        constraint=NonNegative(0.5),
        penalties={"samples": (graph,)},
        unit_columns=True,
        assign="kmeans",
        random_state=0,
    ).fit(X)
    print(f"strength {strength:4.0f}: NMI {nmi(y, smooth.labels_):.2f}")

# %%
# The objective never rises, whatever the parts are.
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
plot_objective(smooth, ax=ax)
plt.show()
