"""JSON: lists of records or of texts, and JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cocluster.io.readers.common import encoding_notes, lines_of, read_text
from cocluster.io.readers.options import ReadOptions
from cocluster.io.readers.table import Rows, of_cells, of_records
from cocluster.utils.text import json_value

# What a plain list of texts is read as.
TEXT = "text"


def read_json_lines(file: Path, asked: ReadOptions) -> Rows:
    """Table of a file with one record or text on each line."""
    content, latin = read_text(file)
    return _of_lines(file, content, encoding_notes([file.name] if latin else []))


def read_json(file: Path, asked: ReadOptions) -> Rows:
    """Table of a list of records, texts or rows, of texts by id, or of JSON lines after all."""
    content, latin = read_text(file)
    notes = encoding_notes([file.name] if latin else [])
    try:
        value = json_value(content, file.name)
    except ValueError:
        if _is_json_lines(content):
            return _of_lines(file, content, notes)
        raise
    if isinstance(value, dict) and value and all(isinstance(v, str | dict) for v in value.values()):
        # Texts or records by id.
        value = [
            {"id": key} | (v if isinstance(v, dict) else {TEXT: v}) for key, v in value.items()
        ]
    if not isinstance(value, list):
        raise ValueError(
            f"{file.name} holds no list of records or texts; write [{{...}}, {{...}}] or a list of "
            "texts."
        )
    return _of_list(file, value, list(range(1, len(value) + 1)), "item", notes)


def _of_lines(file: Path, content: str, notes: tuple[str, ...]) -> Rows:
    """Table of lines, each of which is JSON."""
    found = [
        (number, json_value(line, f"{file.name}, line {number}"))
        for number, line in enumerate(lines_of(content), start=1)
        if line.strip()
    ]
    return _of_list(file, [v for _, v in found], [n for n, _ in found], "line", notes)


def _is_json_lines(content: str) -> bool:
    """Whether the first line of several is a whole value."""
    first, _, rest = content.strip().partition("\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return bool(rest.strip())


def _of_list(
    file: Path, values: list[Any], lines: list[int], counted: str, notes: tuple[str, ...]
) -> Rows:
    """Table of values of one kind: records, texts, or rows of cells."""
    if not values:
        raise ValueError(f"{file.name} is empty; it has no records or texts.")
    if all(isinstance(value, list) for value in values):
        return of_cells(file, values, lines, notes=notes, counted=counted)
    records = [{TEXT: value} if isinstance(value, str) else value for value in values]
    for record, line in zip(records, lines, strict=True):
        if not isinstance(record, dict):
            raise ValueError(
                f"{file.name}, {counted} {line}: not a JSON object or text but "
                f"{str(record)[:40]!r}."
            )
    return of_records(file, records, lines, notes, counted)
