"""Laws of StarSSNMF: metrics from links, then factorisation."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks.links_curves import load
from cocluster.data.relational import star
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.factorization.metric import learn_metrics, operator
from cocluster.methods.factorization.nmtf import NMTF
from cocluster.methods.factorization.star_ssnmf import StarSSNMF
from cocluster.metrics import accuracy
from tests.conftest import plant

SEEDS = (0,)

K = 3


def true_links(labels: Array, count: int, rng: np.random.Generator) -> Links:
    """Randomly drawn pairs, linked as the labels say."""
    i, j = np.triu_indices(len(labels), 1)
    pairs = np.stack([i, j], axis=1)[rng.choice(len(i), size=count, replace=False)]
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return Links.from_pairs(pairs[same], pairs[~same], n_samples=len(labels))


@pytest.mark.parametrize("negative", ["clip", "signed"])
def test_no_links_is_plain_factorisation_of_the_star_exactly(data, negative):
    common = {"normalize": "l2", "init": "random", "n_init": 1, "random_state": 3, "max_iter": 8}
    plain, star_model = NMTF(K, **common).fit(data), StarSSNMF(K, negative=negative, **common)
    star_model.fit(data)
    for name in data.types:
        assert_array_equal(star_model.factors_[name], plain.factors_[name])
    assert_array_equal(star_model.predict(data), plain.predict(data))
    assert set(star_model.modality_weights_.values()) == {1.0}


@pytest.mark.parametrize("negative", ["clip", "signed"])
def test_objective_never_rises(data, negative, rng):
    links = true_links(rng.integers(K, size=len(data)), 30, rng)
    model = StarSSNMF(K, negative=negative, tol=0, max_iter=40, n_init=1, random_state=0)
    history = model.fit(data, links=links).objective_history_
    assert (np.diff(history) <= 1e-9 * history[0]).all()


def test_without_continuation_it_is_both_algorithms_and_nothing_else(rng):
    truth = rng.permutation(np.arange(45) % K)
    views = {"words": plant(rng, truth, 20, K, 2).X, "tags": plant(rng, truth, 14, K, 2).X}
    links = true_links(truth, 60, rng)
    common = {"normalize": "l2", "init": "random", "n_init": 1, "tol": 0, "max_iter": 8}
    model = StarSSNMF(K, continued=False, random_state=3, **common).fit(views, links=links)
    # Algorithm 1, then Algorithm 2: the transformed relations without a word of the links.
    units = {name: X / np.linalg.norm(X, axis=1)[:, None] for name, X in views.items()}
    learned = learn_metrics(units, links.must_link, links.cannot_link)
    transformed = {name: learned.transformed(name, X, True) for name, X in units.items()}
    plain = NMTF(K, random_state=3, **common | {"normalize": None}).fit(transformed)
    assert_allclose(model.row_factor_, plain.row_factor_)
    assert model.objective_ == pytest.approx(plain.objective_)


@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_links_find_what_the_data_alone_do_not_show(hold, rng):
    """A louder second grouping of the samples hides the one that the links ask for."""
    wanted, louder = (rng.permutation(np.arange(60) % 2) for _ in range(2))
    X = np.hstack([plant(rng, wanted, 20, 2, 2).X, plant(rng, louder, 40, 2, 6).X])
    free = StarSSNMF(2, random_state=0).fit(hold(X))
    told = StarSSNMF(2, random_state=0).fit(hold(X), links=true_links(wanted, 150, rng))
    assert accuracy(louder, free.labels_) == 1
    assert accuracy(wanted, told.labels_) > 0.9
    assert accuracy(wanted, told.predict(hold(X))) > accuracy(wanted, free.predict(hold(X)))


def test_must_links_draw_together_and_cannot_links_push_apart(rng):
    def closeness(model, pairs):
        G = model.membership_ / np.linalg.norm(model.membership_, axis=1, keepdims=True)
        return np.mean(np.sum(G[pairs[:, 0]] * G[pairs[:, 1]], axis=1))

    gains = []
    # So little contrast that links matter; over several draws, for a start may by chance meet them.
    for _ in range(6):
        labels = rng.permutation(np.arange(36) % K)
        X, links = plant(rng, labels, 20, K, contrast=1.0).X, true_links(labels, 40, rng)
        free, bound = (StarSSNMF(K, random_state=0).fit(X, links=given) for given in (None, links))
        gains.append(
            [closeness(bound, p) - closeness(free, p) for p in (links.must_link, links.cannot_link)]
        )
    must, cannot = np.mean(gains, axis=0)
    assert must > 0 > cannot


@pytest.mark.parametrize("seed", range(5))
def test_links_that_say_all_part_what_the_data_hold_together(seed):
    """Groups that links make whole are parted, though the data have only two of the four."""
    rng = np.random.default_rng(seed)
    labels = np.arange(80) % 4
    X = rng.poisson(np.kron(np.eye(2)[labels // 2] * 5 + 1, np.ones(6))).astype(float)
    links = Links.from_labels(labels, fraction=0.3, random_state=seed)
    assert links.closure().n_components == 4
    found = StarSSNMF(4, random_state=seed).fit(X, links=links)
    assert links.violations(found.labels_).n_violated == 0


def test_the_view_that_explains_the_links_weighs_more(rng):
    labels = rng.permutation(np.arange(50) % 2)
    views = {"good": plant(rng, labels, 20, 2).X, "noise": rng.poisson(3.0, (50, 20)).astype(float)}
    model = StarSSNMF(2, random_state=0).fit(views, links=true_links(labels, 120, rng))
    assert model.modality_weights_["good"] > model.modality_weights_["noise"]
    assert set(model.metrics_) == {"good", "noise"}
    assert accuracy(labels, model.labels_) == 1
    assert set(model.labels_by_type_) == {"samples", "good", "noise"}


def test_large_sparse_views_stayoperators_and_new_samples_follow(planted, rng, monkeypatch):
    links = true_links(planted.row_labels, 60, rng)
    X = sp.csr_array(planted.X)
    asked = StarSSNMF(K, negative="signed", random_state=0).fit(X, links=links)
    monkeypatch.setattr(operator, "DENSE_ENTRIES", 10)
    forced = StarSSNMF(K, random_state=0).fit(X, links=links)
    monkeypatch.undo()
    assert_allclose(forced.row_factor_, asked.row_factor_)
    assert_allclose(forced.transform(X[:5]), asked.transform(X[:5]))
    assert accuracy(planted.row_labels, forced.predict(X)) == 1


def test_absent_samples_learn_from_the_links_they_have(rng):
    labels = rng.permutation(np.arange(40) % 2)
    words, tags = plant(rng, labels, 20, 2).X, plant(rng, labels, 15, 2).X
    links = true_links(labels, 100, rng)
    here = rng.permutation(40)[:25]
    learned = learn_metrics(
        {"words": words, "tags": tags[here]},
        links.must_link,
        links.cannot_link,
        row_index={"tags": here},
    )
    row_of = {sample: row for row, sample in enumerate(here)}
    kept = [
        np.array([[row_of[i], row_of[j]] for i, j in pairs if i in row_of and j in row_of])
        for pairs in (links.must_link, links.cannot_link)
    ]
    alone = learn_metrics({"tags": tags[here]}, *kept)
    assert_allclose(learned.metrics["tags"].apply(tags), alone.metrics["tags"].apply(tags))
    assert learned.modality_weights["tags"] == pytest.approx(alone.modality_weights["tags"])


def test_data_with_absent_samples_are_clustered(rng):
    labels = rng.permutation(np.arange(40) % 2)
    ids = np.array([f"s{i}" for i in range(40)])
    words = pd.DataFrame(plant(rng, labels, 20, 2).X, index=ids)
    tags = pd.DataFrame(plant(rng, labels, 15, 2).X, index=ids).iloc[:25]
    data = star({"words": words, "tags": tags})
    model = StarSSNMF(2, random_state=0).fit(data, links=true_links(labels, 100, rng))
    assert accuracy(labels, model.labels_) == 1
    assert_array_equal(model.predict(data), model.labels_)


@pytest.mark.parametrize("names", [None, [f"w{j}" for j in range(25)]])
def test_top_features_are_those_of_the_block(names, planted):
    X = planted.X if names is None else pd.DataFrame(planted.X, columns=names)
    model = StarSSNMF(K, random_state=0).fit({"words": X})
    known = list(range(25)) if names is None else names
    for cluster in range(K):
        kind = planted.row_labels[model.labels_ == cluster][0]
        block = {known[j] for j in np.flatnonzero(planted.column_labels == kind)}
        assert set(model.top_features("words", cluster, n=len(block))) == block
        assert model.top_features("words", cluster, 2) == model.top_features("words", cluster)[:2]


def test_links_between_features_act_on_their_factor(planted, rng):
    wrong = planted.column_labels[:, None] != planted.column_labels
    i, j = np.argwhere(wrong)[0]
    links = {"features": ([[i, j]], [])}
    model = StarSSNMF(K, random_state=0).fit(planted.X, links=links)
    assert model.column_labels_[i] == model.column_labels_[j]
    assert model.metrics_["features"].is_identity


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"negative": "keep"}, "negative must be one of"),
        ({"ridge": 0}, "ridge must be positive"),
        ({"ridge": -1}, "ridge"),
    ],
)
def test_bad_parameters(parameters, message, planted):
    with pytest.raises(ValueError, match=message):
        StarSSNMF(K, **parameters).fit(planted.X)


def test_top_features_of_nothing(planted):
    model = StarSSNMF(K, random_state=0).fit(planted.X)
    with pytest.raises(ValueError, match="view must be one of 'features'"):
        model.top_features("words", 0)
    with pytest.raises(ValueError, match="cluster must be one of"):
        model.top_features("features", K)
    with pytest.raises(ValueError, match="n must be at least 1"):
        model.top_features("features", 0, n=0)


@pytest.mark.slow
@pytest.mark.skipif("COCLUSTER_DATA" not in os.environ, reason="COCLUSTER_DATA is not set")
@pytest.mark.parametrize(
    ("file", "classes", "published"),
    [
        ("oh15", ("Aluminum", "Blood-Coagulation-Factors"), 0.99),
        ("re0", ("housing", "jobs"), 0.82),
        ("re0", ("housing", "interest", "jobs"), 0.98),
        ("oh15", ("Aluminum", "Blood-Vessels", "Leucine"), 0.91),
        ("re0", ("cpi", "housing", "ipi", "lei", "retail"), None),
    ],
    ids=["CT2", "CT4", "CT5", "CT6", "CT7"],
)
def test_sets_of_the_paper(file, classes, published):
    """A hundredth of the pairs does what the paper publishes for a tenth; a tenth does it all."""
    X, y = load(file, classes, 1000)

    def mean_score(fraction, draws):
        links = [
            Links.from_labels(y, fraction=fraction, random_state=600 + draw)
            for draw in range(draws)
        ]
        models = [StarSSNMF(len(classes), random_state=0).fit(X, links=own) for own in links]
        return np.mean([accuracy(y, model.labels_) for model in models])

    assert mean_score(0.1, draws=5) >= 0.99
    assert published is None or mean_score(0.01, draws=20) >= published
