"""What counts as a number, and values given once or by name."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest

from cocluster.linalg.matrices import row_key
from cocluster.utils.checks import broadcast, check_integer, check_number, is_integer, is_number


@pytest.mark.parametrize("value", [0, -3, np.int8(2), np.uint64(7)])
def test_whole_numbers_are_those_of_python_and_numpy(value):
    assert is_integer(value)
    assert is_number(value)


@pytest.mark.parametrize("value", [1.0, np.float32(2.5), float("nan")])
def test_a_float_is_a_number_but_no_whole_one(value):
    assert is_number(value)
    assert not is_integer(value)


@pytest.mark.parametrize("value", [True, np.True_, "1", None, 1j, Decimal(1), np.array([1])])
def test_what_is_no_number_is_refused(value):
    assert not is_number(value)
    for check in (check_integer, check_number):
        with pytest.raises(TypeError, match="n must be"):
            check(value, "n")


def test_one_value_is_for_every_name_and_a_mapping_stays():
    given = MappingProxyType({"words": 2})
    assert broadcast(given, ["words", "authors"]) is given
    # A text is one value, though it could be taken apart.
    assert broadcast("ab", ["words", "authors"]) == {"words": "ab", "authors": "ab"}


def test_only_an_ellipsis_is_taken_off_a_key():
    rows = np.array([2, 0])
    assert row_key((rows, ...)) is rows
    assert row_key((0, 1)) == (0, 1)
    assert row_key(...) is ...
