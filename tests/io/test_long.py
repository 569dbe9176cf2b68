"""Long tables are known by their contents, and never taken for a matrix of three columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cocluster.io import read
from cocluster.io.dataset import Dataset


def ratings(rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Who gave what to which of fifteen, six each."""
    return [
        (int(user), int(item), int(rng.integers(1, 6)))
        for user in range(20)
        for item in rng.choice(15, 6, replace=False)
    ]


def table(folder: Path, rows: list[tuple[Any, ...]], head: str = "", **asked: Any) -> Dataset:
    """Data set of a CSV file."""
    lines = [",".join(map(str, row)) for row in rows]
    (folder / "toy.csv").write_text("\n".join([*([head] if head else []), *lines]))
    return read(folder / "toy.csv", **asked)


def matrix(dataset: Dataset) -> dict[tuple[str, str], float]:
    """Entries by name of row and column."""
    X = dataset.X.tocoo()
    rows, (columns,) = dataset.sample_names, dataset.feature_names.values()
    entries = zip(X.row, X.col, X.data, strict=True)
    return {(rows[i], columns[j]): value for i, j, value in entries}


@pytest.mark.parametrize(
    ("head", "spell"),
    [
        ("user,item,rating", "{0},{1},{2}"),
        ("", "{0},{1},{2}"),
        ("", "{2},{0},{1}"),
        ("userId,movieId,rating,timestamp", "{0},{1},{2},88{2}44555{2}"),
        ("person,film,stars", "{0},{1},{2}.5"),
        ("who,what,when,stars", "{0},{1},2024-03-0{2},{2}"),
    ],
)
def test_numbers_as_keys(tmp_path: Path, head: str, spell: str, rng: np.random.Generator) -> None:
    rows = ratings(rng)
    dataset = table(tmp_path, [tuple(spell.format(*row).split(",")) for row in rows], head)
    half = 0.5 if ".5" in spell else 0
    assert matrix(dataset) == {(str(u), str(i)): r + half for u, i, r in rows}
    assert len(dataset.reading.entries) == 3


def test_words_as_keys(tmp_path: Path) -> None:
    rows = [("ann", "jaws", 5), ("ann", "alien", 1), ("bob", "jaws", 2), ("bob", "heat", -4)]
    dataset = table(tmp_path, rows, "person,film,stars")
    assert dataset.reading.summary() == "entries: person x film, stars"
    assert list(dataset.views) == ["film"]
    assert matrix(dataset) == {(a, b): float(c) for a, b, c in rows}
    assert dataset.notes == (
        "Values have both signs; an entry that is not in the file counts as 0.",
    )


def test_repeated_entries_are_added_and_noted(tmp_path: Path) -> None:
    rows = [("ann", "jaws", 5), ("ann", "heat", 1), ("bob", "jaws", 2), ("ann", "jaws", 1)]
    dataset = table(tmp_path, rows, "user,item,plays", long="user,item,plays")
    assert matrix(dataset)["ann", "jaws"] == 6
    assert dataset.notes == ("1 entries come more than once; they were added.",)
    counted = table(tmp_path, rows, "user,item,plays", long=["user", "item"])
    assert matrix(counted)["ann", "jaws"] == 2
    assert counted.reading.summary() == "entries: user x item · left out: plays"


def test_three_measurements_stay_a_matrix(tmp_path: Path, rng: np.random.Generator) -> None:
    for rows in (
        rng.normal(size=(40, 3)).round(3),
        rng.integers(0, 256, (40, 3)),
        rng.poisson(2, (60, 3)),
    ):
        assert table(tmp_path, list(map(tuple, rows))).X.shape == rows.shape
    people = [("ann", "red", 1), ("bob", "red", 2), ("cem", "blue", 2), ("dan", "blue", 3)]
    assert table(tmp_path, people, "name,colour,size").reading.id == "name"


def test_a_wide_table_can_be_asked_for(tmp_path: Path, rng: np.random.Generator) -> None:
    dataset = table(tmp_path, ratings(rng), "user,item,rating", features=["item", "rating"])
    assert dataset.X.shape == (120, 2)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("bob,,3", "line 4: there is no item"),
        ("bob,heat,", "line 4: there is no rating"),
        ("bob,heat,many", "line 4: 'many' in column 'rating' is not a number"),
    ],
)
def test_broken_entries_name_the_line(tmp_path: Path, row: str, message: str) -> None:
    rows = [("ann", "jaws", 5), ("ann", "heat", 1), tuple(row.split(","))]
    with pytest.raises(ValueError, match=rf"toy\.csv, {message}"):
        table(tmp_path, rows, "user,item,rating", long="user,item,rating")


def test_two_or_three_columns_make_an_entry(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="long is 'user'; name the columns"):
        table(tmp_path, [(1, 2)], "user,item", long="user")
