"""Methods that fit the known entries only: equal to complete data, monotone, and clear refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from cocluster import CoCluster, Interview, choose_n_clusters, explain
from cocluster.data.relational import bipartite
from cocluster.methods.catalogue import METHODS
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.factorization.nmf import NMF
from cocluster.methods.factorization.nmtf import NMTF
from cocluster.metrics import nmi
from tests import reference

ABLE = [FNMTF, NMTF, NMF]
each_able = pytest.mark.parametrize("method", ABLE)
K = 3


def planted(rng: np.random.Generator, n: int = 60, m: int = 36) -> tuple[np.ndarray, np.ndarray]:
    """Values near the means of their blocks, and the classes of the rows."""
    rows, columns = np.arange(n) % K, np.arange(m) % K
    means = np.array([[6.0, 2.0, 1.0], [1.0, 5.0, 3.0], [3.0, 1.0, 7.0]])
    noise = rng.normal(scale=0.1, size=(n, m))
    return np.abs(means[rows][:, columns] + noise), rows


@pytest.fixture
def holey(rng):
    """Planted values of which half are NaN, the complete ones, and the classes of the rows."""
    X, rows = planted(rng)
    return np.where(rng.random(X.shape) < 0.5, X, np.nan), X, rows


def as_ratings(X: np.ndarray) -> sp.csr_array:
    """What is not NaN, as sparse data."""
    rows, columns = np.nonzero(~np.isnan(X))
    return sp.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)


@each_able
def test_clusters_are_found_and_unknown_entries_predicted(method, holey):
    X, whole, rows = holey
    model = method(K, random_state=0).fit(X)
    assert nmi(rows, model.labels_) == 1
    lost = np.isnan(X)
    # Half the spread of the values: what predicting their mean would leave.
    assert np.std(whole[lost] - model.complete()[lost]) < 0.5 * np.std(whole[lost])


@each_able
def test_the_objective_never_rises(method, holey):
    history = method(K, init="random", random_state=0, tol=0).fit(holey[0]).objective_history_
    assert (np.diff(history) <= 1e-9 * history[0]).all()


@each_able
def test_values_at_unknown_entries_do_not_matter(method, holey):
    X, whole, _ = holey
    # So little is known that sparse data stay sparse.
    known = np.random.default_rng(0).random(X.shape) < 0.2
    known |= np.add.outer(np.arange(len(X)), np.arange(X.shape[1])) % X.shape[1] == 0
    X = np.where(known, whole, np.nan)
    wild = np.where(known, whole, 1e6)
    models = [
        method(K, random_state=0).fit(X),
        method(K, random_state=0).fit(wild, mask=known),
        method(K, random_state=0, missing="unobserved").fit(as_ratings(X)),
        CoCluster(K, method.__name__.lower(), random_state=0).fit(wild, mask=known),
    ]
    for other in models[1:]:
        assert_allclose(other.complete(), models[0].complete(), rtol=1e-6)


@each_able
def test_nothing_unknown_is_the_ordinary_method(method, rng):
    X, _ = planted(rng)
    plain = method(K, random_state=0).fit(X)
    masked = method(K, random_state=0).fit(X, mask=np.ones(X.shape, dtype=bool))
    assert_array_equal(plain.labels_, masked.labels_)
    assert plain.objective_ == masked.objective_


def test_predictions_are_block_means_drawn_to_the_mean_of_all(holey):
    X, _, _ = holey
    model = FNMTF(K, random_state=0).fit(X)
    rows, columns = model.row_labels_, model.column_labels_
    means = reference.known_block_means(X, rows, columns, K, K)
    assert_allclose(model.association_, means)
    predicted, plain, center = model.complete(), means[rows][:, columns], np.nanmean(X)
    drawn = (predicted - center) / (plain - center)
    assert (drawn < 1).all()
    # The noise is a tenth, the blocks are units apart, and each has a hundred entries.
    assert_allclose(drawn, 1, atol=1e-3)


def test_biases_are_found(rng):
    """Additive rows and columns without clusters are predicted by the biases alone."""
    b, c = rng.normal(size=(40, 1)), rng.normal(size=30)
    X = np.where(rng.random((40, 30)) < 0.7, b + c, np.nan)
    found = FNMTF(2, biases=True, random_state=0).fit(X).complete()
    inside = (b + c >= np.nanmin(X)) & (b + c <= np.nanmax(X))
    assert_allclose(found[inside], (b + c)[inside], atol=0.05)
    assert found.min() >= np.nanmin(X)
    assert found.max() <= np.nanmax(X)


@pytest.mark.parametrize(
    "model", [FNMTF(K), FNMTF(K, biases=True), NMTF(K), NMF(K)], ids=lambda model: f"{model}"
)
def test_new_rows_are_judged_by_what_they_know(model, holey):
    X, _, _ = holey
    model = clone(model).set_params(random_state=0).fit(X)
    assert_array_equal(model.predict(X), model.labels_)


@each_able
def test_links_hold(method, holey):
    X, _, rows = holey
    # Two rows of different clusters.
    model = method(K, random_state=0).fit(X, links=([(0, 1)], []))
    assert rows[0] != rows[1]
    assert model.links_report_["samples"].n_violated == 0


def test_auto_takes_unknown_entries(holey):
    X, _, rows = holey
    model = CoCluster(K, missing="unobserved", random_state=0).fit(as_ratings(X))
    assert nmi(rows, model.labels_) == 1
    assert isinstance(model.model_, FNMTF)
    assert_allclose(model.predict_proba(as_ratings(X)).sum(axis=1), 1)
    biased = CoCluster(K, biases=True, random_state=0).fit(X)
    assert biased.complete(0, 1).shape == ()


def test_entries_by_position_and_by_name(holey):
    X, _, _ = holey
    users, items = [f"u{i}" for i in range(len(X))], [f"i{j}" for j in range(X.shape[1])]
    model = FNMTF(K, random_state=0).fit(pd.DataFrame(X, users, items))
    every = model.complete()
    assert every.shape == X.shape
    assert_array_equal(model.complete([4, 7], [1, 2]), every[[4, 7], [1, 2]])
    assert_array_equal(model.complete(["u4", "u7"], ["i1", "i2"]), every[[4, 7], [1, 2]])
    block = np.ix_([4, 7], [1, 2, 3])
    assert_array_equal(model.complete(*block), every[block])
    # Names that are integers are names.
    numbered = pd.DataFrame(X, np.arange(len(X)) + 100, items)
    again = FNMTF(K, random_state=0).fit(numbered)
    assert_array_equal(again.complete([104], [2]), every[[4], [2]])


def test_entries_of_one_of_several_views(holey):
    X, whole, _ = holey
    model = FNMTF(K, random_state=0).fit({"a": X, "b": whole})
    assert model.complete(0, 1, view="b") == pytest.approx(whole[0, 1], rel=0.1)
    with pytest.raises(ValueError, match="one relation, a, b; got None"):
        model.complete(0, 1)


def lost_row(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X[4] = np.nan
    return X


def test_links_do_not_spread_among_unknown_entries(holey):
    """Neighbours would be those that know the same entries."""
    links = ([(0, 1)], [(0, 3)])
    alone = FNMTF(K, random_state=0).fit(holey[0], links=links)
    for model in (FNMTF(K, spread=True, random_state=0), CoCluster(K, random_state=0)):
        assert nmi(alone.labels_, model.fit(holey[0], links=links).labels_) == 1


UNKNOWN_SIDE = {
    "row": (lost_row, "No entry of row 4 of"),
    "column": (lambda X: lost_row(X.T).T, "No entry of column 4 of"),
    "rows": (lambda X: np.vstack([lost_row(X), X[:1] * np.nan]), r"row 4 \(and of 1 more\)"),
}


@each_able
@pytest.mark.parametrize("case", UNKNOWN_SIDE)
def test_a_row_or_column_without_a_known_entry(method, case, holey):
    spoil, words = UNKNOWN_SIDE[case]
    spoiled = spoil(holey[0])
    with pytest.raises(ValueError, match=words):
        method(K).fit(spoiled)
    with pytest.raises(ValueError, match=words):
        method(K, missing="unobserved").fit(as_ratings(spoiled))


def test_a_lost_row_is_called_by_its_name(holey):
    X = holey[0]
    with pytest.raises(ValueError, match="No entry of row u4 of"):
        FNMTF(K).fit(pd.DataFrame(lost_row(X), [f"u{i}" for i in range(len(X))]))
    with pytest.raises(ValueError, match="No entry of row 4 of"):
        FNMTF(K).fit(X).predict(lost_row(X))


@pytest.mark.parametrize("name", [name for name in METHODS if not METHODS[name].unknown])
def test_other_methods_refuse_and_name_these(name, holey):
    X, whole, _ = holey
    words = "needs every entry.*'samples' x 'features'.*FNMTF, NMTF, NMF and CoCluster"
    with pytest.raises(ValueError, match=words):
        METHODS[name].estimator(K).fit(X)
    with pytest.raises(ValueError, match=words):
        METHODS[name].estimator(K).fit(whole, mask=~np.isnan(X))
    with pytest.raises(ValueError, match=words):
        CoCluster(K, name, missing="unobserved").fit(as_ratings(X))


OTHERS = {
    "numbers": (lambda X, whole: choose_n_clusters(X), "choose_n_clusters"),
    "a number": (lambda X, whole: CoCluster("auto").fit(X), 'n_clusters="auto"'),
    "interview": (lambda X, whole: Interview(X, CoCluster(K)), "An interview"),
    "explain": (lambda X, whole: explain(CoCluster(K).fit(X), X), "A report"),
    "predict": (lambda X, whole: CoCluster(K, "itcc").fit(whole).predict(X), "ITCC"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_whatever_would_take_unknown_entries_for_zeros_refuses(case, holey):
    X, whole, _ = holey
    act, who = OTHERS[case]
    with pytest.raises(ValueError, match=f"{who} needs every entry"):
        act(X, whole)


REFUSED = {
    "mask of the wrong shape": (
        lambda X, whole: FNMTF(K).fit(whole, mask=~np.isnan(X.T)),
        r"The mask of X has shape \(36, 60\), but the data have \(60, 36\)",
    ),
    "mask of views": (
        lambda X, whole: CoCluster(K).fit({"a": whole}, mask=~np.isnan(X)),
        "A mask belongs to one matrix",
    ),
    "mask of relational data": (
        lambda X, whole: FNMTF(K).fit(bipartite(X), mask=~np.isnan(X)),
        "A mask belongs to one matrix",
    ),
    "missing": (lambda X, whole: NMF(K, missing="nan").fit(whole), "'zero', 'unobserved'"),
    "normalize": (lambda X, whole: FNMTF(K, normalize="l2").fit(X), "normalize='l2' would"),
    "biases of zeros": (
        lambda X, whole: FNMTF(K, biases=True).fit(sp.csr_array(whole)),
        "missing='unobserved'",
    ),
    "biases where there are none": (
        lambda X, whole: CoCluster(K, "itcc", biases=True).fit(whole),
        "has no biases",
    ),
    "unknown entries of scaled data": (
        lambda X, whole: FNMTF(K, normalize="degree").fit(whole).predict(X),
        "scaled relation.*by all of its entries",
    ),
    "entries of scaled data": (
        lambda X, whole: FNMTF(K, normalize="degree").fit(whole).complete(),
        "normalize=None",
    ),
    "entries of other methods": (
        lambda X, whole: CoCluster(K, random_state=0).fit(whole).complete(),
        "'fnmtf', 'nmtf', 'nmf'",
    ),
    "rows alone": (lambda X, whole: FNMTF(K).fit(X).complete([0]), "both rows and columns"),
    "too far": (lambda X, whole: FNMTF(K).fit(X).complete(60, 0), "rows must be .* from 0 to 59"),
    "no names": (lambda X, whole: FNMTF(K).fit(X).complete(0, "i1"), "columns must be positions"),
    "no such name": (
        lambda X, whole: FNMTF(K).fit(pd.DataFrame(X).add_prefix("i")).complete(0, "i99"),
        "no column 'i99'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case, holey):
    X, whole, _ = holey
    act, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        act(X, whole)
