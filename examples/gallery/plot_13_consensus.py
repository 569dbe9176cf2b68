"""
A consensus of several fits
===========================

A single run can end in a bad local optimum. `consensus` combines several runs into the partition
that shares most information with them, and reports for each sample how many runs agree. Samples on
which the runs disagree deserve a closer look.
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
accuracies = [accuracy(planted.row_labels, labels) for labels in runs]
print(
    f"single runs: {min(accuracies):.2f} to {max(accuracies):.2f}, mean {np.mean(accuracies):.2f}"
)

# %%
# The runs may number their clusters differently, and may even have different numbers of clusters.
combined = consensus(runs, n_clusters=5)
print(f"consensus:   {accuracy(planted.row_labels, combined.labels):.2f}")

# %%
# Samples on which the runs agree are correct more often.
correct = np.zeros(300, dtype=bool)
for cluster in range(5):
    members = combined.labels == cluster
    correct[members] = (
        planted.row_labels[members] == np.bincount(planted.row_labels[members]).argmax()
    )
agreed = combined.agreement >= np.median(combined.agreement)
print(f"high agreement: {correct[agreed].mean():.2f} correct")
print(f"low agreement:  {correct[~agreed].mean():.2f} correct")

# %%
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
agreement = [combined.agreement[correct], combined.agreement[~correct]]
ax.hist(agreement, stacked=True, label=["correct", "wrong"])
ax.set(xlabel="share of the runs that agree", ylabel="samples")
ax.legend()
plt.show()
