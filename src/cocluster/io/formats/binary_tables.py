"""Tables in binary files: Excel (``.xlsx``, ``.xlsm``) and parquet."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import Any

from cocluster.io.dataset import list_names
from cocluster.io.options import CELL_BYTES, ReadOptions, check_bytes
from cocluster.io.tables.parse import Column, ParsedTable, refuse_duplicates, table_from_cells
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import library
from cocluster.utils.text import quote

# Most characters of a cell in Excel, which cuts off longer texts when it writes them.
MAX_CELL = 32_767
# Last row of a sheet in Excel; a damaged file may announce any number, and all would be read.
LAST_ROW = 1_048_576
EXCEL_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def read_parquet(file: Path, options: ReadOptions) -> ParsedTable:
    """Read a parquet file; its rows are counted from 1."""
    pyarrow = library("pyarrow", "parquet files", "parquet")
    parquet = library("pyarrow.parquet", "parquet files", "parquet")
    with wrap_read_errors(file.name, pyarrow.ArrowException, OSError, ValueError):
        with parquet.ParquetFile(file) as opened:
            n_cells = opened.metadata.num_rows * opened.metadata.num_columns
        # A column of equal values takes next to nothing in the file.
        check_bytes(file, "unpacks to", n_cells * CELL_BYTES, options.byte_limit(file))
        table = parquet.read_table(file)
        refuse_duplicates(file.name, table.column_names)
        columns = {
            name: Column(name, column.to_numpy())
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    return ParsedTable(file.name, columns, range(1, table.num_rows + 1), row_unit="row")


def read_excel(file: Path, options: ReadOptions) -> ParsedTable:
    """Read a sheet of an Excel file, by default the first; empty rows are left out."""
    openpyxl = library("openpyxl", "Excel files", "excel")
    limit = options.byte_limit(file)
    # A damaged file raises errors of many kinds: of archives, of XML, and of missing members.
    # The file is opened here because openpyxl leaves a file open that it cannot read.
    with (
        wrap_read_errors(file.name, Exception),
        file.open("rb") as opened,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # about styles and extensions that do not matter here
        with zipfile.ZipFile(opened) as archive:
            members = archive.infolist()
            check_bytes(file, "unpacks to", sum(m.file_size for m in members), limit)
            if any(m.compress_size > file.stat().st_size for m in members):
                raise ValueError(f"{file.name} announces more than it holds; it may be cut off.")
        book = openpyxl.load_workbook(opened, read_only=True, data_only=True)
        try:
            name = _sheet_name(file, book.sheetnames, options.sheet)
            rows, lines = _sheet_rows(file, book[name], limit)
        finally:
            book.close()
    unread = [sheet for sheet in book.sheetnames if sheet != name]
    return table_from_cells(
        file,
        rows,
        lines,
        header=options.header,
        notes=_cut_off_notes(rows),
        details=(f"sheet: {name} (others: {list_names(unread)})",) if unread else (),
        row_unit="row",
    )


def _sheet_name(file: Path, names: list[str], sheet: str | None) -> str:
    """Return the name of the sheet to read."""
    if not names:
        raise ValueError(f"{file.name} has no sheets.")
    if sheet is not None and sheet not in names:
        raise ValueError(f"{file.name} has no sheet {sheet!r}; it has {list_names(names)}.")
    return names[0] if sheet is None else sheet


def _sheet_rows(file: Path, sheet: Any, limit: int) -> tuple[list[list[Any]], list[int]]:
    """Return the rows that are not empty, padded to one length, and their numbers."""
    if not hasattr(sheet, "reset_dimensions"):
        raise ValueError(
            f"{file.name}: {quote(sheet.title)} is a chart, not a sheet; name one by sheet=."
        )
    # A file may announce the largest possible sheet.
    sheet.reset_dimensions()
    rows, lines, n_bytes = [], [], 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > LAST_ROW:
            raise ValueError(f"{file.name} has a row beyond {LAST_ROW:,}, the last of Excel.")
        if not cells:
            continue  # absent from the file; a million such rows may precede a row far below
        row = [_clean_cell(cell) for cell in cells]
        while row and row[-1] in (None, ""):
            row.pop()
        n_bytes += CELL_BYTES * len(row)
        check_bytes(file, "has cells for", n_bytes, limit)
        if row:
            rows.append(row)
            lines.append(number)
    width = max(map(len, rows), default=0)
    check_bytes(file, "has cells for", CELL_BYTES * width * len(rows), limit)
    return [row + [None] * (width - len(row)) for row in rows], lines


def _clean_cell(cell: Any) -> Any:
    """Return a cell without Excel's escape for carriage returns; None if it holds an error."""
    if not isinstance(cell, str):
        return cell
    return None if cell in EXCEL_ERRORS else cell.replace("_x000D_", "")


def _cut_off_notes(rows: list[list[Any]]) -> tuple[str, ...]:
    """Return a note on texts of the greatest length, which Excel cut off when it wrote them."""
    n_cut = sum(isinstance(cell, str) and len(cell) >= MAX_CELL for row in rows for cell in row)
    if not n_cut:
        return ()
    return (
        f"{n_cut:,} texts have {MAX_CELL:,} letters, the most that a cell of Excel holds: they "
        "were cut off when the file was written.",
    )
