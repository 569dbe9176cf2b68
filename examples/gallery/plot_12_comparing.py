"""
Comparing methods
=================

All methods have the same interface, so comparing them is a loop. The catalogue knows what each of
them takes.

Do not choose a method by its score on one data set with known classes: that says little about the
next one. The :doc:`leaderboard </results/benchmarks/leaderboard/README>` has all methods on many
sets.
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
# Two fits side by side: clusters are matched, and what moved is listed.
change = compare(models["nmf"], models["auto"])
print(str(change).splitlines()[0])
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
plot_flows(change, ax=ax)
plt.show()
