"""Readable column groups: merged with the least loss, moved, and without any effect on the rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import CoCluster, Links, open_blocks, write_blocks
from cocluster.data.relational import relational
from cocluster.datasets import make_blocks, make_star
from cocluster.linalg.matrices import inner
from cocluster.linalg.partitions import Partition, as_partition
from cocluster.methods.default.pipeline import ConsensusITCC
from cocluster.methods.default.split_merge import (
    Profiles,
    cluster_profiles,
    merge_clusters,
    merge_features,
    move_objects,
)
from cocluster.methods.information.itcc import InformationProblem, mutual_information
from cocluster.metrics import nmi
from cocluster.trifactor import State
from tests.conftest import structured

K = 3


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(300, 200, K, random_state=0)


def random_profiles(rng: Any, n: int, k: int) -> Profiles:
    """Counts of n objects over k clusters of one relation."""
    counts = rng.poisson(3.0, (n, k)).astype(float)
    Q = np.column_stack([counts, counts.sum(axis=1)])
    return Profiles(Q, np.append(np.ones(k), -1.0))


def information(profiles: Profiles, groups: Partition) -> float:
    """Mutual information of groups and clusters, times the total."""
    table = inner(groups, profiles.Q)[:, :-1]
    return mutual_information(table, table.sum()) * float(table.sum())


def test_each_merge_is_the_pair_that_loses_least(rng: Any) -> None:
    profiles, fine = (
        random_profiles(rng, 40, 4),
        as_partition(rng.permutation(np.arange(40) % 8), 8),
    )
    groups = merge_clusters(profiles, fine, 7)
    tried = {}
    for pair in combinations(range(8), 2):
        one = np.where(np.arange(8) == pair[1], pair[0], np.arange(8))
        tried[pair] = information(profiles, as_partition(one[fine.labels], 8))
    best = max(tried, key=lambda pair: tried[pair])
    assert groups[best[0]] == groups[best[1]]
    assert len(np.unique(groups)) == 7
    kept = information(profiles, as_partition(groups[fine.labels], 7))
    assert kept == pytest.approx(max(tried.values()))


@pytest.mark.parametrize("n_groups", [1, 3, 8])
def test_merging_goes_on_to_the_number_asked_for(rng: Any, n_groups: int) -> None:
    # Two of the ten clusters are empty.
    profiles, fine = random_profiles(rng, 40, 4), as_partition(np.arange(40) % 8, 10)
    groups = merge_clusters(profiles, fine, n_groups)
    assert set(groups[:8].tolist()) == set(range(n_groups))


def test_equal_profiles_are_merged_first(rng: Any) -> None:
    kinds = np.arange(30) % 3
    rows = rng.poisson(9.0, (3, 5)).astype(float)[kinds]
    profiles = Profiles(np.column_stack([rows, rows.sum(axis=1)]), np.append(np.ones(5), -1.0))
    fine = as_partition(np.arange(30) % 15, 15)
    assert_array_equal(merge_clusters(profiles, fine, 3), np.arange(15) % 3)


def test_moves_never_lose_information(rng: Any) -> None:
    profiles = random_profiles(rng, 60, 4)
    groups = as_partition(rng.integers(3, size=60), 3)
    kept = [information(profiles, groups)]
    for _ in range(6):
        groups = move_objects(profiles, groups, max_sweeps=1)
        kept.append(information(profiles, groups))
    assert (np.diff(kept) >= -1e-9 * kept[0]).all()
    assert kept[-1] > kept[0]
    settled = move_objects(profiles, groups)
    assert_array_equal(move_objects(profiles, settled).labels, settled.labels)


def test_empty_groups_are_filled(rng: Any) -> None:
    profiles = random_profiles(rng, 20, 4)
    found = move_objects(profiles, as_partition(np.zeros(20, dtype=int), 4))
    assert found.sizes.all()


@pytest.mark.parametrize("kind", ["star", "chain", "center in columns", "absent"])
def test_profiles_of_any_structure_count_the_information_kept(kind: str) -> None:
    """Between two groupings of a type the information differs as the objective of ITCC does."""
    rng = np.random.default_rng(3)
    data = structured(kind, 0).oriented()
    labels = {name: rng.permutation(np.arange(data.size(name)) % K) for name in data.types}
    problem = InformationProblem(data)
    state = State({name: as_partition(own, K) for name, own in labels.items()})
    for name in data.types[1:]:
        profiles = cluster_profiles(problem, state, name)
        kept, lost = [], []
        for _ in range(2):
            other = as_partition(rng.integers(K, size=data.size(name)), K)
            kept.append(profiles.information(inner(other, profiles.Q)).sum())
            lost.append(problem.objective(problem.replaced(state, name, other)))
        total = sum(r.weight * t for r, t in zip(data.relations, problem.totals, strict=True))
        assert_allclose((kept[0] - kept[1]) / total, lost[1] - lost[0], atol=1e-12)


def test_links_on_features_are_kept_by_the_groups(planted: Any) -> None:
    must = np.array([[0, 1], [1, 2], [50, 51]])
    # Two more features of one planted cluster.
    found = 60 + np.flatnonzero(planted.column_labels[60:] == planted.column_labels[60])[:2]
    links = {"features": Links.from_pairs(must, [found], n_samples=200)}
    model = CoCluster(K, random_state=0).fit(planted.X, links=links)
    assert (model.column_labels_[must[:, 0]] == model.column_labels_[must[:, 1]]).all()
    own = model.column_labels_
    report = model.links_report_["features"]
    assert report.n_violated == int(own[found[0]] == own[found[1]])


def test_costly_pairs_are_not_merged(rng: Any) -> None:
    profiles, fine = random_profiles(rng, 40, 4), as_partition(np.arange(40) % 8, 8)
    groups = merge_clusters(profiles, fine, 7)
    i, j = (int(c) for c in np.flatnonzero(np.bincount(groups)[groups] == 2))
    P = np.zeros((40, 40))
    # The first objects of the two clusters that would be merged must not be.
    P[i, j] = P[j, i] = information(profiles, fine)
    apart = Profiles(profiles.Q, profiles.weights, pairwise=sp.csr_array(P))
    moved = merge_clusters(apart, fine, 7)
    assert moved[i] != moved[j]


def test_rows_do_not_feel_the_merge(planted: Any) -> None:
    model = CoCluster(K, random_state=0).fit(planted.X)
    fine = ConsensusITCC(K, random_state=0).fit(planted.X)
    assert_array_equal(model.model_.labels_, fine.labels_)
    assert_array_equal(model.fine_column_labels_, fine.column_labels_)
    for asked in (2, K, 5):
        other = CoCluster(K, n_column_clusters=asked, random_state=0).fit(planted.X)
        assert_array_equal(other.labels_, model.labels_)
        assert_array_equal(other.predict(planted.X), model.predict(planted.X))
        assert_array_equal(other.fine_column_labels_, fine.column_labels_)
        assert len(np.unique(other.column_labels_)) == asked


def test_the_association_fits_the_labels_shown(planted: Any) -> None:
    for asked in (None, 2, 5, 40):
        model = CoCluster(K, n_column_clusters=asked, random_state=0).fit(planted.X)
        G = as_partition(model.labels_, K)
        H = as_partition(model.column_labels_, model.association_.shape[1])
        table = G.sparse().T @ planted.X @ H.sparse()
        assert_allclose(model.association_, table.toarray() / planted.X.sum())
        assert_array_equal(model.column_factor_.argmax(axis=1), model.column_labels_)


def test_more_groups_than_fine_clusters_are_used_directly(planted: Any) -> None:
    model = CoCluster(K, n_column_clusters=40, random_state=0).fit(planted.X)
    assert model.association_.shape == (K, 40)
    renamed = dict(zip(model.fine_column_labels_, model.column_labels_, strict=True))
    assert_array_equal([renamed[c] for c in model.fine_column_labels_], model.column_labels_)


def test_few_features_have_a_group_each_at_most(planted: Any) -> None:
    assert CoCluster(K, random_state=0).fit(planted.X[:, :2]).association_.shape == (K, 2)
    with pytest.raises(ValueError, match="more than the 2 objects"):
        CoCluster(K, n_column_clusters=3).fit(planted.X[:, :2])


@pytest.mark.parametrize("pattern", ["diagonal", "checkerboard"])
def test_planted_columns_are_found_where_the_rows_are(pattern: Any) -> None:
    data = make_blocks(3000, 1500, 6, pattern=pattern, contrast=4, random_state=0)
    model = CoCluster(6, random_state=0).fit(data.X)
    assert nmi(data.row_labels, model.labels_) >= 0.95
    assert nmi(data.column_labels, model.column_labels_) >= 0.95


def test_every_view_has_its_own_groups() -> None:
    planted = make_star(400, {"words": 200, "authors": 90}, K, contrast=4, random_state=0)
    model = CoCluster(K, n_column_clusters={"authors": 5}, random_state=0).fit(planted.views)
    assert [S.shape for S in model.associations_] == [(K, K), (K, 5)]
    assert nmi(planted.feature_labels["words"], model.labels_by_type_["words"]) >= 0.95
    assert set(model.fine_labels_by_type_) == {"words", "authors"}
    assert not hasattr(model, "column_labels_")
    assert not hasattr(model, "fine_column_labels_")


def test_types_further_out_are_grouped_too() -> None:
    data = structured("chain", 0, n=60)
    model = CoCluster(K, random_state=0).fit(data)
    assert [S.shape for S in model.associations_] == [(K, K), (K, K)]
    for S, relation in zip(model.associations_, data.relations, strict=True):
        G, H = (as_partition(model.labels_by_type_[t], K) for t in (relation.rows, relation.cols))
        table = G.sparse().T @ relation.matrix @ H.sparse().toarray()
        assert_allclose(S, table / table.sum())


def test_blocks_have_the_groups_of_memory(planted: Any, tmp_path: Any) -> None:
    here = CoCluster(K, random_state=0).fit(planted.X)
    blocks = open_blocks(write_blocks((planted.X[:100], planted.X[100:]), tmp_path / "x"))
    there = CoCluster(K, random_state=0).fit(blocks)
    assert_array_equal(there.column_labels_, here.column_labels_)
    assert_allclose(there.association_, here.association_)


def test_groups_cost_no_product_that_the_fit_has_made(planted: Any) -> None:
    task, run = ConsensusITCC(K, random_state=0)._run(
        planted.X, None, links=None, callback=None, data=relational(planted.X)
    )
    before = dict(run.state.products)
    assert (0, "rows") in before
    groups, _ = merge_features(InformationProblem(task.data), run.state, {"features": K})
    assert run.state.products.keys() == before.keys()
    assert groups["features"].n_clusters == K
