"""The search for settings in stages, on a grid small enough to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.packs import WORKING, read_rows
from benchmarks.papers.page import write_page
from benchmarks.papers.protocol import Answer, Column, Job, Problem, Sample, Setting, Table, written
from benchmarks.papers.runner import RUNS, key, run

N = 12


def blocks(paper: str, name: str, seed: int) -> Sample:
    return Sample({"words": np.ones((N, 8))}, np.repeat([0, 1], N // 2), 2)


def refuse(problem: Problem, setting: Setting, seed: int) -> Answer:
    raise ValueError("not with these data")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "published.csv").write_text("table,row,column,metric,value\n")
    return tmp_path


def climb(problem: Problem, setting: Setting, seed: int) -> Answer:
    """The better the larger both parameters; better still by seeds that a search does not see."""
    wrong = 6 - setting["a"] - setting["b"] - (seed >= 2)
    return Answer((np.arange(N) >= N // 2) ^ (np.arange(N) < wrong))


@pytest.fixture
def staged() -> Table:
    ranges, coarse = {"a": (0, 1, 2), "b": (0, 1, 2)}, {"a": (0, 1), "b": (0, 1)}
    columns = (Column("climbs", climb, ranges, coarse), Column("refuses", refuse))
    sets = {"Blocks": (None, "l2")}
    seeds = {"runs": 4, "quick_runs": 2, "finalists": 2}
    return Table("wang2011", "9", "blocks", sets, columns, ("accuracy",), **seeds)


def of_method(folder: Path, name: str) -> list[dict[str, str]]:
    return [row for row in read_rows(folder, RUNS) if row["method"] == name]


def seeds_by_setting(rows: list[dict[str, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["setting"], []).append(int(row["seed"]))
    return found


def test_a_search_runs_its_stages_and_nothing_else(staged: Table, tmp_path: Path) -> None:
    run(staged, tmp_path, loader=blocks)
    found = seeds_by_setting(of_method(tmp_path, "climbs"))
    coarse = [
        {"a": a, "b": b, "scale": scale} for scale in (None, "l2") for a in (0, 1) for b in (0, 1)
    ]
    # From the best of the coarse grid along a, then, from there, along b.
    along = [{"a": 2, "b": 1, "scale": None}, {"a": 2, "b": 0, "scale": None}]
    along.append({"a": 2, "b": 2, "scale": None})
    assert set(found) == {written(setting) for setting in coarse + along}
    finalists = {written(along[2]), written(along[0])}
    assert {setting for setting, seeds in found.items() if seeds == [0, 1, 2, 3]} == finalists
    assert all(found[setting] == [0, 1] for setting in set(found) - finalists)
    assert all(
        seeds == [0, 1] for seeds in seeds_by_setting(of_method(tmp_path, "refuses")).values()
    )


def test_an_interrupted_search_goes_on_as_it_would_have(staged: Table, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run(staged, whole, loader=blocks)
    length = len(read_rows(whole, RUNS))

    def stop_after(count: int) -> Callable[[Job, int, int], None]:
        def stop(job: Job, done: int, total: int) -> None:
            assert done < total
            if len(read_rows(parts, RUNS)) == count:
                raise KeyboardInterrupt

        return stop

    for count in range(1, length):
        with pytest.raises(KeyboardInterrupt):
            run(staged, parts, loader=blocks, report=stop_after(count))
    run(staged, parts, loader=blocks)
    assert [key(row) for row in read_rows(parts, RUNS)] == [
        key(row) for row in read_rows(whole, RUNS)
    ]
    file = parts / WORKING / RUNS
    before = file.read_text()
    run(staged, parts, loader=blocks)
    assert file.read_text() == before


def test_the_page_of_a_search_says_how_settings_were_chosen(staged: Table, folder: Path) -> None:
    often = replace(staged, costly={"Blocks": (1, 3)})
    run(often, folder, loader=blocks)
    page = write_page(often, folder, quick=False).read_text()
    assert "Mean of 4 runs, Blocks 3 (the paper has 4)." in page
    assert "at every scaling, with 2 runs each, Blocks 1; then" in page
    assert "the best 2 with all runs, of which the best is shown. Best is by mean accuracy." in page
    # Two wrong in the runs of the search, one in the last: the mean is that of all runs.
    assert "| Blocks | - / 0.861 / - | - / - / - |" in page
    assert '| `{"a": 2, "b": 2, "scale": null}` | accuracy | 11 | 18 |' in page
    assert "* climbs: a **0**, **1**, 2; b **0**, **1**, 2." in page


def halves_or_quarters(problem: Problem, setting: Setting, seed: int) -> Answer:
    """Two clusters with errors, which accuracy prefers, or four pure ones, which NMI prefers."""
    if setting["pure"]:
        return Answer(np.arange(N) * 4 // N)
    return Answer((np.arange(N) >= N // 2) ^ (np.arange(N) % 3 == 0))


@pytest.mark.parametrize("finalists", [0, 1])
def test_each_metric_chooses_its_own_setting(staged: Table, folder: Path, finalists: int) -> None:
    columns = (Column("either", halves_or_quarters, {"pure": (False, True)}),)
    both = replace(staged, columns=columns, metrics=("accuracy", "nmi"), finalists=finalists)
    run(both, folder, loader=blocks)
    page = write_page(both, folder, quick=False).read_text()
    assert "by the mean of the figure shown (searches by accuracy and nmi share settings)" in page
    assert "| Blocks | - / 0.667 / - |" in page
    assert "| Blocks | - / 0.500 / - |" in page
    assert '| `{"pure": false, "scale": null}` | accuracy | 4 | 4 |' in page
    assert '| `{"pure": true, "scale": null}` | nmi | 4 | 4 |' in page


def test_a_search_that_is_not_at_its_end_is_a_dash(staged: Table, folder: Path) -> None:
    run(staged, folder, loader=blocks)
    file = folder / WORKING / RUNS
    lines = file.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if ",climbs," in line)
    file.write_text("\n".join(lines[:last] + lines[last + 1 :]) + "\n")
    assert "| Blocks | - / - / - | - / - / - |" in write_page(staged, folder, False).read_text()
