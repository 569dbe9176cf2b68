"""Counts: which matrices hold them, and which of those vary as Poisson counts do.

The loss of information is a likelihood for Poisson counts: the cluster sizes then belong into it,
and a lower loss is a better clustering. Words come in bursts, so neither holds for texts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cocluster.data.relational import RelationalData, row_blocks
from cocluster.graphs.neighbours import EXACT_LIMIT
from cocluster.linalg.matrices import (
    as_dense,
    column_sums,
    row_sums,
    safe_inverse,
    times,
    values_of,
)
from cocluster.linalg.partitions import as_partition, gathered
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.default.embedding import holds_measurements
from cocluster.methods.default.probability import sample_positions
from cocluster.methods.information.itcc import InformationProblem
from cocluster.trifactor import State

# Relative tolerance for counts that were multiplied by a constant: single-precision rounding.
WHOLE = 1e-5
# Range of observed over assumed variance. Planted counts have .95 to 1.06, or 1.6 where the sweeps
# ended with two clear clusters in one; texts on the leaderboard's tuning half have 2.8 to 14.
DISPERSION = (0.8, 2.0)
# Range of the mean squared residual over the mean within which a block's counts are Poisson.
DISPERSION_OF_COUNTS = (0.7, 1.5)


def count_unit(X: InMemory) -> float:
    """Return the entry that stands for one count, of which all entries are multiples; 0 if none is.

    Measurements have none. Binary data have none either: they cannot show how counts vary.

    >>> count_unit(np.array([[0, 0, 0, 0, 0.5], [0, 0, 0, 1.5, 0]]))
    0.5
    """
    values = values_of(X)
    positive = values[values > 0]
    if holds_measurements(X) or not positive.size or positive.min() == positive.max():
        return 0.0
    unit = float(positive.min())
    counts = values / unit
    return unit if np.allclose(counts, np.rint(counts), rtol=WHOLE, atol=0) else 0.0


def vary_as_counts(counts: Array, profiles: Array) -> bool:
    r"""Whether counts vary as those of a multinomial distribution with these shares in each row.

    .. math:: \sum_{ij} (x_{ij} - n_i p_{ij})^2 \approx \sum_{ij} n_i p_{ij} (1 - p_{ij})

    >>> counts = np.random.default_rng(0).poisson(3.0, (500, 4)).astype(float)
    >>> [vary_as_counts(times * counts, np.full((500, 4), 0.25)) for times in (1, 4)]
    [True, False]
    """
    expected = counts.sum(axis=1)[:, None] * profiles
    assumed = np.sum(expected * (1 - profiles))
    low, high = DISPERSION
    return bool(low * assumed <= np.sum((counts - expected) ** 2) <= high * assumed)


def has_poisson_noise(X: InMemory, rows: Array, columns: Array) -> bool:
    r"""Whether the values are counts that vary in their blocks as Poisson counts do.

    .. math:: \frac{1}{nm} \sum_{ij} (x_{ij} - \mu_{ij})^2 / \mu_{ij} \approx 1

    with :math:`\mu` the counts expected from the clusters of the rows and columns.
    """
    values = values_of(X)
    if values.max(initial=0.0) <= 1 or not np.array_equal(values, np.rint(values)):
        return False
    G, F = as_partition(rows, int(rows.max()) + 1), as_partition(columns, int(columns.max()) + 1)
    joint = as_dense(times(times(X, F).T, G)).T
    # Expected counts are r_i c_j times a factor of the block; with it Σ (x - μ)² / μ is Σ x² / μ
    # less the total, which needs only the entries.
    factor = joint / np.maximum(joint.sum(axis=1)[:, None] * joint.sum(axis=0), 1.0)
    entries = sp.coo_array(X)
    blocks = factor[rows[entries.row], columns[entries.col]]
    expected = row_sums(X)[entries.row] * column_sums(X)[entries.col] * blocks
    surplus = np.sum(entries.data**2 * safe_inverse(expected)) - joint.sum()
    low, high = DISPERSION_OF_COUNTS
    return bool(low <= surplus / (X.shape[0] * X.shape[1]) <= high)


@dataclass(frozen=True, eq=False)
class CountSample:
    """Rows of the only matrix of some data, from which the model of the counts is judged.

    Attributes
    ----------
    rows : int array
        Positions of the rows; of many rows a sample.
    matrix : matrix in memory
        These rows.
    unit : float
        The entry that stands for one count, see `count_unit`.
    """

    rows: Array
    matrix: InMemory
    unit: float

    def poisson_unit(self, problem: InformationProblem, state: State) -> float:
        """Return the unit if the counts vary as the clusters of a state imply, and 0 if not."""
        relation = problem.data.relations[0]
        labels = gathered(state.factors[problem.data.center]).labels[self.rows]
        joint = problem.cross(State(state.factors, (), dict(state.products)), 0)
        profiles = joint * safe_inverse(joint.sum(axis=1))[:, None]
        counts = as_dense(times(self.matrix, state.factors[relation.cols])) / self.unit
        return self.unit if vary_as_counts(counts, profiles[labels]) else 0.0

    def with_mixture_weights(self, problem: InformationProblem, state: State) -> InformationProblem:
        """Return the problem with costs of cluster sizes, if a state shows Poisson counts."""
        unit = self.poisson_unit(problem, state)
        return problem.with_occurrence(problem.data.center, unit) if unit else problem


def sample_counts(data: RelationalData) -> CountSample | None:
    """Draw rows of one matrix of counts; None for several matrices and for other values."""
    first, *others = data.relations
    if others or first.row_index is not None:
        return None
    n = len(data)
    rows, matrix = np.arange(n), first.matrix
    if n > EXACT_LIMIT or row_blocks(data) is not None:
        rows = rows if n <= EXACT_LIMIT else sample_positions(n)
        matrix = data[rows].relations[0].matrix
    unit = count_unit(matrix)
    return CountSample(rows, matrix, unit) if unit else None
