"""Numbers of clusters: by size, as before, along the diagonal; each against brute force."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cocluster.methods.numbering import as_before, by_size, diagonal


def test_sizes_fall_and_ties_go_by_first_member(rng: Any) -> None:
    labels = rng.integers(6, size=30)
    found = by_size(labels, 8)[labels]
    sizes = np.bincount(found, minlength=8)
    assert (np.diff(sizes) <= 0).all()
    first = [np.flatnonzero(found == c)[0] for c in range(len(np.unique(labels)))]
    assert all(
        a < b for a, b, s, t in zip(first, first[1:], sizes, sizes[1:], strict=False) if s == t
    )


def test_a_numbering_is_a_permutation(rng: Any) -> None:
    labels, before = rng.integers(5, size=(2, 12))
    for numbers in (by_size(labels, 7), as_before(labels, before, 7), diagonal(rng.random((3, 7)))):
        assert_array_equal(np.sort(numbers), np.arange(7))


def test_as_many_labels_as_possible_stay(rng: Any) -> None:
    labels, before = rng.integers(4, size=(2, 25))
    kept = np.sum(as_before(labels, before, 4)[labels] == before)
    assert kept == max(np.sum(np.array(p)[labels] == before) for p in permutations(range(4)))


def test_renumbered_labels_come_back(rng: Any) -> None:
    before = rng.integers(5, size=40)
    names = rng.permutation(5)
    assert_array_equal(as_before(names[before], before, 5)[names[before]], before)


def test_new_clusters_take_the_numbers_left_over_by_size() -> None:
    labels = np.array([0, 0, 0, 1, 2, 2, 3])
    before = np.array([3, 3, 3, 0, 0, 0, 0])
    # Cluster 0 was 3 and 2 was 0; of the others, as large, the first takes the lower number.
    assert_array_equal(as_before(labels, before, 4), [3, 1, 0, 2])


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (4, 2)])
def test_no_order_is_more_diagonal(rng: Any, shape: tuple[int, int]) -> None:
    S = rng.random(shape)
    score = S / np.sqrt(np.outer(S.sum(axis=1), S.sum(axis=0)))

    def trace(columns: Any) -> float:
        if shape[1] >= shape[0]:
            return float(np.trace(score[:, columns]))
        # Fewer groups than clusters: they may go with any of these, in their order.
        rows = permutations(range(shape[0]), shape[1])
        return max(float(score[list(r), columns].sum()) for r in rows if list(r) == sorted(r))

    found = trace(np.argsort(diagonal(S)))
    assert found == pytest.approx(max(trace(list(p)) for p in permutations(range(shape[1]))))


def test_the_scale_of_a_cluster_does_not_matter_for_its_partner(rng: Any) -> None:
    S = np.eye(4)[rng.permutation(4)] + 0.1 * rng.random((4, 4))
    light = S * np.array([1.0, 1e-6, 1.0, 1.0])
    assert_array_equal(diagonal(light), diagonal(S))


def test_groups_without_a_partner_follow_by_weight() -> None:
    S = np.array([[5.0, 0.0, 0.2, 0.4], [0.0, 5.0, 0.2, 0.4]])
    assert_array_equal(diagonal(S), [0, 1, 3, 2])


def test_signed_associations_are_taken() -> None:
    assert_array_equal(diagonal(np.array([[-1.0, 2.0], [3.0, -1.0]])), [1, 0])
