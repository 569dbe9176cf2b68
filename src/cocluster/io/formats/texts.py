"""Texts: a folder of files, or a file with one text on each line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cocluster.io.dataset import list_names, object_array
from cocluster.io.files import decode, encoding_notes, read_text, split_lines
from cocluster.io.formats.text_tables import find_delimiter, parse_delimited
from cocluster.io.options import ReadOptions
from cocluster.io.tables.parse import Column, ParsedTable
from cocluster.utils.text import shorten

# Documents that are not plain text, by ending: their kind, and what to do.
DOCUMENTS = {
    ".pdf": ("PDF", "turn it into text, for example with pdftotext"),
    ".docx": ("Word", "save it as plain text"),
    ".doc": ("Word", "save it as plain text"),
    ".odt": ("OpenDocument", "save it as plain text"),
    ".rtf": ("RTF", "save it as plain text"),
    ".pptx": ("PowerPoint", "save it as plain text"),
    ".epub": ("EPUB", "turn it into text, for example with pandoc"),
    ".xls": ("old Excel", "save it as .xlsx or .csv"),
    ".ods": ("OpenDocument", "save it as .xlsx or .csv"),
}
# Number of lines to inspect for a table.
TABLE_PROBE_LINES = 100


def refuse_document(file: Path) -> None:
    """Raise ValueError for a document that must first be turned into text."""
    if file.suffix.lower() in DOCUMENTS:
        kind, remedy = DOCUMENTS[file.suffix.lower()]
        raise ValueError(f"{file.name}: {kind} files are not read; first {remedy}.")


def read_text_folder(folder: Path, files: list[Path]) -> ParsedTable:
    """Read one text from each file, in the order of their names; subfolders are the classes."""
    texts, names, latin, not_text = [], [], [], []
    for file in files:
        name = file.relative_to(folder).as_posix()
        is_document = file.suffix.lower() in DOCUMENTS
        content = b"" if is_document else file.read_bytes()
        text, is_latin = decode(content, f"{folder.name}/{shorten(name)}")
        if is_document or "\0" in text:
            not_text.append(file)
            continue
        names.append(name)
        texts.append(text)
        if is_latin:
            latin.append(name)
    if 2 * len(not_text) > len(files):
        refuse_document(not_text[0])
        first = shorten(not_text[0].name)
        raise ValueError(f"Folder {folder.name} holds no texts but files such as {first}.")
    notes = encoding_notes(latin)
    if not_text:
        skipped = list_names(file.relative_to(folder).as_posix() for file in not_text)
        notes += (f"No plain text, left out: {skipped}; turn them into text to have them, too.",)
    columns, roles = {"file": names, "contents": texts}, {"id": "file", "text": "contents"}
    classes = folder_classes(names)
    if classes is not None:
        columns["folder"], roles["label"] = classes, "folder"
    return _table(folder.name, columns, range(1, len(names) + 1), roles, notes)


def read_lines(file: Path, options: ReadOptions) -> ParsedTable:
    """Read a text file: one text on each line, or a table if the lines look like one."""
    text, notes = read_text(file)
    if is_table(text):
        return parse_delimited(file, text, options.header, notes)
    lines = [(i, line) for i, line in enumerate(split_lines(text), start=1) if line.strip()]
    columns = {"line": [str(i) for i, _ in lines], "contents": [line for _, line in lines]}
    roles = {"id": "line", "text": "contents"}
    return _table(file.name, columns, [i for i, _ in lines], roles, notes)


def is_table(text: str) -> bool:
    """Return whether all lines have equally many cells, most of which are numbers.

    >>> is_table("a,b\\n1,2\\n3,4"), is_table("Well, yes.\\nNo, never.")
    (True, False)
    """
    delimiter = find_delimiter(text)
    lines = split_lines(text)[:TABLE_PROBE_LINES]
    rows = [line.split(delimiter) for line in lines if line.strip()]
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    cells = [cell for row in rows[1:] for cell in row]
    kinds = [Column("", object_array([cell]), comma=delimiter != ",").kind for cell in cells]
    return 2 * kinds.count("numbers") > len(kinds)


def folder_classes(names: Sequence[str]) -> list[str] | None:
    """Return the first subfolder of each file as its class; None if there are no subfolders."""
    paths = [name.split("/") for name in names]
    has_folders = any(len(path) > 1 for path in paths)
    return [path[0] if len(path) > 1 else "" for path in paths] if has_folders else None


def _table(
    file: str,
    columns: dict[str, list[str]],
    lines: Sequence[int],
    roles: dict[str, str],
    notes: tuple[str, ...],
) -> ParsedTable:
    """Return a table whose columns have fixed roles."""
    parsed = {name: Column(name, object_array(cells)) for name, cells in columns.items()}
    return ParsedTable(file, parsed, lines, fixed_roles=roles, notes=notes)
