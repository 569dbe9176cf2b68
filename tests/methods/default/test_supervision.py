"""Links say something of samples that have none, and never raise an objective."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import CMRF, FNMTF, ITCC, CoCluster, Links, bipartite
from cocluster.datasets import make_blocks
from cocluster.linalg.partitions import as_partition
from cocluster.methods.default.embedding import neighbour_embedding
from cocluster.methods.default.supervision import (
    founding_components,
    merge_classes,
    order_as,
    posterior_from_links,
)
from cocluster.metrics import accuracy
from tests.conftest import plant

K = 3
HARD = (ITCC, CMRF, FNMTF)


@pytest.fixture
def planted(rng):
    """Blocks so loose that no method finds all of them."""
    return plant(rng, rng.permutation(np.arange(45) % K), 30, K, contrast=0.7)


@pytest.mark.parametrize("method", HARD)
def test_the_objective_with_a_prior_never_rises(method, planted, rng):
    prior = rng.dirichlet(np.ones(K), size=len(planted.X))
    labels = rng.permutation(np.arange(len(planted.X)) % K)
    links = Links.from_labels(labels, fraction=0.02, random_state=0)
    model = method(K, random_state=0, max_iter=30).fit(planted.X, links=links, prior=prior)
    history = model.objective_history_
    assert (np.diff(history) <= 1e-10 * abs(history[0])).all()


@pytest.mark.parametrize("method", HARD)
def test_the_objective_has_the_prior_in_it(method, planted, rng):
    """With the prior of an even coin, every sample costs log 2 more than without it."""
    labels = rng.permutation(np.arange(len(planted.X)) % 2)
    even = np.full((len(labels), 2), 0.5)
    fits = [
        method(2, init=labels, max_iter=1, random_state=0).fit(planted.X, prior=prior)
        for prior in (even, even / 2)
    ]
    assert_array_equal(fits[0].labels_, fits[1].labels_)
    unit = (fits[1].objective_ - fits[0].objective_) / (len(labels) * np.log(2))
    alone = fits[0].objective_ - unit * len(labels) * np.log(2)
    assert unit > 0
    assert alone > 0


@pytest.mark.parametrize("method", HARD)
def test_a_sure_prior_is_followed(method, planted, rng):
    labels = rng.permutation(np.arange(len(planted.X)) % K)
    sure = 0.999 * np.eye(K)[labels] + 0.001 / K
    assert_array_equal(method(K, random_state=0).fit(planted.X, prior=sure).labels_, labels)


def test_a_cluster_that_a_prior_forbids_stays_empty(planted):
    prior = np.tile([0.5, 0.5, 0.0], (len(planted.X), 1))
    for method in HARD:
        history = method(K, random_state=0).fit(planted.X, prior=prior).objective_history_
        assert (np.diff(history) <= 1e-10 * abs(history[0])).all()


@pytest.mark.parametrize(
    "model", [CoCluster(K), ITCC(K, spread=True), FNMTF(K, spread=True), CMRF(K, spread=True)]
)
def test_what_is_said_of_samples_holds_for_them(model, planted):
    y = np.where(np.arange(len(planted.X)) % 3 == 0, planted.row_labels, -1)
    fitted = model.set_params(random_state=0).fit(planted.X, y=y)
    assert fitted.links_report_["samples"].n_violated == 0


def test_labels_of_a_third_help_the_other_two(rng):
    """In the mean of a few draws: one alone may have nothing left to help with."""
    gains = []
    for _ in range(3):
        drawn = plant(rng, rng.permutation(np.arange(150) % K), 30, K, contrast=0.5)
        truth, asked = drawn.row_labels, np.arange(150) % 3 == 0
        alone = CoCluster(K, random_state=0).fit(drawn.X).labels_
        helped = CoCluster(K, random_state=0).fit(drawn.X, y=np.where(asked, truth, -1)).labels_
        scores = [accuracy(truth[~asked], labels[~asked]) for labels in (alone, helped)]
        gains.append(np.diff(scores))
    assert np.mean(gains) > 0


def test_all_labels_are_all_that_is_left_to_say(planted):
    links = Links.from_labels(planted.row_labels)
    ground = neighbour_embedding(bipartite(planted.X), K, 0)
    P = posterior_from_links(ground, planted.row_labels, links, K)
    assert_array_equal(P, np.eye(K)[planted.row_labels])


def test_a_prior_of_the_wrong_size_is_refused(planted):
    with pytest.raises(ValueError, match=r"45 samples and 3 clusters.*\(45, 2\)"):
        CoCluster(K).fit(planted.X, prior=np.ones((45, 2)))
    with pytest.raises(ValueError, match="takes no prior"):
        CoCluster(K, "nmtf").fit(planted.X, prior=np.ones((45, K)))


def test_classes_are_found_among_groups_that_are_apart():
    links = Links.from_pairs([[0, 1], [2, 3], [4, 5]], [[0, 2], [6, 0]], n_samples=8)
    component = links.closure().component
    # 4 and 5 may belong to either; 6 is apart from one group and may belong to the other.
    assert set(founding_components(links)) == {component[0], component[2]}
    named = Links.from_labels(np.array([0, 1, -1]))
    assert set(founding_components(named)) == set(named.closure().component[:2])


def test_classes_beyond_k_are_joined_where_they_are_confused():
    P = np.array([[0.6, 0.4, 0, 0], [0.4, 0.6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    nothing = np.zeros((4, 4), dtype=bool)
    assert merge_classes(P, nothing, 3)[1] == [[0, 1], [2], [3]]
    apart = nothing.copy()
    apart[0, 1] = apart[1, 0] = True
    joined, parts = merge_classes(P, apart, 3)
    assert [0, 1] not in parts
    assert_allclose(joined.sum(axis=1), 1)
    # Known to be apart, all of them: k is k.
    assert len(merge_classes(P, ~np.eye(4, dtype=bool), 2)[1]) == 2


def test_columns_take_the_numbers_of_the_clusters_they_agree_with(rng):
    labels = rng.integers(K, size=20)
    shuffled = rng.permutation(K)
    P = as_partition(shuffled[labels], K).dense()
    assert_array_equal(order_as(P, labels, K).argmax(axis=1), labels)


@pytest.mark.parametrize("known", [3, 40])
def test_links_that_join_clusters_leave_room_for_others(known):
    """Two planted clusters are said to be one: three clusters are those two, and the others."""
    planted = make_blocks(300, 150, 4, contrast=6.0, random_state=0)
    joined = [np.flatnonzero(planted.row_labels == c)[:known] for c in (0, 1)]
    links = Links.from_groups([np.concatenate(joined)], n_samples=300)
    model = CoCluster(3, random_state=0).fit(planted.X, links=links)
    expected = np.where(planted.row_labels == 1, 0, planted.row_labels)
    assert accuracy(expected, model.labels_) > 0.95
