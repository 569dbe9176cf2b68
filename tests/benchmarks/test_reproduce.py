"""The runner of the papers' tables on a table small enough to know."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.packs import WORKING, read_rows
from benchmarks.papers.page import write_page
from benchmarks.papers.protocol import (
    Answer,
    Column,
    Job,
    Problem,
    Sample,
    Setting,
    Table,
    find,
    jobs,
    known_classes,
    rescaled,
)
from benchmarks.papers.runner import RUNS, key, run
from benchmarks.papers.solvers import SAME_CLUSTERS, STRENGTHS, kmeans, method
from benchmarks.papers.tables import TABLES
from cocluster.methods.catalogue import METHODS

ROOT = Path(__file__).parents[2]
BLOCKS = np.kron([[9.0, 1.0], [1.0, 9.0]], np.ones((6, 4)))
CLASSES = np.repeat([0, 1], 6)
FIGURES = {name: table for name, table in TABLES.items() if isinstance(table, Table)}


def blocks(paper: str, name: str, seed: int) -> Sample:
    return Sample({"words": BLOCKS}, CLASSES, 2)


def halves(problem: Problem, setting: Setting, seed: int) -> Answer:
    """Right for strength 1 only."""
    n = problem.data.shape[0]
    return Answer(np.arange(n) >= n // 2 if setting["strength"] == 1 else np.arange(n) % 2)


def refuse(problem: Problem, setting: Setting, seed: int) -> Answer:
    raise ValueError("not with these data")


@pytest.fixture
def table() -> Table:
    strength = {"strength": (0, 1)}
    columns = (
        Column("halves", halves, strength, {"strength": (0,)}),
        Column("kmeans", kmeans(2)),
        Column("refuses", refuse),
    )
    return Table(
        "wang2011", "9", "blocks", {"Blocks": (None, "l2")}, columns, ("accuracy",), runs=3
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["table,row,column,metric,value", "9,Blocks,halves,accuracy,0.75"]
    (tmp_path / "published.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_an_interrupted_run_continues_without_repeating(table: Table, tmp_path: Path) -> None:
    file = tmp_path / WORKING / RUNS

    def stop_at_five(job: Job, done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(table, tmp_path, report=stop_at_five, loader=blocks)
    before = file.read_text()
    assert len(read_rows(tmp_path, RUNS)) == 5
    file.write_text(before + "Blocks,halves,cut off in the mid")
    run(table, tmp_path, loader=blocks)
    assert file.read_text().startswith(before)
    keys = [key(row) for row in read_rows(tmp_path, RUNS)]
    assert keys == [job.key for job in jobs(table, quick=False)]
    after = file.read_text()
    run(table, tmp_path, loader=blocks)
    assert file.read_text() == after


def test_the_page_shows_published_ours_and_difference(table: Table, folder: Path) -> None:
    run(table, folder, loader=blocks)
    page = write_page(table, folder, quick=False).read_text()
    row = next(line for line in page.splitlines() if line.startswith("| Blocks"))
    assert row == "| Blocks | 0.750 / 1.000 / +0.250 | - / 1.000 / - | - / - / - |"
    assert '"strength": 1' in page


def test_a_cell_that_was_not_run_is_a_dash(table: Table, folder: Path) -> None:
    page = write_page(table, folder, quick=False).read_text()
    assert "| Blocks | 0.750 / - / - | - / - / - | - / - / - |" in page


def test_a_setting_with_missing_runs_does_not_count(table: Table, folder: Path) -> None:
    run(table, folder, loader=blocks)
    file = folder / WORKING / RUNS
    lines = file.read_text().splitlines()
    # Without one seed of each setting with strength 1, the best complete one is the other.
    kept = [line for line in lines if '""strength"": 1}",2,' not in line]
    assert len(kept) < len(lines)
    file.write_text("\n".join(kept) + "\n")
    assert "0.750 / 0.500 / -0.250" in write_page(table, folder, quick=False).read_text()


def test_a_setting_for_each_draw_is_the_best_of_every_seed(table: Table, folder: Path) -> None:
    def by_seed(problem: Problem, setting: Setting, seed: int) -> Answer:
        """Right for the strength of the seed only, else half of it."""
        return halves(problem, {"strength": int(setting["strength"] == seed % 2)}, seed)

    column = replace(table.columns[0], solve=by_seed)
    drawn = replace(table, columns=(column, *table.columns[1:]), each_draw=True)
    run(drawn, folder, loader=blocks)
    page = write_page(drawn, folder, quick=False).read_text()
    # Strength 0 is right for two of three seeds; two strengths at two scalings were run.
    assert "| Blocks | 0.750 / 0.833 / +0.083 |" in page
    assert "| Blocks | 1.000 (4) | 1.000 (2) | - |" in page


def test_runs_record_seeds_versions_and_refusals(table: Table, tmp_path: Path) -> None:
    run(table, tmp_path, quick=True, loader=blocks)
    rows = read_rows(tmp_path, RUNS)
    assert {row["seed"] for row in rows} == {"0", "1", "2"}
    assert all(f"numpy={np.__version__}" in row["versions"] for row in rows)
    refused = [row for row in rows if row["method"] == "refuses"]
    assert refused
    assert all(row["refused"] == "not with these data" and not row["accuracy"] for row in refused)


@pytest.mark.parametrize(
    "name",
    ["chen2010/table5", "chen2008/table5", "zhang2012/table4", "wang2011/table2", "li2012/table2"],
)
def test_labels_reach_no_method_that_is_not_told(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(BLOCKS).astype(float)
    shuffled = rng.permutation(CLASSES)
    for column in FIGURES[name].columns:
        if column.supervision is not None:
            continue
        setting = {k: v[0] for k, v in column.grid.items()}
        job = Job("any", column, {"scale": "l2", **setting}, 0)
        found = [
            column.solve(Sample({"words": X}, labels, 2).problem(job), setting, 0).labels
            for labels in (CLASSES, shuffled)
        ]
        np.testing.assert_array_equal(*found)


def test_links_among_samples_are_those_of_the_classes_that_others_are_told() -> None:
    """As in 5.1.1 of chen2010: the classes of some documents, and all pairs among them."""
    labels, share = np.repeat([0, 1, 2], 40), 0.1
    told = {}
    for supervision in ("among samples", "samples"):
        column = Column("any", refuse, supervision=supervision)
        job = Job("any", column, {"scale": None, "links": share}, 3)
        told[supervision] = Sample({"words": np.ones((120, 2))}, labels, 3).problem(job)
    links, partial = told["among samples"].links, told["samples"].partial
    assert links is not None
    assert partial is not None
    assert told["among samples"].partial is None
    known = np.flatnonzero(partial >= 0)
    count = len(known) * (len(known) - 1) // 2
    assert len(links.must_link) + len(links.cannot_link) == count
    # The share is of all pairs, to the nearest number of samples.
    assert abs(np.sqrt(count / (120 * 119 / 2)) - np.sqrt(share)) < 1 / 120
    assert np.isin(np.concatenate([links.must_link, links.cannot_link]), known).all()
    assert links.violations(labels).n_violated == 0


@pytest.mark.parametrize("name", FIGURES)
def test_a_quick_run_is_a_part_of_the_whole(name: str) -> None:
    table = FIGURES[name]
    assert 0 < table.quick_runs <= table.runs
    assert set(table.quick_sets) <= set(table.sets)
    assert set(table.costly) <= set(table.sets)
    assert all(0 < few <= most <= table.runs for few, most in table.costly.values())
    for column in table.columns:
        for parameter, values in column.quick.items():
            assert set(values) <= set(column.grid[parameter])
    for row in table.rows(quick=True):
        assert set(table.quick_scales) & set(table.sets[row])


@pytest.mark.parametrize("name", FIGURES)
def test_every_cell_of_a_table_is_published(name: str) -> None:
    table = FIGURES[name]
    with (ROOT / "benchmarks" / "papers" / table.paper / "published.csv").open() as opened:
        lines = [line for line in csv.DictReader(opened) if line["table"] == table.number]
    shown = [line for line in lines if line["metric"] in table.metrics]
    assert {line["row"] for line in shown} == set(table.sets)
    assert {line["column"] for line in shown} == {column.name for column in table.columns}


def test_strengths_name_parameters_of_the_methods() -> None:
    for name, parameters in STRENGTHS.items():
        assert set(parameters) <= set(METHODS[name].estimator().get_params())
    for name in SAME_CLUSTERS:
        labels = method(name)(Problem({"words": BLOCKS}, 2), {}, 0).labels
        assert len(set(labels)) == 2


def test_known_classes_cover_every_class_and_the_share_of_pairs() -> None:
    labels = np.repeat([0, 1, 2], [50, 40, 1])
    partial = known_classes(labels, 0.25, seed=0)
    known = partial != -1
    assert set(partial[known]) == {0, 1, 2}
    np.testing.assert_array_equal(partial[known], labels[known])
    assert known.sum() == round(0.5 * len(labels))


def test_logarithms_are_of_counts_for_words_and_of_values_for_genes() -> None:
    counts = sp.csr_array(np.array([[3.0, 0.0], [1.0, 2.0]]))
    words = rescaled(counts, "log l2").toarray()
    assert words[0, 0] == 1.0
    np.testing.assert_allclose(words[1, 1] / words[1, 0], np.log(3) / np.log(2))
    genes = rescaled(np.array([[-5.0, np.e, np.e]]), "log l2")
    np.testing.assert_allclose(genes, [[0.0, np.sqrt(0.5), np.sqrt(0.5)]])


def test_an_unknown_table_is_answered_with_the_nearest(table: Table) -> None:
    with pytest.raises(ValueError, match="did you mean wang2011/table2"):
        find("wang2011/tabel2", TABLES)
