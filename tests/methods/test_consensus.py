"""Consensus: it shares no less with the members than any of them, whatever clusters are called."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cocluster import CoCluster, consensus
from cocluster.datasets import make_blocks
from cocluster.metrics import accuracy

K = 4


@pytest.fixture
def members(rng: np.random.Generator) -> list[np.ndarray]:
    """A partition, and copies of it with a third of the samples at random."""
    truth = np.arange(120) % K
    return [
        np.where(rng.random(120) < 1 / 3, rng.integers(K, size=120), rng.permutation(K)[truth])
        for _ in range(7)
    ]


def common(labels: np.ndarray, members: list[np.ndarray]) -> float:
    """Inertia of the votes: the less, the more is shared."""
    votes = np.hstack([np.eye(K)[own] for own in members])
    return sum(
        ((votes[labels == c] - votes[labels == c].mean(axis=0)) ** 2).sum()
        for c in np.unique(labels)
    )


def test_it_shares_more_than_any_member(members: list[np.ndarray]) -> None:
    found = consensus(members)
    assert common(found.labels, members) <= min(common(own, members) for own in members) + 1e-9
    truth = np.arange(120) % K
    assert accuracy(truth, found.labels) > max(accuracy(truth, own) for own in members)


def test_names_and_order_of_members_do_not_matter(members: list[np.ndarray]) -> None:
    found = consensus(members)
    named = [np.array(list("dbca"))[own] for own in members[::-1]]
    assert_array_equal(consensus(named).labels, found.labels)


def test_one_member_is_its_own_consensus(members: list[np.ndarray]) -> None:
    found = consensus(members[:1])
    assert accuracy(members[0], found.labels) == 1
    assert_array_equal(found.agreement, 1)


def test_doubtful_samples_have_less_agreement(members: list[np.ndarray]) -> None:
    truth = np.arange(120) % K
    right = np.array([consensus([truth, own]).labels == truth for own in members])
    assert right.any()
    votes = [truth, truth, np.where(np.arange(120) < 5, (truth + 1) % K, truth)]
    assert_array_equal(consensus(votes).agreement < 1, np.arange(120) < 5)


def test_models_of_any_method_and_number_agree() -> None:
    planted = make_blocks(150, 80, 3, contrast=8.0, random_state=0)
    models = [CoCluster(3, name, random_state=0).fit(planted.X) for name in ("itcc", "fnmtf")]
    assert accuracy(planted.row_labels, consensus(models).labels) > 0.95
    finer = consensus([*models, CoCluster(6, random_state=0).fit(planted.X)], 5)
    assert len(np.unique(finer.labels)) == 5


@pytest.mark.parametrize(
    ("members", "options", "message"),
    [
        ([], {}, "no members"),
        ([[0, 1], [0, 1, 1]], {}, r"have \[2, 3\] samples"),
        ([[0, None, 1]], {}, "Member 0 lacks labels"),
        ([[0, 1]], {"n_clusters": 3}, "more than the 2 samples"),
    ],
)
def test_bad_members_are_refused(members: list, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        consensus(members, **options)
