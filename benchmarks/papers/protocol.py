"""What a table of a paper is: data sets, methods with their grids, runs, and what is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MinMaxScaler

from benchmarks.papers.sets import list_paper_sets, paper_set
from cocluster.data.relational import star
from cocluster.data.scaling import fit_scaling
from cocluster.datasets.registry import nearest
from cocluster.linalg.types import Array
from cocluster.links import Links

Setting = Mapping[str, Any]
Scales = tuple[str | None, ...]
Found = TypeVar("Found")
# Metrics that lie in [0, 1], of which the larger is the better.
SHARES = ("accuracy", "nmi", "purity")


@dataclass(frozen=True)
class Problem:
    """All that a method gets to see: no labels but those a paper gives to semi-supervised ones.

    Attributes
    ----------
    views : dict of name to matrix
        Scaled data.
    n_clusters : int
    links : Links or None
    partial : integer array or None
        Classes of some samples, -1 for the others.
    """

    views: Mapping[str, Any]
    n_clusters: int
    links: Links | None = None
    partial: Array | None = None

    @property
    def data(self) -> Any:
        """The matrix, or the star of several."""
        if len(self.views) == 1:
            return next(iter(self.views.values()))
        return star(dict(self.views))


@dataclass(frozen=True)
class Answer:
    """Labels of the samples, and the sweeps they took where the method counts them."""

    labels: Array
    sweeps: int | None = None


@dataclass(frozen=True)
class Column:
    """A method of a table.

    Attributes
    ----------
    name : str
        As printed.
    solve : callable of (problem, setting, seed)
    grid, quick : dict of name to values
        Values searched, and the few of them that a quick run searches.
    on : dict of set to grid
        What is searched besides on some of the sets.
    supervision : {None, "pairs", "among samples", "samples"}
        What the method learns of the classes: links of random pairs, links of all pairs among
        random samples, or the classes of these very samples.
    """

    name: str
    solve: Callable[[Problem, Setting, int], Answer]
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    quick: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    on: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)
    supervision: str | None = None


@dataclass(frozen=True)
class Table:
    """A table of a paper.

    Attributes
    ----------
    paper, number, title : str
    sets : dict of name to scales
        Rows, and the scalings of the data that every method searches alike.
    columns : tuple of Column
    metrics : tuple of str
        Of the published file.
    searched : tuple of str
        Metrics of a table with the same runs: settings found by them take part here too.
    runs, quick_runs : int
        Seeds a setting is run with, by the paper and in a quick run or a search.
    costly : mapping of set to (int, int)
        Seeds on sets that cost much: those of a search, and those of the settings it ends with.
    finalists : int
        Settings that a search ends with (see `search.stages`); 0 to run the whole grid.
    quick_sets, quick_scales : tuple
        Those of a quick run.
    fraction : float
        Share of all pairs that semi-supervised methods are told.
    unit : float
        What the paper prints for 1.
    each_draw : bool
        Whether the paper may have chosen settings for each draw: the page has these figures too.
    note : str
        What the page says of the protocol besides.
    """

    paper: str
    number: str
    title: str
    sets: Mapping[str, Scales]
    columns: tuple[Column, ...]
    metrics: tuple[str, ...]
    runs: int
    searched: tuple[str, ...] = ()
    quick_runs: int = 3
    costly: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    finalists: int = 0
    quick_sets: tuple[str, ...] = ()
    quick_scales: Scales = ()
    fraction: float = 0.0
    unit: float = 1.0
    each_draw: bool = False
    note: str = ""

    @property
    def name(self) -> str:
        """As in ``python -m benchmarks reproduce NAME``."""
        return f"{self.paper}/table{self.number}"

    @property
    def judges(self) -> tuple[str, ...]:
        """The metrics by which settings are chosen."""
        return tuple(dict.fromkeys(judge(m) for m in (*self.metrics, *self.searched)))

    def seeds(self, quick: bool, row: str = "") -> range:
        """One seed for each run, fewer of a row that costs much."""
        few, all_of_them = self.costly.get(row, (self.quick_runs, self.runs))
        return range(few if quick else all_of_them)

    def rows(self, quick: bool) -> tuple[str, ...]:
        """Data sets that can be had, of a quick run the small ones."""
        missing = {entry.name for entry in list_paper_sets(self.paper) if entry.missing}
        wanted = self.quick_sets if quick and self.quick_sets else tuple(self.sets)
        return tuple(name for name in wanted if name not in missing)

    def ranges(self, row: str, column: Column) -> dict[str, tuple[Any, ...]]:
        """Values of every parameter of a cell, the scaling of the data first."""
        return {"scale": self.sets[row], **column.grid, **column.on.get(row, {})}

    def settings(self, row: str, column: Column, quick: bool) -> Iterator[dict[str, Any]]:
        """All settings of a cell."""
        scales = self.sets[row]
        if quick and self.quick_scales:
            scales = tuple(s for s in scales if s in self.quick_scales) or scales[:1]
        few = {"scale": scales, **column.quick} if quick else {}
        return self.product(column, {**self.ranges(row, column), **few})

    def screened(self, row: str, column: Column) -> Iterator[dict[str, Any]]:
        """The settings a search begins with: the values of a quick run, at every scaling."""
        return self.product(column, {**self.ranges(row, column), **column.quick})

    def product(
        self, column: Column, ranges: Mapping[str, tuple[Any, ...]]
    ) -> Iterator[dict[str, Any]]:
        """All combinations of values, with the share of pairs that the method is told."""
        share = {"links": self.fraction} if column.supervision else {}
        for values in product(*ranges.values()):
            yield dict(zip(ranges, values, strict=True)) | share


def judge(metric: str) -> str:
    """What chooses the setting whose figure is shown: the metric itself, accuracy for sweeps."""
    return metric if metric in SHARES else "accuracy"


@dataclass(frozen=True)
class Job:
    """One run: a cell, a setting and a seed."""

    row: str
    column: Column
    setting: Setting
    seed: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What distinguishes the run within a paper."""
        return self.row, self.column.name, written(self.setting), str(self.seed)


def written(setting: Setting) -> str:
    """A setting as text that is the same for equal settings."""
    return json.dumps(dict(setting), sort_keys=True)


def jobs(table: Table, quick: bool) -> list[Job]:
    """All runs of the whole grid of a table; those on the same data follow each other."""
    return [
        Job(row, column, setting, seed)
        for row in table.rows(quick)
        for column in table.columns
        for setting in table.settings(row, column, quick)
        for seed in table.seeds(quick, row)
    ]


@dataclass(frozen=True)
class Sample:
    """A data set of a paper as the runs use it: its views apart from its classes."""

    views: Mapping[str, Any]
    labels: Array
    n_clusters: int

    def problem(self, job: Job) -> Problem:
        """What the method of a job gets to see."""
        views = {name: rescaled(X, job.setting["scale"]) for name, X in self.views.items()}
        share = job.setting.get("links", 0.0)
        links = partial = None
        if job.column.supervision == "pairs":
            links = Links.from_labels(self.labels, fraction=share, random_state=job.seed)
        elif job.column.supervision is not None:
            partial = known_classes(self.labels, share, job.seed)
        if job.column.supervision == "among samples":
            links, partial = Links.from_labels(partial), None
        return Problem(views, self.n_clusters, links, partial)


def known_classes(labels: Array, share: float, seed: int) -> Array:
    """Classes of so many random samples that their pairs are the given share of all; else -1."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(labels))
    _, first = np.unique(labels[order], return_index=True)
    # One of every class is known, or a machine for it could not be trained.
    count = max(round(np.sqrt(share) * len(labels)), len(first))
    chosen = np.concatenate([order[first], np.delete(order, first)])[:count]
    partial = np.full(len(labels), -1)
    partial[chosen] = labels[chosen]
    return partial


def load(paper: str, name: str, seed: int) -> Sample:
    """A paper's data set; one that is drawn at random is drawn anew for every seed."""
    dataset = paper_set(paper, name, random_state=seed)
    assert dataset.labels is not None
    return Sample(dict(dataset.views), dataset.labels, dataset.n_classes)


def rescaled(X: Any, scale: str | None) -> Any:
    """Data as a scaling gives it, some of them besides those of the library.

    "log" and another scaling takes logarithms first: of 1 + count for words, of 1 for smaller
    entries for genes. "range" brings each gene to [0, 1], which opens data of any sign to methods
    that need data >= 0; "max" brings the largest entry of all to 1.
    """
    if scale == "max":
        return X / X.max()
    if scale == "range":
        return MinMaxScaler().fit_transform(X)
    if scale is not None and scale.startswith("log "):
        X = X.log1p() if sp.issparse(X) else np.log(np.maximum(X, 1.0))
        scale = scale.removeprefix("log ")
    return fit_scaling(X, scale).apply(X)


def find(name: str, known: Mapping[str, Found]) -> Found:
    """What a name stands for; an unknown name is answered with the nearest known ones."""
    if name in known:
        return known[name]
    near = " or ".join(nearest(name, tuple(known))) or ", ".join(known)
    raise ValueError(f"There is nothing named {name!r} to reproduce; did you mean {near}?")
