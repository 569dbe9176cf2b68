"""The search for the number of clusters: its steps, one by one, so that it can stop and go on.

the whole       a fine fit, its tree, and the likelihood of every number of clusters
the samples     three times: labels for every number from either half of the features
the features    twice for each view: the same from either half of the samples
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import xlogy

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.matrices import as_dense, column_sums, safe_inverse, times
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array
from cocluster.methods.base import check_complete
from cocluster.methods.default.results import default_labels
from cocluster.methods.n_clusters.likelihood import (
    LIKELIHOOD,
    Blocks,
    Labels,
    Step,
    best_step,
    blocks_of_labels,
    cut_labels,
    dispersion,
    icl,
    merge_all,
    numbers_after,
    tree,
    views,
)
from cocluster.methods.n_clusters.result import (
    Choice,
    Line,
    Side,
    decide_numbers,
    explain_numbers,
    tree_fields,
)
from cocluster.methods.n_clusters.stability import (
    Fit,
    agreement,
    as_samples,
    fine_fit,
    labels_by_number,
    most_clusters,
    numbers_up_to,
    prepare_data,
    refit,
    split,
)
from cocluster.utils.checks import RandomState, check_integer, generator

Resumed = Choice | str | os.PathLike[str]
# Called with the share of the work that is done and what comes next; returning True ends it.
Report = Callable[[float, str], bool | None]
# Stores the choice so far.
Keep = Callable[[Choice], object]

# How often samples and features are judged by halves: the mean of three is known to about a
# hundredth, and features are seldom asked for.
REPEATS, FEATURE_REPEATS = 3, 2
# What a fit from scratch takes, in fits from a start: only to say how far a step is.
FROM_SCRATCH = 10.0
# Names beside a leaf: what a line of a tree has room for.
WORDS = 3


def choose_n_clusters(
    X: Any,
    k_max: int | None = None,
    *,
    features: bool = True,
    random_state: RandomState = None,
    callback: Report | None = None,
    resume: Resumed | None = None,
) -> Choice:
    r"""Choose the number of clusters of samples and of features; 1 if there are no groups.

    Samples are clustered twice, from one half of the features and from the other. Groups that are
    there are found again; what chance made is not, however the data are distributed. The number
    that is recommended has the largest gain: the information that is found again, less a price
    for all that is claimed. Beside it stand the likelihood of the whole data (which follows real
    hierarchies much further down) and a tree. Features are judged in the same way by halves of
    the samples.

    Parameters
    ----------
    X : matrix, mapping or list of views, RelationalData, row blocks or Dask collection
        As `CoCluster` takes it. Of more than 5,000 samples (features) a random 5,000 are looked at.
    k_max : int, optional
        Most clusters that are tried; by default :math:`\sqrt{n / 2}` for n samples, 32 at most.
    features : bool
        Whether to say how many clusters of features there are, too. It takes as long again.
    random_state : int, RandomState or None
        The same seed gives the same choice.
    callback : callable, optional
        Called with the share of the work that is done and with what comes next, in words. If it
        returns True, the search ends and what is known so far is returned.
    resume : Choice or file name, optional
        An earlier choice that was stopped, to go on where it ended; its seed and ``k_max`` are
        used. With a file name, what is known is written there after every step, and read from
        there if the file exists.

    Returns
    -------
    Choice
        ``n_clusters`` by type, ``reason`` in words, and for every type ``coarse``, ``stable`` and
        ``fine`` numbers with the table and the tree. Where there is no stable grouping the numbers
        are 1.

    Notes
    -----
    Cost: six fits with ``k_max`` clusters, most of them on half of the data, whatever the number
    of samples beyond 5,000; for each number of clusters that is tried, two more sweeps each.

    Examples
    --------
    >>> from cocluster.datasets import make_blocks
    >>> choice = choose_n_clusters(make_blocks(300, 200, 4, random_state=0).X, random_state=0)
    >>> choice.rows.stable, choice.columns.stable
    (4, 4)
    >>> noise = make_blocks(300, 200, 1, random_state=0).X
    >>> choose_n_clusters(noise, random_state=0).n_clusters
    {'samples': 1, 'features': 1}
    """
    earlier = _earlier_choice(resume)
    data = relational(X)
    check_complete(data, "choose_n_clusters")
    search = _search(data, k_max, features, random_state, earlier)
    measured = search.check_measurements(earlier.measured) if earlier else {}
    return search.run(measured, callback, _choice_writer(resume))


def _search(
    data: RelationalData,
    k_max: int | None,
    features: bool,
    random_state: RandomState,
    earlier: Choice | None,
) -> Search:
    """Set up a search, with seed and ``k_max`` of an earlier choice if there is one."""
    if earlier is not None:
        return search_in(data, default_labels, earlier.k_max, earlier.seed, features)
    seed = int(generator(random_state).integers(2**31 - 1))
    return search_in(data, default_labels, k_max, seed, features)


def _earlier_choice(resume: Resumed | None) -> Choice | None:
    """Return the choice to resume, or None without a choice or file."""
    if resume is None or isinstance(resume, Choice):
        return resume
    return Choice.read(resume) if Path(resume).exists() else None


def _choice_writer(resume: Resumed | None) -> Any:
    """Return the function that writes the choice to the file of ``resume``, or None."""
    if resume is None or isinstance(resume, Choice):
        return None
    return lambda choice: choice.write(resume)


@dataclass(frozen=True, eq=False)
class Search:
    """Search for the number of clusters: the data, the method and the range of numbers.

    Attributes
    ----------
    data : RelationalData
        Views of the same samples, in memory, without negative entries and without empty samples.
    fit : Fit
        How data are clustered.
    k_max : int
        Most clusters of samples that are tried.
    seed : int
        All that is random follows from it.
    features : bool
        Whether the features are judged, too.
    """

    data: RelationalData
    fit: Fit
    k_max: int
    seed: int
    features: bool = True

    @property
    def searched_types(self) -> tuple[str, ...]:
        """Types of objects whose number of clusters is searched."""
        return tuple(self.data.types) if self.features else (self.data.center,)

    def steps(self) -> Iterator[tuple[str, str]]:
        """Yield the name of every step, and the text that reports it."""
        yield "whole", "fitting the whole"
        for name in self.searched_types:
            if self.most(name) < 2:
                continue
            repeats = REPEATS if name == self.data.center else FEATURE_REPEATS
            for i in range(repeats):
                yield f"{name}/{i}", f"comparing halves for the {name}, {i + 1} of {repeats}"

    def most(self, name: str) -> int:
        """Return the largest number of clusters tried for a type; 1 if the type is too small."""
        if name == self.data.center:
            return self.k_max
        return min(self.k_max, most_clusters(self.data.size(name)))

    def run(
        self,
        measured: Mapping[str, Any],
        report: Report | None = None,
        keep: Keep | None = None,
    ) -> Choice:
        """Do the steps not measured yet; return the choice at the end, or where it stopped."""
        done = {"data": self._mark(), **measured}
        steps = list(self.steps())
        for i, (step, words) in enumerate(steps):
            if step in done:
                continue
            reporting_fit = _ReportingFit(self, report, words, i / len(steps), 1 / len(steps))
            try:
                done[step] = replace(self, fit=reporting_fit).measure(step, done)
            except _Stopped:
                return self.choice(done)
            if keep is not None:
                keep(self.choice(done))
        if report is not None:
            report(1.0, "done")
        return self.choice(done)

    def measure(self, step: str, measured: Mapping[str, Any]) -> Any:
        """Return the measurements of one step as plain values."""
        if step == "whole":
            return self._whole()
        name, repeat = step.rsplit("/", 1)
        spread = measured["whole"]["dispersion"]
        return self._compare_halves(name, int(repeat), max(spread))

    def check_measurements(self, measured: Mapping[str, Any]) -> dict[str, Any]:
        """Return the measurements of an earlier search; raise if it was made from other data."""
        if measured.get("data", self._mark()) != self._mark():
            raise ValueError(
                f"resume= was made from other data (of sizes {measured['data'].get('sizes')}, not "
                f"{self.data.sizes}); leave it out, or pass the data it was made from."
            )
        return dict(measured)

    def _mark(self) -> dict[str, Any]:
        """Return sizes and totals, by which the data are recognised on resuming."""
        totals = [float(column_sums(relation.matrix).sum()) for relation in self.data.relations]
        return {"sizes": self.data.sizes, "totals": totals}

    def choice(self, measured: Mapping[str, Any]) -> Choice:
        """Return the choice that follows from the measurements so far."""
        complete = all(step in measured for step, _ in self.steps())
        names = self.searched_types if "whole" in measured else ()
        sides = tuple(self._side(name, measured) for name in names)
        # Leave out sides without any measurement yet.
        sides = tuple(side for side in sides if side.table or complete)
        sentences = [explain_numbers(side, self.most(side.name)) for side in sides]
        if not complete:
            sentences.append("Stopped before the end; give this back as resume= to go on.")
        return Choice(sides, " ".join(sentences), complete, self.seed, self.k_max, dict(measured))

    def _rng(self, name: str, repeat: int) -> np.random.Generator:
        """Return the random generator of a step: results do not depend on the order of steps."""
        key = (list(self.data.types).index(name), repeat)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def _whole(self) -> dict[str, Any]:
        """Return trees, likelihoods and their best numbers, from one fit of the whole data."""
        numbers = numbers_up_to(self.k_max)
        fine = fine_fit(self.fit, self.data, max(numbers), self.seed)
        steps, units = tree(self.data, fine), dispersion(self.data, fine)
        best, likelihoods = None, {}
        for k in [k for k in numbers if k <= int(fine[self.data.center].max()) + 1]:
            labels = refit(self.fit, self.data, cut_labels(self.data, fine, steps, k), self.seed)
            blocks = blocks_of_labels(self.data, labels, units)
            likelihoods[k] = _best_over_columns(blocks)
            if likelihoods[k] >= max(likelihoods.values()):
                best = blocks
        return self._summary(best, likelihoods, units, self._trees(fine, steps))

    def _summary(
        self, best: Any, likelihoods: dict[int, float], units: list[float], trees: Any
    ) -> dict[str, Any]:
        """Return dispersion, best numbers, likelihoods and trees as plain values."""
        base = icl(_one_block(best))
        steps = merge_all(best)
        best_numbers = numbers_after(best, steps[: best_step(best, steps)])
        by_type = {self.data.center: {k: value - base for k, value in likelihoods.items()}}
        for v, name in enumerate(views(self.data)):
            by_type[name] = _column_likelihoods(best, v, base)
        return {
            "dispersion": units,
            "best": dict(zip((self.data.center, *views(self.data)), best_numbers, strict=True)),
            # Keys of JSON objects are strings.
            "icl": {
                name: {str(k): value for k, value in values.items()}
                for name, values in by_type.items()
            },
            "trees": trees,
        }

    def _trees(self, fine: Labels, steps: Sequence[Step]) -> dict[str, Any]:
        """Return leaves, merges and words of every type as plain values."""
        trees = {}
        for side, name in enumerate((self.data.center, *views(self.data))):
            leaves = np.bincount(fine[name]).tolist()
            trees[name] = {
                "leaves": leaves,
                "merges": _linkage(steps, side, leaves),
                "words": words_of_leaves(self.data, fine, name),
            }
        return trees

    def _compare_halves(self, name: str, repeat: int, spread: float) -> list[list[float]]:
        """Measure how well two halves agree on the objects of a type, by number of clusters."""
        rng = self._rng(name, repeat)
        first, second = split(as_samples(self.data, name, rng), spread, rng)
        # Samples that one half knows nothing of are left out, and may be many.
        most = min(self.most(name), len(first) // 2)
        if most < 2:
            return []
        numbers = numbers_up_to(most)
        # Different seeds, so that chance does not make the halves agree.
        seeds = rng.integers(2**31 - 1, size=2).tolist()
        labels_of_halves = [
            labels_by_number(self.fit, half, numbers, seed)
            for half, seed in zip((first, second), seeds, strict=True)
        ]
        rows = []
        for k in (k for k in numbers if all(k in labels for labels in labels_of_halves)):
            score = agreement(labels_of_halves[0][k], labels_of_halves[1][k])
            rows.append([k, score.rand, score.information, score.possible, score.chance])
        return rows

    def _side(self, name: str, measured: Mapping[str, Any]) -> Side:
        """Return the numbers of clusters of one type, from the measurements so far."""
        rows = [
            row
            for step, step_rows in measured.items()
            if step.startswith(f"{name}/")
            for row in step_rows
        ]
        full_fit = measured["whole"]
        table = []
        for k in sorted({int(row[0]) for row in rows}):
            rand, information, possible, null = np.mean(
                [row[1:] for row in rows if row[0] == k], axis=0
            )
            likelihood = full_fit["icl"][name].get(str(k))
            line = Line(
                k, float(rand), float(information), float(possible), float(null), likelihood
            )
            table.append(line)
        side = decide_numbers(
            name, self.data.size(name), table, full_fit["best"][name], self.most(name)
        )
        return replace(side, **tree_fields(full_fit["trees"][name]))


class _Stopped(Exception):
    """The callback ended the search."""


@dataclass(eq=False)
class _ReportingFit:
    """A `Fit` that reports the progress of a step before it clusters.

    Attributes
    ----------
    search : Search
    report : callable or None
    words : str
        What the step does.
    done_before, extent : float
        The share of all work that is done before the step, and that of the step.
    """

    search: Search
    report: Report | None
    words: str
    done_before: float
    extent: float
    spent: float = 0.0

    def __call__(
        self,
        data: RelationalData,
        n_clusters: int,
        n_column_clusters: Mapping[str, int] | None,
        start: Labels | None,
        seed: int,
    ) -> Labels:
        """Report the progress, then cluster; return labels by type."""
        # In each half there is one fit from scratch, and one from a start for each number.
        expected = 2 * (FROM_SCRATCH + len(numbers_up_to(self.search.k_max)))
        done = self.done_before + self.extent * min(self.spent / expected, 1.0)
        if self.report is not None and self.report(done, self.words):
            raise _Stopped
        self.spent += FROM_SCRATCH if start is None else 1.0
        return self.search.fit(data, n_clusters, n_column_clusters, start, seed)


def search_in(
    data: RelationalData, fit: Fit, k_max: int | None, seed: int, features: bool = True
) -> Search:
    """Prepare a search in data of any size, of which a sample is taken.

    Raises ValueError if there is nothing to choose from.
    """
    most = None if k_max is None else check_integer(k_max, "k_max", at_least=2)
    sample = prepare_data(data, np.random.default_rng(seed))
    if most is not None and most > len(sample) // 2:
        raise ValueError(
            f"k_max={most} is more than half of the {len(sample)} samples that are looked at, and "
            f"clusters of one cannot be found again; ask for at most {len(sample) // 2}."
        )
    return Search(sample, fit, most or most_clusters(len(sample)), seed, features)


def _best_over_columns(blocks: Blocks) -> float:
    """Return the highest likelihood over all numbers of column clusters."""
    return max([icl(blocks), *(step.value for step in merge_all(blocks, LIKELIHOOD, (1,)))])


def _column_likelihoods(blocks: Blocks, view: int, base: float) -> dict[int, float]:
    """Return the likelihood by number of column clusters of a view, other views at their best."""
    n_left, likelihoods = int((blocks.view == view).sum()), {}
    likelihoods[n_left] = icl(blocks) - base
    for step in merge_all(blocks, LIKELIHOOD, (1,)):
        n_left -= step.side == 1 + view
        likelihoods[n_left] = max(likelihoods.get(n_left, -np.inf), step.value - base)
    return likelihoods


def _one_block(blocks: Blocks) -> Blocks:
    """Merge all rows into one cluster, and all columns of each view."""
    by_view = blocks.view == np.arange(blocks.present.shape[1])[:, None]
    return Blocks(
        (blocks.counts @ by_view.T).sum(axis=0, keepdims=True),
        np.arange(len(by_view)),
        blocks.rows.sum(keepdims=True),
        blocks.present.sum(axis=0, keepdims=True),
        by_view @ blocks.columns,
    )


def _linkage(steps: Sequence[Step], side: int, leaves: Sequence[int]) -> list[list[float]]:
    """List the merges of one side: left, right, share of information lost, objects below."""
    sizes, rows = list(leaves), []
    for step in (step for step in steps if step.side == side):
        sizes.append(sizes[step.left] + sizes[step.right])
        rows.append([step.left, step.right, step.lost, sizes[-1]])
    return rows


def words_of_leaves(data: RelationalData, labels: Labels, name: str) -> list[str]:
    """Name the typical features of each cluster of a type; empty for features without names.

    Of samples those features that add most to the divergence of the cluster's profile from that
    of all; of features those with the largest sums.
    """
    n_leaves = int(labels[name].max()) + 1
    for relation in data.relations:
        names = data.names.get(relation.cols)
        if names is not None and name in (data.center, relation.cols):
            weights = (
                _divergence(relation, labels[name], n_leaves)
                if name == data.center
                else _sums(relation, labels[name], n_leaves)
            )
            return [_join_names(names, row) for row in weights]
    return [""] * n_leaves


def _divergence(relation: Relation, labels: Array, k: int) -> Array:
    """Return the term of each feature in the divergence of each cluster of samples."""
    present = labels if relation.row_index is None else labels[relation.row_index]
    sums = as_dense(times(relation.matrix.T, as_partition(present, k))).T
    profile = sums * safe_inverse(sums.sum(axis=1))[:, None]
    overall = sums.sum(axis=0) / max(float(sums.sum()), np.finfo(float).tiny)
    return np.asarray(xlogy(profile, profile * safe_inverse(overall)))


def _sums(relation: Relation, labels: Array, k: int) -> Array:
    """Return the sum of each feature in its cluster, zero in the others."""
    return np.where(labels == np.arange(k)[:, None], column_sums(relation.matrix), 0.0)


def _join_names(names: Any, weights: Array) -> str:
    """Join the names with the largest weights."""
    best = np.argsort(-weights, kind="stable")[:WORDS]
    return ", ".join(str(names[j]) for j in best if weights[j] > 0)
