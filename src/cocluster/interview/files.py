"""An interview as one JSON file: readable, complete, written all or nothing."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.interview.queries import SIGNS, Answered, Hint
from cocluster.interview.record import Record
from cocluster.linalg.types import Array
from cocluster.links import Labelling, Links
from cocluster.utils.checks import check_integer, check_number
from cocluster.utils.files import new_file, wrap_read_errors
from cocluster.utils.text import json_object, quote

# Written into every file; the number changes when older programs can no longer read it.
FORMAT = "cocluster interview 1"


@dataclass(frozen=True, eq=False)
class State:
    """The content of an interview file, without the fingerprint of the data."""

    strategy: str
    seed: int
    record: Record
    labels: dict[str, Array] | None
    # Clusters of the samples before any answer, once they are computed.
    first_labels: Array | None


def write(path: str | os.PathLike[str], state: State, data: RelationalData) -> None:
    """Write to a neighbouring file first, so that a crash leaves the old one."""
    labels, first, record = state.labels, state.first_labels, state.record
    content = {
        "format": FORMAT,
        "data": fingerprint(data),
        "strategy": state.strategy,
        "seed": state.seed,
        "links": _links_to_json(record.initial_links),
        "answers": [astuple(answer) for answer in record.answers],
        "labels": labels and {name: values.tolist() for name, values in labels.items()},
        "first": None if first is None else first.tolist(),
        "hints": [astuple(hint) for hint in record.hints],
        "opened": [list(pair) for pair in record.founders.items()],
    }
    with new_file(Path(path)) as unfinished:
        unfinished.write_text(json.dumps(content), encoding="utf-8")


def read(path: str | os.PathLike[str], data: RelationalData) -> State:
    """Read the state from a file; refuse it if it belongs to other data or was tampered with."""
    content = _read_json(Path(path))
    # People may edit such a file; a missing or mistyped entry is reported in one sentence.
    with wrap_read_errors(
        str(path), KeyError, TypeError, AttributeError, ValueError, OverflowError
    ):
        _check_data(content["data"], fingerprint(data), path)
        # Files of earlier versions have no first labels, hints or founders.
        labels, first = content["labels"], content.get("first")
        record = Record(
            initial_links=_links_from_json(content["links"], len(data)),
            answers=tuple(_parse_answer(*entry) for entry in content["answers"]),
            hints=tuple(_parse_hint(*entry) for entry in content.get("hints", [])),
            founders=dict(_parse_founder(data, *entry) for entry in content.get("opened", [])),
        )
        return State(
            strategy=content["strategy"],
            seed=check_integer(content["seed"], "seed", 0),
            record=record,
            labels=labels and {name: _parse_labels(v, data, name) for name, v in labels.items()},
            first_labels=None if first is None else _parse_labels(first, data, data.center),
        )


def _read_json(file: Path) -> dict[str, Any]:
    """Read the JSON object of a file whose format says that it is an interview."""
    try:
        content = json_object(file.read_text(encoding="utf-8"), file.name)
    except ValueError as error:
        raise ValueError(f"{file} is not an interview: {error}") from error
    if content.get("format") != FORMAT:
        raise ValueError(f"{file} is not an interview of the format {FORMAT!r}.")
    return content


def _parse_answer(
    i: int,
    j: int,
    answer: str,
    n_implied: int,
    n_decided: int = 0,
    confusion: float = 0.0,
    chance: float = 1.0,
) -> Answered:
    """Check an answer; files of earlier versions have fewer numbers."""
    _check_answer(answer)
    pair = check_integer(i, "i", 0), check_integer(j, "j", 0)
    shares = check_number(confusion, "confusion"), check_number(chance, "chance")
    return Answered(*pair, answer, n_implied, n_decided, *shares)


def _parse_hint(feature: int, sample: int, answer: str) -> Hint:
    """Check an answer about a feature."""
    _check_answer(answer)
    return Hint(check_integer(feature, "feature", 0), check_integer(sample, "sample", 0), answer)


def _check_answer(answer: str) -> None:
    """Raise if this is none of the three answers."""
    if answer not in SIGNS:
        raise ValueError(f"there is an answer {quote(answer)}; answers are {', '.join(SIGNS)}")


def _parse_founder(data: RelationalData, sample: int, after: int) -> tuple[int, int]:
    """Check a sample that founded a group, and the number of answers at that time."""
    if check_integer(sample, "sample", 0) >= len(data):
        raise ValueError(f"there is a sample {sample}, and only {len(data)} of them")
    return sample, check_integer(after, "after", 0)


def _parse_labels(values: list[int], data: RelationalData, name: str) -> Array:
    """Check the labels of one type: one for each object, and smaller than their number.

    A larger label would make tables of clusters of any size.
    """
    labels, size = np.array(values, dtype=np.intp), data.size(name)
    if labels.shape != (size,) or labels.min() < 0 or labels.max() >= size:
        raise ValueError(f"the labels of {name} are not {size} numbers from 0 to {size - 1}")
    return labels


def fingerprint(data: RelationalData) -> dict[str, Any]:
    """Return what identifies data without reading the matrices: sizes of the types, and ids."""
    ids = data.names.get(data.center)
    text = None if ids is None else json.dumps([str(name) for name in ids])
    digest = None if text is None else hashlib.sha256(text.encode()).hexdigest()
    return {"center": data.center, "sizes": data.sizes, "ids": digest}


def _check_data(stored: dict[str, Any], current: dict[str, Any], path: Any) -> None:
    """Raise if the fingerprints of the data differ, and say in what."""
    if (stored["center"], stored["sizes"]) != (current["center"], current["sizes"]):
        raise ValueError(
            f"{path} is an interview on {quote(stored['sizes'])}, the data have "
            f"{current['sizes']}: load it with the data it was begun with."
        )
    if stored["ids"] != current["ids"]:
        raise ValueError(
            f"{path} is an interview on samples with other ids or in another order: load it with "
            "the data it was begun with."
        )


def _links_to_json(links: Links) -> dict[str, Any]:
    """Convert every field of links to plain lists."""
    return {
        "n_samples": links.n_samples,
        "pairs": links.pairs.tolist(),
        "signs": links.signs.tolist(),
        "weights": links.weights.tolist(),
        "labellings": [[lab.codes.tolist(), lab.distinct] for lab in links.labellings],
        "details": {name: list(values) for name, values in links.details.items()},
        "ids": None if links.ids is None else links.ids.tolist(),
    }


def _links_from_json(content: dict[str, Any], n: int) -> Links:
    """Convert plain lists back to links; refuse links that are not on n samples."""
    if content["n_samples"] != n:
        raise ValueError(f"its links are on {quote(content['n_samples'])} samples instead of {n}")
    labellings = tuple(Labelling(np.array(codes), apart) for codes, apart in content["labellings"])
    signs = np.array(content["signs"], dtype=int)
    return Links(**{**content, "labellings": labellings, "signs": signs})
