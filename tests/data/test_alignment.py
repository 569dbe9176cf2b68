"""Rows are matched between views, columns between a fit and new data."""

from __future__ import annotations

from typing import Any

import anndata
import mudata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cocluster.data.alignment import column_order
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite, match_columns, star

X3 = np.ones((3, 2))


def frame(ids: str) -> pd.DataFrame:
    """A view with one letter for each id."""
    return pd.DataFrame(np.ones((len(ids), 2)), list(ids), ["a", "b"])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.integers(0, 8), min_size=1, unique=True), min_size=2, max_size=3))
def test_views_are_matched_by_id(ids):
    """Each cell holds the id of its row, and the position it is given has that id."""
    others = [set().union(*ids[:i], *ids[i + 1 :]) for i in range(len(ids))]
    frames = [pd.DataFrame(np.c_[own], [f"s{i}" for i in own], ["id"]) for own in ids]
    if any(not set(own) & other for own, other in zip(ids, others, strict=True)):
        with pytest.raises(ValueError, match="shares no id with the other views"):
            star(frames)
        return
    data = star(frames)
    union = list(dict.fromkeys(i for own in ids for i in own))
    assert data.names["samples"].tolist() == [f"s{i}" for i in union]
    assert data.alignment.by_id
    for v, own in enumerate(ids):
        index = data.relations[v].row_index
        assert [union[i] for i in (range(len(union)) if index is None else index)] == own
        assert_array_equal(data.relations[v].matrix[:, 0], own)
        assert data.alignment.matched[f"view{v}"] == len(own)
        assert data.alignment.absent[f"view{v}"] == len(union) - len(own)


def test_matching_by_id_copies_nothing():
    a, b = np.ones((3, 2)), sp.csr_matrix(np.ones((2, 2)))
    annotated = anndata.AnnData(b, obs=pd.DataFrame(index=["z", "x"]))
    data = star({"a": pd.DataFrame(a, list("xyz"), copy=False), "b": annotated})
    assert np.shares_memory(data.relations[0].matrix, a)
    assert np.shares_memory(data.relations[1].matrix.data, b.data)
    assert data.relations[0].row_index is None
    assert_array_equal(data.relations[1].row_index, [2, 0])
    assert str(data.alignment) == (
        "3 objects, rows matched by id (every view has ids)\n"
        "  a: 3 matched, 0 absent\n  b: 2 matched, 1 absent"
    )


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_modalities_are_matched_by_id():
    rna, atac = (anndata.AnnData(frame(ids)) for ids in ("xyz", "zw"))
    data = star(mudata.MuData({"rna": rna, "atac": atac}), center="cells")
    assert data.sizes == {"cells": 4, "rna": 2, "atac": 2}
    assert data.names["cells"].tolist() == list("xyzw")
    assert data.alignment.absent == {"rna": 1, "atac": 2}


def test_without_ids_rows_are_matched_by_position():
    X = np.ones((3, 2))
    for views, n_ids in (([X, X], 0), ([X, pd.DataFrame(X, list("xyz"))], 1)):
        data = star(views)
        assert all(relation.row_index is None for relation in data.relations)
        assert f"by position ({n_ids} of 2 have ids)" in str(data.alignment)
        assert ("samples" in data.names) == (n_ids > 0)


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([X3, np.ones((4, 2))], r"'view0' \(3 rows\) and 'view1' \(4 rows\) differ.* ids"),
        ([frame("xyz"), np.ones((4, 2))], "differ in rows"),
        ([frame("xyz"), frame("zyx"), X3], "different ids and 'view2' has none"),
        ([frame("xxy"), frame("xyz")], r"'view0' has duplicate ids \('x'\); keep one row"),
        ([frame("aabbccdd"), frame("abc")], r"\('a', 'b', 'c' and 1 more\)"),
        ([frame("abc"), frame("xyz")], "shares no id .*'a'.*same spelling and type"),
        ([frame("abc"), frame("abc"), frame("xyz")], "'view2' shares no id"),
        ([pd.DataFrame(X3, ["a", None, "c"]), frame("ac")], "'view0' has .* missing id"),
        ([pd.DataFrame(X3, [1, np.nan, 3]), frame("ac")], "'view0' has .* missing id"),
    ],
)
def test_rows_that_cannot_be_matched(views, message):
    with pytest.raises(ValueError, match=message):
        star(views)


NAMES = np.array(["a", "b", "c", "d", "e"], dtype=object)


def test_the_order_brings_any_columns_back(rng: Any) -> None:
    mixed = rng.permutation(NAMES)
    order = column_order(NAMES, mixed, "words")
    assert np.array_equal(NAMES if order is None else mixed[order], NAMES)


def test_columns_in_order_are_left_alone() -> None:
    assert column_order(NAMES, NAMES.copy(), "words") is None
    # Also such as could not be told apart.
    assert column_order(NAMES[[0, 0]], NAMES[[0, 0]], "words") is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (NAMES[:4], r"words.*lack 'e'\.$"),
        (NAMES[:1], r"lack 'b', 'c', 'd' and 1 more\.$"),
        ([*NAMES, "f"], "have 'f', unknown to the fit"),
        ([*NAMES[:4], "f"], "lack 'e', and have 'f', unknown"),
        (["a", "b", "c", "d", "e", "a"], "repeat \\('a'\\)"),
    ],
)
def test_other_columns_are_named(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        column_order(NAMES, np.array(given, dtype=object), "words")


def test_a_type_in_the_rows_of_a_relation_is_put_in_order_there(rng: Any) -> None:
    words, topics = rng.random((4, 5)), rng.random((5, 3))
    mixed = rng.permutation(5)

    def data(order: Any) -> RelationalData:
        relations = (
            Relation(words[:, order], "samples", "words"),
            Relation(topics[order], "words", "topics"),
        )
        return RelationalData(relations, names={"words": NAMES[order]})

    fitted = data(np.arange(5))
    found = match_columns(data(mixed), fitted.names, fitted.sizes)
    assert np.array_equal(found.names["words"], NAMES)
    for one, other in zip(found.relations, fitted.relations, strict=True):
        assert np.array_equal(one.matrix, other.matrix)


def test_one_view_may_have_any_name_and_several_may_not() -> None:
    X = np.eye(3)
    fitted = bipartite(X, "documents", "words")
    assert match_columns(bipartite(X), {}, fitted.sizes).types == ("documents", "words")
    two = star({"a": X, "b": X}, center="documents")
    found = match_columns(star({"a": X, "c": X}), {}, two.sizes)
    assert found.types == ("documents", "a", "c")


def test_names_on_one_side_only_are_taken_on_trust_with_a_warning() -> None:
    named = RelationalData(bipartite(np.eye(5)).relations, names={"features": NAMES})
    bare = bipartite(np.eye(5))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        match_columns(bare, named.names, named.sizes)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        match_columns(named, bare.names, bare.sizes)
