"""Coarse to fine: large data are fitted on a sample of rows first, then all rows follow.

A start takes a dozen products with the whole matrix, a pass that assigns rows a tenth of one. So
where a sample of the rows shows the clusters well enough, it is fitted instead, all rows go to the
clusters it found in one pass, as new rows are predicted, and sweeps over all of them follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

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
from cocluster.methods.starts import start_name
from cocluster.methods.task import Task
from cocluster.trifactor import RelationalProblem, Run, State

# Rows of the first sample at least, and for each cluster: the smallest of ten clusters, of which
# the largest is fifty times as large, has then forty.
LEAST_ROWS, ROWS_PER_CLUSTER = 5_000, 500
# Parts of the rows that the first sample and the last one have at most: larger ones would save
# little, or cost more than they save.
FIRST_SHARE, LARGEST_SHARE = 1 / 8, 1 / 4
# How well every direction that is needed must be known: the square of the cosine between the
# singular vector of the sample and that of the data. With .5 (200,000 x 10,000, ten clusters) rows
# were assigned nearly as well as after the sweeps, .946 and .959, with .1 by half; the rest is for
# clusters of unequal size.
QUALITY = 0.75
# A sample tells how many rows are needed if that is up to so many times its own. Beyond, what it
# sees is hardly more than noise, and a sample so many times as large is asked.
TRUSTED = 4
# What is added to the number that a sample tells: its estimate has an error, too.
MARGIN = 1.1


class Placing(Protocol):
    """A method with hard labels that can place rows by what a sample has shown of the clusters."""

    init: Any

    def _linked_problem(self, task: Task) -> Any:
        """The problem that defines the method, with the links of the task.

        It must know how to place objects by what is known of the clusters, ``predicted``.
        """

    def _sweep(self, problem: Any, start: State, task: Task) -> Run:
        """Sweeps from a start."""

    def _finished(self, problem: Any, run: Run) -> Run:
        """A run as it is stored."""


def coarse_to_fine(method: Placing, task: Task, best_run: Callable[[Task], Run]) -> Run:
    """The best run of a method, whose large data are started on a sample of the rows.

    With ``init="spectral"`` the sample has as many rows as `rows_needed` finds; if that is more
    than a quarter of them, all are taken. Best of ``n_init`` starts is then the best for the
    sample. Data of one matrix only: several views begin with all rows.

    Parameters
    ----------
    method : the estimator
    task : Task
    best_run : function of a task
        The best run from all starts, with all rows of its task.
    """
    spectral = start_name(method.init) == "spectral"
    sample = coarse_sample(task) if spectral else None
    if sample is None:
        return best_run(task)
    found = best_run(sample)
    problem = method._linked_problem(task)
    state = problem.predicted(task.data.center, together(problem, found.state))
    return method._finished(problem, method._sweep(problem, state, task))


def together(problem: RelationalProblem, found: State) -> State:
    """What was found in a sample, with all rows of the data in the first cluster."""
    data = problem.data
    k = found.factors[data.center].n_clusters
    G = as_partition(np.zeros(len(data), np.int32), k)
    # Of rows that are all in one cluster the sums by cluster are known.
    sums = np.zeros((len(problem.margins[0]), k), data.relations[0].matrix.dtype)
    sums[:, 0] = problem.margins[0]
    factors = {**found.factors, data.center: data.placed(data.center, G)}
    return State(factors, found.associations, {(0, "rows"): sums})


def coarse_sample(task: Task) -> Task | None:
    """The task with a random sample of the rows that suffices; None: all rows are needed.

    Links between rows are left out: they act when all rows are there.
    """
    rows = sample_rows(task.data, task.clusters[task.data.center], task.rng)
    if rows is None:
        return None
    links = {name: own for name, own in task.links.items() if name != task.data.center}
    return replace(task, data=rows, links=links, callback=None)


def sample_rows(data: RelationalData, k: int, rng: np.random.Generator) -> RelationalData | None:
    """A random sample of the rows that shows k clusters; None if it would have to be too large."""
    first, n = data.relations[0], len(data)
    if len(data.relations) > 1 or first.row_index is not None or first.rows == first.cols:
        return None
    # What a sample shows is measured on all of its entries.
    if first.observed is not None:
        return None
    most = min(LARGEST_SHARE * n, rows_in_memory(first.matrix))
    size = max(LEAST_ROWS, ROWS_PER_CLUSTER * k)
    # With as many rows as columns, noise looks the same from both sides: more rows then help less.
    size = max(size, min(first.matrix.shape[1], int(FIRST_SHARE * n)))
    if size > FIRST_SHARE * n:
        return None
    while size <= most:
        sample = _some(data, size, rng)
        needed = rows_needed(sample.relations[0].matrix, k, rng)
        if needed <= size:
            return sample
        if MARGIN * needed <= min(TRUSTED * size, most):
            return _some(data, int(MARGIN * needed), rng)
        size *= TRUSTED
    return None


def _some(data: RelationalData, size: int, rng: np.random.Generator) -> RelationalData:
    """A random sample of the rows, in their order."""
    return data[np.sort(rng.choice(len(data), size, replace=False))]


def rows_needed(X: InMemory, n_clusters: int, rng: np.random.Generator) -> float:
    r"""How many rows like these show so many clusters well enough; infinite if these do not.

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
    wanted = max(n_clusters - 1, 1)
    _, values = informative_vectors(Y, wanted, n_clusters, rng)
    strengths = np.square(values, dtype=np.float64)
    rows, columns = row_degrees(X), column_degrees(X)
    # ‖D_r^-1/2 X D_c^-1/2‖², less what the directions have; the trivial one, if any, has 1.
    whole = safe_inverse(rows) @ times(entrywise(np.square, X), safe_inverse(columns)[:, None])
    energy = max(float(whole[0] - strengths.sum() - (Y.trivial is not None)), 0.0)
    n, m = (max(int(np.count_nonzero(degrees)), 1) for degrees in (rows, columns))
    a, b = energy / m, energy / n
    middle = strengths[-1] - a - b
    if middle <= 2 * np.sqrt(a * b):
        return np.inf
    s = (middle + np.sqrt(middle**2 - 4 * a * b)) / 2
    return float(energy * (a + QUALITY * s) / ((1 - QUALITY) * s**2))
