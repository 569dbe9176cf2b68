"""The page of all papers: every mean below print has its reason, and the page is up to date."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.below import Cell
from benchmarks.papers.protocol import Table
from benchmarks.papers.reproduce import HOME, find
from benchmarks.papers.summary import Line, lines_of, write_summary
from benchmarks.papers.tables import TABLES


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    return list(lines_of(HOME))


def test_every_own_method_below_print_has_its_reason(lines: list[Line]) -> None:
    assert lines
    for line in lines:
        reasons = line.reasons(HOME)
        if line.is_below:
            assert reasons, (line.table.name, line.method)
        for row in line.short:
            assert row in reasons or "*" in reasons, (line.table.name, line.method, row)


def test_every_table_with_figures_of_an_own_method_is_there(lines: list[Line]) -> None:
    shown = {line.table.name for line in lines}
    measured = {
        name
        for name, table in TABLES.items()
        if isinstance(table, Table) and "iterations" not in table.metrics
    }
    assert measured <= shown


def test_the_page_that_is_kept_is_what_the_code_writes(tmp_path: Path) -> None:
    for paper in HOME.iterdir():
        (tmp_path / paper.name).symlink_to(paper)
    (tmp_path / "SUMMARY.md").unlink()
    written = write_summary(tmp_path).read_text(encoding="utf-8")
    assert written == (HOME / "SUMMARY.md").read_text(encoding="utf-8")


def line_of(theirs: float, ours: float) -> Line:
    table = TABLES["li2012/table2"]
    cells = [Cell("UMIST", "RMC", "accuracy", theirs, ours)]
    return Line(table, "accuracy", "RMC", cells, (20,), ("0.2.0",))


def test_a_mean_is_below_print_as_it_is_shown() -> None:
    assert not line_of(60.04, 60.01).is_below
    assert line_of(60.1, 60.0).is_below
    assert line_of(60.1, 60.0).short == []
    assert line_of(62.1, 60.0).short == ["UMIST"]
    np.testing.assert_allclose(line_of(62.1, 60.0).means, (62.1, 60.0))


def test_the_summary_has_a_name() -> None:
    assert find("summary").folder == HOME
