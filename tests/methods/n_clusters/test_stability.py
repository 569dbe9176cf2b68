"""Halves are parts of the whole, know the same samples, and share nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite, star
from cocluster.linalg.matrices import as_dense
from cocluster.methods.n_clusters import stability
from cocluster.methods.n_clusters.stability import split, split_features, thin_counts, without_empty


def matrix(data: RelationalData) -> Any:
    """The only matrix, dense."""
    return as_dense(data.relations[0].matrix)


@pytest.fixture(params=["dense", "sparse"])
def counts(request: pytest.FixtureRequest, rng: np.random.Generator) -> RelationalData:
    """Counts in which no row and no column is empty, nor likely to be so when thin_counts."""
    X = rng.poisson(20, size=(12, 9)).astype(float)
    return bipartite(X if request.param == "dense" else sp.csr_array(X))


def test_thinned_halves_add_up_to_the_whole(
    counts: RelationalData, rng: np.random.Generator
) -> None:
    first, second = map(matrix, thin_counts(counts, rng))
    assert np.array_equal(first + second, matrix(counts))
    assert min(first.min(), second.min()) >= 0
    assert not np.array_equal(first, second)


def test_thinned_halves_of_poisson_counts_are_independent(rng: np.random.Generator) -> None:
    n = 40_000
    first, second = map(matrix, thin_counts(bipartite(rng.poisson(8, size=(n // 4, 4)) + 0.0), rng))
    # Correlations of independent counts stay within five standard deviations.
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 5 / np.sqrt(n)


def test_halves_share_the_features_out(counts: RelationalData, rng: np.random.Generator) -> None:
    first, second = map(matrix, split_features(counts, rng))
    both, whole = np.hstack([first, second]), matrix(counts)
    assert sorted(map(tuple, both.T)) == sorted(map(tuple, whole.T))
    assert abs(first.shape[1] - second.shape[1]) <= 1


def test_samples_that_one_half_does_not_know_are_left_out(rng: np.random.Generator) -> None:
    # Row 0 has one entry: whatever half that falls in, the other knows nothing of the row.
    X = np.ones((6, 10))
    X[0] = np.eye(10)[3]
    for half in split_features(bipartite(X), rng):
        assert np.array_equal(matrix(half).shape[0], 5)


def test_views_are_halved_each_by_itself(rng: np.random.Generator) -> None:
    data = star({"words": np.ones((6, 10)), "tags": np.ones((6, 4))})
    for half in split_features(data, rng):
        assert half.sizes == {"samples": 6, "words": 5, "tags": 2}


def test_empty_features_and_views_are_left_out() -> None:
    words = np.array([[1.0, 0, 2], [3, 0, 0]])
    relations = (Relation(words, "samples", "words"), Relation(np.zeros((2, 2)), "samples", "tags"))
    kept = without_empty(RelationalData(relations))
    assert kept.sizes == {"samples": 2, "words": 2}
    assert np.array_equal(matrix(kept), words[:, [0, 2]])


@pytest.mark.parametrize(
    ("features", "spread", "values", "thin"),
    [
        (stability.FEW_FEATURES, 1.0, 1.0, False),
        (stability.FEW_FEATURES - 1, 1.0, 1.0, True),
        (stability.FEW_FEATURES - 1, stability.INDEPENDENT, 1.0, False),
        (stability.FEW_FEATURES - 1, 1.0, 0.5, False),
    ],
    ids=["many features", "few counts", "few bursty counts", "few measurements"],
)
def test_only_few_independent_counts_are_thinned(
    features: int, spread: float, values: float, thin: bool, rng: np.random.Generator
) -> None:
    data = bipartite(np.full((20, features), 40 * values + (values - 1)))
    first, _ = split(data, spread, rng)
    assert (first.shape[1] == features) == thin


def test_names_do_not_get_in_the_way(counts: RelationalData, rng: np.random.Generator) -> None:
    named = replace(counts, names={"samples": np.arange(12), "features": np.arange(9)})
    assert split_features(named, rng)[0].names == {}
