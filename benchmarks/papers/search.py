"""The search for the setting of a cell, in stages, the same for every method of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks.papers.protocol import Column, Job, Setting, Table

Row = dict[str, str]
Key = tuple[str, str, str, str]


def average(rows: Sequence[Row], metric: str) -> float:
    """Mean of the runs of a setting; NaN if the method does not give it or refused the data."""
    values = [row[metric] for row in rows]
    return float(np.mean([float(v) for v in values])) if all(values) else float("nan")


def stages(
    table: Table, row: str, column: Column, quick: bool, done: Mapping[Key, Row]
) -> Iterator[list[Job]]:
    """The runs of a cell, stage by stage.

    A table without finalists has one stage, its grid, and so has a quick run. Else there is a
    search for each metric that is shown, which share their runs.

    Parameters
    ----------
    done : mapping of `Job.key` to row
        Finished runs. A stage may be asked for when all runs of the stages before it are there, so
        that what was interrupted goes on as it would have.
    """
    for search in _searches(table, row, column, quick, done):
        yield from search


def _searches(
    table: Table, row: str, column: Column, quick: bool, done: Mapping[Key, Row]
) -> list[Iterator[list[Job]]]:
    """The stages of a grid, or those of the search by each metric."""
    if quick or not table.finalists:
        settings = list(table.settings(row, column, quick))
        return [iter([_runs(table, row, column, settings, quick)])]
    return [_search(table, row, column, metric, done) for metric in table.judges]


def _search(
    table: Table, row: str, column: Column, metric: str, done: Mapping[Key, Row]
) -> Iterator[list[Job]]:
    """The stages of the search for the best setting by a metric.

    The coarse grid of a quick run, at every scaling, with few seeds; from the best setting so far
    each parameter in turn over its whole range, with the same seeds; at last the best few settings
    with all seeds. Best is by the mean, the earlier of equals.
    """
    tried: list[Setting] = list(table.screened(row, column))
    yield _runs(table, row, column, tried, True)
    for name, values in table.ranges(row, column).items():
        best = _ranked(table, row, column, tried, metric, done)[:1]
        moved: list[Setting] = [{**one, name: value} for one in best for value in values]
        new = [setting for setting in moved if setting not in tried]
        tried += new
        yield _runs(table, row, column, new, True)
    last = _ranked(table, row, column, tried, metric, done)[: table.finalists]
    yield _runs(table, row, column, last, False)


def most_runs(table: Table, row: str, column: Column, quick: bool) -> int:
    """How many runs the stages of a cell have at most."""
    if quick or not table.finalists:
        return len(list(table.settings(row, column, quick))) * len(table.seeds(quick, row))
    searched = len(list(table.screened(row, column)))
    searched += sum(len(values) - 1 for values in table.ranges(row, column).values())
    runs = searched * len(table.seeds(True, row)) + table.finalists * len(table.seeds(False, row))
    return runs * len(table.judges)


def finished(
    table: Table, row: str, column: Column, quick: bool, done: Mapping[Key, Row]
) -> tuple[list[tuple[Setting, list[Row]]], int]:
    """Settings of the last stages with their rows, and how many were tried in all stages.

    Of searches that are not at their end there are none; of a grid there are those whose runs are
    all there.
    """
    searched = bool(table.finalists) and not quick
    last: list[Job] = []
    tried: set[str] = set()
    for search in _searches(table, row, column, quick, done):
        stage: list[Job] = []
        for stage in search:
            if searched and any(job.key not in done for job in stage):
                return [], 0
            tried |= {job.key[2] for job in stage}
        last += stage
    by_setting: dict[str, dict[Key, Job]] = {}
    for job in last:
        by_setting.setdefault(job.key[2], {})[job.key] = job
    whole = [runs for runs in by_setting.values() if all(key in done for key in runs)]
    found = [(next(iter(runs.values())).setting, [done[key] for key in runs]) for runs in whole]
    return found, len(tried) if searched else len(found)


def _runs(
    table: Table, row: str, column: Column, settings: Sequence[Setting], few: bool
) -> list[Job]:
    """Settings with few or all seeds."""
    seeds = table.seeds(few, row)
    return [Job(row, column, setting, seed) for setting in settings for seed in seeds]


def _ranked(
    table: Table,
    row: str,
    column: Column,
    settings: Sequence[Setting],
    metric: str,
    done: Mapping[Key, Row],
) -> list[Setting]:
    """Settings from the best mean over few seeds on, without those that were refused."""
    means = [
        average([done[job.key] for job in _runs(table, row, column, [setting], True)], metric)
        for setting in settings
    ]
    order = [i for i in np.argsort(-np.array(means), kind="stable") if not np.isnan(means[i])]
    return [settings[i] for i in order]
