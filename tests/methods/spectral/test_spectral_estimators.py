"""The spectral estimators: planted data, links, new samples, containers, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans, SpectralCoclustering
from sklearn.metrics import adjusted_rand_score

from cocluster import BSGP, LDCC, SRC, CoCluster, Links, NCut
from cocluster.data.relational import RelationalData, bipartite
from cocluster.linalg.types import Array
from cocluster.methods.spectral.means import NearestMeans, point_set
from cocluster.methods.spectral.merging import merger
from cocluster.trifactor import State, alternate
from tests.conftest import Blocks, structured

METHODS = [BSGP, LDCC, SRC, NCut]
TWO_WAY = [BSGP, LDCC]


def cosine_cut(k: int = 2, **parameters: Any) -> NCut:
    """A cut whose graph is never formed."""
    return NCut(k, affinity="cosine", **parameters)


MAKERS = [*METHODS, cosine_cut]


def loose(seed: int) -> tuple[Array, Array]:
    """Counts whose clusters are hard to see, and the labels of the rows."""
    rng = np.random.default_rng([seed, 7])
    labels = rng.permutation(np.arange(60) % 3)
    rates = 1.0 + 0.35 * (labels[:, None] == np.arange(40) % 3)
    return rng.poisson(rates).astype(float), labels


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_planted_clusters_are_found_in_every_container(
    maker: Any, container: Any, planted: Blocks
) -> None:
    model = maker(3, random_state=0).fit(container(planted.X))
    assert adjusted_rand_score(planted.row_labels, model.labels_) == 1.0
    if maker in (BSGP, LDCC, SRC):
        assert adjusted_rand_score(planted.column_labels, model.column_labels_) == 1.0
    np.testing.assert_array_equal(model.labels_, maker(3, random_state=0).fit(planted.X).labels_)


@pytest.mark.parametrize("method", TWO_WAY)
def test_samples_and_features_of_a_block_have_one_label(method: Any, planted: Blocks) -> None:
    model = method(3, random_state=0).fit(planted.X)
    truth = np.append(planted.row_labels, planted.column_labels)
    found = np.append(model.labels_, model.column_labels_)
    assert adjusted_rand_score(truth, found) == 1.0
    assert model.association_.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_bsgp_has_the_labels_of_scikit_learn(k: int, seed: int) -> None:
    rng = np.random.default_rng([seed, k])
    rates = np.where(np.arange(60)[:, None] % k == np.arange(40) % k, 3.0, 0.5)
    X = rng.poisson(rates) + 0.1
    ours = BSGP(k, random_state=seed).fit(X)
    theirs = SpectralCoclustering(k, n_init=10, random_state=seed).fit(X)
    assert adjusted_rand_score(theirs.row_labels_, ours.row_labels_) == 1.0
    assert adjusted_rand_score(theirs.column_labels_, ours.column_labels_) == 1.0


@pytest.mark.parametrize("method", [SRC, cosine_cut])
def test_projection_of_the_samples_of_the_fit_gives_their_labels(method: Any, seed: int) -> None:
    X, _ = loose(seed)
    model = method(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(sp.csr_array(X)), model.labels_)


@pytest.mark.parametrize("linked", [False, True])
def test_samples_of_the_fit_mostly_keep_their_labels(linked: bool, planted: Blocks) -> None:
    links = Links.from_labels(planted.row_labels, fraction=0.1, random_state=0)
    for method in METHODS:
        model = method(3, random_state=0).fit(planted.X, links=links if linked else None)
        assert np.mean(model.predict(planted.X) == model.labels_) > 0.9


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("linked", [False, True])
def test_new_samples_join_the_cluster_they_were_drawn_from(
    maker: Any, linked: bool, planted: Blocks
) -> None:
    fit, new = np.arange(0, 40, 2), np.arange(1, 40, 2)
    links = Links.from_labels(planted.row_labels[fit], fraction=0.1, random_state=0)
    model = maker(3, random_state=0).fit(planted.X[fit], links=links if linked else None)
    found = np.append(model.labels_, model.predict(planted.X[new]))
    truth = np.append(planted.row_labels[fit], planted.row_labels[new])
    assert adjusted_rand_score(truth, found) == 1.0


@pytest.mark.parametrize("n_neighbors", [None, 6])
@pytest.mark.parametrize("affinity", ["heat", "cosine"])
def test_cut_of_every_graph_predicts_what_it_found(
    affinity: str, n_neighbors: int | None, planted: Blocks
) -> None:
    model = NCut(3, affinity=affinity, n_neighbors=n_neighbors, random_state=0).fit(planted.X)
    assert adjusted_rand_score(planted.row_labels, model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(planted.X), model.labels_)


def test_precomputed_cut_equals_the_cut_of_the_same_graph(planted: Blocks) -> None:
    X = planted.X / np.linalg.norm(planted.X, axis=1, keepdims=True)
    given = NCut(3, affinity="precomputed", random_state=0).fit(X @ X.T)
    made = cosine_cut(3, random_state=0).fit(planted.X)
    np.testing.assert_array_equal(given.labels_, made.labels_)
    np.testing.assert_array_equal(given.predict((X @ X.T)[:5]), made.predict(planted.X[:5]))


@pytest.mark.parametrize("maker", MAKERS)
def test_links_are_kept_and_teach(maker: Any, seed: int) -> None:
    X, truth = loose(seed)
    links = Links.from_labels(truth, fraction=0.15, random_state=seed)
    alone = maker(3, random_state=0).fit(X)
    taught = maker(3, random_state=0).fit(X, links=links)
    # Ties are exact, whatever the data say.
    assert len(taught.links_report_["samples"].must_link) == 0
    before = links.violations(alone.labels_)
    after = taught.links_report_["samples"]
    assert after.n_violated < before.n_violated
    scores = [adjusted_rand_score(truth, model.labels_) for model in (alone, taught)]
    assert scores[1] > scores[0]


@pytest.mark.parametrize("method", [BSGP, LDCC, SRC])
def test_links_on_features_are_kept(method: Any, planted: Blocks) -> None:
    links = Links.from_labels(planted.column_labels, fraction=0.1, random_state=0)
    model = method(3, random_state=0).fit(planted.X, links={"features": links})
    assert model.links_report_["features"].n_violated == 0
    assert adjusted_rand_score(planted.row_labels, model.labels_) == 1.0


@pytest.mark.parametrize("maker", MAKERS)
def test_empty_links_change_nothing(maker: Any) -> None:
    X, _ = loose(0)
    none = Links.from_pairs([], [], n_samples=len(X))
    with_none = maker(3, random_state=0).fit(X, links=none)
    np.testing.assert_array_equal(with_none.labels_, maker(3, random_state=0).fit(X).labels_)
    assert with_none.links_report_ == {}


def test_constrained_k_means_never_raises_its_objective(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(50, 2))
    links = Links.from_labels(rng.integers(4, size=50), fraction=0.05, random_state=seed)
    problem = NearestMeans({"a": point_set({"a": Z}, 4, {"a": links})})
    start = problem.start(seed)
    run = alternate(problem, start, tol=0)
    history = np.append(problem.objective(start), run.history)
    assert run.converged
    assert (np.diff(history) <= 1e-10 * history[0]).all()
    labels = run.state.factors["a"].labels
    means = [Z[labels == c].mean(axis=0) for c in range(4)]
    inertia = sum(((Z[labels == c] - means[c]) ** 2).sum() for c in range(4))
    cost = ((Z - Z.mean(axis=0)) ** 2).sum() / 50
    violated = sum(labels[a] == labels[b] for a, b in links.cannot_link)
    assert run.objective == pytest.approx(inertia + cost * violated)


@pytest.mark.parametrize("power", [0.0, 0.5])
def test_merged_data_are_sums_over_components(power: float) -> None:
    data = structured("absent", 0)
    links = Links.from_pairs([[0, 5], [5, 9], [2, 3]], [], n_samples=len(data))
    merged = merger({"samples": links}, power).data(data)
    component = links.closure().component
    for before, after in zip(data.relations, merged.relations, strict=True):
        rows = np.zeros((len(data), before.matrix.shape[1]))
        rows[before.row_index] = before.matrix @ np.eye(before.matrix.shape[1])
        sums = np.zeros((len(merged), before.matrix.shape[1]))
        np.add.at(sums, component, rows)
        sums /= (np.bincount(component) ** power)[:, None]
        found = np.zeros_like(sums)
        found[after.row_index] = after.matrix @ np.eye(before.matrix.shape[1])
        np.testing.assert_allclose(found, sums)


def test_src_takes_every_structure(data: RelationalData) -> None:
    model = SRC(3, random_state=0).fit(data)
    assert set(model.labels_by_type_) == set(data.types)
    assert (np.diff(model.relational_history_) <= 1e-9 * model.relational_history_[0]).all()
    assert model.predict(data).shape == (len(data),)
    blocks = model.associations_[0]
    relation = data.oriented().relations[0]
    rows, columns = (model.labels_by_type_[name] for name in (relation.rows, relation.cols))
    if relation.row_index is not None:
        rows = rows[relation.row_index]
    R = model._form.scalings[0].apply(relation.matrix) @ np.eye(relation.matrix.shape[1])
    assert blocks[0, 1] == pytest.approx(R[rows == 0][:, columns == 1].mean())


def test_restarts_keep_the_lowest_objective(seed: int) -> None:
    X, _ = loose(seed)
    one = SRC(5, n_init=1, random_state=seed).fit(X)
    many = SRC(5, n_init=20, random_state=seed).fit(X)
    assert many.objective_ <= one.objective_
    Z, labels = many.embedding_["samples"], many.labels_
    W, words = many.embedding_["features"], many.column_labels_
    inertia = sum(
        ((P[own == c] - P[own == c].mean(axis=0)) ** 2).sum()
        for P, own in ((Z, labels), (W, words))
        for c in range(5)
    )
    assert many.objective_ == pytest.approx(inertia)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("k", [1, 4])
def test_extreme_shapes(maker: Any, k: int) -> None:
    X = np.vstack([np.eye(8), np.zeros((1, 8))]) + np.eye(9, 8)[::-1]
    model = maker(k, random_state=0).fit(X)
    assert np.unique(model.labels_).size <= k
    assert np.isfinite(model.objective_)
    assert model.predict(X).shape == (9,)


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (BSGP(2), {"a": np.ones((4, 3)), "b": np.ones((4, 2))}, "one matrix"),
        (BSGP(2), -np.ones((4, 3)), "Negative values"),
        (BSGP(2), bipartite(np.ones((4, 4)), "a", "a"), "with itself"),
        (LDCC(2, n_neighbors=4), np.ones((4, 3)), "n_neighbors=4"),
        (LDCC(2, ridge=0), np.ones((9, 7)), "ridge"),
        (LDCC(2, row_strength=-1), np.ones((9, 7)), "row_strength"),
        (NCut(2, affinity="sine"), np.ones((4, 3)), "affinity"),
        (NCut(2, affinity="cosine"), -np.eye(4), "Negative values"),
        (NCut(2, affinity="precomputed"), np.ones((4, 3)), "square"),
        (NCut(2, affinity="precomputed", n_neighbors=2), np.eye(4), "n_neighbors"),
        (NCut(2, bandwidth=0.0), np.eye(4), "bandwidth"),
        (SRC(5), np.ones((4, 3)), "n_clusters=5"),
        (SRC(2, tol=-1), np.ones((4, 3)), "tol"),
    ],
)
def test_bad_input_is_refused_by_name(model: Any, X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X)


def test_links_between_features_are_refused_where_features_are_not_clustered() -> None:
    X, _ = loose(0)
    with pytest.raises(ValueError, match="does not cluster 'features'"):
        NCut(2).fit(X, links={"features": ([[0, 1]], [])})


@pytest.mark.parametrize("name", ["bsgp", "ldcc", "src", "ncut"])
def test_front_door_passes_what_a_method_has_and_refuses_the_rest(
    name: str, planted: Blocks
) -> None:
    model = CoCluster(3, name, random_state=0).fit(planted.X)
    assert adjusted_rand_score(planted.row_labels, model.labels_) == 1.0
    with pytest.raises(ValueError, match="has no init"):
        CoCluster(3, name, init="random").fit(planted.X)


def test_a_callback_ends_the_run() -> None:
    X, _ = loose(0)
    seen: list[int] = []
    NCut(4, n_init=2).fit(X, callback=lambda progress: bool(seen.append(progress.sweep)) or True)
    assert seen == [1, 1]


def test_state_of_points_is_hard() -> None:
    problem = NearestMeans({"a": point_set({"a": np.eye(3)}, 3, {})})
    state = problem.moved("a", State(problem.start(0).factors))
    assert sorted(state.factors["a"].labels.tolist()) == [0, 1, 2]


def test_bsgp_takes_as_many_vectors_as_asked_and_unit_rows(planted):
    X, k = planted.X, 3
    scale = 1 / np.sqrt(X.sum(axis=1)), 1 / np.sqrt(X.sum(axis=0))
    U, _, Vt = np.linalg.svd(scale[0][:, None] * X * scale[1])
    for n_components in (1, 2, 5):
        points = [scale[0][:, None] * U, scale[1][:, None] * Vt.T]
        expected = np.vstack([Z[:, 1 : 1 + n_components] for Z in points])
        for unit in (False, True):
            model = BSGP(k, n_components=n_components, unit_rows=unit, random_state=0).fit(X)
            Z = np.vstack(list(model.embedding_.values()))
            literal = expected / np.linalg.norm(expected, axis=1)[:, None] if unit else expected
            # Vectors are free in their signs: products of points are not.
            np.testing.assert_allclose(Z @ Z.T, literal @ literal.T, atol=1e-8)


def test_ldcc_patches_of_unit_rows_as_given_are_those_of_unit_rows(planted):
    given = LDCC(3, normalize="l2", patch_scale="given", random_state=0).fit(planted.X)
    unit = LDCC(3, normalize="l2", random_state=0).fit(planted.X)
    assert given.objective_ != unit.objective_  # features differ
    with pytest.raises(ValueError, match="patch_scale"):
        LDCC(3, patch_scale="both").fit(planted.X)


def test_ncut_at_full_weight_without_ties_is_the_method_of_the_paper(planted, rng):
    X, n = planted.X, 40
    pairs = np.array([[i, j] for i in range(n) for j in range(i)])[rng.permutation(780)[:60]]
    same = planted.row_labels[pairs[:, 0]] == planted.row_labels[pairs[:, 1]]
    form = {"affinity": "cosine", "ties": False, "link_weight": 1.0}
    model = NCut(3, random_state=0, **form).fit(X, links=(pairs[same], pairs[~same]))
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    W = unit @ unit.T
    for (i, j), together in zip(pairs, same, strict=True):
        W[i, j] = W[j, i] = 1.0 if together else 0.0
    root = 1 / np.sqrt(W.sum(axis=1))
    vectors = np.linalg.eigh(root[:, None] * W * root)[1]
    Z = root[:, None] * vectors[:, -3:]
    Z = Z / np.linalg.norm(Z, axis=1)[:, None]
    found = model.embedding_["samples"]
    np.testing.assert_allclose(found @ found.T, Z @ Z.T, atol=1e-6)
    best = KMeans(3, n_init=20, random_state=0).fit(Z)
    assert model.objective_ == pytest.approx(best.inertia_)
