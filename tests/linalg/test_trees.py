"""Values come back from JSON and arrays as they were."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cocluster.linalg.trees import put_together, taken_apart


@dataclass(frozen=True, eq=False)
class Pair:
    """A value of a known class."""

    one: object
    other: object


class Classes:
    """Knows one class."""

    def name_of(self, kind):
        return "Pair" if kind is Pair else None

    def kind_of(self, name):
        return {"Pair": Pair}[name]

    def renamed_attributes(self, name):
        return {}

    def codec_of(self, name):
        return None


def again(value):
    plain, arrays = taken_apart(value, Classes())
    return put_together(json.loads(json.dumps(plain, allow_nan=False)), arrays, Classes())


leaves = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
keys = st.text() | st.integers()
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(keys, inner)
        | st.frozensets(st.text())
    ),
)


@given(values)
def test_plain_values_come_back_equal_and_of_the_same_type(value):
    found = again(value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?", "U3", "M8[D]", "c16"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back_with_type_and_order(dtype, order):
    array = np.arange(6).reshape(2, 3).astype(dtype, order=order)
    found = again({"x": array})["x"]
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix"])
def test_sparse_matrices_come_back_in_their_layout(kind):
    X = getattr(sp, kind)(np.array([[0.0, 1.5], [2.5, 0.0], [0.0, 0.0]]))
    found = again([X])[0]
    assert type(found) is type(X)
    assert (found != X).nnz == 0


def test_numbers_of_numpy_objects_and_what_json_lacks():
    assert again(np.float32(1.5)).dtype == np.float32
    assert np.isnan(again(float("nan")))
    assert again(np.inf) == np.inf
    names = np.array(["a", None, 3, ("b", 1)], dtype=object)
    assert again(names).tolist() == names.tolist()


def test_an_array_that_is_used_twice_is_kept_once():
    array = np.arange(3)
    plain, arrays = taken_apart(Pair(array, {"x": array}), Classes())
    assert len(arrays) == 1
    found = put_together(plain, arrays, Classes())
    assert found.one is found.other["x"]


def test_what_cannot_be_kept_is_named_by_its_place():
    with pytest.raises(TypeError, match=r"other\.x\.1 is <function"):
        taken_apart(Pair(1, {"x": [0, lambda: 0]}), Classes())
