"""Parsing of cells and JSON, and writing of text of any kind."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from cocluster.utils.text import (
    MAX_QUOTED,
    as_float,
    as_int,
    as_json,
    as_list,
    file_names,
    is_missing,
    json_object,
    quote,
    read_table,
    write_table,
)

ODD = ["", "é", "\ud800", "a\nb", 'say "x"', "\u2028", "東京", "-1", "x" * 400]


@pytest.mark.parametrize("text", ODD)
def test_json_can_always_be_written_and_gives_the_text_back(text):
    written = as_json({"a": text}).encode("utf-8")
    assert json.loads(written) == {"a": text}


def test_tables_come_back_but_for_what_is_no_unicode(tmp_path):
    file = tmp_path / "x.csv"
    write_table(file, ("name", "n"), [(text, i) for i, text in enumerate(ODD)])
    names = [row["name"] for row in read_table(file)]
    assert names == [text.encode(errors="backslashreplace").decode() for text in ODD]


def test_messages_quote_the_beginning_of_what_is_long():
    assert quote("a b") == repr("a b")
    assert quote("x" * 10_000).startswith("'xxx")
    assert len(quote("x" * 10_000)) < 2 * MAX_QUOTED


def test_names_of_files_are_different_short_and_plain():
    names = ["a/b", "a\\b", "A_b", "..", "", "x" * 400, "x" * 401, "con:", "é"]
    files = list(file_names(names).values())
    assert len({name.lower() for name in files}) == len(names)
    assert all(len(name) < 200 and name.isascii() and "/" not in name for name in files)
    assert not any(name.startswith(".") for name in files)


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
