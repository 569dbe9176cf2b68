"""Links for every factorisation, by one mechanism.

A must-link ties objects: they share one row of the factor, and what pulls on any of them pulls on
all. This is the limit of a strong edge; it is exact, needs no strength, and the block's guarantees
stay. A cannot-link is a cost on shared membership,

    cost · Σ_(i,j) w_ij g_i · g_j,

with columns of soft factors at unit length, so that it cannot be evaded by shrinking G.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import Ties, gathered
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.trifactor.constraints import Indicator
from cocluster.trifactor.initialize import state_from
from cocluster.trifactor.penalties import PairTerms
from cocluster.trifactor.problem import FactorSpec, TriFactorProblem
from cocluster.trifactor.solve import alternate

# Sweeps for labels that meet the links: they are a start, and most labels settle sooner.
HARD_SWEEPS = 20
# Share of an object's weight that a violated cannot-link costs a soft factor; see `with_links`.
SOFT_COST = 0.01


def with_links(problem: TriFactorProblem, links: Mapping[str, Links]) -> TriFactorProblem:
    """The problem with links on some types; ``links`` has them by type.

    A violated cannot-link of weight 1 costs a hard factor as much as an average object weighs in
    the data, ‖R‖²/n. A soft factor, whose rows have length √(k/n), pays a hundredth of that:
    its rows mix clusters, and a cost above the gain of the mixture empties them instead of moving
    them (four real sets, four methods: accuracy with few links fell below that without).
    """
    factors = dict(problem.factors)
    for name, own in links.items():
        spec = factors[name]
        per_row = problem.data_norm / problem.data.size(name)
        per_column = SOFT_COST * problem.data_norm / spec.n_clusters
        factors[name] = _linked(spec, own, per_row if spec.constraint.hard else per_column)
    return replace(problem, factors=factors)


def linked_labels(
    data: RelationalData,
    links: Mapping[str, Links],
    labels: Mapping[str, Array],
    clusters: Mapping[str, int],
) -> dict[str, Array]:
    """Labels near the given ones that meet the links, as a start for soft factors.

    They need it: a multiplicative step can hardly move a tied group from a cluster that a
    cannot-link forbids. The labels come from a few sweeps of the same problem with hard factors.

    Parameters
    ----------
    data : RelationalData
    links : mapping of type to Links
    labels : mapping of type to int array
        The labels to begin with, of every type.
    clusters : mapping of type to int
        Numbers of clusters, of every type.
    """
    hard = {name: FactorSpec(k, Indicator()) for name, k in clusters.items()}
    problem = with_links(TriFactorProblem(data, hard), links)
    run = alternate(problem, state_from(problem, labels), max_iter=HARD_SWEEPS, tol=0)
    return {name: gathered(G).labels for name, G in run.state.factors.items()}


def _linked(spec: FactorSpec, links: Links, cost: float) -> FactorSpec:
    """The specification of one factor with links."""
    ties, pairs = ties_and_pairs(links)
    constraint: Any = spec.constraint
    return replace(
        spec,
        constraint=replace(constraint, ties=ties),
        penalties=(*spec.penalties, PairTerms(cost * pairs)) if pairs.nnz else spec.penalties,
        unit_columns=spec.unit_columns or (pairs.nnz > 0 and not constraint.hard),
    )


def ties_and_pairs(links: Links) -> tuple[Ties, sp.csr_array]:
    """Must-links as ties, and cannot-links as a symmetric matrix of weights between objects.

    A cannot-link between two tied groups stands between their first objects.
    """
    closure = links.closure()
    ties = Ties(closure.component)
    at = ties.representative[closure.cannot_link]
    n = len(closure.component)
    ends = np.concatenate([at, at[:, ::-1]])
    # Half the weight, because the symmetric matrix holds each pair twice.
    weights = np.tile(closure.weights / 2, 2)
    return ties, sp.csr_array((weights, (ends[:, 0], ends[:, 1])), shape=(n, n))
