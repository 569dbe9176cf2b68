"""Texts of any kind reach their files."""

from __future__ import annotations

import json

import pytest

from cocluster.utils.texts import QUOTED, as_json, file_names, quoted, read_table, write_table

ODD = ["", "é", "\ud800", "a\nb", 'say "x"', "\u2028", "東京", "-1", "x" * 400]


@pytest.mark.parametrize("text", ODD)
def test_json_can_always_be_written_and_gives_the_text_back(text):
    written = as_json({"a": text}).encode("utf-8")
    assert json.loads(written) == {"a": text}


def test_tables_come_back_but_for_what_is_no_unicode(tmp_path):
    file = tmp_path / "x.csv"
    write_table(file, ("name", "n"), [(text, i) for i, text in enumerate(ODD)])
    found = [row["name"] for row in read_table(file)]
    assert found == [text.encode(errors="backslashreplace").decode() for text in ODD]


def test_messages_quote_the_beginning_of_what_is_long():
    assert quoted("a b") == repr("a b")
    assert quoted("x" * 10_000).startswith("'xxx")
    assert len(quoted("x" * 10_000)) < 2 * QUOTED


def test_names_of_files_are_different_short_and_plain():
    names = ["a/b", "a\\b", "A_b", "..", "", "x" * 400, "x" * 401, "con:", "é"]
    found = list(file_names(names).values())
    assert len({name.lower() for name in found}) == len(names)
    assert all(len(name) < 200 and name.isascii() and "/" not in name for name in found)
    assert not any(name.startswith(".") for name in found)
