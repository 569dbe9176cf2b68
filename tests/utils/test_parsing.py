"""Numbers, missing values and JSON as they stand in files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cocluster.utils.parsing import as_float, as_int, as_list, is_missing, json_object


def test_an_underscore_makes_no_number():
    assert (as_float("1e3"), as_float(2), as_int(" -7 ")) == (1000, 2, -7)
    for read in (as_float, as_int):
        with pytest.raises(ValueError, match="1_0"):
            read("1_0")


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_missing_values(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["", "nan", 0, False, (), "None"])
def test_values_that_are_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("[" * 100_000, "cannot be read"),
        ('{"a": ' + "1" * 5000 + "}", "cannot be read"),
    ],
)
def test_what_is_no_json_object_is_refused_with_its_place(text, reason):
    with pytest.raises(ValueError, match=rf"^x\.json, line 3: .*{reason}"):
        json_object(text, "x.json, line 3")


def test_a_list_of_an_array_holds_objects_of_python():
    kinds = {type(value) for value in as_list(np.arange(3))}
    assert kinds == {int}
    assert as_list(value for value in "ab") == ["a", "b"]
