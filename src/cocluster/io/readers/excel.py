"""Sheets of Excel: ``.xlsx`` and ``.xlsm``."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import Any

from cocluster.io.dataset import some
from cocluster.io.readers.archives import PLACE_BYTES, allowed, refuse_bytes
from cocluster.io.readers.options import ReadOptions
from cocluster.io.readers.table import Rows, of_cells
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library
from cocluster.utils.text import quote

# The most letters that a cell of Excel holds; longer texts are cut off when they are written.
LONGEST = 32_767
# The last row of a sheet of Excel; a damaged file may name any, and all are gone through.
LAST_ROW = 1_048_576


def read_excel(file: Path, asked: ReadOptions) -> Rows:
    """Table of a sheet, the first by default; empty rows are left out."""
    openpyxl = library("openpyxl", "Excel files", "excel")
    bound = allowed(file, asked.max_bytes)
    # What a damaged file raises is of many kinds: archives, XML, and missing parts of both.
    # Opened here because openpyxl leaves a file open that it cannot read.
    with (
        wrap_read_errors(file.name, Exception),
        file.open("rb") as opened,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # about styles and extensions that do not matter here
        with zipfile.ZipFile(opened) as archive:
            members = archive.infolist()
            refuse_bytes(file, "unpacks to", sum(m.file_size for m in members), bound)
            if any(m.compress_size > file.stat().st_size for m in members):
                raise ValueError(f"{file.name} announces more than it holds; it may be cut off.")
        book = openpyxl.load_workbook(opened, read_only=True, data_only=True)
        try:
            name = _sheet(file, book.sheetnames, asked.sheet)
            rows, lines = _cells(file, book[name], bound)
        finally:
            book.close()
    others = [other for other in book.sheetnames if other != name]
    details = (f"sheet: {name} (others: {some(others)})",) if others else ()
    return of_cells(
        file, rows, lines, header=asked.header, notes=_cut_off(rows), details=details, counted="row"
    )


def _sheet(file: Path, names: list[str], wanted: str | None) -> str:
    """Name of the sheet to read."""
    if not names:
        raise ValueError(f"{file.name} has no sheets.")
    if wanted is not None and wanted not in names:
        raise ValueError(f"{file.name} has no sheet {wanted!r}; it has {some(names)}.")
    return names[0] if wanted is None else wanted


def _cells(file: Path, sheet: Any, bound: int) -> tuple[list[list[Any]], list[int]]:
    """Rows of cells of one length, without empty rows and columns at the end, and their numbers."""
    if not hasattr(sheet, "reset_dimensions"):
        raise ValueError(
            f"{file.name}: {quote(sheet.title)} is a chart, not a sheet; name one by sheet=."
        )
    # The size that a file announces may be that of the largest sheet there is.
    sheet.reset_dimensions()
    rows, lines, taken = [], [], 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > LAST_ROW:
            raise ValueError(f"{file.name} has a row beyond {LAST_ROW:,}, the last of Excel.")
        if not cells:
            continue  # left out in the file; before a row far away there may be a million
        row = [_plain(cell) for cell in cells]
        while row and row[-1] in (None, ""):
            row.pop()
        taken += PLACE_BYTES * len(row)
        refuse_bytes(file, "has cells for", taken, bound)
        if row:
            rows.append(row)
            lines.append(number)
    width = max(map(len, rows), default=0)
    refuse_bytes(file, "has cells for", PLACE_BYTES * width * len(rows), bound)
    return [row + [None] * (width - len(row)) for row in rows], lines


def _plain(cell: Any) -> Any:
    """A cell with the line ends of Windows as they were typed, and no value for an error."""
    if not isinstance(cell, str):
        return cell
    # Excel writes the carriage return like this, and its errors as #N/A, #DIV/0!, ...
    return None if cell.startswith("#") and cell in ERRORS else cell.replace("_x000D_", "")


ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def _cut_off(rows: list[list[Any]]) -> tuple[str, ...]:
    """A note on texts of the greatest length, which were cut off when they were written."""
    long = sum(isinstance(cell, str) and len(cell) >= LONGEST for row in rows for cell in row)
    if not long:
        return ()
    return (
        f"{long:,} texts have {LONGEST:,} letters, the most that a cell of Excel holds: they were "
        "cut off when the file was written.",
    )
