"""
On a Dask cluster
=================

If a Dask client is active, a Dask array or frame is fitted where its blocks are, and only small
sums are sent over the network. The cluster of this example has two workers in the same process;
the code for a real cluster is the same.
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
# The blocks have 500 rows each. On a real cluster, each worker reads its own blocks from files that
# all workers can access.
rows = da.from_array(X, chunks=(500, 300))
progress = []
cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)
with cluster, Client(cluster):
    model = FNMTF(4, random_state=0).fit(rows, callback=progress.append)
    new = model.predict(rows[:5])
print(new, f"after {len(progress)} sweeps")

# %%
# The labels are the same as those of a fit in memory.
print(np.array_equal(model.labels_, FNMTF(4, random_state=0).fit(X).labels_))

# %%
# The matrix with its rows and columns sorted by cluster.
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
plot_matrix(model, X, ax=ax)
plt.show()
