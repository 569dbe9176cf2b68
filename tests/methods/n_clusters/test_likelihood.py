"""The likelihood is a probability, and merging finds the best pair at every step."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.metrics import mutual_info_score

from cocluster.methods.n_clusters.likelihood import (
    INFORMATION,
    LIKELIHOOD,
    Blocks,
    Merging,
    best_step,
    cut,
    icl,
    merge_all,
    numbers_after,
)


def blocks_of(X: Any, rows: Any, columns: Any) -> Blocks:
    """Blocks of one small matrix."""
    X, G, H = (
        np.asarray(X),
        np.eye(max(rows) + 1)[list(rows)],
        np.eye(max(columns) + 1)[list(columns)],
    )
    sizes = G.sum(axis=0)
    return Blocks(
        G.T @ X @ H, np.zeros(H.shape[1], dtype=int), sizes, sizes[:, None], H.sum(axis=0)
    )


def constant(X: Any) -> float:
    """The terms of log p(X) that do not depend on labels."""
    X = np.asarray(X)
    return float(
        gammaln(X.sum(axis=0) + 1).sum() + gammaln(X.sum(axis=1) + 1).sum() - gammaln(X + 1).sum()
    )


@pytest.mark.parametrize(
    ("rows", "columns"),
    [((0, 0), (0, 0)), ((0, 1), (0, 0)), ((0, 1), (1, 0)), ((0, 0), (0, 0, 1))],
    ids=str,
)
@pytest.mark.parametrize("total", [1, 3, 5])
def test_the_closed_form_sums_to_the_probability_of_the_total(
    rows: tuple[int, ...], columns: tuple[int, ...], total: int
) -> None:
    """Over all matrices with this total: brute force against a sum of geometric counts."""
    shape = len(rows), len(columns)
    cells = range(total + 1)
    matrices = (
        np.reshape(X, shape) for X in product(cells, repeat=shape[0] * shape[1]) if sum(X) == total
    )
    logs, sizes = [], np.array([])
    for X in matrices:
        blocks = blocks_of(X, rows, columns)
        sizes, rate = np.outer(blocks.rows, blocks.columns).ravel(), blocks.rates[0]
        logs.append(icl(blocks) + constant(X) - _label_terms(blocks))
    # A count with an exponential rate is geometric, and the blocks are independent.
    shares = [sizes_ / (rate + sizes_) for sizes_ in sizes]
    expected = sum(
        np.prod([(1 - p) * p**c for p, c in zip(shares, split, strict=True)])
        for split in product(cells, repeat=len(shares))
        if sum(split) == total
    )
    assert np.exp(logs).sum() == pytest.approx(expected)


def _label_terms(blocks: Blocks) -> float:
    """log p(labels) of both sides."""
    return float(
        sum(
            LIKELIHOOD.labels(sizes.sum(), len(sizes)) + gammaln(sizes + 1).sum()
            for sizes in (blocks.rows, blocks.columns)
        )
    )


@pytest.mark.parametrize("k", [1, 2, 3])
def test_labels_have_probabilities_that_sum_to_one(k: int) -> None:
    n = 5
    labellings = product(range(k), repeat=n)
    logs = [
        LIKELIHOOD.labels(n, k) + gammaln(np.bincount(labels, minlength=k) + 1).sum()
        for labels in labellings
    ]
    assert np.exp(logs).sum() == pytest.approx(1)


@pytest.fixture
def views(rng: np.random.Generator) -> Blocks:
    """Blocks of two views, of which the second lacks some rows."""
    counts = rng.poisson(rng.gamma(0.5, 20, size=(5, 7))).astype(float)
    rows = rng.integers(2, 9, size=5)
    present = np.stack([rows, rows - rng.integers(0, 2, size=5)], axis=1)
    return Blocks(
        counts, np.array([0, 0, 0, 0, 1, 1, 1]), rows, present, rng.integers(1, 9, size=7)
    )


def merged(blocks: Blocks, axis: int, a: int, b: int) -> Blocks:
    """The blocks with two clusters as one, the plain way."""

    def added(values: Any, along: int) -> Any:
        values = np.array(values)
        np.moveaxis(values, along, 0)[a] += np.moveaxis(values, along, 0)[b]
        return np.delete(values, b, axis=along)

    counts = added(blocks.counts, axis)
    if axis == 0:
        rows, present = added(blocks.rows, 0), added(blocks.present, 0)
        return Blocks(counts, blocks.view, rows, present, blocks.columns)
    columns = added(blocks.columns, 0)
    return Blocks(counts, np.delete(blocks.view, b), blocks.rows, blocks.present, columns)


@pytest.mark.parametrize("criterion", [LIKELIHOOD, INFORMATION], ids=["likelihood", "information"])
@pytest.mark.parametrize("axes", [(0, 1), (0,), (1,)], ids=str)
def test_every_merge_is_the_best_of_all(views: Blocks, criterion: Any, axes: Any) -> None:
    blocks, steps = views, merge_all(views, criterion, axes)
    for step in steps:
        options = {
            (axis, a, b): Merging(merged(blocks, axis, a, b), criterion).value
            for axis in axes
            for a, b in combinations(range(blocks.counts.shape[axis]), 2)
            if axis == 0 or blocks.view[a] == blocks.view[b]
        }
        assert step.value == pytest.approx(max(options.values()))
        chosen = max(options, key=lambda option: options[option])
        blocks = merged(blocks, *chosen)
    # Nothing is left to merge.
    assert numbers_after(views, steps) == [
        1 if 0 in axes else len(views.rows),
        *([1, 1] if 1 in axes else [4, 3]),
    ]


def test_information_is_what_scikit_learn_says(rng: np.random.Generator) -> None:
    counts = rng.integers(1, 9, size=(3, 4)).astype(float)
    blocks = Blocks(counts, np.zeros(4, dtype=int), np.ones(3), np.ones((3, 1)), np.ones(4))
    total = counts.sum()
    # Without the term of the total, which labels do not change.
    value = Merging(blocks, INFORMATION).value + total * np.log(total)
    assert value / total == pytest.approx(mutual_info_score(None, None, contingency=counts))


def test_losses_rise_to_all_of_the_information(views: Blocks) -> None:
    lost = [step.lost for step in merge_all(views)]
    assert np.all(np.diff([0.0, *lost]) >= -1e-12)
    assert lost[-1] == pytest.approx(1)


def test_cuts_are_nested_and_follow_the_merges(views: Blocks) -> None:
    steps = merge_all(views)
    finer = cut(steps, 0, 5, 5)
    assert sorted(finer) == list(range(5))
    for k in (4, 3, 2, 1):
        labels = cut(steps, 0, 5, k)
        assert len(np.unique(labels)) == k
        # Every finer cluster lies in one of the coarser ones.
        assert len(set(zip(finer, labels, strict=True))) == k + 1
        finer = labels


def test_the_best_step_is_that_of_the_highest_likelihood(views: Blocks) -> None:
    steps = merge_all(views)
    values = [icl(views), *(step.value for step in steps)]
    assert values[best_step(views, steps)] == max(values)


def test_a_view_without_entries_says_nothing(views: Blocks) -> None:
    empty = Blocks(
        np.where(views.view == 1, 0.0, views.counts),
        views.view,
        views.rows,
        views.present,
        views.columns,
    )
    assert np.isfinite([step.value for step in merge_all(empty)]).all()
