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
from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links.formats import Cells, Numbered, Row, format_of
from cocluster.links.labelling import Labelling
from cocluster.links.pairs import COLUMNS, as_ids

if TYPE_CHECKING:
    from cocluster.links.table import LinkTable

WORDS = {
    1: ("must-link", "must", "ml", "same", "match", "1", "+1"),
    -1: ("cannot-link", "cannot", "cl", "different", "distinct", "-1"),
    0: ("unsure",),
}
SIGNS = {word: sign for sign, words in WORDS.items() for word in words}
LABEL = re.compile(r"(label|group)(?::(\d+))?")


def read_links(
    path: str | os.PathLike[str],
    ids: Sequence[object] | Array | None,
    n_samples: int | None,
    base: int,
) -> dict[str, Any]:
    """Fields of the links in a file."""
    file = Path(path)
    rows = list(format_of(file).read(file))
    if not rows:
        raise ValueError(f"{file.name} is empty: it states no links.")
    relations = [_relation(file, line, row) for line, row in rows]
    is_pair = np.array([isinstance(relation, int) for relation in relations])
    stated = list(compress(rows, is_pair))
    ends = [(line, row["a"]) for line, row in rows] + [(line, row["b"]) for line, row in stated]
    names = None if ids is None else as_ids(ids, len(ids))
    positions = _look_up(file, ends, names, n_samples, base)
    n = n_samples or (len(names) if names is not None else int(positions.max()) + 1)
    pairs = np.stack([positions[: len(rows)][is_pair], positions[len(rows) :]], axis=1)
    _refuse_own_pairs(file, pairs, stated)
    extra = dict.fromkeys(name for _, row in stated for name in row if name not in COLUMNS)
    return {
        "n_samples": n,
        "pairs": pairs,
        "signs": [relation for relation in relations if isinstance(relation, int)],
        "weights": [_weight(file, line, row) for line, row in stated],
        "labellings": _labellings(file, rows, relations, positions[: len(rows)], n),
        "details": {name: [row.get(name, "") for _, row in stated] for name in extra},
        "ids": names,
    }


def _relation(file: Path, line: int, row: Row) -> int | tuple[int, str]:
    """Sign of a pair, or number and kind of the labelling a row belongs to."""
    word = re.sub(r"[ _]", "-", row["relation"].strip().lower())
    if word in SIGNS:
        return SIGNS[word]
    if label := LABEL.fullmatch(word):
        return int(label[2] or 0), label[1]
    raise ValueError(
        f"{file.name}, line {line}: {row['relation']!r} is not a relation, use must-link, "
        "cannot-link or unsure (or ml/cl, same/different, match/distinct, 1/-1)."
    )


def _look_up(
    file: Path, ends: list[tuple[int, str]], ids: Array | None, n_samples: int | None, base: int
) -> Array:
    """Positions of the samples named in a file."""
    if ids is None:
        return np.array([_position(file, *end, n_samples, base) for end in ends], dtype=np.int64)
    place = {name: i for i, name in enumerate(ids)}
    found = [place.get(text, place.get(text.strip(), -1)) for _, text in ends]
    unknown = {text: line for (line, text), i in zip(ends, found, strict=True) if i < 0}
    if unknown:
        first = sorted(unknown.items(), key=lambda item: item[1])[:10]
        listed = ", ".join(f"{text!r} (line {line})" for text, line in first)
        raise ValueError(
            f"{file.name} names {len(unknown)} samples that are not among the ids: {listed}"
            f"{', ...' if len(unknown) > len(first) else ''}."
        )
    return np.array(found, dtype=np.int64)


def _position(file: Path, line: int, text: str, n_samples: int | None, base: int) -> int:
    """A position counted from zero."""
    try:
        position = int(text) - base
    except ValueError:
        raise ValueError(
            f"{file.name}, line {line}: {text!r} is not a position; pass ids= if the file names "
            "samples by id."
        ) from None
    if position < 0 or (n_samples is not None and position >= n_samples):
        last = "" if n_samples is None else f" to {n_samples - 1 + base}"
        raise ValueError(
            f"{file.name}, line {line}: position {text.strip()} is out of range, positions go "
            f"from {base}{last} (base={base})."
        )
    return position


def _refuse_own_pairs(file: Path, pairs: Array, stated: list[Numbered]) -> None:
    """Refuse a sample linked with itself, naming the line."""
    own = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(own):
        line, row = stated[own[0]]
        raise ValueError(f"{file.name}, line {line}: {row['a']!r} is linked with itself.")


def _weight(file: Path, line: int, row: Row) -> float:
    """Weight of a pair, 1 where the file says nothing."""
    text = row.get("weight", "").strip()
    try:
        weight = float(text or 1)
    except ValueError:
        weight = np.nan
    if not 0 < weight < np.inf:
        raise ValueError(f"{file.name}, line {line}: weight {text!r} is not a positive number.")
    return weight


def _labellings(
    file: Path, rows: list[Numbered], relations: list[Any], samples: Array, n: int
) -> tuple[Labelling, ...]:
    """Labellings from the rows that state labels."""
    members: dict[tuple[int, str], dict[int, str]] = {}
    for (line, row), relation, sample in zip(rows, relations, samples.tolist(), strict=True):
        if isinstance(relation, tuple):
            of_sample = members.setdefault(relation, {})
            if of_sample.setdefault(sample, row["b"]) != row["b"]:
                raise ValueError(f"{file.name}, line {line}: {row['a']!r} has a second label.")
    found = []
    for (_, kind), of_sample in sorted(members.items()):
        codes = np.full(n, -1, dtype=np.int64)
        _, codes[list(of_sample)] = np.unique(list(of_sample.values()), return_inverse=True)
        found.append(Labelling(codes, distinct=kind == "label"))
    return tuple(found)


def write_links(path: str | os.PathLike[str], links: LinkTable, ids: Array | None) -> None:
    """Write links; the file appears only when it is complete."""
    file = Path(path)
    names = list(range(links.n_samples)) if ids is None else ids.tolist()
    rows = [*_pair_rows(links, names), *_label_rows(links, names)]
    if not rows:
        raise ValueError(f"{file.name}: there are no links to write.")
    weighted = ["weight"] if (links.weights != 1).any() else []
    columns = ["a", "b", "relation", *weighted, *links.details]
    cells = [{name: row.get(name, "") for name in columns} for row in rows]
    unfinished = file.with_name(f"{file.name}.part")
    try:
        format_of(file).write(unfinished, columns, cells)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _pair_rows(links: LinkTable, names: list[Any]) -> Iterator[Cells]:
    """One row per stated pair."""
    stated = zip(links.pairs.tolist(), links.signs.tolist(), links.weights.tolist(), strict=True)
    for number, ((a, b), sign, weight) in enumerate(stated):
        details = {name: values[number] for name, values in links.details.items()}
        word = WORDS[sign][0]
        yield {"a": names[a], "b": names[b], "relation": word, "weight": weight, **details}


def _label_rows(links: LinkTable, names: list[Any]) -> Iterator[Cells]:
    """One row per labelled sample."""
    for number, labelling in enumerate(links.labellings):
        word = f"{'label' if labelling.distinct else 'group'}:{number}"
        for sample in labelling.members.tolist():
            group = int(labelling.codes[sample])
            # Names are texts, and so must be all of their column in a parquet file.
            code = group if isinstance(names[0], int) else str(group)
            yield {"a": names[sample], "b": code, "relation": word, "weight": 1.0}
