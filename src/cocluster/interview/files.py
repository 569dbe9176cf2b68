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
from cocluster.interview.knowledge import SIGNS, Answered, Hint
from cocluster.interview.record import Record
from cocluster.linalg.types import Array
from cocluster.links import Labelling, Links
from cocluster.utils.checks import check_integer, check_number
from cocluster.utils.files import new_file, unreadable
from cocluster.utils.parsing import json_object
from cocluster.utils.texts import quoted

# Written into every file; the number changes when older programs could not read it any more.
FORMAT = "cocluster interview 1"


@dataclass(frozen=True, eq=False)
class State:
    """All that a file holds besides what identifies the data."""

    strategy: str
    seed: int
    record: Record
    labels: dict[str, Array] | None
    # Clusters of the samples before any answer, where they are known.
    first: Array | None


def write(path: str | os.PathLike[str], state: State, data: RelationalData) -> None:
    """Write to a neighbouring file first, so that a crash leaves the old one."""
    labels, record = state.labels, state.record
    content = {
        "format": FORMAT,
        "data": fingerprint(data),
        "strategy": state.strategy,
        "seed": state.seed,
        "links": _links_content(record.given),
        "answers": [astuple(entry) for entry in record.log],
        "labels": labels and {name: values.tolist() for name, values in labels.items()},
        "first": None if state.first is None else state.first.tolist(),
        "hints": [astuple(hint) for hint in record.hints],
        "opened": [list(pair) for pair in record.opened.items()],
    }
    with new_file(Path(path)) as unfinished:
        unfinished.write_text(json.dumps(content), encoding="utf-8")


def read(path: str | os.PathLike[str], data: RelationalData) -> State:
    """The state in a file, refused if it belongs to other data or was tampered with."""
    content = _content(Path(path))
    # People may edit such a file; whatever is missing or of another type is said in one sentence.
    with unreadable(str(path), KeyError, TypeError, AttributeError, ValueError, OverflowError):
        _check_data(content["data"], fingerprint(data), path)
        labels = content["labels"]
        return State(
            strategy=content["strategy"],
            seed=check_integer(content["seed"], "seed", 0),
            record=_record(content, data),
            labels=labels and {name: _labels(v, data, name) for name, v in labels.items()},
            # Files of earlier versions have none.
            first=None if content.get("first") is None else _first(content["first"], data),
        )


def _record(content: dict[str, Any], data: RelationalData) -> Record:
    """What was said; files of earlier versions know of answers alone."""
    return Record(
        given=_links_of(content["links"], len(data)),
        log=tuple(_answer(*entry) for entry in content["answers"]),
        hints=tuple(_hint(*hint) for hint in content.get("hints", [])),
        opened=dict(_opened(data, *pair) for pair in content.get("opened", [])),
    )


def _content(file: Path) -> dict[str, Any]:
    """The JSON object of a file that says it is an interview."""
    try:
        content = json_object(file.read_text(encoding="utf-8"), file.name)
    except ValueError as error:
        raise ValueError(f"{file} is not an interview: {error}") from error
    if content.get("format") != FORMAT:
        raise ValueError(f"{file} is not an interview of the format {FORMAT!r}.")
    return content


def _first(values: list[int], data: RelationalData) -> Array:
    """Clusters of the samples."""
    return _labels(values, data, data.center)


def _hint(feature: int, sample: int, answer: str) -> Hint:
    """What was said of a feature."""
    _check_word(answer)
    return Hint(check_integer(feature, "feature", 0), check_integer(sample, "sample", 0), answer)


def _opened(data: RelationalData, sample: int, after: int) -> tuple[int, int]:
    """A sample that is a group, and after how many answers."""
    if check_integer(sample, "sample", 0) >= len(data):
        raise ValueError(f"there is a sample {sample}, and only {len(data)} of them")
    return sample, check_integer(after, "after", 0)


def _check_word(answer: str) -> None:
    """Refuse what is no answer."""
    if answer not in SIGNS:
        raise ValueError(f"there is an answer {quoted(answer)}; answers are {', '.join(SIGNS)}")


def _answer(
    i: int,
    j: int,
    answer: str,
    n_implied: int,
    n_decided: int = 0,
    confusion: float = 0.0,
    chance: float = 1.0,
) -> Answered:
    """An answer of the log; files of earlier versions have fewer numbers."""
    _check_word(answer)
    ends = check_integer(i, "i", 0), check_integer(j, "j", 0)
    shares = check_number(confusion, "confusion"), check_number(chance, "chance")
    return Answered(*ends, answer, n_implied, n_decided, *shares)


def _labels(values: list[int], data: RelationalData, name: str) -> Array:
    """Labels of one type: as many as it has objects, and no larger than their number.

    A label beyond that would make tables of clusters of any size.
    """
    labels, size = np.array(values, dtype=np.intp), data.size(name)
    if labels.shape != (size,) or labels.min() < 0 or labels.max() >= size:
        raise ValueError(f"the labels of {name} are not {size} numbers from 0 to {size - 1}")
    return labels


def fingerprint(data: RelationalData) -> dict[str, Any]:
    """What tells data apart without looking at their values: sizes of the types, and ids."""
    ids = data.names.get(data.center)
    text = None if ids is None else json.dumps([str(name) for name in ids])
    digest = None if text is None else hashlib.sha256(text.encode()).hexdigest()
    return {"center": data.center, "sizes": data.sizes, "ids": digest}


def _check_data(saved: dict[str, Any], given: dict[str, Any], path: Any) -> None:
    """Refuse other data, naming what differs."""
    if (saved["center"], saved["sizes"]) != (given["center"], given["sizes"]):
        raise ValueError(
            f"{path} is an interview on {quoted(saved['sizes'])}, the data have {given['sizes']}: "
            "load it with the data it was begun with."
        )
    if saved["ids"] != given["ids"]:
        raise ValueError(
            f"{path} is an interview on samples with other ids or in another order: load it with "
            "the data it was begun with."
        )


def _links_content(links: Links) -> dict[str, Any]:
    """Every field of links as plain lists."""
    return {
        "n_samples": links.n_samples,
        "pairs": links.pairs.tolist(),
        "signs": links.signs.tolist(),
        "weights": links.weights.tolist(),
        "labellings": [[part.codes.tolist(), part.distinct] for part in links.labellings],
        "details": {name: list(values) for name, values in links.details.items()},
        "ids": None if links.ids is None else links.ids.tolist(),
    }


def _links_of(content: dict[str, Any], n: int) -> Links:
    """The links of such lists, which must be on n samples."""
    if content["n_samples"] != n:
        raise ValueError(f"its links are on {quoted(content['n_samples'])} samples instead of {n}")
    parts = tuple(Labelling(np.array(codes), distinct) for codes, distinct in content["labellings"])
    return Links(**{**content, "labellings": parts, "signs": np.array(content["signs"], dtype=int)})
