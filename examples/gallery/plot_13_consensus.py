"""
A consensus of several fits
===========================

One run may be unlucky. `consensus` finds the partition that shares most with several of them, and
says for each sample how many agree: what they do not agree on is worth a second look.
"""

import matplotlib.pyplot as plt
import numpy as np

from cocluster import FNMTF, consensus
from cocluster.datasets import make_blocks
from cocluster.metrics import accuracy

planted = make_blocks(300, 150, 5, row_degree=40, random_state=3)
runs = [
    FNMTF(5, init="random", n_init=1, random_state=seed).fit(planted.X).labels_
    for seed in range(15)
]
alone = [accuracy(planted.row_labels, labels) for labels in runs]
print(f"single runs: {min(alone):.2f} to {max(alone):.2f}, mean {np.mean(alone):.2f}")

# %%
# Members may have any numbering, and even other numbers of clusters.
found = consensus(runs, n_clusters=5)
print(f"consensus:   {accuracy(planted.row_labels, found.labels):.2f}")

# %%
# Samples that the runs agree on are right more often.
right = np.zeros(300, dtype=bool)
for cluster in range(5):
    members = found.labels == cluster
    right[members] = (
        planted.row_labels[members] == np.bincount(planted.row_labels[members]).argmax()
    )
sure = found.agreement >= np.median(found.agreement)
print(f"agreed on: {right[sure].mean():.2f} right; not agreed on: {right[~sure].mean():.2f}")

# %%
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.hist([found.agreement[right], found.agreement[~right]], stacked=True, label=["right", "wrong"])
ax.set(xlabel="share of the runs that agree", ylabel="samples")
ax.legend()
plt.show()
