"""Files of links: CSV, JSON lines, parquet, and the three-column tab file of COP-KMeans.

Each row states one pair: ``a,b,relation[,weight,source,time,note]``, where ``a`` and ``b`` are
positions or sample ids and the relation is one of the words below. Further columns are kept.
A row ``sample,name,label`` states the label of a sample instead (``group``: different names say
nothing), so that m labels take m rows; ``label:1`` is the second of several labellings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links.formats import Cells, Numbered, Row, format_of
from cocluster.links.labelling import Labelling
from cocluster.links.pairs import COLUMNS, as_ids
from cocluster.links.stated import Stated
from cocluster.utils.files import new_file
from cocluster.utils.text import as_float, as_int, quote, shorten

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
    """Fields of the links in a file."""
    file = Path(path)
    return links_in(file, list(format_of(file).read(file)), ids, n_samples, base)


def links_in(
    file: Path,
    rows: list[Numbered],
    ids: Sequence[object] | Array | None,
    n_samples: int | None,
    base: int = 0,
) -> dict[str, Any]:
    """Fields of the links that rows of a file state."""
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
    _refuse_own_pairs(file, pairs, stated)
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
    """Refuse a position so far that labels up to it would take more memory than the file tells."""
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
    place = {name: i for i, name in enumerate(ids)}
    # Blanks around an id are dropped, unless there is an id with just these blanks.
    found = [place.get(text, place.get(text.strip(), -1)) for _, text in ends]
    unknown: dict[str, int] = {}
    for (line, text), position in sorted(zip(ends, found, strict=True)):
        if position < 0:
            unknown.setdefault(text, line)
    if unknown:
        first = list(unknown.items())[:UNKNOWN_SHOWN]
        listed = ", ".join(f"{quote(text)} (line {line})" for text, line in first)
        raise ValueError(
            f"{file.name} names {len(unknown)} samples that are not among the ids: {listed}"
            f"{', ...' if len(unknown) > len(first) else ''}."
        )
    return np.array(found, dtype=np.int64)


def _position(file: Path, line: int, text: str, n_samples: int | None, base: int) -> int:
    """A position counted from zero."""
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


def _refuse_own_pairs(file: Path, pairs: Array, stated: list[Numbered]) -> None:
    """Refuse a sample linked with itself, naming the line."""
    own = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(own):
        line, row = stated[own[0]]
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
        of_sample = members.setdefault((int(number or 0), kind), {})
        if of_sample.setdefault(sample, row["b"]) != row["b"]:
            raise ValueError(f"{file.name}, line {line}: {quote(row['a'])} has a second label.")
    found = []
    for (_, kind), of_sample in sorted(members.items()):
        codes = np.full(n, -1, dtype=np.int64)
        _, codes[list(of_sample)] = np.unique(list(of_sample.values()), return_inverse=True)
        found.append(Labelling(codes, distinct=kind == "label"))
    return tuple(found)


def write_links(path: str | os.PathLike[str], links: Stated, ids: Array | None) -> None:
    """Write links; the file appears only when it is complete."""
    file = Path(path)
    rows = rows_of(links, ids)
    if not rows:
        raise ValueError(f"{file.name}: there are no links to write.")
    weighted = ["weight"] if (links.weights != 1).any() else []
    columns = ["a", "b", "relation", *weighted, *links.details]
    cells = [{name: row.get(name, "") for name in columns} for row in rows]
    write = format_of(file).write
    with new_file(file) as unfinished:
        write(unfinished, columns, cells)


def rows_of(links: Stated, ids: Array | None) -> list[Cells]:
    """What is written of links: a row for each pair and for each labelled sample."""
    names = list(range(links.n_samples)) if ids is None else ids.tolist()
    # Group numbers share column b with the names, and a column of a parquet file has one type.
    spell = int if ids is None else str
    return [*_pair_rows(links, names), *_label_rows(links, names, spell)]


def _pair_rows(links: Stated, names: list[Any]) -> Iterator[Cells]:
    """One row per stated pair."""
    stated = zip(links.pairs.tolist(), links.signs.tolist(), links.weights.tolist(), strict=True)
    for number, ((a, b), sign, weight) in enumerate(stated):
        details = {name: values[number] for name, values in links.details.items()}
        word = WORDS[sign][0]
        yield {"a": names[a], "b": names[b], "relation": word, "weight": weight, **details}


def _label_rows(links: Stated, names: list[Any], spell: type[int] | type[str]) -> Iterator[Cells]:
    """One row per labelled sample."""
    for number, labelling in enumerate(links.labellings):
        word = f"{'label' if labelling.distinct else 'group'}:{number}"
        for sample in labelling.members.tolist():
            group = spell(labelling.codes[sample])
            yield {"a": names[sample], "b": group, "relation": word, "weight": 1.0}
