"""Sheets of Excel, whole and hostile."""

from __future__ import annotations

import datetime
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cocluster.io import read
from cocluster.io.dataset import Dataset

openpyxl = pytest.importorskip("openpyxl")


def book(folder: Path, rows: list[list[Any]], **asked: Any) -> Dataset:
    """Data set of a sheet."""
    written = openpyxl.Workbook()
    for row in rows:
        written.active.append(row)
    written.active.title = "Daten"
    written.create_sheet("Mehr").append(["a", "b"])
    written["Mehr"].append([1, 2])
    written.save(folder / "toy.xlsx")
    return read(folder / "toy.xlsx", **asked)


def test_cells_keep_their_kind(tmp_path: Path) -> None:
    day = datetime.date(2024, 3, 31)
    rows = [
        ["id", "size", "colour", "when", "ok"],
        [7, 1.5, "red", day, True],
        [8, None, "blue", day, False],
        [9, "#N/A", "red", day, True],
    ]
    dataset = book(tmp_path, rows)
    assert dataset.reading.summary() == (
        "id: id · numbers: size, ok · categories: colour · left out: when (dates) · "
        "sheet: Daten (others: Mehr)"
    )
    assert dataset.sample_names.tolist() == ["7", "8", "9"]
    assert np.array_equal(dataset.views["X"], [[1.5, 1], [np.nan, 0], [np.nan, 1]], equal_nan=True)
    assert dataset.metadata["when"][0].startswith("2024-03-31")


def test_another_sheet_can_be_named(tmp_path: Path) -> None:
    assert book(tmp_path, [["x"], [1]], sheet="Mehr").X.tolist() == [[1, 2]]
    with pytest.raises(ValueError, match=r"toy\.xlsx has no sheet 'Alt'; it has Daten, Mehr"):
        read(tmp_path / "toy.xlsx", sheet="Alt")


def test_empty_rows_and_columns_are_left_out_and_lines_are_those_of_the_sheet(
    tmp_path: Path,
) -> None:
    rows: list[list[Any]] = [["a", "b", ""], [], [1, 2, ""], [3], []]
    dataset = book(tmp_path, rows)
    assert np.array_equal(dataset.X, [[1, 2], [3, np.nan]], equal_nan=True)
    with pytest.raises(ValueError, match=r"toy\.xlsx, row 5: 'x' in column 'b' is not a number"):
        book(tmp_path, [["a", "b"], [], [1, 2], [3, 4], [5, "x"]])


def test_texts_that_excel_cuts_off_are_noted(tmp_path: Path) -> None:
    rows = [["id", "text"], ["u", "word " * 7000], ["v", "a word"]]
    (note,) = book(tmp_path, rows).notes
    assert note.startswith("1 texts have 32,767 letters")


def test_a_sheet_without_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"toy\.xlsx is empty"):
        book(tmp_path, [])


def edited(file: Path, member: str, change: Any) -> None:
    """Change a part of a file of Excel."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[member] = change(parts[member])
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def test_a_small_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    book(tmp_path, [["a", "b"], [1, 2]])
    file = tmp_path / "toy.xlsx"
    sheet = "xl/worksheets/sheet1.xml"
    # A sheet that announces to be the largest there is, is not.
    edited(file, sheet, lambda part: part.replace(b"A1:B2", b"A1:XFD1048576"))
    assert read(file).X.tolist() == [[1, 2]]
    # One whose last row has a cell in the last column needs a place for each before it.
    row = '<row r="{0}"><c r="XFD{0}"><v>1</v></c></row>'
    rows = "".join(row.format(i) for i in range(3, 30)).encode()
    edited(file, sheet, lambda part: part.replace(b"</sheetData>", rows + b"</sheetData>"))
    with pytest.raises(ValueError, match=r"toy\.xlsx has cells for more than 1 MB.* max_bytes="):
        read(file, max_bytes="1 MB")
    edited(file, sheet, lambda part: part + b" " * 1_000_000)
    with pytest.raises(ValueError, match=r"toy\.xlsx unpacks to more than 1 MB"):
        read(file, max_bytes="1 MB")


def test_parts_that_are_missing_or_broken_are_named(tmp_path: Path) -> None:
    for member in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml"):
        book(tmp_path, [["a", "b"], [1, 2]])
        edited(tmp_path / "toy.xlsx", member, lambda part: part[: len(part) // 2])
        with pytest.raises(ValueError, match=r"toy\.xlsx cannot be read"):
            read(tmp_path / "toy.xlsx")


def test_without_openpyxl_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy.xlsx").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"\[excel\]"):
        read(tmp_path / "toy.xlsx")
