"""Bad input is refused in one sentence that names what is wrong, before any work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, star
from tests.methods.every_method import METHODS, SIGNED, SOFT

every = pytest.mark.parametrize("method", METHODS)
X = np.random.default_rng(0).poisson(3.0, size=(10, 6)).astype(float)
LABELS = np.arange(10) % 2


def spoiled(value: object, dtype: object = float) -> np.ndarray:
    """X with one entry replaced."""
    wrong = X.astype(dtype)
    wrong[2, 3] = value
    return wrong


BAD_DATA = {
    "inf": (spoiled(np.inf), "infinity"),
    "sparse NaN": (sp.csr_array(spoiled(np.nan)), "NaN"),
    "no rows": (X[:0], r"0 sample\(s\)"),
    "no columns": (X[:, :0], r"0 feature\(s\)"),
    "one-dimensional": (X[0], "1D array|dim 1"),
    "three-dimensional": (X[None], "dim 3"),
    "complex": (X + 1j, "omplex"),
    "text": (spoiled("word", object), "convert|string|numbers"),
    "strings": (X.astype(str), "encode"),
    "ragged": ([[1.0, 2.0], [3.0]], "sequence|inhomogeneous"),
    "nothing": (None, "2D array|None"),
    "no views": ({}, "no views"),
    "views with different rows": ({"a": X, "b": X[:5]}, "differ in rows"),
    "a view named as the centre": ({"samples": X, "b": X}, "rename"),
}
BAD_PARAMETERS = {
    "k = 0": ({"n_clusters": 0}, ValueError, "at least 1"),
    "k < 0": ({"n_clusters": -2}, ValueError, "at least 1"),
    "k > n": ({"n_clusters": 11}, ValueError, "n_samples=10"),
    "k a float": ({"n_clusters": 2.0}, TypeError, "integer"),
    "k a string": ({"n_clusters": "2"}, TypeError, "integer"),
    "k a boolean": ({"n_clusters": True}, TypeError, "integer"),
    "k None": ({"n_clusters": None}, TypeError, "integer"),
    "m > columns": ({"n_column_clusters": 7}, ValueError, "6 objects"),
    "m = 0": ({"n_column_clusters": 0}, ValueError, "at least 1"),
    "m a float": ({"n_column_clusters": 1.5}, TypeError, "integer"),
    "m of an unknown type": ({"n_column_clusters": {"word": 2}}, ValueError, "word"),
    "n_init": ({"n_init": 0}, ValueError, "n_init"),
    "max_iter": ({"max_iter": 0}, ValueError, "max_iter"),
    "max_iter a float": ({"max_iter": 3.5}, TypeError, "max_iter"),
    "tol": ({"tol": -1.0}, ValueError, "tol"),
    "tol NaN": ({"tol": np.nan}, ValueError, "tol"),
    "tol a string": ({"tol": "small"}, TypeError, "tol"),
    "normalize": ({"normalize": "max"}, ValueError, "'l2'"),
    "init": ({"init": "k-means++"}, ValueError, "'spectral'"),
    "init too short": ({"init": LABELS[:9]}, ValueError, "10 integer labels"),
    "init too large": ({"init": LABELS + 1}, ValueError, "from 0 to 1"),
    "init negative": ({"init": LABELS - 1}, ValueError, "from 0 to 1"),
    "init of floats": ({"init": LABELS * 1.0}, ValueError, "integer labels"),
    "init of NaN": ({"init": np.full((10, 2), np.nan)}, ValueError, "init"),
    "init of an unknown type": ({"init": {"docs": LABELS}}, ValueError, "docs"),
    "init without the samples": ({"init": {"features": LABELS[:6]}}, ValueError, "samples"),
    "init with too many types": (
        {"init": (LABELS, LABELS[:6], LABELS[:6])},
        ValueError,
        "init",
    ),
    "random_state": ({"random_state": "seed"}, ValueError, "seed"),
}


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    """The loop must not be reached."""

    def reached(*args, **kwargs):
        raise AssertionError("The work began.")

    monkeypatch.setattr("cocluster.methods.base.alternate", reached)


def one_sentence(error: pytest.ExceptionInfo) -> bool:
    """Whether the message is short, ends well and does not print the matrix."""
    message = str(error.value)
    return 10 < len(message) < 700 and message[0] != " "


@every
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(method, case):
    data, words = BAD_DATA[case]
    with pytest.raises((ValueError, TypeError), match=words) as error:
        method(2).fit(data)
    assert one_sentence(error)


@every
@pytest.mark.parametrize("case", BAD_PARAMETERS)
def test_bad_parameters(method, case):
    parameters, kind, words = BAD_PARAMETERS[case]
    with pytest.raises(kind, match=words) as error:
        method(**{"n_clusters": 2, **parameters}).fit(X)
    assert one_sentence(error)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in SIGNED])
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_negative_values_name_the_methods_that_take_them(method, hold):
    with pytest.raises(ValueError, match=r"Negative values.*FNMTF or SemiNMF"):
        method(2).fit(hold(X - 3))


@pytest.mark.parametrize("assign", ["max", None, 1])
def test_unknown_assignment(assign):
    for method in SOFT:
        with pytest.raises(ValueError, match="'argmax', 'kmeans'"):
            method(2, assign=assign).fit(X)


@every
def test_duplicate_ids(method):
    frame = pd.DataFrame(X, index=list("aabcdefghi"))
    with pytest.raises(ValueError, match="duplicate ids"):
        method(2).fit({"words": frame, "tags": frame})


def test_relations_that_do_not_fit_together():
    with pytest.raises(ValueError, match=r"10 objects.*6"):
        RelationalData((Relation(X, "docs", "words"), Relation(X.T, "docs", "tags")))
    with pytest.raises(ValueError, match="disconnected"):
        RelationalData((Relation(X, "docs", "words"), Relation(X, "tags", "venues")))
    with pytest.raises(ValueError, match="no type 'samples'"):
        RelationalData((Relation(X, "docs", "words"),), center="samples")
    with pytest.raises(ValueError, match="weight"):
        star({"words": X}, weights=[0.0])


@every
def test_negative_memberships_are_no_start(method):
    start = np.full((10, 2), 0.5)
    start[3, 1] = -1
    with pytest.raises(ValueError, match="init"):
        method(2, init=(start, np.full((6, 2), 0.5))).fit(X)
