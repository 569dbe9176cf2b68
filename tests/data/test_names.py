"""Columns matched by name: any order is found, anything else is refused with the names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cocluster.data.names import column_order, with_columns_of
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite, star

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
    found = with_columns_of(data(mixed), fitted.names, fitted.sizes)
    assert np.array_equal(found.names["words"], NAMES)
    for one, other in zip(found.relations, fitted.relations, strict=True):
        assert np.array_equal(one.matrix, other.matrix)


def test_one_view_may_have_any_name_and_several_may_not() -> None:
    X = np.eye(3)
    fitted = bipartite(X, "documents", "words")
    assert with_columns_of(bipartite(X), {}, fitted.sizes).types == ("documents", "words")
    two = star({"a": X, "b": X}, center="documents")
    found = with_columns_of(star({"a": X, "c": X}), {}, two.sizes)
    assert found.types == ("documents", "a", "c")


def test_names_on_one_side_only_are_taken_on_trust_with_a_warning() -> None:
    named = RelationalData(bipartite(np.eye(5)).relations, names={"features": NAMES})
    bare = bipartite(np.eye(5))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        with_columns_of(bare, named.names, named.sizes)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        with_columns_of(named, bare.names, bare.sizes)
