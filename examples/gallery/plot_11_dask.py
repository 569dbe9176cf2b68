"""
On a Dask cluster
=================

With a ``distributed.Client`` in scope, a Dask array or frame is fitted where its blocks are. Only
small sums travel. Here the cluster is two workers in this process; a real one needs no other code.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

from cocluster import FNMTF
from cocluster.datasets import make_blocks
from cocluster.report.plots import plot_matrix

X = make_blocks(2000, 300, 4, random_state=0).X.toarray()

# %%
# Blocks of 500 rows. On a real cluster the workers read their own blocks, from files that all of
# them see.
rows = da.from_array(X, chunks=(500, 300))
progress = []
cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)
with cluster, Client(cluster):
    model = FNMTF(4, random_state=0).fit(rows, callback=progress.append)
    new = model.predict(rows[:5])
print(new, f"after {len(progress)} sweeps")

# %%
# The labels are those of a fit in memory.
print(np.array_equal(model.labels_, FNMTF(4, random_state=0).fit(X).labels_))

# %%
# The matrix with its rows and columns sorted by cluster.
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
plot_matrix(model, X, ax=ax)
plt.show()
