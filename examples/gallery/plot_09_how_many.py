"""
How many clusters?
==================

``n_clusters="auto"`` chooses, and `choose_n_clusters` shows why. Samples are clustered twice, from
one half of the features and from the other. Groups that are there are found again; what chance made
is not.
"""

import matplotlib.pyplot as plt

from cocluster import choose_n_clusters
from cocluster.datasets import make_blocks
from cocluster.report.plots import plot_choice

planted = make_blocks(250, 150, 4, random_state=0)
choice = choose_n_clusters(planted.X, k_max=7, random_state=0)
print(choice.n_clusters)
print(choice.reason)

# %%
# What the halves agree on, for each number that was tried, and the tree of clusters.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
plot_choice(choice, axes=axes)
plt.show()

# %%
# Where there is nothing to find, it says so: these are counts without any groups.
noise = make_blocks(200, 100, 1, random_state=0)
print(choose_n_clusters(noise.X, k_max=5, random_state=0).reason)
