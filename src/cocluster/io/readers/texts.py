"""Texts: a folder of files or a file of lines; words are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from cocluster.io.dataset import some
from cocluster.io.readers.common import decode, encoding_notes, lines_of, read_text
from cocluster.io.readers.delimited import delimiter_of, of_text
from cocluster.io.readers.options import ReadOptions
from cocluster.io.readers.table import Column, Rows, as_cells
from cocluster.linalg.types import Array
from cocluster.preprocessing import WordCounter
from cocluster.preprocessing.boilerplate import split_mail
from cocluster.utils.text import shorten

# Files that hold texts but are none, by ending: what they are, and what to do.
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
# Lines of a text file that tell a table from texts.
LOOKED_AT = 100


@dataclass(frozen=True, eq=False)
class Counted:
    """Texts and their words."""

    texts: list[str]
    titles: list[str] | None
    X: sp.csr_array
    words: Array
    counter: Any
    told: str
    notes: tuple[str, ...]


def counted(source: str, texts: list[str], names: Array | None, vectorizer: Any) -> Counted:
    """Words of texts, counted as asked or in the usual way."""
    # A copy, so that the caller's own one is not fitted behind its back.
    counter = WordCounter() if vectorizer is None else clone(vectorizer)
    plain = ["\n".join(lines_of(text)) for text in texts]
    try:
        X = sp.csr_array(counter.fit_transform(plain)).astype(np.float64)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    # A counter of the caller's own need not tell.
    told = counter.told() if isinstance(counter, WordCounter) else f"{type(counter).__name__}"
    words = counter.get_feature_names_out()
    return Counted(plain, _subjects(plain), X, words, counter, told, _empty(X, names))


def refuse_document(file: Path) -> None:
    """Refuse a file that no reader can read as text, with what to do."""
    if file.suffix.lower() in DOCUMENTS:
        kind, remedy = DOCUMENTS[file.suffix.lower()]
        raise ValueError(f"{file.name}: {kind} files are not read; first {remedy}.")


def read_text_folder(folder: Path, files: list[Path]) -> Rows:
    """Table of one document a file, in the order of their names; subfolders are the classes."""
    texts, names, latin, no_text = [], [], [], []
    for file in files:
        name = file.relative_to(folder).as_posix()
        raw = b"" if file.suffix.lower() in DOCUMENTS else file.read_bytes()
        text, is_latin = decode(raw, f"{folder.name}/{shorten(name)}")
        if "\0" in text or file.suffix.lower() in DOCUMENTS:
            no_text.append(file)
            continue
        names.append(name)
        texts.append(text)
        if is_latin:
            latin.append(name)
    if 2 * len(no_text) > len(files):
        refuse_document(no_text[0])
        first = shorten(no_text[0].name)
        raise ValueError(f"Folder {folder.name} holds no texts but files such as {first}.")
    notes = list(encoding_notes(latin))
    if no_text:
        named = some(file.relative_to(folder).as_posix() for file in no_text)
        notes.append(f"No plain text, left out: {named}; turn them into text to have them, too.")
    columns = {"file": names, "contents": texts}
    classes = folder_classes(names)
    columns |= {} if classes is None else {"folder": classes}
    roles = {"id": "file", "text": "contents", **({"label": "folder"} if classes else {})}
    return _fixed(folder.name, columns, range(1, len(names) + 1), roles, tuple(notes))


def read_lines(file: Path, asked: ReadOptions) -> Rows:
    """Table of a text file: one document a line, or a table after all."""
    text, latin = read_text(file)
    notes = encoding_notes([file.name] if latin else [])
    if is_table(text):
        return of_text(file, text, asked.header, notes)
    numbered = [(i, line) for i, line in enumerate(lines_of(text), start=1) if line.strip()]
    columns = {"line": [str(i) for i, _ in numbered], "contents": [line for _, line in numbered]}
    roles = {"id": "line", "text": "contents"}
    return _fixed(file.name, columns, [i for i, _ in numbered], roles, notes)


def is_table(text: str) -> bool:
    """Whether a text is a table: lines of as many cells, most of which are numbers.

    >>> is_table("a,b\\n1,2\\n3,4"), is_table("Well, yes.\\nNo, never.")
    (True, False)
    """
    sign = delimiter_of(text)
    rows = [line.split(sign) for line in lines_of(text)[:LOOKED_AT] if line.strip()]
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    cells = [cell for row in rows[1:] for cell in row]
    kinds = [Column("", as_cells([cell]), comma=sign != ",").kind for cell in cells]
    return 2 * kinds.count("numbers") > len(kinds)


def folder_classes(names: Sequence[str]) -> list[str] | None:
    """First subfolders of files; None if there are none."""
    parts = [name.split("/") for name in names]
    return [p[0] if len(p) > 1 else "" for p in parts] if any(len(p) > 1 for p in parts) else None


def _fixed(
    file: str,
    columns: dict[str, list[str]],
    lines: Sequence[int],
    roles: dict[str, str],
    notes: tuple[str, ...],
) -> Rows:
    """Table whose columns are known."""
    made = {name: Column(name, as_cells(list(cells))) for name, cells in columns.items()}
    return Rows(file, made, lines, fixed=roles, notes=notes)


def _subjects(texts: list[str]) -> list[str] | None:
    """Subjects of letters, if most texts are letters."""
    found = [split_mail(text)[0].get("subject", "") for text in texts]
    return found if 2 * sum(map(bool, found)) > len(found) else None


def _empty(X: sp.csr_array, names: Array | None) -> tuple[str, ...]:
    """A note on texts without any word that is counted."""
    empty = np.flatnonzero(np.diff(X.indptr) == 0)
    if not len(empty):
        return ()
    named = some(str(i + 1) if names is None else str(names[i]) for i in empty)
    return (f"No word of these texts is counted, so nothing tells where they belong: {named}.",)
