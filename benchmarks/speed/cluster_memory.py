"""What a fit on a Dask cluster holds in memory, and where."""

from __future__ import annotations

import math

from benchmarks.speed.cluster_model import INDEX, Cluster, Shape
from cocluster.blocks.dask.rows import FAN_IN
from cocluster.linalg.kmeans import SAMPLE


def needs(method: str, shape: Shape, cluster: Cluster, sweeps: int) -> dict[str, float]:
    """Bytes held by a worker (by what they are), by the client and by the scheduler, at most."""
    k, l, m, size = shape.clusters, shape.column_clusters, shape.columns, shape.itemsize
    rows, entries = shape.rows / cluster.workers, shape.nonzeros / cluster.workers
    here, width = math.ceil(shape.blocks / cluster.workers), shape.start_width
    hard, at_work = method == "fnmtf", cluster.threads * shape.block_rows
    shared = m * INDEX if hard else m * l * size
    return {
        # Indices are shared by all copies. In the start there are the normalised entries, the
        # degree-scaled ones, and for a moment those they are made of.
        "blocks, start": entries * (INDEX + 3 * size),
        "blocks, sweeps": entries * (INDEX + size),
        # The embedding; the factor at the start, before and after a step; and products at work.
        "rows, start": (rows + 2 * at_work) * width * size,
        "rows, sweeps": rows * 3 * INDEX if hard else (3 * rows * k + at_work * 2 * (k + l)) * size,
        # Results of blocks wait until they are added.
        "sums, start": (cluster.threads + here + FAN_IN) * m * width * size,
        "sums, sweeps": (cluster.threads + here + FAN_IN) * m * k * size,
        "shared": max(m * width * size, shared),
        "client": shape.rows * (INDEX + 8) + m * (3 * width * size + 16) + SAMPLE * width * size,
        "scheduler": shape.rows * INDEX + m * width * size + sweeps * shared,
    }
