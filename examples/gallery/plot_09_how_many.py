"""
Estimate the number of clusters
===============================

``n_clusters="auto"`` estimates the number of clusters, and `choose_n_clusters` shows the
evidence. It clusters the samples twice, each time with one half of the features. Real clusters
are found in both halves; clusters that arise by chance are not.
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
# The plots show the agreement of the two halves for each number of clusters, and the merge tree.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
plot_choice(choice, axes=axes)
plt.show()

# %%
# If the data have no clusters, the result says so. These counts have none:
noise = make_blocks(200, 100, 1, random_state=0)
print(choose_n_clusters(noise.X, k_max=5, random_state=0).reason)
