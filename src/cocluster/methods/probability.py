r"""How sure a label is: probabilities from costs, with a temperature that needs no classes.

A sample that costs :math:`c_k` in cluster k belongs to it with probability

.. math:: p_k \propto \exp(-c_k / T) .

T = 1 would be right if costs were log-likelihoods of a model that holds exactly. Real data are less
simple: words come in bursts, genes in pathways, and a sample seems to have more evidence than it
has. So T is found by asking twice. The features are split in two halves, each of which gives
every sample a label of its own. From the probabilities of both halves follows how often the two
labels should agree; T is such that this is how often they do.

Samples are judged by clusters that have not seen them: `held_out` takes them out of the tables and
lets the features move without them. Otherwise labels would agree because they were made to.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import scaled, times
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.methods.columns import profiles_of, regrouped
from cocluster.methods.information.itcc import InformationProblem
from cocluster.trifactor import State

# Samples that T is found from, and rows in one stretch of them: enough for two digits; stretches
# lie in few blocks of data on disk, where single rows would lie in all.
SAMPLES, STRETCH = 1000, 50
# At most this share of all samples is held out at a time: clusters must stay what they are.
HELD_OUT = 0.25
# Splits of the features for each group of samples.
SPLITS = 2
# Sweeps in which features move without the samples held out: most find their place in the first.
SWEEPS = 3
# Groups of samples by the evidence they have. Among samples alike in this, the two labels of a
# sample are independent given its cluster; in one group, long samples would seem too certain.
STRATA = 5
# T is sought within this range, in units of the median difference between the dearest and the
# cheapest cluster: from all but certain to all but equal.
RANGE = (1e-6, 1e4)
# What is left of a sum of which everything was taken away: rounding of single precision.
RESIDUE = 1e-6


def probabilities(costs: Array, temperature: float) -> Array:
    """Rows proportional to exp(-costs / temperature), which sum to one.

    >>> probabilities(np.array([[0.0, np.log(3)]]), 1.0)
    array([[0.75, 0.25]])
    """
    return np.asarray(softmax(-costs / temperature, axis=1))


def temperature(pairs: Iterable[tuple[Any, RelationalData]], seed: int = 0) -> float:
    """The temperature at which two halves of the features agree as often as foreseen.

    Parameters
    ----------
    pairs : (fitted method, samples) pairs
        Samples in the scale of the fit, and the method that is to judge them.
    seed : int
        Draws the halves.
    """
    rng = np.random.default_rng(seed)
    halves = [half_costs(model, data, rng) for model, data in pairs for _ in range(SPLITS)]
    first, second = (np.concatenate(costs) for costs in zip(*halves, strict=True))
    # A half that knows nothing of a sample has no label for it.
    informed = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
    first, second = first[informed], second[informed]
    if not len(first) or first.shape[1] == 1:
        return 1.0
    return _agreeing(first, second)


def half_costs(model: Any, data: RelationalData, rng: np.random.Generator) -> tuple[Array, Array]:
    """Costs of samples by one half of the features and by the other, in every view."""
    halves: tuple[dict[str, Array], dict[str, Array]] = ({}, {})
    for name in data.types:
        if name != data.center:
            order = rng.permutation(data.size(name))
            for half, features in zip(halves, np.array_split(order, 2), strict=True):
                half[name] = np.sort(features)
    first, second = (_costs_with(model, data, half) for half in halves)
    return first, second


def _costs_with(model: Any, data: RelationalData, features: dict[str, Array]) -> Array:
    """Costs of samples by some features only."""
    judge = copy.copy(model)
    judge._factors = dict(model._factors)
    relations = data.relations
    for name, indices in features.items():
        judge._factors[name] = model._factors[name][indices]
        relations = tuple(r.select(name, indices) for r in relations)
    return np.asarray(judge._costs_of(data.derive(relations, names={})))


def _agreeing(first: Array, second: Array) -> float:
    """Solve for the temperature at which the agreement foreseen is that observed."""
    same = first.argmin(axis=1) == second.argmin(axis=1)
    # As if half of one more pair agreed: without any disagreement T would be zero.
    observed = (same.sum() + 0.5) / (len(same) + 1)
    evidence = (first + second).mean(axis=1)
    cuts = np.quantile(evidence, np.linspace(0, 1, STRATA + 1)[1:-1])
    strata = [np.flatnonzero(np.searchsorted(cuts, evidence) == s) for s in range(STRATA)]

    def excess(log_t: float) -> float:
        p, q = (probabilities(costs, np.exp(log_t)) for costs in (first, second))
        return sum(_foreseen(p[s], q[s]) for s in strata if len(s)) / len(same) - observed

    unit = np.median(np.ptp(first, axis=1))
    low, high = (float(np.log(unit * bound)) for bound in RANGE)
    if excess(low) <= 0 or excess(high) >= 0:
        # Less certain than any temperature makes it, or the same at all: the nearest will do.
        return float(np.exp(low if excess(low) <= 0 else high))
    # To one part in a hundred: the agreement itself is not known better.
    return float(np.exp(brentq(excess, low, high, xtol=1e-2)))


def _foreseen(p: Array, q: Array) -> float:
    """Expected number of samples whose labels from two halves agree, if p and q are right.

    The label of one half is l with probability Σ_k p_k C_kl, with C_kl how often the other half
    calls a sample of cluster k an l: Σ q_k over the samples that it calls l, over Σ q_k.
    """
    total = 0.0
    for own_shares, other_shares in ((p, q), (q, p)):
        k = own_shares.shape[1]
        labels, calls = own_shares.argmax(axis=1), as_partition(other_shares.argmax(axis=1), k)
        C = calls.inner(other_shares).T
        # The tiny number keeps clusters that no sample of the group is in from 0 / 0.
        C /= np.maximum(C.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        total += float((own_shares * C[:, labels].T).sum())
    return total / 2


def sampled_rows(n: int) -> Array:
    """Positions of about 1,000 of n rows, in stretches spread evenly; all rows if there are fewer.

    >>> len(sampled_rows(50)), len(sampled_rows(10**6))
    (50, 1000)
    """
    if n <= SAMPLES:
        return np.arange(n)
    starts = np.linspace(0, n - STRETCH, SAMPLES // STRETCH).astype(np.intp)
    return np.unique(starts[:, None] + np.arange(STRETCH))


def held_out(
    model: Any, problem: InformationProblem, state: State
) -> Iterator[tuple[Any, RelationalData]]:
    """Groups of samples, each with a copy of the method whose tables have not seen them.

    Parameters
    ----------
    model : ITCC
        Fitted to the data of the problem.
    problem, state : what was solved, and where the run ended
    """
    data = problem.data
    rows = sampled_rows(len(data))
    n_groups = max(1, int(np.ceil(len(rows) / (HELD_OUT * len(data)))))
    G = as_partition(model.labels_, model._factors[data.center].shape[1])
    # At random: neighbours, or every n-th row, would take a whole cluster away where the data are
    # sorted by class, or the classes take turns.
    mixed = np.random.default_rng(0).permutation(rows)
    for group in map(np.sort, np.array_split(mixed, n_groups)):
        samples = data[group]
        remaining = State(state.factors, products=dict(state.products))
        for r, relation in enumerate(data.relations):
            if relation.rows == data.center:
                total = problem.product(state, r, "rows")
                index = samples.relations[r].row_index
                labels = G[group] if index is None else G[group[index]]
                difference = total - times(samples.relations[r].matrix.T, labels)
                remaining.products[r, "rows"] = np.where(
                    difference > RESIDUE * total, difference, 0
                )
        yield _without(model, problem, remaining), _known_only(samples, remaining)


def _known_only(samples: RelationalData, remaining: State) -> RelationalData:
    """The samples without the features that no other sample has: nothing is known of those."""
    relations = []
    for r, relation in enumerate(samples.relations):
        sums = remaining.products.get((r, "rows"))
        if relation.rows == samples.center and sums is not None:
            has_sum = (sums.sum(axis=1) > 0).astype(np.float64)
            relation = relation.derive(matrix=scaled(relation.matrix, None, has_sum))
        relations.append(relation)
    return samples.derive(relations)


def _without(model: Any, problem: InformationProblem, remaining: State) -> Any:
    """The method with features and tables as they are without some samples."""
    data, state = problem.data, remaining
    for name in data.types:
        if name != data.center:
            profiles = profiles_of(problem, remaining, name)
            state = problem.replaced(
                state, name, regrouped(profiles, remaining.factors[name], SWEEPS)
            )
    judge = copy.copy(model)
    judge._factors = dict(state.factors)
    tables = [problem.cross(state, r) for r in range(len(data.relations))]
    judge.associations_ = tuple(table / (table.sum() or 1.0) for table in tables)
    return judge
