"""Subsampled start: large data are clustered on a sample of their rows first.

A start takes a dozen products with the whole matrix, a pass that assigns rows a tenth of one. So
if a sample of the rows shows the clusters well enough, it is clustered instead; one pass then
assigns all rows to its clusters, as new rows are predicted, and sweeps over all rows follow.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import (
    column_degrees,
    entrywise,
    row_degrees,
    safe_inverse,
    times,
)
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.rowwise import rows_in_memory
from cocluster.linalg.subspace import informative_vectors, start_scaled
from cocluster.linalg.types import InMemory
from cocluster.methods.task import Task
from cocluster.trifactor import State

# Rows of the first sample at least, and per cluster: if the largest of ten clusters is fifty times
# as large as the smallest, the smallest has forty rows.
LEAST_ROWS, ROWS_PER_CLUSTER = 5_000, 500
# Shares of the rows that the first sample and the last one have at most: larger samples would save
# little, or cost more than they save.
FIRST_SHARE, LARGEST_SHARE = 1 / 8, 1 / 4
# Squared cosine between the weakest singular vector of the sample and that of the data. With .5
# (200,000 x 10,000, ten clusters) rows were assigned nearly as well as after the sweeps (.946 and
# .959), with .1 half as well; the margin is for clusters of unequal size.
QUALITY = 0.75
# A sample estimates the number of rows needed if that is at most this many times its own number.
# Beyond, its directions are mostly noise, and a sample this many times as large is drawn.
TRUSTED = 4
# Factor on the estimated number of rows, for the error of the estimate.
MARGIN = 1.1


def subsample_task(task: Task) -> Task | None:
    """Return the task with a random sample of the rows that suffices; None if all are needed.

    Links between rows are left out: they act in the sweeps over all rows.
    """
    rows = subsample_rows(task.data, task.clusters[task.data.center], task.rng)
    if rows is None:
        return None
    links = {name: type_links for name, type_links in task.links.items() if name != rows.center}
    return replace(task, data=rows, links=links, callback=None)


def assign_all_rows(problem: Any, sample_state: State) -> State:
    """Assign all rows of a problem to the clusters of a sample, in one pass.

    The problem must be able to assign objects to given clusters (``predicted``).
    """
    data = problem.data
    k = sample_state.factors[data.center].n_clusters
    G = as_partition(np.zeros(len(data), np.int32), k)
    # With all rows in the first cluster the sums by cluster are the column sums.
    sums = np.zeros((len(problem.margins[0]), k), data.relations[0].matrix.dtype)
    sums[:, 0] = problem.margins[0]
    factors = {**sample_state.factors, data.center: data.placed(data.center, G)}
    state = State(factors, sample_state.associations, {(0, "rows"): sums})
    assigned: State = problem.predicted(data.center, state)
    return assigned


def subsample_rows(data: RelationalData, k: int, rng: np.random.Generator) -> RelationalData | None:
    """Draw a sample of the rows that shows k clusters; None if it would have to be too large.

    Only one matrix of which every entry is known is sampled.
    """
    first, n = data.relations[0], len(data)
    if len(data.relations) > 1 or first.row_index is not None or first.rows == first.cols:
        return None
    # `required_rows` measures all entries of the sample.
    if first.observed is not None:
        return None
    largest = min(LARGEST_SHARE * n, rows_in_memory(first.matrix))
    size = max(LEAST_ROWS, ROWS_PER_CLUSTER * k)
    # With as many rows as columns, noise looks the same from both sides: more rows then help less.
    size = max(size, min(first.matrix.shape[1], int(FIRST_SHARE * n)))
    if size > FIRST_SHARE * n:
        return None
    while size <= largest:
        sample = _draw_rows(data, size, rng)
        needed = required_rows(sample.relations[0].matrix, k, rng)
        if needed <= size:
            return sample
        if MARGIN * needed <= min(TRUSTED * size, largest):
            return _draw_rows(data, int(MARGIN * needed), rng)
        size *= TRUSTED
    return None


def _draw_rows(data: RelationalData, size: int, rng: np.random.Generator) -> RelationalData:
    """Draw a random sample of the rows, in their order."""
    return data[np.sort(rng.choice(len(data), size, replace=False))]


def required_rows(X: InMemory, n_clusters: int, rng: np.random.Generator) -> float:
    r"""Estimate how many rows like these show the clusters well enough; infinite if these do not.

    The clusters of rows span k - 1 singular directions of the degree-scaled data. In n rows of m
    columns they are mixed with noise, whose total energy E is what those directions leave over of
    the squared norm. For noise that is spread evenly [1]_, with :math:`a = E / m` and
    :math:`b = E / n`, the largest noise is :math:`\sqrt a + \sqrt b`; a direction of strength s is
    seen with the singular value :math:`\sqrt{(s^2 + a)(s^2 + b)} / s`; and the squared cosine
    between the right singular vector seen and the true one is

    .. math:: q = 1 - \frac{b (a + s^2)}{s^2 (s^2 + b)}

    s and a are properties of the data, b falls with the number of rows. So s follows from what is
    seen here, and the number of rows that gives the weakest direction a q of .75 from s:
    :math:`n = E (a + q s^2) / ((1 - q) s^4)`. On planted counts the q that this predicts is within
    .02 of the true one.

    References
    ----------
    .. [1] Benaych-Georges, Nadakuditi. The singular values and vectors of low rank perturbations
       of large rectangular random matrices. Journal of Multivariate Analysis 2012.
    """
    Y = start_scaled(X)
    n_directions = max(n_clusters - 1, 1)
    _, values = informative_vectors(Y, n_directions, n_clusters, rng)
    strengths = np.square(values, dtype=np.float64)
    rows, columns = row_degrees(X), column_degrees(X)
    # ‖D_r^-1/2 X D_c^-1/2‖², less what the directions have; the trivial one, if any, has 1.
    squared_norm = safe_inverse(rows) @ times(
        entrywise(np.square, X), safe_inverse(columns)[:, None]
    )
    energy = max(float(squared_norm[0] - strengths.sum() - (Y.trivial is not None)), 0.0)
    n, m = (max(int(np.count_nonzero(degrees)), 1) for degrees in (rows, columns))
    a, b = energy / m, energy / n
    excess = strengths[-1] - a - b
    if excess <= 2 * np.sqrt(a * b):
        return np.inf
    s = (excess + np.sqrt(excess**2 - 4 * a * b)) / 2
    return float(energy * (a + QUALITY * s) / ((1 - QUALITY) * s**2))
