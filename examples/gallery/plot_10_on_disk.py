"""
Data larger than memory
=======================

If a matrix does not fit in memory, write it to disk in blocks of rows and fit it from there. The
labels are the same as those of a fit in memory.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from cocluster import ITCC, open_blocks, write_blocks
from cocluster.datasets import make_blocks
from cocluster.report.plots import plot_objective

X = make_blocks(4000, 500, 6, random_state=0).X

# %%
# Write the blocks one after the other; the whole matrix is never needed in memory.
folder = Path(tempfile.mkdtemp()) / "blocks"
write_blocks((X[i : i + 500] for i in range(0, 4000, 500)), folder)
print(sorted(path.name for path in folder.iterdir())[:4])

# %%
# ``memory`` limits the memory of blocks and factors together. If it is not enough, ``fit`` raises
# an error before it begins.
stored = open_blocks(folder, memory="50MB")
on_disk = ITCC(6, random_state=0).fit(stored)
in_memory = ITCC(6, random_state=0).fit(X)
print("same labels:", np.array_equal(on_disk.labels_, in_memory.labels_))

# %%
# Every sweep reads the blocks again and lowers the loss of information. The spectral start is
# already close to the optimum, so we start from random labels to see the objective fall.
from_random = ITCC(6, init="random", random_state=0).fit(stored)
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
plot_objective(from_random, ax=ax)
plt.show()

# %%
# Use ``partial_fit`` for rows that arrive one block at a time and are not stored.
stream = ITCC(6, random_state=0)
for rows in np.array_split(np.random.default_rng(0).permutation(4000), 8):
    stream.partial_fit(X[rows])
print(stream.n_samples_seen_, "rows seen")
