"""
Comparing methods
=================

All methods have the same interface, so you can compare them in a loop. The catalogue lists the
methods and the kinds of data that each one accepts.

Do not choose a method by its score on one data set with known classes, because this score says
little about other data. The :doc:`leaderboard </results/benchmarks/leaderboard/README>` compares
all methods on many data sets.
"""

import matplotlib.pyplot as plt

from cocluster import CoCluster, compare
from cocluster.datasets import make_blocks
from cocluster.methods.catalogue import METHODS
from cocluster.metrics import nmi
from cocluster.report.plots import plot_flows

planted = make_blocks(300, 150, 4, row_degree=30, random_state=0)
names = [name for name, method in METHODS.items() if method.feature_clusters]
models = {name: CoCluster(4, method=name, random_state=0).fit(planted.X) for name in names}
models["auto"] = CoCluster(4, random_state=0).fit(planted.X)

# %%
values = {name: nmi(planted.row_labels, model.labels_) for name, model in models.items()}
order = sorted(values, key=values.get)
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.barh(order, [values[name] for name in order])
ax.set(xlabel="NMI with the planted clusters", xlim=(0, 1))
plt.show()

# %%
# ``compare`` matches the clusters of two fits and lists the samples that moved.
change = compare(models["nmf"], models["auto"])
print(str(change).splitlines()[0])
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
plot_flows(change, ax=ax)
plt.show()
