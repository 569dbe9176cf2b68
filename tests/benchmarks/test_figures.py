"""The figures of the papers: runs resume, findings are counted right, pages show what is there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.packs import WORKING, read_rows
from benchmarks.papers.catalogue import PAPERS
from benchmarks.papers.figures import claims
from benchmarks.papers.figures.curves import Curves, Mark
from benchmarks.papers.figures.figure import Finding, verdict
from benchmarks.papers.figures.registry import FIGURES
from benchmarks.papers.figures.results import known_cells, write_results
from benchmarks.papers.figures.times import TimeBars, Times, timed
from benchmarks.papers.page import read_published
from benchmarks.papers.protocol import Answer, Column, Job, Problem, Sample, Setting, Table
from benchmarks.papers.reproduce import find
from benchmarks.papers.runner import run
from benchmarks.papers.tables import TABLES

ROOT = Path(__file__).parents[2] / "benchmarks" / "papers"
CLASSES = np.repeat([0, 1], 6)
ISSUE = {
    "chen2010": "23567",
    "chen2008": "123456",
    "zhang2012": "13",
    "wang2011": "1",
    "li2012": "1",
}


def blocks(paper: str, name: str, seed: int) -> Sample:
    return Sample({"words": np.ones((12, 3))}, CLASSES, 2)


def right_for(share: int) -> Callable[[Problem, Setting, int], Answer]:
    """So many twelfths of the samples are right."""

    def solve(problem: Problem, setting: Setting, seed: int) -> Answer:
        return Answer(np.where(np.arange(12) < share, CLASSES, 1 - CLASSES))

    return solve


def table_of(shares: dict[str, int]) -> Table:
    columns = tuple(Column(name, right_for(share)) for name, share in shares.items())
    sets = {"Blocks": (None,), "More": (None,)}
    return Table("wang2011", "9", "blocks", sets, columns, ("accuracy",), 3, quick_runs=1)


@pytest.fixture
def curves(tmp_path: Path) -> Curves:
    lines = ["table,row,column,metric,value", "9,Blocks,own,accuracy,0.5", "9,More,own,accuracy,1"]
    (tmp_path / "published.csv").write_text("\n".join(lines) + "\n")
    return Curves(
        paper="wang2011",
        number="9",
        title="blocks",
        shows="own is first.",
        points=((1.0, table_of({"own": 9, "other": 8})), (2.0, table_of({"own": 12, "other": 8}))),
        panels={"both": ("Blocks", "More")},
        axis="x",
        own="own",
        claims=(claims.first("own"), claims.rising),
        mark=Mark("9", at=2.0),
        loader=blocks,
    )


def distinct(curves: Curves) -> Curves:
    """Tables whose runs differ in their settings, as in all figures."""
    points = []
    for x, table in curves.points:
        told = tuple(replace(c, grid={"place": (x,)}) for c in table.columns)
        points.append((x, replace(table, columns=told)))
    return replace(curves, points=tuple(points))


def silent(what: str, done: int, total: int) -> None:
    pass


def test_curves_are_means_over_sets_and_stars_are_what_is_printed(
    curves: Curves, tmp_path: Path
) -> None:
    curves = distinct(curves)
    curves.run(tmp_path, False, silent)
    lines = curves.lines(tmp_path)["both"]
    assert lines["own"] == pytest.approx({1.0: 0.75, 2.0: 1.0})
    assert curves.published(tmp_path) == {("both", "own"): 0.75}
    assert curves.draw(tmp_path).stat().st_size > 0
    caption = curves.caption(tmp_path)
    assert "own is first or less than 0.005 behind: 2 of 2" in caption
    assert "curves end above where they begin: 1 of 2" in caption
    assert "Agrees in part." in caption
    assert "Mean of 3 runs" in caption
    assert "Changed after" not in caption
    told = replace(curves, changed="the sets.").caption(tmp_path)
    assert "Changed after first results had been seen: the sets." in told


def test_interrupted_curves_continue_and_a_place_with_missing_sets_is_left_out(
    curves: Curves, tmp_path: Path
) -> None:
    curves = distinct(curves)
    seen: list[tuple[int, int]] = []

    def stop(what: str, done: int, total: int) -> None:
        seen.append((done, total))
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        curves.run(tmp_path, True, stop)
    assert seen == [(done, 8) for done in range(8)]
    # The seventh run is that of "other" on the first set of the second place.
    assert set(curves.lines(tmp_path)["both"]["other"]) == {1.0}
    curves.draw(tmp_path)
    file = tmp_path / WORKING / curves.runs
    before = file.read_text()
    curves.run(tmp_path, True, silent)
    after = file.read_text()
    assert after.startswith(before)
    assert len(read_rows(tmp_path, curves.runs)) == 8
    assert "A quick run" in curves.caption(tmp_path)


def test_an_empty_figure_is_drawn_and_agrees_with_nothing(curves: Curves, tmp_path: Path) -> None:
    assert curves.draw(tmp_path).exists()
    assert "Does not agree." in curves.caption(tmp_path)


@pytest.mark.parametrize(("kind", "place"), [(Times, 1.0), (TimeBars, 0.0)])
def test_times_are_measured_once_and_kept(
    kind: type[Curves], place: float, curves: Curves, tmp_path: Path
) -> None:
    one = replace(table_of({"own": 12, "own, one sweep": 12}), sets={"Blocks": (None,)})
    parts = {name: getattr(curves, name) for name in ("paper", "number", "title", "shows", "axis")}
    figure = kind(
        **parts,
        points=((place, one),),
        panels={"both": ("Blocks",)},
        own="own",
        claims=(),
        loader=blocks,
    )
    figure.run(tmp_path, False, silent)
    file = tmp_path / WORKING / figure.runs
    kept = file.read_text()
    assert all(float(row["seconds"]) >= 0 for row in read_rows(tmp_path, figure.runs))
    figure.run(tmp_path, False, silent)
    assert file.read_text() == kept
    assert set(figure.lines(tmp_path)["both"]) == {"own", "own, one sweep"}
    assert figure.draw(tmp_path).exists()


def test_processor_time_does_not_count_waiting() -> None:
    def wait(problem: Problem, setting: Setting, seed: int) -> Answer:
        time.sleep(0.2)
        return Answer(CLASSES)

    job = Job("Blocks", Column("wait", wait), {"scale": None}, 0)
    found = timed(job, blocks("wang2011", "Blocks", 0))
    assert float(found["seconds"]) < 0.1
    assert float(found["accuracy"]) == 1.0


def test_time_of_the_sweeps_is_that_of_the_fit_without_its_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = {"panel": {"own": {0.0: 5.0}, "own, one sweep": {0.0: 2.0}, "other": {0.0: 1.0}}}
    monkeypatch.setattr(Curves, "lines", lambda self, folder: whole)
    (figure,) = [one for one in FIGURES.values() if isinstance(one, TimeBars)]
    lines = figure.lines(tmp_path)["panel"]
    assert {name: line[0.0] for name, line in lines.items()} == {
        "own": 3.0,
        "own, one sweep": 2.0,
        "other": 1.0,
    }


@pytest.mark.parametrize(
    ("shares", "said"),
    [((1.0, 0.9), "Agrees."), ((1.0, 0.2), "Agrees in part."), ((0.4, 0.0), "Does not agree.")],
)
def test_the_verdict_needs_all_findings(shares: tuple[float, ...], said: str) -> None:
    assert verdict([Finding("", round(10 * share), 10) for share in shares]) == said


def test_claims_count_what_they_say() -> None:
    panel = {"a": {1.0: 0.5, 2.0: 0.9, 3.0: 0.8}, "b": {1.0: 0.6, 2.0: 0.7, 3.0: 0.5}}
    lines = {"panel": panel}
    counted = {
        claims.first("a"): (2, 3),
        claims.rising: (1, 2),
        claims.close("a", "b", 0.15): (1, 3),
        claims.steady(0.15): (4, 6),
        claims.steady(0.15, up_to=1.0): (2, 2),
        claims.good_from(2.0, 0.15): (3, 4),
        claims.higher_at(2.0): (2, 2),
        claims.higher_at(3.0): (1, 2),
        claims.above_at_last("a", ("b",)): (1, 1),
        claims.above_at_last("b", ("a",)): (0, 1),
        claims.last("b"): (2, 3),
        claims.ahead_by("a", 0.2): (2, 3),
        claims.catches_up("a", "b"): (1, 1),
        claims.catches_up("b", "a"): (0, 1),
        claims.within((), claims.rising, "nowhere"): (0, 0),
        claims.all_below(("a",), ("b",)): (1, 3),
    }
    for claim, expected in counted.items():
        found = claim(lines)
        assert (found.held, found.cases) == expected, found.text


def test_every_figure_that_shows_data_can_be_run() -> None:
    expected = {f"{paper}/figure{n}" for paper, numbers in ISSUE.items() for n in numbers}
    assert set(FIGURES) == expected


@pytest.mark.parametrize("name", [n for n, figure in FIGURES.items() if isinstance(figure, Curves)])
def test_a_quick_figure_is_a_part_of_the_whole_and_its_marks_are_printed(name: str) -> None:
    figure = FIGURES[name]
    assert isinstance(figure, Curves)
    for _, table in figure.points:
        assert 0 < table.quick_runs <= table.runs
        assert set(table.rows(quick=True)) <= set(table.rows(quick=False))
        for row in table.rows(quick=True):
            for column in table.columns:
                whole = list(table.settings(row, column, quick=False))
                assert all(one in whole for one in table.settings(row, column, quick=True))
    if figure.mark is not None:
        printed = read_published(ROOT / figure.paper / "published.csv", figure.mark.table)
        own = figure.mark.column or figure.own
        names = [name for sets in figure.panels.values() for name in sets]
        assert all((name, own, figure.metric) in printed for name in names)


def test_the_page_counts_the_cells_below(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = replace(table_of({"LP-FNMTF": 9}), number="2")
    monkeypatch.setitem(TABLES, table.name, table)
    lines = ["table,row,column,metric,value"]
    lines += [f"2,{row},LP-FNMTF,accuracy,{v}" for row, v in (("Blocks", 0.78), ("More", 0.76))]
    (tmp_path / "published.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "table2.md").write_text(
        "Written by `python -m benchmarks reproduce wang2011/table2`"
    )
    run(table, tmp_path, loader=blocks)
    assert [cell.ours for cell in known_cells(table, tmp_path)["accuracy"]] == [0.75, 0.75]
    page = write_results("wang2011", tmp_path).read_text()
    wanted = "| [2](table2.md) | accuracy | LP-FNMTF | 0.770 | 0.750 | -0.020 | 2 | Blocks |"
    assert wanted in page
    assert "(table2_means.png)" in page
    assert "Not run yet: `python -m benchmarks reproduce wang2011/figure1`" in page


def test_names_stand_for_tables_figures_and_papers(tmp_path: Path) -> None:
    for paper in PAPERS:
        (tmp_path / paper).mkdir()
        assert find(paper, tmp_path).write(False).name == "RESULTS.md"
    with pytest.raises(ValueError, match="did you mean chen2010/figure5"):
        find("chen2010/figur5", tmp_path)
