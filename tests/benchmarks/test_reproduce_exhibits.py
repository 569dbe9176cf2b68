"""Tables of the papers with a form of their own, and the cells that lie below the published."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.packs import WORKING, read_rows
from benchmarks.papers.below import Cell, below_lines
from benchmarks.papers.catalogue import PAPERS
from benchmarks.papers.chen2010 import exhibits as chen2010
from benchmarks.papers.exhibit import Exhibit, Rows, Shown, Values
from benchmarks.papers.layout import (
    compared,
    entries,
    matched_confusion,
    matrix,
    matrix_text,
    right_share,
    words_beside,
)
from benchmarks.papers.page import read_values, write_page
from benchmarks.papers.runner import DETAILS, run
from benchmarks.papers.tables import TABLES
from benchmarks.papers.zhang2012 import exhibits as zhang2012
from cocluster.io.dataset import Dataset
from cocluster.linalg.types import Array
from cocluster.metrics import accuracy, confusion_matrix

HOME = Path(__file__).parents[2] / "benchmarks" / "papers"
EXHIBITS = {name: table for name, table in TABLES.items() if isinstance(table, Exhibit)}


def make(row: str, seed: int) -> Values:
    return {"SS-NMF": {"accuracy": 0.5 + seed / 10, "words": f"of {row}"}}


def show(published: dict[str, Values], ours: Rows) -> Shown:
    theirs = float(published["a"]["SS-NMF"]["accuracy"])
    mean = float(np.mean([run["SS-NMF"]["accuracy"] for run in ours["a"]]))
    return [f"shown {len(ours['a'])} runs"], [Cell("a", "SS-NMF", "accuracy", theirs, mean)]


@pytest.fixture
def exhibit() -> Exhibit:
    return Exhibit("chen2008", "99", "letters", ("a", "b"), make, show, 2, 1, ("a",), "A note.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["table,row,column,metric,value", "99,a,SS-NMF,accuracy,0.9"]
    (tmp_path / "published.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_an_exhibit_is_continued_not_repeated(exhibit: Exhibit, folder: Path) -> None:
    run(exhibit, folder, quick=True)
    details = folder / WORKING / DETAILS
    before = details.read_text()
    assert [row["set"] for row in read_rows(folder, DETAILS)] == ["a"]
    details.write_text(before + "99,b,0,cut off in the mid")
    seen = []
    run(exhibit, folder, report=lambda piece, done, total: seen.append(piece.row))
    assert details.read_text().startswith(before)
    assert [(r["set"], r["seed"]) for r in read_rows(folder, DETAILS)] == [
        ("a", "0"),
        ("a", "1"),
        ("b", "0"),
        ("b", "1"),
    ]
    assert seen == ["a", "a", "b", "b"]


def test_the_page_of_an_exhibit_has_its_form_and_what_is_below(
    exhibit: Exhibit, folder: Path
) -> None:
    run(exhibit, folder)
    page = write_page(exhibit, folder, quick=False).read_text()
    assert "shown 2 runs" in page
    assert "A note." in page
    assert "**a, SS-NMF, accuracy**: 0.900 published, 0.550 ours. Not explained yet." in page
    (folder / "explained.csv").write_text("table,row,column,why\n99,*,SS-NMF,Because.\n")
    assert "0.550 ours. Because." in write_page(exhibit, folder, quick=False).read_text()


def test_only_own_methods_more_than_two_points_below_are_listed(tmp_path: Path) -> None:
    cells = [
        Cell("near", "RMC", "accuracy", 90.0, 88.0),
        Cell("far", "RMC", "accuracy", 90.0, 87.9),
        Cell("other", "KM", "accuracy", 90.0, 10.0),
    ]
    lines = "\n".join(below_lines("li2012", "2", cells, tmp_path, unit=100.0))
    assert "**far, RMC" in lines
    assert "near" not in lines
    assert "other" not in lines
    assert "No cell of RMC" in "\n".join(below_lines("li2012", "2", cells[:1], tmp_path, 100.0))


@pytest.mark.parametrize("paper", PAPERS)
def test_explanations_name_cells_of_tables(paper: str) -> None:
    file = HOME / paper / "explained.csv"
    for line in csv.DictReader(file.read_text().splitlines()) if file.exists() else ():
        table = TABLES[f"{paper}/table{line['table']}"]
        assert line["row"] in ("*", *table.sets)
        assert line["column"] in PAPERS[paper].own
        assert line["why"].endswith(".")


@pytest.mark.parametrize("name", EXHIBITS)
def test_a_page_can_be_written_before_any_run(name: str, tmp_path: Path) -> None:
    exhibit = EXHIBITS[name]
    assert 0 < exhibit.quick_runs <= exhibit.runs
    assert set(exhibit.quick_sets) <= set(exhibit.sets)
    source = HOME / exhibit.paper / "published.csv"
    (tmp_path / "published.csv").write_text(source.read_text())
    assert read_values(source, exhibit.number)
    page = write_page(exhibit, tmp_path, quick=False).read_text()
    assert page.startswith(f"# {exhibit.paper}, table {exhibit.number}")
    assert "nan" not in page.split()


def test_a_matrix_is_read_back_from_its_entries() -> None:
    M = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(matrix(entries("C", M) | {"S11": 7.0}, "C"), M)
    assert matrix_text(np.array([[1.0, np.nan]])) == "1 -"


def test_the_right_share_of_a_confusion_matrix_is_the_accuracy() -> None:
    rng = np.random.default_rng(0)
    y, labels = rng.integers(3, size=(2, 50))
    C = confusion_matrix(y, labels)[0].astype(float)
    assert right_share(C.T) == pytest.approx(accuracy(y, labels))


def test_a_cluster_stands_in_the_row_of_its_class() -> None:
    y = np.repeat([0, 1, 2], [5, 4, 3])
    C, order = matched_confusion(y, np.array([2, 0, 1])[y], 3)
    np.testing.assert_array_equal(C, np.diag([5, 4, 3]))
    np.testing.assert_array_equal(order, [2, 0, 1])
    C, order = matched_confusion(y, np.ones(12, dtype=int), 3)
    assert C.sum() == 12
    assert sorted(order) == [0, 1, 2]


def test_means_are_over_cells_that_both_have() -> None:
    theirs = {("a", "m"): 0.5, ("b", "m"): 0.7}
    lines = compared(("a", "b"), ("m",), theirs, {("a", "m"): 0.6}, 1)
    assert lines[-2:] == ["| b | 0.7 / - / - |", "| mean of cells with both | 0.5 / 0.6 / +0.1 |"]


def test_words_are_compared_as_sets() -> None:
    assert words_beside(["x", "y"], ["z", "y"])[2] == "1 of 2: y"
    assert words_beside(["x"], [])[2] == "0 of 1"


def corpus() -> Dataset:
    """Two categories with two words each; the second word of each is rarer."""
    X = np.kron([[6.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 6.0]], np.ones((4, 1)))
    return Dataset(
        "zoo",
        {"words": sp.csr_array(X)},
        labels=np.repeat([0, 1], 4),
        feature_names={"words": np.array(["fur", "milk", "egg", "wing"])},
        extras={"categories": np.repeat([0, 1], 4)},
    )


@pytest.mark.parametrize("clusters", [np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])])
def test_top_words_go_with_the_category_they_occur_in(clusters: Array) -> None:
    found = chen2010.top_words(corpus(), np.repeat([0, 1], 4), clusters, 2)
    assert found == [["fur", "milk"], ["wing", "egg"]]


def test_the_case_study_finds_planted_documents_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(np.kron(1 + 8 * np.eye(2), np.ones((15, 6)))).astype(float)
    names = np.array([f"{'ab'[j // 6]}{j}" for j in range(12)])
    planted = Dataset(
        "planted",
        {"words": sp.csr_array(X)},
        labels=np.repeat([0, 1], 15),
        class_names=np.array(["a", "b"]),
        feature_names={"words": names},
    )
    monkeypatch.setattr(zhang2012, "paper_set", lambda *_, **__: planted)
    monkeypatch.setattr(zhang2012, "GRID", {k: v[:1] for k, v in zhang2012.GRID.items()})
    values = zhang2012.make("planted", 0)["LDCC"]
    np.testing.assert_array_equal(matrix(values, "C"), 15 * np.eye(2))
    assert {word[0] for word in values["words 1"].split()} == {"a"}
    assert {word[0] for word in values["words 2"].split()} == {"b"}
