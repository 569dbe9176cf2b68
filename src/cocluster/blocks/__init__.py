"""Data that do not fit in memory: on disk, or on the workers of a Dask cluster.

Both are matrices in blocks of rows (`RowBlocks`), on which the same estimators work:

    disk    sources/ --> StoredBlocks    blocks are streamed, factors are in memory
    Dask    DaskBlocks                   blocks and the factor of the rows stay on the workers

Only sums over blocks reach the side of the columns: Xᵀ G, Gᵀ G, norms.
"""

from cocluster.blocks.disk.read import StoredBlocks, open_blocks
from cocluster.blocks.disk.write import write_blocks
from cocluster.blocks.rows import RowBlocks

__all__ = ["RowBlocks", "StoredBlocks", "open_blocks", "write_blocks"]
