"""Laws of relational data: selection, matching, storage, and the data that are refused."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils import resample

from cocluster import CoCluster
from cocluster.data.relation import Relation
from cocluster.data.relational import (
    RelationalData,
    bipartite,
    relational,
    star,
    store_by_content,
    store_zeros_sparse,
)
from cocluster.linalg.matrices import as_dense

N = 12


def dense(matrix):
    """Slow twin of either kind of matrix."""
    return matrix.toarray() if sp.issparse(matrix) else matrix


def filled(data: RelationalData, index: int) -> np.ndarray:
    """Slow twin of a relation: all rows of its type, NaN where an object is absent."""
    relation = data.relations[index]
    full = np.full((data.size(relation.rows), data.size(relation.cols)), np.nan)
    rows = slice(None) if relation.row_index is None else relation.row_index
    full[rows] = dense(relation.matrix)
    return full


def general(n: int = N) -> RelationalData:
    """Centre in rows (all present; some present, shuffled), in columns, on both sides, nowhere."""
    rng = np.random.default_rng(0)
    present = rng.permutation(n)[: n // 2]
    relations = (
        Relation(rng.normal(size=(n, 5)), "docs", "words"),
        Relation(sp.csr_array(rng.normal(size=(n // 2, 4))), "docs", "tags", 2.0, present),
        Relation(rng.normal(size=(3, n)).astype(np.float32), "venues", "docs"),
        Relation(sp.csr_array(rng.poisson(1, size=(n, n))), "docs", "docs"),
        Relation(rng.normal(size=(n // 2, n)), "docs", "docs", 1.0, present),
        Relation(rng.normal(size=(5, 2)), "words", "topics"),
    )
    names = {"docs": np.array([f"d{i}" for i in range(n)]), "tags": np.array(list("abcd"))}
    return RelationalData(relations, names=names)


def check_selection(data: RelationalData, key: object) -> None:
    """Selecting commutes with filling in: data[key] is the filled matrix, indexed."""
    positions = np.atleast_1d(np.arange(len(data))[key])
    part = data[key]
    assert len(part) == len(positions)
    assert part.types == data.types
    assert_array_equal(part.names["docs"], data.names["docs"][positions])
    for i, relation in enumerate(data.relations):
        expected = filled(data, i)
        if relation.rows == "docs":
            expected = expected[positions]
        if relation.cols == "docs":
            expected = expected[:, positions]
        assert_array_equal(filled(part, i), expected)
        assert part.relations[i].matrix.dtype == relation.matrix.dtype
        assert sp.issparse(part.relations[i].matrix) == sp.issparse(relation.matrix)
        assert part.relations[i].weight == relation.weight


@settings(deadline=None, max_examples=50)
@given(
    st.one_of(
        st.lists(st.integers(-N, N - 1), max_size=2 * N),
        st.lists(st.booleans(), min_size=N, max_size=N).map(np.array),
        st.slices(N),
        st.integers(-N, N - 1),
    )
)
def test_selection_equals_that_of_the_filled_matrices(key):
    check_selection(general(), key)


def test_selections_compose():
    data, first, second = general(), np.array([7, 3, 3, 0, 11]), [4, 0]
    for i in range(len(data.relations)):
        assert_array_equal(filled(data[first][second], i), filled(data[first[second]], i))


def test_a_selection_may_miss_a_view_altogether():
    views = {"a": pd.DataFrame(np.eye(3), list("xyz")), "b": pd.DataFrame(np.eye(2), list("yz"))}
    part = star(views)[0]
    assert part.sizes == {"samples": 1, "a": 3, "b": 2}
    assert part.relations[1].matrix.shape == (0, 2)


@pytest.mark.parametrize(
    "key", [N, [0, N], np.ones(N + 1, bool), [0.5], np.zeros((2, 2), int), (0, 1), (slice(2),) * 2]
)
def test_bad_selections(key):
    with pytest.raises(IndexError):
        general()[key]


def test_shape_counts_central_and_other_objects():
    data = general()
    assert data.types == ("docs", "words", "tags", "venues", "topics")
    assert data.sizes == {"docs": N, "words": 5, "tags": 4, "venues": 3, "topics": 2}
    assert data.shape == (len(data), 5 + 4 + 3 + 2)
    assert data.ndim == len(data.shape)
    moved = RelationalData(data.relations, center="words")
    assert moved.types[0] == "words"
    assert len(moved) == 5


def test_map_keeps_the_structure():
    data = general()
    doubled = data.map(lambda X: X * 2)
    assert doubled.sizes == data.sizes
    for i, relation in enumerate(doubled.relations):
        assert_array_equal(filled(doubled, i), 2 * filled(data, i))
        assert relation.weight == data.relations[i].weight
    with pytest.raises(ValueError, match=r"'docs' x 'words' of shape .* keep the shape"):
        data.map(lambda X: X[:1])


def test_it_survives_pickling():
    data = general()
    again = pickle.loads(pickle.dumps(data))
    assert again.sizes == data.sizes
    assert repr(again) == repr(data)


def test_it_is_not_taken_for_an_array():
    with pytest.raises(TypeError, match="not one array; use the matrices of its relations"):
        np.asarray(general())


# --- scikit-learn -------------------------------------------------------------------------------


class Seen(TransformerMixin, BaseEstimator):
    """Remembers the names of the samples it was fitted on; its score checks they are not reused."""

    def __init__(self, size: int = 1):
        self.size = size

    def fit(self, X, y):
        assert [f"d{i}" for i in y] == X.names["docs"].tolist()
        self.seen_ = set(y)
        return self

    def transform(self, X):
        return X.map(abs)

    def score(self, X, y):
        assert [f"d{i}" for i in y] == X.names["docs"].tolist()
        return len(self.seen_ - set(y)) + len(y)


def test_cross_validation_splits_samples():
    data, y = general(), np.arange(N)
    assert_array_equal(cross_val_score(Seen(), data, y, cv=KFold(3)), N)
    assert_array_equal(cross_val_score(make_pipeline(Seen(), Seen()), data, y, cv=KFold(3)), N)
    assert GridSearchCV(Seen(), {"size": [1, 2]}, cv=KFold(2)).fit(data, y).best_score_ == N


def test_train_test_split_and_resample_keep_rows_with_their_targets():
    data, y = general(), np.arange(N)
    for pair in (
        train_test_split(data, y, random_state=0)[::2],
        train_test_split(data, y, random_state=0)[1::2],
        resample(data, y, random_state=0),
    ):
        assert pair[0].names["docs"].tolist() == [f"d{i}" for i in pair[1]]


def test_a_dict_of_views_is_missplit_by_scikit_learn():
    """Why the class exists: scikit-learn takes the number of views for that of samples."""
    views = {"words": np.ones((N, 3)), "tags": np.ones((N, 2))}
    taken = np.concatenate([test for _, test in KFold(2).split(views)])
    assert len(taken) == len(views) != N
    taken = np.concatenate([test for _, test in KFold(2).split(star(views))])
    assert_array_equal(taken, np.arange(N))


# --- views --------------------------------------------------------------------------------------


def test_one_matrix_keeps_its_names():
    frame = pd.DataFrame(np.eye(2), ["x", "x"], ["a", "b"])
    for data in (bipartite(frame, columns="words"), star({"words": frame})):
        assert data.names["samples"].tolist() == ["x", "x"]
        assert data.names["words"].tolist() == ["a", "b"]


def test_weights_by_view():
    X = np.eye(3)
    for weights in ({"b": 2}, [1, 2], np.array([1.0, 2.0])):
        data = star({"a": X, "b": X}, weights=weights)
        assert [relation.weight for relation in data.relations] == [1, 2]


def test_relational_takes_anything():
    X = np.eye(3)
    data = star({"a": X})
    assert relational(data) is data
    assert relational({"a": X, "b": X}).types == ("samples", "a", "b")
    assert relational([X, X]).types == ("samples", "view0", "view1")
    assert relational(X.tolist()).types == relational(X).types == ("samples", "features")
    assert np.shares_memory(relational(X).relations[0].matrix, X)


def test_a_type_may_be_linked_to_itself():
    graph = bipartite(np.arange(9).reshape(3, 3), rows="nodes", columns="nodes")
    assert graph.shape == (3, 0)
    assert_array_equal(graph[[2, 0]].relations[0].matrix, [[8, 6], [2, 0]])


# --- bad input ----------------------------------------------------------------------------------

X3 = np.ones((3, 2))


@pytest.mark.parametrize(
    ("views", "options", "message"),
    [
        ({"samples": X3}, {}, "both named 'samples'; rename"),
        ({"a": X3, "b": X3 * np.inf}, {}, "Input b contains infinity"),
        ({"a": X3, "b": X3 * np.nan}, {}, "No entry of view 'b' is known"),
        ({"a": X3}, {"weights": {"c": 1}}, "no view 'c' to weigh; the views are a"),
        ({"a": X3}, {"weights": [1, 2]}, "1 views but 2 weights"),
        ({"a": X3}, {"weights": [0]}, "weight 0.0; weights must be positive"),
        ({"a": X3}, {"weights": [-1]}, "weight -1.0; weights must be positive"),
        ({"a": X3}, {"weights": [np.nan]}, "weight nan; weights must be positive"),
        ({"a": X3}, {"weights": [np.inf]}, "weight inf; weights must be positive and finite"),
    ],
)
def test_bad_stars(views, options, message):
    with pytest.raises(ValueError, match=message):
        star(views, **options)


@pytest.mark.parametrize(
    ("relations", "options", "message"),
    [
        ([], {}, "no relations"),
        (
            [Relation(X3, "a", "b"), Relation(X3, "b", "c")],
            {},
            "Type 'b' has 2 objects in relation 'a' x 'b' but 3 in relation 'b' x 'c'",
        ),
        (
            [Relation(X3, "a", "b"), Relation(X3, "a", "c", row_index=[0, 5, 1])],
            {},
            "Type 'a' has 3 objects in relation 'a' x 'b' but 6 in relation 'a' x 'c'",
        ),
        ([Relation(X3, "a", "a")], {}, "Type 'a' has 2 objects .* but 3"),
        ([Relation(X3, "a", "b", row_index=[0, 2, 4])], {}, "Object 1 of type 'a' is in no"),
        (
            [Relation(X3, "a", "b"), Relation(X3, "c", "d"), Relation(X3.T, "d", "e")],
            {},
            "Types c, d, e are disconnected from the central type 'a'; add a relation",
        ),
        ([Relation(X3, "a", "b")], {"center": "z"}, "no type 'z'; the types are a, b"),
        ([Relation(X3, "a", "b")], {"names": {"z": [1]}}, "no type 'z'; the types are a, b"),
        ([Relation(X3, "a", "b")], {"names": {"b": [1]}}, "'b' has 2 objects but 1 names"),
    ],
)
def test_bad_relations(relations, options, message):
    with pytest.raises(ValueError, match=message):
        RelationalData(relations, **options)


@pytest.mark.parametrize("index", [[0, 1], [0, 1, -1], [0.0, 1.0, 2.0], [[0], [1], [2]]])
def test_bad_row_index(index):
    with pytest.raises(ValueError, match=r"'a' x 'b' must hold one position .* its 3 rows"):
        Relation(X3, "a", "b", row_index=index)


def test_repeated_row_index():
    with pytest.raises(ValueError, match="'a' x 'b' repeats a position; list each once"):
        Relation(X3, "a", "b", row_index=[0, 1, 1])


def test_values_of_a_relation_are_checked():
    with pytest.raises(ValueError, match="'a' x 'b' contains infinity"):
        Relation(X3 * np.inf, "a", "b")
    with pytest.raises(ValueError, match="Expected 2D array"):
        Relation(np.ones(3), "a", "b")


def test_an_unknown_type_has_no_size():
    with pytest.raises(ValueError, match="no type 'verbs'; the types are docs, words"):
        general().size("verbs")


@given(st.lists(st.integers(0, N - 1), min_size=1, max_size=2 * N))
@settings(max_examples=30, deadline=None)
def test_derived_data_would_pass_the_checks_they_are_spared(rows):
    """Selected data have the sizes, the names and the matrices that a checked copy has."""
    derived = general()[rows]
    checked = RelationalData(
        tuple(
            Relation(r.matrix, r.rows, r.cols, r.weight, r.row_index, observed=r.observed)
            for r in derived.relations
        ),
        derived.center,
        derived.names,
    )
    assert derived.sizes == checked.sizes
    assert list(derived.sizes) == list(checked.sizes)
    for own, twin in zip(derived.relations, checked.relations, strict=True):
        assert_array_equal(dense(own.matrix), dense(twin.matrix))
        assert sp.issparse(own.matrix) == sp.issparse(twin.matrix)


@pytest.mark.parametrize("signed", [False, True])
def test_a_fit_checks_its_data_once(monkeypatch, signed):
    """All later data of a fit are derived from the first, which was checked."""
    checks = {Relation: 0, RelationalData: 0}
    for cls in checks:

        def count(self, *args, cls=cls, check=cls.__post_init__):
            checks[cls] += 1
            check(self, *args)

        monkeypatch.setattr(cls, "__post_init__", count)
    X = np.random.default_rng(0).random((60, 30)) - (0.5 if signed else 0)
    CoCluster(3, random_state=0).fit(X)
    assert 1 <= checks[RelationalData] <= 2
    assert 1 <= checks[Relation] <= 2


THIN = np.eye(12)
FULL = np.arange(1.0, 31.0).reshape(5, 6)
CONTAINERS = (np.asarray, sp.csr_array)


def stored(how, X):
    return how(bipartite(X)).relations[0].matrix


@pytest.mark.parametrize("how", [store_by_content, store_zeros_sparse])
@pytest.mark.parametrize("hold", CONTAINERS)
def test_what_is_mostly_zeros_is_sparse_and_has_the_same_entries(how, hold):
    assert sp.issparse(stored(how, hold(THIN)))
    for X in (THIN, FULL):
        assert_array_equal(as_dense(stored(how, hold(X))), X)


@pytest.mark.parametrize("hold", CONTAINERS)
def test_full_data_are_filled_only_where_that_is_asked_for(hold):
    assert not sp.issparse(stored(store_by_content, hold(FULL)))
    assert sp.issparse(stored(store_zeros_sparse, hold(FULL))) == sp.issparse(hold(FULL))


@pytest.mark.parametrize("how", [store_by_content, store_zeros_sparse])
def test_large_and_masked_data_stay_as_they_are(how, monkeypatch):
    masked = bipartite(np.where(THIN > 0, THIN, np.nan))
    assert how(masked).relations[0] is masked.relations[0]
    monkeypatch.setattr("cocluster.data.relational.DENSE_UP_TO_ENTRIES", THIN.size - 1)
    data = bipartite(THIN)
    assert how(data).relations[0] is data.relations[0]
