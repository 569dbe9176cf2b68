"""Planted data has the law, the labels and the best accuracy it claims."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import poisson

from cocluster.datasets import planted
from cocluster.datasets.planted import make_blocks, make_star

PATTERNS = ["diagonal", "checkerboard"]


def many_draws(n_draws):
    """Draw the counts of one fixed small model again and again; also return the mean of each."""
    rng = np.random.default_rng(0)
    column_labels, weights = np.array([0, 1, 1, 2, 0, 2]), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    rates = 1 + 3 * np.eye(3)
    blocks = planted._block_shares(rates, column_labels, weights)
    labels, degrees = np.array([0, 1, 2, 0]), np.array([2.0, 5.0, 1.0, 9.0])
    totals = rng.poisson(degrees[:, None] * blocks[labels], size=(n_draws, 4, 3)).reshape(-1, 3)
    drawn = planted._spread_counts(totals, column_labels, weights, rng)
    mean = rates[labels][:, column_labels] * weights
    mean *= degrees[:, None] / mean.sum(axis=1, keepdims=True)
    return drawn.toarray().reshape(n_draws, 4, 6), mean


def test_entries_are_poisson_with_the_rates_of_the_model():
    n_draws = 20_000
    drawn, mean = many_draws(n_draws)
    error = 5 / np.sqrt(n_draws)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - mean), error * np.sqrt(mean))
    for value in range(4):
        share = (drawn == value).mean(axis=0)
        np.testing.assert_array_less(np.abs(share - poisson.pmf(value, mean)), error)


def test_entries_are_independent():
    n_draws = 20_000
    drawn, _ = many_draws(n_draws)
    correlation = np.corrcoef(drawn.reshape(n_draws, -1).T)
    np.testing.assert_array_less(np.abs(correlation - np.eye(24)), 6 / np.sqrt(n_draws))


def test_chunks_do_not_change_the_law(monkeypatch):
    monkeypatch.setattr(planted, "CHUNK_COUNTS", 1000)
    drawn, mean = many_draws(5000)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - mean), 5 * np.sqrt(mean / 5000))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_row_sums_have_the_degree_asked_for_in_every_cluster(pattern):
    data = make_blocks(3000, 80, 4, pattern=pattern, row_degree=30, degree_spread=0, random_state=0)
    sums = data.X.sum(axis=1)
    for cluster in range(4):
        own = sums[data.row_labels == cluster]
        assert abs(own.mean() - 30) < 5 * np.sqrt(30 / own.size)


def test_degree_spread_spreads_rows_and_columns():
    def variation(spread):
        X = make_blocks(500, 500, 2, degree_spread=spread, random_state=0).X
        return [sums.std() / sums.mean() for sums in (X.sum(axis=1), X.sum(axis=0))]

    for less, more in pairwise([variation(0), variation(0.5), variation(1)]):
        assert np.all(np.array(less) < more)


def bayes_accuracy(star, ons, weights, degrees, contrast):
    """Slow twin: the posterior of every row under the full Poisson law of its entries."""
    right = 0
    for i, label in enumerate(star.labels):
        score = np.log(np.bincount(star.labels) / len(star.labels))
        for name, X in star.views.items():
            for z in range(len(score)):
                high = ons[name][z, star.feature_labels[name]]
                rate = weights[name] * np.where(high == 1, contrast, 1)
                rate *= degrees[name][i] / rate.sum()
                score[z] += poisson.logpmf(X[[i]].toarray(), rate).sum()
        right += score.argmax() == label
    return right / len(star.labels)


def remember_calls(monkeypatch, name):
    """The list to which every result of this function of the module will be added."""
    original, results = getattr(planted, name), []

    def remember(*args):
        results.append(original(*args))
        return results[-1]

    monkeypatch.setattr(planted, name, remember)
    return results


@pytest.mark.parametrize("pattern", PATTERNS)
def test_best_accuracy_is_that_of_the_bayes_rule(pattern, monkeypatch):
    patterns = remember_calls(monkeypatch, "_pattern")
    spreads = remember_calls(monkeypatch, "_degrees")
    sizes, degree = {"words": 30, "tags": 12}, {"words": 6, "tags": 4}
    star = make_star(150, sizes, 3, pattern=pattern, row_degree=degree, contrast=4, random_state=0)
    ons = dict(zip(sizes, patterns, strict=True))
    weights = dict(zip(sizes, spreads[::2], strict=True))
    degrees = {
        name: degree[name] * spread for name, spread in zip(sizes, spreads[1::2], strict=True)
    }
    expected = bayes_accuracy(star, ons, weights, degrees, 4)
    assert 1 / 3 < expected < 1
    assert star.best_accuracy == pytest.approx(expected)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_more_contrast_is_easier_and_none_is_guessing(pattern):
    def best(contrast):
        return make_blocks(1000, 100, 4, pattern=pattern, contrast=contrast, random_state=0)

    flat = best(1)
    assert flat.best_accuracy == np.bincount(flat.row_labels).max() / 1000
    assert flat.best_accuracy < best(1.5).best_accuracy < best(3).best_accuracy


@pytest.mark.parametrize(("k", "l"), [(10, 10), (6, 4), (4, 6), (2, 2)])
# 18: the clearest pattern of that draw has rows that are sums of others.
@pytest.mark.parametrize("seed", [0, 1, 2, 18])
def test_checkerboard_is_recoverable(k, l, seed):
    on = planted._pattern("checkerboard", k, l, np.random.default_rng(seed))
    assert on.shape == (k, l)
    assert set(np.unique(on)) == {0, 1}
    assert len(np.unique(on, axis=0)) == k
    assert len(np.unique(on, axis=1).T) == l
    assert np.linalg.matrix_rank(on) == min(k, l)


def test_same_seed_same_data_other_seed_other_data():
    first, again, other = (make_blocks(50, 40, 3, random_state=seed) for seed in (1, 1, 2))
    assert (first.X != again.X).nnz == 0
    np.testing.assert_array_equal(first.row_labels, again.row_labels)
    np.testing.assert_array_equal(first.column_labels, again.column_labels)
    assert (first.X != other.X).nnz > 0


@pytest.mark.parametrize("random_state", [np.random.RandomState(0), np.random.default_rng(0)])
def test_a_generator_moves_on(random_state):
    first, second = (make_blocks(50, 40, 3, random_state=random_state).X for _ in range(2))
    assert (first != second).nnz > 0


def test_star_shares_samples_between_views():
    star = make_star(300, {"a": 50, "b": 20, "c": 9}, 4, random_state=0)
    assert set(np.unique(star.labels)) == set(range(4))
    for name, m in {"a": 50, "b": 20, "c": 9}.items():
        X = star.views[name]
        assert isinstance(X, sp.csr_array)
        assert X.dtype == np.float64
        assert X.has_canonical_format
        assert X.shape == (300, m)
        assert set(np.unique(star.feature_labels[name])) == set(range(4))


def test_more_views_tell_more():
    degree = {"a": 10, "b": 10}
    one = make_star(1000, {"a": 100}, 5, row_degree={"a": 10}, random_state=0)
    two = make_star(1000, {"a": 100, "b": 100}, 5, row_degree=degree, random_state=0)
    assert one.best_accuracy < two.best_accuracy


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "0 clusters of 50 samples"),
        ({"n_clusters": 51}, "51 clusters of 50 samples"),
        ({"n_column_clusters": 41, "pattern": "checkerboard"}, "41 clusters of 40 columns"),
        ({"n_column_clusters": 4}, "as many column clusters"),
        ({"pattern": "stripes"}, "pattern is 'stripes'"),
        ({"pattern": "checkerboard", "n_clusters": 8, "n_column_clusters": 2}, "closer"),
        ({"row_degree": 0}, "row_degree of columns is 0"),
        ({"contrast": 0.5}, "contrast is 0.5"),
        ({"degree_spread": -1}, "degree_spread is -1"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_blocks(**({"n_rows": 50, "n_columns": 40, "n_clusters": 3} | options))


def test_bad_views_are_refused():
    with pytest.raises(ValueError, match="name at least one view"):
        make_star(50, {})
    with pytest.raises(ValueError, match=r"row_degree names \['b'\]"):
        make_star(50, {"a": 20}, 3, row_degree={"b": 3})


def test_sizes_have_the_ratio_asked_for():
    data = make_blocks(20_000, 50, 5, size_ratio=16.0, random_state=0)
    sizes = np.bincount(data.row_labels)
    np.testing.assert_allclose(sizes[1:] / sizes[:-1], 2.0, rtol=0.1)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_noise_follows_the_columns_and_has_no_cluster(pattern):
    options = {"pattern": pattern, "degree_spread": 0.0, "random_state": 0}
    data = make_blocks(20_000, 40, 4, noise=0.25, row_degree=50.0, **options)
    noise = data.row_labels == -1
    assert np.mean(noise) == pytest.approx(0.25, abs=0.02)
    assert set(data.row_labels[~noise]) == set(range(4))
    # Columns of equal degree are met equally often, whatever their cluster.
    means = data.X[noise].mean(axis=0)
    np.testing.assert_allclose(means, 50 / 40, rtol=0.1)


def test_the_best_accuracy_is_of_rows_with_a_cluster():
    clean, noisy = (
        make_blocks(5_000, 200, 4, noise=noise, random_state=0).best_accuracy for noise in (0, 0.3)
    )
    assert noisy == pytest.approx(clean, abs=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"size_ratio": 0.5}, "size_ratio is 0.5"), ({"noise": 1.0}, "noise is 1.0")],
)
def test_impossible_rows_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_blocks(50, 20, 2, **options)
