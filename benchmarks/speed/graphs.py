"""Big graphs: neighbours and LDCC of many objects, beside the peers, in one process.

python -m benchmarks.speed.graphs N_OBJECTS
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.cluster import SpectralCoclustering
from sklearn.neighbors import NearestNeighbors

from benchmarks.speed.page import table
from cocluster import LDCC
from cocluster.datasets import make_blocks
from cocluster.graphs import nearest_neighbours
from cocluster.graphs.distances import chosen_distances
from cocluster.linalg.eigen import smallest_eigenvectors
from cocluster.methods.spectral import ldcc_embedding
from cocluster.metrics import accuracy

CLUSTERS, NEIGHBORS = 10, 5
# Rows whose neighbours are searched exactly, too.
SAMPLE = 1000


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """What a function gives, and its seconds."""
    start = time.perf_counter()
    return function(), time.perf_counter() - start


def neighbours(X: Any) -> list[str]:
    """Time against an exact search of all rows, reckoned from some of them, and the recall.

    Counts have many equal distances: a neighbour is right if none that was left out is closer.
    """
    found, seconds = timed(lambda: nearest_neighbours(X, NEIGHBORS))
    rows = np.random.default_rng(0).choice(X.shape[0], SAMPLE, replace=False)
    search = NearestNeighbors(n_neighbors=NEIGHBORS + 1, algorithm="brute").fit(X)
    (exact, _), some = timed(lambda: search.kneighbors(X[rows]))
    ours = np.sqrt(chosen_distances(X, rows, found[rows]))
    recall = np.mean(ours <= exact[:, -1:] * (1 + 1e-6))
    return [f"{some * X.shape[0] / SAMPLE / seconds:.1f}", f"{recall:.3f}"]


def embedded(X: Any, labels: np.ndarray) -> list[str]:
    """A fit of LDCC: time, residual of its eigenvectors, accuracy."""
    residuals: list[float] = []

    def solved(operator: Any, *arguments: Any) -> Any:
        values, Z = smallest_eigenvectors(operator, *arguments)
        residuals.append(float(np.abs(operator @ Z - Z * values).max()))
        return values, Z

    with patch.object(ldcc_embedding, "smallest_eigenvectors", solved):
        model, seconds = timed(lambda: LDCC(CLUSTERS, random_state=0).fit(X))
    peer, others = timed(lambda: SpectralCoclustering(CLUSTERS, random_state=0).fit(X))
    scores = (accuracy(labels, found) for found in (model.labels_, peer.row_labels_))
    return [f"{seconds / others:.1f}", f"{max(residuals):.0e}", *(f"{s:.3f}" for s in scores)]


def _planted(n: int) -> tuple[Any, np.ndarray]:
    """Counts and classes."""
    made = make_blocks(n, 5_000, CLUSTERS, row_degree=100, random_state=0)
    return made.X, made.row_labels


def report(n: int) -> str:
    """Both, as a part of the page."""
    X, labels = _planted(n)
    head = "objects | exact search / ours | recall | LDCC / SpectralCoclustering | residual"
    cells = [f"{n:,}", *neighbours(X), *embedded(X, labels)]
    return "## Big graphs\n\n" + table(
        f"{head} | accuracy of LDCC | of SpectralCoclustering", [cells]
    )


if __name__ == "__main__":
    print(report(int(sys.argv[1])))
