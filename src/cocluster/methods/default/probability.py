r"""Costs of samples in clusters, and the probabilities that follow from them without classes.

A sample that costs :math:`c_k` in cluster k belongs to it with probability

.. math:: p_k \propto \exp(-c_k / T) .

T = 1 would be right if costs were log-likelihoods of a model that holds exactly. Real data are less
simple: words come in bursts, genes in pathways, and a sample seems to have more evidence than it
has. So T is calibrated by a split of the features: each half gives every sample a label of its own.
The probabilities of both halves imply how often the two labels should agree; T is the temperature
at which they agree that often.

Samples are judged by clusters that have not seen them: `held_out` takes them out of the tables and
moves the features without them. Otherwise labels would agree because they were made to.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import scaled, times
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer
from cocluster.methods.default.split_merge import cluster_profiles, move_objects
from cocluster.methods.information.itcc import InformationProblem
from cocluster.trifactor import State

# Samples for the calibration, and rows in one run of neighbouring positions: enough for two digits;
# neighbouring rows lie in few blocks of data on disk, single rows would lie in all of them.
SAMPLES, NEIGHBOURING = 1000, 50
# Largest share of the samples that is held out at a time: the clusters must stay what they are.
HELD_OUT = 0.25
# Splits of the features for each group of samples.
SPLITS = 2
# Sweeps in which features move without the samples held out: most find their place in the first.
SWEEPS = 3
# Groups of samples by the evidence they have. Among samples alike in this, the two labels of a
# sample are independent given its cluster; in one group, long samples would seem too certain.
STRATA = 5
# Range of T in units of the median difference between the dearest and the cheapest cluster: from
# almost certain to almost equal probabilities.
RANGE = (1e-6, 1e4)
# Absolute tolerance of log T: the agreement itself is not known better than to one in a hundred.
PRECISION = 1e-2
# Relative remainder of a sum from which everything was subtracted: single-precision rounding.
RESIDUE = 1e-6

# Costs of samples by one half of the features and by the other half.
HalfCosts = tuple[Array, Array]


def costs(model: Any, data: RelationalData) -> Array:
    """Return the cost of each sample in each cluster; `predict` chooses the cheapest.

    The unit is that of the method, see `CoCluster.transform`.

    Parameters
    ----------
    model : fitted co-clusterer
        A method of the catalogue, or the `CoCluster` that chose it.
    data : RelationalData
        Samples with the features of the fit; types with other names are taken in order.

    Returns
    -------
    array of shape (n_samples, n_clusters)
        Columns in the order in which the model numbers its clusters.

    Examples
    --------
    >>> from cocluster import FNMTF
    >>> from cocluster.data.relational import bipartite
    >>> X = np.kron([[5, 1, 1], [1, 1, 5]], np.ones((3, 2)))
    >>> model = FNMTF(2, 2, random_state=0).fit(X)
    >>> (costs(model, bipartite(X)).argmin(axis=1) == model.labels_).all()
    np.True_
    """
    if not has_costs(model):
        raise TypeError(f"{type(model).__name__} has no costs of samples; see its `predict`.")
    # `CoCluster` keeps the method that it chose, and may number its clusters in another way.
    method = getattr(model, "model_", model)
    # Relational data have no feature names that scikit-learn could compare with those of the fit.
    unnamed = copy.copy(method)
    unnamed.__dict__.pop("feature_names_in_", None)
    method_costs = np.asarray(unnamed._costs(with_types_of_fit(model, data)), dtype=np.float64)
    n_clusters = method_costs.shape[1]
    numbers = np.full(n_clusters, -1)
    numbers[method.labels_] = model.labels_
    # Clusters without samples take the numbers that are left.
    numbers[numbers < 0] = np.setdiff1d(np.arange(n_clusters), model.labels_)
    return method_costs[:, np.argsort(numbers)]


def with_types_of_fit(model: Any, data: RelationalData) -> RelationalData:
    """Rename the types of data as in the fit: a file may call "words" what a matrix cannot name."""
    form = getattr(getattr(model, "model_", model), "_form", None)
    types = list(data.types if form is None else form.sizes)
    if set(types) == set(data.types) or len(types) != len(data.types):
        return data
    name = dict(zip(data.types, types, strict=True))
    relations = tuple(r.derive(rows=name[r.rows], cols=name[r.cols]) for r in data.relations)
    return RelationalData(relations, name[data.center])


def has_costs(model: Any) -> bool:
    """Whether a model has costs of samples: models of other libraries have none."""
    return isinstance(getattr(model, "model_", model), Coclusterer)


def probabilities(costs: Array, temperature: float) -> Array:
    """Return rows proportional to exp(-costs / temperature), which sum to one.

    >>> probabilities(np.array([[0.0, np.log(3)]]), 1.0)
    array([[0.75, 0.25]])
    """
    return np.asarray(softmax(-costs / temperature, axis=1))


def temperature(halves: Sequence[HalfCosts]) -> float:
    """Return the temperature at which two halves of the features agree as often as implied.

    Parameters
    ----------
    halves : sequence of pairs of arrays of shape (n, k)
        Costs of samples that took no part in a fit, by one half of the features and by the other.
        Fits with the same number of clusters are pooled.
    """
    strata = [stratum for pooled in _pool(halves) for stratum in _strata(*pooled)]
    n = sum(len(first) for first, _ in strata)
    if not n or strata[0][0].shape[1] == 1:
        return 1.0
    n_same = sum(int((p.argmin(axis=1) == q.argmin(axis=1)).sum()) for p, q in strata)
    # As if half of one more pair agreed: without any disagreement T would be zero.
    observed = (n_same + 0.5) / (n + 1)

    def excess(log_t: float) -> float:
        t = np.exp(log_t)
        implied = (
            _implied_agreement(probabilities(first, t), probabilities(second, t))
            for first, second in strata
        )
        return sum(implied) / n - observed

    unit = np.median(np.concatenate([np.ptp(first, axis=1) for first, _ in strata]))
    low, high = (float(np.log(unit * bound)) for bound in RANGE)
    # If the labels agree more often than certainty implies, or less often than chance, the end of
    # the range is the nearest temperature.
    if excess(low) <= 0:
        return float(np.exp(low))
    if excess(high) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(excess, low, high, xtol=PRECISION)))


def _pool(halves: Sequence[HalfCosts]) -> list[HalfCosts]:
    """Concatenate pairs with the same number of clusters, without samples unknown to a half."""
    by_width: dict[int, list[HalfCosts]] = {}
    for first, second in halves:
        informed = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
        pair = first[informed], second[informed]
        by_width.setdefault(first.shape[1], []).append(pair)
    return [
        (np.concatenate(firsts), np.concatenate(seconds))
        for firsts, seconds in (zip(*pairs, strict=True) for pairs in by_width.values())
    ]


def _strata(first: Array, second: Array) -> list[HalfCosts]:
    """Group samples by their evidence, in strata of about equal size."""
    if not len(first):
        return []
    evidence = (first + second).mean(axis=1)
    cuts = np.quantile(evidence, np.linspace(0, 1, STRATA + 1)[1:-1])
    stratum = np.searchsorted(cuts, evidence)
    return [(first[stratum == s], second[stratum == s]) for s in np.unique(stratum)]


def _implied_agreement(p: Array, q: Array) -> float:
    """Return the expected number of samples whose labels from two halves agree, if p and q hold.

    The label of one half is l with probability Σ_k p_k C_kl, with C_kl how often the other half
    calls a sample of cluster k an l: Σ q_k over the samples that it calls l, over Σ q_k.
    """
    total = 0.0
    for shares, other_shares in ((p, q), (q, p)):
        labels = shares.argmax(axis=1)
        other_labels = as_partition(other_shares.argmax(axis=1), shares.shape[1])
        C = other_labels.inner(other_shares).T
        # The tiny number keeps clusters without samples in the group from 0 / 0.
        C /= np.maximum(C.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        total += float((shares * C[:, labels].T).sum())
    return total / 2


def half_costs(judges: Iterable[tuple[Any, RelationalData]], seed: int = 0) -> list[HalfCosts]:
    """Return the costs of samples by halves of the features, for several splits.

    Parameters
    ----------
    judges : (fitted method, samples) pairs
        Samples in the scale of the fit, and the method that judges them.
    seed : int
        Draws the halves.
    """
    rng, halves = np.random.default_rng(seed), []
    for model, data in judges:
        for _ in range(SPLITS):
            halves.append(split_costs(model, data, rng))
    return halves


def split_costs(model: Any, data: RelationalData, rng: np.random.Generator) -> HalfCosts:
    """Return the costs of samples by one half of the features of every view, and by the other."""
    halves: tuple[dict[str, Array], dict[str, Array]] = ({}, {})
    for name in data.types:
        if name != data.center:
            order = rng.permutation(data.size(name))
            for half, features in zip(halves, np.array_split(order, 2), strict=True):
                half[name] = np.sort(features)
    first, second = halves
    return _costs_by_features(model, data, first), _costs_by_features(model, data, second)


def _costs_by_features(model: Any, data: RelationalData, features: dict[str, Array]) -> Array:
    """Return the costs of samples by some features only."""
    judge = copy.copy(model)
    judge._factors = dict(model._factors)
    relations = data.relations
    for name, indices in features.items():
        judge._factors[name] = model._factors[name][indices]
        relations = tuple(r.select(name, indices) for r in relations)
    return np.asarray(judge._costs_of(data.derive(relations, names={})))


def sample_positions(n: int) -> Array:
    """Return positions of about 1,000 of n rows, in evenly spaced runs; all of fewer rows.

    >>> len(sample_positions(50)), len(sample_positions(10**6))
    (50, 1000)
    """
    if n <= SAMPLES:
        return np.arange(n)
    starts = np.linspace(0, n - NEIGHBOURING, SAMPLES // NEIGHBOURING).astype(np.intp)
    return np.unique(starts[:, None] + np.arange(NEIGHBOURING))


def held_out(
    model: Any, problem: InformationProblem, state: State
) -> Iterator[tuple[Any, RelationalData]]:
    """Yield groups of samples, each with a copy of the method whose tables have not seen them.

    Parameters
    ----------
    model : ITCC
        Fitted to the data of the problem.
    problem, state : the problem solved, and the end of the run
    """
    data = problem.data
    rows = sample_positions(len(data))
    n_groups = max(1, int(np.ceil(len(rows) / (HELD_OUT * len(data)))))
    G = as_partition(model.labels_, model._factors[data.center].shape[1])
    # At random: neighbours, or every n-th row, would take a whole cluster away where the data are
    # sorted by class, or the classes take turns.
    shuffled = np.random.default_rng(0).permutation(rows)
    for group in map(np.sort, np.array_split(shuffled, n_groups)):
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
        yield _refit_features(model, problem, remaining), _zero_unseen_features(samples, remaining)


def _zero_unseen_features(samples: RelationalData, remaining: State) -> RelationalData:
    """Set features that no remaining sample has to zero: the clusters know nothing of them."""
    relations = []
    for r, relation in enumerate(samples.relations):
        sums = remaining.products.get((r, "rows"))
        if relation.rows == samples.center and sums is not None:
            has_sum = (sums.sum(axis=1) > 0).astype(np.float64)
            relation = relation.derive(matrix=scaled(relation.matrix, None, has_sum))
        relations.append(relation)
    return samples.derive(relations)


def _refit_features(model: Any, problem: InformationProblem, remaining: State) -> Any:
    """Return a copy of the method with features and tables refitted to the remaining samples."""
    data, state = problem.data, remaining
    for name in data.types:
        if name != data.center:
            profiles = cluster_profiles(problem, remaining, name)
            moved = move_objects(profiles, remaining.factors[name], SWEEPS)
            state = problem.replaced(state, name, moved)
    judge = copy.copy(model)
    judge._factors = dict(state.factors)
    tables = [problem.cross(state, r) for r in range(len(data.relations))]
    judge.associations_ = tuple(table / (table.sum() or 1.0) for table in tables)
    return judge
