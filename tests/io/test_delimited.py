"""Delimiters, headers and decimal signs, found by looking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cocluster.io import read
from cocluster.io.dataset import Dataset

PROSE = ["Well, yes, of course I do like it", "No; never, in all of my long life", "It is, so so"]


def table(folder: Path, content: str | bytes, name: str = "toy.csv", **asked: Any) -> Dataset:
    """Data set of a file of text."""
    raw = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(raw)
    return read(folder / name, **asked)


@pytest.mark.parametrize(
    ("content", "names", "ids", "first"),
    [
        ("1,2,3\n4,5,6\n", None, None, [1, 2, 3]),
        ("s1,1.5,2\ns2,3,4\n", None, ["s1", "s2"], [1.5, 2]),
        ("s1,1,2\ns2,3,4\n", None, ["s1", "s2"], [1, 2]),
        ("s1,NA,2\ns2,3,4\n", None, ["s1", "s2"], [np.nan, 2]),
        ("country,1990,1991\nA,5,6\nB,1,2\n", ["1990", "1991"], ["A", "B"], [5, 6]),
        (",0,1,2\n0,5,6,7\n1,1,2,3\n", ["0", "1", "2"], ["0", "1"], [5, 6, 7]),
        ("x1,x2\n1,2\n", ["x1", "x2"], None, [1, 2]),
        ("name,2020,total\nu,1,2\nv,3,4\n", ["2020", "total"], ["u", "v"], [1, 2]),
    ],
)
def test_a_first_row_is_a_header_if_it_differs_from_the_others(
    tmp_path: Path, content: str, names: list[str] | None, ids: list[str] | None, first: list[Any]
) -> None:
    dataset = table(tmp_path, content)
    found = dataset.feature_names.get("X")
    assert (None if found is None else found.tolist()) == names
    assert (None if dataset.sample_names is None else dataset.sample_names.tolist()) == ids
    assert np.array_equal(dataset.X[0], first, equal_nan=True)
    assert ("no header" in dataset.reading.summary()) == (names is None)


def test_headers_of_words_above_words(tmp_path: Path) -> None:
    votes = "y,n,y\nn,n,y\ny,y,n\nn,y,n\n"
    assert len(table(tmp_path, votes)) == 4
    assert len(table(tmp_path, f"tax,war,tea\n{votes}")) == 4
    texts = "\n".join(f'"{text}"' for text in PROSE)
    assert len(table(tmp_path, texts)) == 3
    assert len(table(tmp_path, f"remark\n{texts}")) == 3
    assert table(tmp_path, f"remark\n{texts}").reading.text == ("remark",)
    # Without quotes the commas are those of the sentences.
    assert table(tmp_path, "remark\n" + "\n".join(PROSE)).texts.tolist() == PROSE


def test_what_a_first_row_is_can_be_said(tmp_path: Path) -> None:
    numbers = "1,2\n3,4\n5,6\n"
    assert table(tmp_path, numbers, header=True).feature_names["X"].tolist() == ["1", "2"]
    assert len(table(tmp_path, "u,w\nv,x\nu,x\nv,w\n", header=False)) == 4


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(tmp_path: Path, sign: str, end: str) -> None:
    rows = ["name,a,b", "Meier Ada,1,2", "Li Bo,3,4"]
    dataset = table(tmp_path, end.join(row.replace(",", sign) for row in rows))
    assert dataset.sample_names.tolist() == ["Meier Ada", "Li Bo"]
    assert dataset.X.tolist() == [[1, 2], [3, 4]]


def test_the_delimiter_is_the_one_that_all_rows_have(tmp_path: Path) -> None:
    dataset = table(tmp_path, "name;a;b\nMeier, Ada;1,5;2\nLi, Bo;3;4.000,25\n")
    assert dataset.sample_names.tolist() == ["Meier, Ada", "Li, Bo"]
    assert dataset.X.tolist() == [[1.5, 2], [3, 4000.25]]
    assert "decimal comma" in dataset.reading.summary()


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,5", "2"], [1.5, 2]),
        (["1.234,5", "-2"], [1234.5, -2]),
        (["1.5", "2"], [1.5, 2]),
        (["1e3", "2"], [1000, 2]),
    ],
)
def test_decimal_signs(tmp_path: Path, cells: list[str], numbers: list[float]) -> None:
    content = f"name;a\nu;{cells[0]}\nv;{cells[1]}\n"
    assert table(tmp_path, content).X[:, 0].tolist() == numbers


def test_thousands_of_english_and_of_european_tables(tmp_path: Path) -> None:
    english = table(tmp_path, 'name,a\nu,"1,234"\nv,"12,345,678.5"\n')
    assert english.X[:, 0].tolist() == [1234, 12345678.5]
    # Where another column has decimal commas, a point is none.
    european = table(tmp_path, "name;a;b\nu;1.234;0,5\nv;2.345;1\n")
    assert european.X[:, 0].tolist() == [1234, 2345]


def test_lines_above_the_table_are_skipped_and_told(tmp_path: Path) -> None:
    for title in ("Report of May\n\n", "Report of May;;\nby Ada;;\n", "sep=;\n"):
        dataset = table(tmp_path, f"{title}name;a;b\nu;1;2\nv;3;4\n")
        assert dataset.X.tolist() == [[1, 2], [3, 4]]
        assert ("skipped" in dataset.reading.summary()) == title.startswith("Report")
    # A row that lacks all but its name is none.
    assert len(table(tmp_path, "u,,\nv,1,2\nw,3,4\n")) == 3


def test_errors_below_a_title_name_the_line_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"toy\.csv, line 6: 'x' in column 'b'"):
        table(tmp_path, "Report\n\nname,a,b\nu,1,2\nv,1,2\nw,3,x\n")


def test_texts_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    long = "word " * 40_000
    dataset = table(tmp_path, f'id,text\nu,"{long}"\nv,"a word"\n')
    assert dataset.X.sum() == 40_001


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    dataset = table(tmp_path, "name,a – b\nä,1\nö,2\n".encode(encoding))
    assert dataset.feature_names["X"].tolist() == ["a – b"]
    assert dataset.sample_names.tolist() == ["ä", "ö"]
    assert bool(dataset.notes) == (encoding == "cp1252")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_text_of_wide_letters_that_is_cut_off_is_named(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(ValueError, match=r"toy\.csv is text in UTF-\d\d that is cut off"):
        table(tmp_path, "name,a\nu,1\n".encode(encoding)[:-1])


def test_blanks_around_cells_are_none_of_them(tmp_path: Path) -> None:
    content = 'name, kind, text\nu , a, "well, cats"\nv, a , no dogs\n'
    dataset = table(tmp_path, content, label="kind")
    assert dataset.sample_names.tolist() == ["u", "v"]
    assert dataset.class_names.tolist() == ["a"]
    assert dataset.texts.tolist() == ["well, cats", "no dogs"]


def test_unnamed_columns_are_counted_and_can_be_chosen(tmp_path: Path) -> None:
    dataset = table(tmp_path, "1.5,2,u\n3,4,v\n5,6,u\n", label="column 3")
    assert dataset.labels.tolist() == [0, 1, 0]
    assert dataset.reading.summary().startswith("numbers: column 1, column 2 · classes: column 3")
    blank = table(tmp_path, "name,a,,\nu,1,2,3\nv,4,5,6\n")
    assert blank.feature_names["X"].tolist() == ["a", "column 3", "column 4"]
