"""ARFF files of Weka, dense and sparse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from cocluster.io.dataset import Dataset, Reading, encode_labels
from cocluster.io.files import read_text, split_lines
from cocluster.io.options import ReadOptions
from cocluster.io.tables.parse import LABEL_NAMES
from cocluster.utils.text import as_float, quote

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
# Blanks at the end of a cell are stripped afterwards: a pattern that excludes them backtracks, and
# takes a second for ten thousand blanks.
CELL = re.compile(rf"\s*((?:{QUOTED})(?=\s*(?:,|$))|[^,]*)\s*(?:,|$)")
# "@attribute", a name that may be quoted, and a type: a word, or a list of words in braces.
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|\S+)\s+(.+)", re.IGNORECASE)
# Types of numbers, which Weka treats alike.
NUMERIC = ("numeric", "real", "integer")
# Most digits in the position of an attribute that a file can have.
MAX_POSITION_DIGITS = 9


@dataclass(frozen=True)
class Attribute:
    """A column: of numbers, or of words from a list."""

    name: str
    words: tuple[str, ...] | None


def read_arff(file: Path, options: ReadOptions) -> Dataset:
    """Read an ARFF file: numbers are features, one attribute of words is the class.

    The class is the attribute ``options.label``, or else the only one whose values are words.
    """
    text, notes = read_text(file)
    attributes, lines = _parse_header(file, text)
    target = _target_position(file, attributes, options.label)
    # Row, column and value of each cell, because dense and sparse rows may follow each other.
    entries: list[tuple[int, int, float]] = []
    labels: list[str] = []
    for row, (number, line) in enumerate(lines):
        is_sparse = line.startswith("{")
        location = f"{file.name}, line {number}"
        parse = _parse_sparse_row if is_sparse else _parse_dense_row
        cells = dict(parse(location, line, len(attributes)))
        if target is not None:
            labels.append(_class_name(cells.pop(target, None), attributes[target], is_sparse))
        entries += [(row, j, _parse_number(location, cell)) for j, cell in cells.items()]
    features = [j for j in range(len(attributes)) if j != target]
    rows, columns, values = np.array(entries, dtype=float).reshape(-1, 3).T
    shape = (len(lines), len(attributes))
    X = sp.csr_array((values, (rows.astype(int), columns.astype(int))), shape)[:, features]
    codes, class_names = encode_labels(labels or None)
    return Dataset(
        file.name.split(".")[0],
        {"X": X if any(line.startswith("{") for _, line in lines) else X.toarray()},
        labels=codes,
        class_names=class_names,
        feature_names={"X": np.array([attributes[j].name for j in features])},
        notes=notes,
        reading=Reading(label="" if target is None else attributes[target].name),
    )


def _parse_header(file: Path, text: str) -> tuple[list[Attribute], list[tuple[int, str]]]:
    """Return the attributes, and the numbered lines of data."""
    attributes: list[Attribute] = []
    lines = [(i, line.strip()) for i, line in enumerate(split_lines(text), start=1)]
    lines = [(i, line) for i, line in lines if line and not line.startswith("%")]
    for position, (number, line) in enumerate(lines, start=1):
        if line.lower().startswith("@data"):
            if not attributes or len(lines) == position:
                break
            return attributes, lines[position:]
        if line.lower().startswith("@attribute"):
            attributes.append(_parse_attribute(file, number, line))
    raise ValueError(
        f"{file.name} has no @attribute lines followed by @data and rows; it may be cut off or "
        "not be an ARFF file."
    )


def _parse_attribute(file: Path, number: int, line: str) -> Attribute:
    """Return the attribute that a line declares."""
    match = ATTRIBUTE.match(line)
    kind = match[2].strip() if match else ""
    if match and kind.lower() in NUMERIC:
        return Attribute(_unquote(match[1]), None)
    if match and kind.startswith("{") and kind.endswith("}"):
        return Attribute(_unquote(match[1]), tuple(_split_cells(kind[1:-1])))
    raise ValueError(
        f"{file.name}, line {number}: only attributes of numbers or of listed words are read, "
        f"not {line[:60]!r}."
    )


def _target_position(file: Path, attributes: list[Attribute], label: str | None) -> int | None:
    """Return the position of the class; there may be no other attribute of words."""
    names = [attribute.name for attribute in attributes]
    if label and label not in names:
        raise ValueError(f"{file.name} has no attribute {label!r}.")
    nominal = [j for j, attribute in enumerate(attributes) if attribute.words is not None]
    # A usual name counts more than the type, because classes may be numbers.
    usual = [j for j, name in enumerate(names) if name.lower() in LABEL_NAMES]
    candidates = [names.index(label)] if label else ([] if label == "" else [*usual, *nominal])
    target = next(iter(candidates), None)
    unused = [j for j in nominal if j != target]
    if unused:
        raise ValueError(
            f"{file.name}: attribute {quote(names[unused[0]])} holds words; encode it as "
            "numbers, or pass it as label=."
        )
    return target


def _parse_dense_row(location: str, line: str, m: int) -> Iterable[tuple[int, str]]:
    """Return the positions and cells of a row with all cells."""
    cells = _split_cells(line)
    if len(cells) != m:
        raise ValueError(f"{location}: expected {m} values, found {len(cells)}.")
    return enumerate(cells)


def _parse_sparse_row(location: str, line: str, m: int) -> Iterable[tuple[int, str]]:
    """Yield the positions and cells of a row in braces."""
    content = line[1:-1].strip()
    for pair in re.findall(rf"(?:{QUOTED}|[^,])+", content) if line.endswith("}") else [""]:
        digits, _, cell = pair.strip().partition(" ")
        is_number = digits.isdecimal() and len(digits) <= MAX_POSITION_DIGITS
        if not is_number or int(digits) >= m or not cell.strip():
            raise ValueError(
                f"{location}: expected {{position value, ...}} with positions below {m}, found "
                f"{quote(pair.strip())}."
            )
        yield int(digits), _unquote(cell.strip())


def _class_name(cell: str | None, attribute: Attribute, is_sparse: bool) -> str:
    """Return the class of a row; a cell that a sparse row omits is zero, that is the first word."""
    if cell is None:
        return attribute.words[0] if is_sparse and attribute.words else "0"
    return "" if cell == "?" else cell


def _parse_number(location: str, cell: str) -> float:
    """Return the number in a cell; NaN for a question mark."""
    try:
        return np.nan if cell == "?" else as_float(cell)
    except ValueError:
        raise ValueError(f"{location}: {quote(cell)} is not a number.") from None


def _split_cells(line: str) -> list[str]:
    """Return the cells between commas, without quotes."""
    cells: list[str] = []
    position = 0
    while position < len(line) and (match := CELL.match(line, position)):
        cells.append(_unquote(match[1].rstrip()))
        position = match.end()
    # The last comma ends a cell; an empty one follows it.
    return [*cells, ""] if line.endswith(",") else cells


def _unquote(cell: str) -> str:
    """Remove the quotes around a cell."""
    if len(cell) > 1 and cell[0] in "'\"" and cell[-1] == cell[0]:
        return re.sub(r"\\(.)", r"\1", cell[1:-1])
    return cell
