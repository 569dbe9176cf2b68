"""Files of links: CSV, JSON lines, parquet, and the three-column tab file of COP-KMeans.

Each row states one pair: ``a,b,relation[,weight,source,time,note]``, where ``a`` and ``b`` are
positions or sample ids and the relation is one of the words below. Further columns are kept.
A row ``sample,name,label`` states the label of a sample instead (``group``: different names say
nothing), so that m labels take m rows; ``label:1`` is the second of several labellings.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links.labelling import Labelling
from cocluster.links.validate import COLUMNS, StatedLinks, as_ids
from cocluster.utils.files import new_file, wrap_read_errors
from cocluster.utils.optional import library
from cocluster.utils.text import as_float, as_int, json_object, quote, shorten

# Words for each sign that people and other tools use; the first of each is written.
WORDS = {
    1: ("must-link", "must", "ml", "same", "match", "1", "+1"),
    -1: ("cannot-link", "cannot", "cl", "different", "distinct", "-1"),
    0: ("unsure",),
}
SIGNS = {word: sign for sign, words in WORDS.items() for word in words}
# The number is that of one labelling among several; ledgers make them of steps.
LABEL = re.compile(r"(label|group)(?::([0-9]{1,18}))?")
# Graphs of samples are kept with 32-bit indices; a larger position is a misprint.
MOST_SAMPLES = np.iinfo(np.int32).max
# Samples that a file of labels may speak of without saying how many there are: a label of each
# takes eight bytes in memory, together 64 MB.
MOST_LABELLED = 8_000_000
# Unknown ids that an error names: enough to see what is wrong with them.
UNKNOWN_SHOWN = 10


def read_links(
    path: str | os.PathLike[str],
    ids: Sequence[object] | Array | None,
    n_samples: int | None,
    base: int,
) -> dict[str, Any]:
    """Return the fields of the links in a file."""
    file = Path(path)
    return parse_links(file, list(file_format(file).read(file)), ids, n_samples, base)


def parse_links(
    file: Path,
    rows: list[Numbered],
    ids: Sequence[object] | Array | None,
    n_samples: int | None,
    base: int = 0,
) -> dict[str, Any]:
    """Return the fields of the links that the rows of a file state."""
    if not rows:
        raise ValueError(f"{file.name} is empty: it states no links.")
    words = [_relation(file, line, row) for line, row in rows]
    is_pair = np.array([word in SIGNS for word in words])
    stated = list(compress(rows, is_pair))
    # Every row names a sample in its column a; what is in b is a sample only where it is a pair.
    ends = [(line, row["a"]) for line, row in rows] + [(line, row["b"]) for line, row in stated]
    names = None if ids is None else as_ids(ids, len(ids))
    positions = _look_up(file, ends, names, n_samples, base)
    first, second = positions[: len(rows)], positions[len(rows) :]
    n = n_samples or (len(names) if names is not None else int(positions.max()) + 1)
    if n_samples is None and names is None and not is_pair.all():
        _refuse_far(file, n)
    pairs = np.stack([first[is_pair], second], axis=1)
    _refuse_loops(file, pairs, stated)
    labels = [
        (line, row, word, sample)
        for (line, row), word, sample in zip(rows, words, first.tolist(), strict=True)
        if word not in SIGNS
    ]
    extra = dict.fromkeys(name for _, row in stated for name in row if name not in COLUMNS)
    return {
        "n_samples": n,
        "pairs": pairs,
        "signs": [SIGNS[word] for word in compress(words, is_pair)],
        "weights": [_weight(file, line, row) for line, row in stated],
        "labellings": _labellings(file, labels, n),
        "details": {name: [row.get(name, "") for _, row in stated] for name in extra},
        "ids": names,
    }


def _refuse_far(file: Path, n: int) -> None:
    """Refuse a position so large that the labels up to it would need too much memory."""
    if n > max(MOST_LABELLED, file.stat().st_size):
        raise ValueError(
            f"{file.name} has labels, and a position as far as {n - 1:,}: if there are so many "
            "samples, pass n_samples=."
        )


def _relation(file: Path, line: int, row: Row) -> str:
    """The relation of a row as `SIGNS` or `LABEL` spell it."""
    word = re.sub(r"[ _]", "-", row["relation"].strip().lower())
    if word in SIGNS or LABEL.fullmatch(word):
        return word
    raise ValueError(
        f"{file.name}, line {line}: {quote(row['relation'])} is not a relation, use must-link, "
        "cannot-link or unsure (or ml/cl, same/different, match/distinct, 1/-1)."
    )


def _look_up(
    file: Path, ends: list[tuple[int, str]], ids: Array | None, n_samples: int | None, base: int
) -> Array:
    """Positions of the samples named in a file; ``ends`` are their lines and texts."""
    if ids is None:
        return np.array([_position(file, *end, n_samples, base) for end in ends], dtype=np.int64)
    index = {name: i for i, name in enumerate(ids)}
    # Blanks around an id are dropped, unless there is an id with just these blanks.
    positions = [index.get(text, index.get(text.strip(), -1)) for _, text in ends]
    unknown: dict[str, int] = {}
    for (line, text), position in sorted(zip(ends, positions, strict=True)):
        if position < 0:
            unknown.setdefault(text, line)
    if unknown:
        first = list(unknown.items())[:UNKNOWN_SHOWN]
        listed = ", ".join(f"{quote(text)} (line {line})" for text, line in first)
        raise ValueError(
            f"{file.name} names {len(unknown)} samples that are not among the ids: {listed}"
            f"{', ...' if len(unknown) > len(first) else ''}."
        )
    return np.array(positions, dtype=np.int64)


def _position(file: Path, line: int, text: str, n_samples: int | None, base: int) -> int:
    """Parse a position and count it from zero."""
    try:
        position = as_int(text) - base
    except ValueError:
        raise ValueError(
            f"{file.name}, line {line}: {quote(text)} is not a position; pass ids= if the file "
            "names samples by id."
        ) from None
    if not 0 <= position < (n_samples or MOST_SAMPLES):
        last = "" if n_samples is None else f" to {n_samples - 1 + base}"
        raise ValueError(
            f"{file.name}, line {line}: position {shorten(text.strip())} is out of range, "
            f"positions go from {base}{last} (base={base})."
        )
    return position


def _refuse_loops(file: Path, pairs: Array, stated: list[Numbered]) -> None:
    """Refuse a sample linked with itself, naming the line."""
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(loops):
        line, row = stated[loops[0]]
        raise ValueError(f"{file.name}, line {line}: {quote(row['a'])} is linked with itself.")


def _weight(file: Path, line: int, row: Row) -> float:
    """Weight of a pair, 1 where the file says nothing."""
    text = row.get("weight", "").strip()
    try:
        weight = as_float(text or "1")
    except ValueError:
        weight = np.nan  # refused below with all else that is not positive
    if not 0 < weight < np.inf:
        raise ValueError(
            f"{file.name}, line {line}: weight {quote(text)} is not a positive number."
        )
    return weight


def _labellings(file: Path, rows: list[tuple[int, Row, str, int]], n: int) -> tuple[Labelling, ...]:
    """Labellings from the rows that state labels: line, cells, relation and sample of each."""
    members: dict[tuple[int, str], dict[int, str]] = {}
    for line, row, word, sample in rows:
        kind, _, number = word.partition(":")
        label_by_sample = members.setdefault((int(number or 0), kind), {})
        if label_by_sample.setdefault(sample, row["b"]) != row["b"]:
            raise ValueError(f"{file.name}, line {line}: {quote(row['a'])} has a second label.")
    labellings = []
    for (_, kind), label_by_sample in sorted(members.items()):
        codes = np.full(n, -1, dtype=np.int64)
        _, codes[list(label_by_sample)] = np.unique(
            list(label_by_sample.values()), return_inverse=True
        )
        labellings.append(Labelling(codes, distinct=kind == "label"))
    return tuple(labellings)


def write_links(path: str | os.PathLike[str], links: StatedLinks, ids: Array | None) -> None:
    """Write links; the file appears only when it is complete."""
    file = Path(path)
    rows = link_rows(links, ids)
    if not rows:
        raise ValueError(f"{file.name}: there are no links to write.")
    weighted = ["weight"] if (links.weights != 1).any() else []
    columns = ["a", "b", "relation", *weighted, *links.details]
    cells = [{name: row.get(name, "") for name in columns} for row in rows]
    write = file_format(file).write
    with new_file(file) as unfinished:
        write(unfinished, columns, cells)


def link_rows(links: StatedLinks, ids: Array | None) -> list[Cells]:
    """Return the rows to write: one per pair and one per labelled sample."""
    names = list(range(links.n_samples)) if ids is None else ids.tolist()
    # Group numbers share column b with the names, and a column of a parquet file has one type.
    spell = int if ids is None else str
    return [*_pair_rows(links, names), *_label_rows(links, names, spell)]


def _pair_rows(links: StatedLinks, names: list[Any]) -> Iterator[Cells]:
    """One row per stated pair."""
    stated = zip(links.pairs.tolist(), links.signs.tolist(), links.weights.tolist(), strict=True)
    for number, ((a, b), sign, weight) in enumerate(stated):
        details = {name: values[number] for name, values in links.details.items()}
        word = WORDS[sign][0]
        yield {"a": names[a], "b": names[b], "relation": word, "weight": weight, **details}


def _label_rows(
    links: StatedLinks, names: list[Any], spell: type[int] | type[str]
) -> Iterator[Cells]:
    """One row per labelled sample."""
    for number, labelling in enumerate(links.labellings):
        word = f"{'label' if labelling.distinct else 'group'}:{number}"
        for sample in labelling.members.tolist():
            group = spell(labelling.codes[sample])
            yield {"a": names[sample], "b": group, "relation": word, "weight": 1.0}


# What is read: texts by column, and the line they stand on, which messages name.
Row = dict[str, str]
Numbered = tuple[int, Row]
# What is written: numbers stay numbers in the formats that know them.
Cells = dict[str, Any]

REQUIRED = ("a", "b", "relation")
# The order of the columns of a CSV file without a header.
POSITIONAL = (*COLUMNS, "source", "time", "note")


class Format(NamedTuple):
    """How rows are read from and written to one kind of file."""

    read: Callable[[Path], Iterator[Numbered]]
    write: Callable[[Path, list[str], list[Cells]], None]


def file_format(path: Path) -> Format:
    """Return the format for the ending of a file's name."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise ValueError(
            f"{path.name}: unknown ending {path.suffix!r}, links are kept in files that end in "
            f"{', '.join(FORMATS)}."
        ) from None


def _read_csv(path: Path) -> Iterator[Numbered]:
    """Yield the rows of a CSV file; without a header the columns are `POSITIONAL`."""
    # The encoding drops the mark that spreadsheets put before the first name.
    with (
        wrap_read_errors(path.name, csv.Error, UnicodeDecodeError),
        path.open(newline="", encoding="utf-8-sig") as stream,
    ):
        reader = csv.reader(stream)
        header = list(POSITIONAL)
        for number, cells in enumerate(row for row in reader if row):
            if number == 0 and {"relation", "kind"} & {_column(cell) for cell in cells}:
                header = [_column(cell) for cell in cells]
                _require_columns(path, reader.line_num, header)
                continue
            if not len(REQUIRED) <= len(cells) <= len(header):
                raise ValueError(
                    f"{path.name}, line {reader.line_num}: expected {len(REQUIRED)} to "
                    f"{len(header)} columns ({shorten(', '.join(header))}), found {len(cells)}."
                )
            # The last columns are optional and may be left out of a line.
            padded = cells + [""] * (len(header) - len(cells))
            yield reader.line_num, dict(zip(header, padded, strict=True))


def _column(cell: str) -> str:
    """Name of a column; the usual ones in any case, "kind" being another word for relation."""
    name = cell.strip().lower()
    name = "relation" if name == "kind" else name
    return name if name in COLUMNS else cell


def _require_columns(path: Path, line: int, columns: list[str]) -> None:
    """Refuse rows without the two samples and their relation."""
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise ValueError(f"{path.name}, line {line}: no {' and no '.join(missing)} given.")


def _write_csv(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """Write a header and one line per row."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)


def _read_json_lines(path: Path) -> Iterator[Numbered]:
    """Yield one row per line, each line a JSON object."""
    for line, text in _lines(path):
        values = json_object(text.rstrip(), f"{path.name}, line {line}")
        row = {_column(name): _text(value) for name, value in values.items()}
        _require_columns(path, line, list(row))
        yield line, row


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers, without blank ones."""
    with (
        wrap_read_errors(path.name, UnicodeDecodeError),
        path.open(encoding="utf-8-sig") as stream,
    ):
        for line, text in enumerate(stream, start=1):
            if text.strip():
                yield line, text


def _text(value: object) -> str:
    """Return the text of a cell, empty for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _write_json_lines(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """Write one JSON object per line, without empty cells."""
    with path.open("w", encoding="utf-8") as stream:
        for row in rows:
            filled = {name: row[name] for name in columns if name in REQUIRED or row[name] != ""}
            stream.write(json.dumps(filled) + "\n")


def _pyarrow(module: str = "") -> Any:
    """The library that reads and writes parquet, or a module of it."""
    return library(f"pyarrow{module}", "parquet files", "parquet")


def _read_parquet(path: Path) -> Iterator[Numbered]:
    """Yield the rows of a parquet file, counted from 1."""
    parquet, pyarrow = _pyarrow(".parquet"), _pyarrow()
    # Texts are turned into those of Python last, and may then prove to be none.
    with wrap_read_errors(path.name, pyarrow.ArrowException, OSError, UnicodeDecodeError):
        table = parquet.read_table(path)
        names = [_column(name) for name in table.column_names]
        columns = [column.to_pylist() for column in table.columns]
    _require_columns(path, 1, names)
    for line, cells in enumerate(zip(*columns, strict=True), start=1):
        yield line, dict(zip(names, map(_text, cells), strict=True))


def _write_parquet(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """Write a parquet file with one column per name."""
    table = _pyarrow().table({name: [row[name] for row in rows] for name in columns})
    _pyarrow(".parquet").write_table(table, path)


def _read_tab(path: Path) -> Iterator[Numbered]:
    """Yield the lines ``i j sign``, separated by tabs or else by blanks."""
    for line, text in _lines(path):
        cells = text.rstrip("\n").split("\t") if "\t" in text else text.split()
        if len(cells) != len(REQUIRED):
            raise ValueError(
                f"{path.name}, line {line}: expected 3 columns (i, j, 1 or -1), found {len(cells)}."
            )
        yield line, dict(zip(REQUIRED, cells, strict=True))


def _write_tab(path: Path, columns: list[str], rows: list[Cells]) -> None:
    """Write lines ``i<tab>j<tab>sign``; refuse links that this format cannot hold."""
    sign = {"must-link": "1", "cannot-link": "-1"}
    if len(columns) > len(REQUIRED) or any(row["relation"] not in sign for row in rows):
        raise ValueError(
            "the three-column tab file holds must-link and cannot-link pairs only, "
            "these links have more (weights, details, labels or unsure pairs): write .csv."
        )
    lines = [f"{row['a']}\t{row['b']}\t{sign[row['relation']]}" for row in rows]
    if any(len(line.splitlines()) != 1 or line.count("\t") != 2 for line in lines):
        raise ValueError("ids with tabs or line breaks need another format (.csv).")
    with path.open("w", newline="\n", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in lines)


FORMATS = {
    ".csv": Format(_read_csv, _write_csv),
    ".jsonl": Format(_read_json_lines, _write_json_lines),
    ".ndjson": Format(_read_json_lines, _write_json_lines),
    ".parquet": Format(_read_parquet, _write_parquet),
    ".tsv": Format(_read_tab, _write_tab),
    ".txt": Format(_read_tab, _write_tab),
}
