"""ARFF files of Weka, dense and sparse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from cocluster.io.dataset import Dataset, Reading
from cocluster.io.readers.common import (
    LABEL_NAMES,
    encode_labels,
    encoding_notes,
    lines_of,
    read_text,
)
from cocluster.io.readers.options import ReadOptions
from cocluster.utils.text import as_float, quote

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
# Blanks at the end of a cell are stripped afterwards: a pattern that leaves them out tries every
# way to share them with the cell, which takes a second for ten thousand blanks.
CELL = re.compile(rf"\s*((?:{QUOTED})(?=\s*(?:,|$))|[^,]*)\s*(?:,|$)")
# "@attribute", a name that may be quoted, and its type: a word, or words in braces.
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|\S+)\s+(.+)", re.IGNORECASE)
# Types of numbers; Weka makes no difference between them.
NUMERIC = ("numeric", "real", "integer")
# Digits of the number of an attribute: with more it is none that a file could have.
LONGEST_PLACE = 9


@dataclass(frozen=True)
class Attribute:
    """A column: of numbers, or of words from a list."""

    name: str
    words: tuple[str, ...] | None


def read_arff(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of an ARFF file: numbers are features, one attribute of words is the class.

    The class is the attribute ``asked.label``, or else the only one whose values are words.
    """
    text, latin = read_text(file)
    attributes, body = _header(file, text)
    target = _target(file, attributes, asked.label)
    # Row, column and value of each cell, as dense and sparse rows may follow each other.
    entries: list[tuple[int, int, float]] = []
    labels: list[str] = []
    dense = True
    for row, (line, content) in enumerate(body):
        sparse = content.startswith("{")
        dense = dense and not sparse
        cells = _sparse_cells if sparse else _dense_cells
        found = dict(cells(file, line, content, len(attributes)))
        if target is not None:
            labels.append(_class(found.pop(target, None), attributes[target], sparse))
        entries += [(row, j, _number(file, line, cell)) for j, cell in found.items()]
    return _dataset(file, attributes, target, entries, labels, len(body), dense, latin)


def _dataset(
    file: Path,
    attributes: list[Attribute],
    target: int | None,
    entries: list[tuple[int, int, float]],
    labels: list[str],
    n: int,
    dense: bool,
    latin: bool,
) -> Dataset:
    """Data set of the entries read."""
    features = [j for j in range(len(attributes)) if j != target]
    rows, columns, values = np.array(entries, dtype=float).reshape(-1, 3).T
    shape = (n, len(attributes))
    X = sp.csr_array((values, (rows.astype(int), columns.astype(int))), shape)[:, features]
    codes, classes = encode_labels(labels or None)
    return Dataset(
        file.name.split(".")[0],
        {"X": X.toarray() if dense else X},
        labels=codes,
        class_names=classes,
        feature_names={"X": np.array([attributes[j].name for j in features])},
        notes=encoding_notes([file.name] if latin else []),
        reading=Reading(label="" if target is None else attributes[target].name),
    )


def _header(file: Path, text: str) -> tuple[list[Attribute], list[tuple[int, str]]]:
    """Attributes, and the numbered lines of data."""
    attributes: list[Attribute] = []
    lines = [(i, line.strip()) for i, line in enumerate(lines_of(text), start=1)]
    lines = [(i, line) for i, line in lines if line and not line.startswith("%")]
    for place, (number, line) in enumerate(lines):
        if line.lower().startswith("@data"):
            if not attributes or len(lines) == place + 1:
                break
            return attributes, lines[place + 1 :]
        if line.lower().startswith("@attribute"):
            attributes.append(_attribute(file, number, line))
    raise ValueError(
        f"{file.name} has no @attribute lines followed by @data and rows; it may be cut off or "
        "not be an ARFF file."
    )


def _attribute(file: Path, number: int, line: str) -> Attribute:
    """Attribute that a line declares."""
    match = ATTRIBUTE.match(line)
    kind = match[2].strip() if match else ""
    if match and kind.lower() in NUMERIC:
        return Attribute(_plain(match[1]), None)
    if match and kind.startswith("{") and kind.endswith("}"):
        return Attribute(_plain(match[1]), tuple(_cells(kind[1:-1])))
    raise ValueError(
        f"{file.name}, line {number}: only attributes of numbers or of listed words are read, "
        f"not {line[:60]!r}."
    )


def _target(file: Path, attributes: list[Attribute], label: str | None) -> int | None:
    """Position of the class; there may be no other attribute of words."""
    names = [attribute.name for attribute in attributes]
    if label and label not in names:
        raise ValueError(f"{file.name} has no attribute {label!r}.")
    nominal = [j for j, attribute in enumerate(attributes) if attribute.words is not None]
    # A usual name counts more than the type, as classes may be numbers.
    usual = [j for j, name in enumerate(names) if name.lower() in LABEL_NAMES]
    chosen = [names.index(label)] if label else ([] if label == "" else [*usual, *nominal])
    target = next(iter(chosen), None)
    others = [j for j in nominal if j != target]
    if others:
        raise ValueError(
            f"{file.name}: attribute {quote(names[others[0]])} holds words; encode it as "
            "numbers, or pass it as label=."
        )
    return target


def _dense_cells(file: Path, line: int, content: str, m: int) -> Iterator[tuple[int, str]]:
    """Cells of a row in order."""
    cells = _cells(content)
    if len(cells) != m:
        raise ValueError(f"{file.name}, line {line}: expected {m} values, found {len(cells)}.")
    return enumerate(cells)


def _sparse_cells(file: Path, line: int, content: str, m: int) -> Iterator[tuple[int, str]]:
    """Pairs of position and cell of a row in braces."""
    inner = content[1:-1].strip()
    for pair in re.findall(rf"(?:{QUOTED}|[^,])+", inner) if content.endswith("}") else [""]:
        place, _, cell = pair.strip().partition(" ")
        if (
            not place.isdecimal()
            or len(place) > LONGEST_PLACE
            or int(place) >= m
            or not cell.strip()
        ):
            raise ValueError(
                f"{file.name}, line {line}: expected {{position value, ...}} with positions below "
                f"{m}, found {quote(pair.strip())}."
            )
        yield int(place), _plain(cell.strip())


def _class(cell: str | None, attribute: Attribute, sparse: bool) -> str:
    """Class of a row; what a sparse row leaves out is zero, that is the first word."""
    if cell is None:
        return attribute.words[0] if sparse and attribute.words else "0"
    return "" if cell == "?" else cell


def _number(file: Path, line: int, cell: str) -> float:
    """Number in a cell; NaN for a question mark."""
    try:
        return np.nan if cell == "?" else as_float(cell)
    except ValueError:
        raise ValueError(f"{file.name}, line {line}: {quote(cell)} is not a number.") from None


def _cells(content: str) -> list[str]:
    """Cells between commas, without quotes."""
    found: list[str] = []
    place = 0
    while place < len(content):
        match = CELL.match(content, place)
        if match is None:
            break
        found.append(_plain(match[1].rstrip()))
        place = match.end()
    # The last comma ends a cell; one that is empty follows it.
    return [*found, ""] if content.endswith(",") else found


def _plain(cell: str) -> str:
    """Cell without its quotes."""
    if len(cell) > 1 and cell[0] in "'\"" and cell[-1] == cell[0]:
        return re.sub(r"\\(.)", r"\1", cell[1:-1])
    return cell
