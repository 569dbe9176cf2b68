"""JSON in the shapes that people write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cocluster.io import read
from cocluster.io.dataset import Dataset

TEXTS = ["cat dog", "dog cow", "cow cat"]


def written(folder: Path, value: Any, name: str = "toy.json") -> Dataset:
    """Data set of a JSON file."""
    (folder / name).write_text(json.dumps(value))
    return read(folder / name)


@pytest.mark.parametrize(
    "value",
    [
        TEXTS,
        [{"text": text} for text in TEXTS],
        dict(zip("123", TEXTS, strict=True)),
        {str(i): {"text": text} for i, text in enumerate(TEXTS, start=1)},
    ],
    ids=["texts", "records", "texts by id", "records by id"],
)
def test_texts_in_any_shape(tmp_path: Path, value: Any) -> None:
    dataset = written(tmp_path, value)
    assert dataset.texts.tolist() == TEXTS
    assert dataset.sample_names.tolist() == ["1", "2", "3"]
    assert dataset.X.toarray().tolist() == [[1, 0, 1], [0, 1, 1], [1, 1, 0]]


def test_texts_on_lines(tmp_path: Path) -> None:
    for name in ("toy.jsonl", "toy.ndjson", "toy.json"):
        (tmp_path / name).write_text("\n".join(map(json.dumps, TEXTS)))
        assert read(tmp_path / name).texts.tolist() == TEXTS


def test_rows_of_numbers_are_a_matrix(tmp_path: Path) -> None:
    assert written(tmp_path, [[1, 2], [3, None], [5, 6.5]]).X[2].tolist() == [5, 6.5]


def test_lists_in_cells_are_left_out(tmp_path: Path) -> None:
    for value in ([[1, [2]], [3, 4]], [[1, [2]], [3, [4]]]):
        assert written(tmp_path, value).X[:, 0].tolist() == [1, 3]


def test_keys_that_some_records_lack_are_missing(tmp_path: Path) -> None:
    dataset = written(tmp_path, [{"a": 1, "tags": ["x"]}, {"a": 2, "kind": "u"}, {"kind": "u"}])
    assert dataset.reading.left_out == {"tags": "lists or objects", "kind": "always the same"}
    assert "a: 1" in dataset.notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{\n"a": 1,\n "b"', "line 3, column 5: not JSON"),
        ("3", "no list of records or texts"),
        ('{"a": [1, 2]}', "no list of records or texts"),
        ("[]", "is empty"),
        ('[{"a": 1}, 2]', "item 2: not a JSON object or text but '2'"),
        ('["a", ["b"]]', "item 2: not a JSON object"),
        ("[[1, 2], [3]]", "item 2: 1 cells, but the first, 1, has 2"),
        ("[" * 100_000, "cannot be read"),
        ('{"a": 1}\n{"a": \n', "line 2"),
        ('[{"a": ' + "9" * 5000 + "}]", "cannot be read"),
    ],
)
def test_broken_json_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "toy.json").write_text(content)
    with pytest.raises(ValueError, match=rf"toy\.json.*{message}"):
        read(tmp_path / "toy.json")
