"""Ratings that nobody gave: how well are they predicted from those that were?

    COCLUSTER_DATA=... python -m benchmarks ratings [--movielens ml-100k/u.data]

Jester, 2,916 people and 140 jokes, five folds (the ones that Surprise draws with seed 0). The
number of clusters is chosen in every fold from the training ratings alone: a tenth of them is held
out, the number with the least error there is taken, and the model fitted again to all of them. The
peers are those of Surprise, if it is installed, as they come. Seconds are processor time of one fit
and its predictions, on one thread; the choice takes one more such fit for each number tried.

MovieLens-100k may not be passed on: its file has to be given.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster import FNMTF, NMF, NMTF
from cocluster.data.missing import fit_biases
from cocluster.datasets import fetch
from cocluster.linalg.known import ones_like
from cocluster.linalg.types import Array
from cocluster.utils.threads import limit

FOLDS, SEED = 5, 0
# One in ten training ratings judges the numbers of clusters.
HELD_OUT = 10
HARD, SOFT = (5, 10, 20, 40), (2, 5, 10, 20)
# What Surprise 1.1 reached on the same folds: error, of its CoClustering and of its biases.
PUBLISHED = {"CoClustering (Surprise)": 3.987, "biases (Surprise)": 4.065}
RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who rated what, and how: three arrays of one length."""

    rows: Array
    columns: Array
    values: Array
    shape: tuple[int, int]

    def __getitem__(self, chosen: Array) -> Ratings:
        return Ratings(self.rows[chosen], self.columns[chosen], self.values[chosen], self.shape)

    def matrix(self) -> sp.csr_array:
        """The same as sparse data, in which what is not stored is unknown."""
        return sp.csr_array((self.values, (self.rows, self.columns)), shape=self.shape)

    def rmse(self, predicted: Array) -> float:
        """Root mean squared error of predictions."""
        return float(np.sqrt(np.mean((predicted - self.values) ** 2)))


# Predictions for the second ratings from the first ones.
Method = Callable[[Ratings, Ratings], Array]


def jester() -> Ratings:
    """The ratings of Jester, from -10 to 10."""
    return of_matrix(fetch("jester_2916x140").X)


def movielens(path: Path) -> Ratings:
    """MovieLens-100k: lines of user, item, rating and time."""
    user, item, value = np.loadtxt(path, usecols=(0, 1, 2), unpack=True)
    rows, columns = (np.unique(side, return_inverse=True)[1] for side in (user, item))
    return Ratings(rows, columns, value, (int(rows.max()) + 1, int(columns.max()) + 1))


def of_matrix(X: Any) -> Ratings:
    """The stored entries of sparse data."""
    found = sp.coo_array(X)
    rows, columns = found.coords
    return Ratings(rows, columns, found.data.astype(np.float64), found.shape)


def folds(n: int) -> Iterator[tuple[Array, Array]]:
    """Training and test positions, as Surprise's KFold draws them."""
    order = np.arange(n)
    np.random.RandomState(SEED).shuffle(order)
    for test in np.array_split(order, FOLDS):
        yield order[~np.isin(order, test)], test


def ours(estimator: type[Any], **options: Any) -> Callable[[int], Method]:
    """A method of the library, with any number of clusters."""

    def with_clusters(k: int) -> Method:
        def predicted(train: Ratings, test: Ratings) -> Array:
            X = train.matrix()
            # Methods for data >= 0 count from the least rating.
            floor = min(X.data.min(), 0.0) if estimator is not FNMTF else 0.0
            X.data = X.data - floor
            rows, columns = (np.flatnonzero(ones_like(X).sum(axis=axis)) for axis in (1, 0))
            model = estimator(k, missing="unobserved", random_state=SEED, **options)
            model.fit(X[rows][:, columns])
            # Who has rated nothing in the training fold, and what nobody has rated there: the mean.
            found = np.full(len(test.values), X.data.mean())
            i, j = _places(rows, X.shape[0], test.rows), _places(columns, X.shape[1], test.columns)
            known = (i >= 0) & (j >= 0)
            found[known] = model.complete(i[known], j[known])
            return np.asarray(found + floor)

        return predicted

    return with_clusters


def _places(kept: Array, size: int, wanted: Array) -> Array:
    """Where objects are among those kept; -1 for the others."""
    place = np.full(size, -1)
    place[kept] = np.arange(len(kept))
    return np.asarray(place[wanted])


def biases(train: Ratings, test: Ratings) -> Array:
    """The mean, and what rows and columns differ from it."""
    R = train.matrix()
    found = fit_biases(R, ones_like(R))
    entries = found.mean + found.rows(R, ones_like(R))[test.rows] + found.columns[test.columns]
    return np.asarray(np.clip(entries, train.values.min(), train.values.max()))


def surprise(name: str, **options: Any) -> Method:
    """A peer, by the name of its class."""

    def predicted(train: Ratings, test: Ratings) -> Array:
        from pandas import DataFrame
        from surprise import Dataset, Reader, prediction_algorithms

        frame = DataFrame({"u": train.rows, "i": train.columns, "r": train.values})
        reader = Reader(rating_scale=(train.values.min(), train.values.max()))
        model = getattr(prediction_algorithms, name)(**options)
        model.fit(Dataset.load_from_df(frame, reader).build_full_trainset())
        pairs = zip(test.rows, test.columns, strict=True)
        return np.array([model.predict(i, j).est for i, j in pairs])

    return predicted


# Methods by name, with the numbers of clusters to choose from.
CHOSEN: Mapping[str, tuple[Callable[[int], Method], Sequence[int]]] = {
    "FNMTF, biases": (ours(FNMTF, biases=True), HARD),
    "FNMTF": (ours(FNMTF), HARD),
    "NMTF": (ours(NMTF), SOFT),
    "NMF": (ours(NMF), SOFT),
}
FIXED: dict[str, Method] = {"biases": biases}
if find_spec("surprise"):
    FIXED["CoClustering (Surprise)"] = surprise("CoClustering", random_state=SEED)
    FIXED["biases (Surprise)"] = surprise("BaselineOnly", verbose=False)


def best_number(make: Callable[[int], Method], numbers: Sequence[int], train: Ratings) -> int:
    """The number of clusters with the least error on a part of the training ratings."""
    order = np.random.default_rng(SEED).permutation(len(train.values))
    held, rest = np.split(order, [len(order) // HELD_OUT])
    errors = [train[held].rmse(make(k)(train[rest], train[held])) for k in numbers]
    return numbers[int(np.argmin(errors))]


def rows_of(ratings: Ratings, name: str) -> Iterator[Row]:
    """A row for every fold and method."""
    for number, (train, test) in enumerate(folds(len(ratings.values))):
        methods: dict[str, tuple[Method, int | str]] = {n: (m, "") for n, m in FIXED.items()}
        for label, (make, numbers) in CHOSEN.items():
            best = best_number(make, numbers, ratings[train])
            methods[label] = make(best), best
        for label, (method, k) in methods.items():
            start = time.process_time()
            predicted = method(ratings[train], ratings[test])
            seconds = time.process_time() - start
            error = ratings[test].rmse(predicted)
            row = {"data": name, "method": label, "fold": number, "clusters": k}
            row |= {"rmse": round(error, 4), "seconds": round(seconds, 3)}
            print(row, flush=True)
            yield row


def report(rows: Sequence[Row]) -> str:
    """The page."""
    lines = ["# Ratings that nobody gave", ""]
    lines += [
        "Root mean squared error on ratings that were held out, means of five folds; clusters as "
        "chosen in each fold from the training ratings; seconds of one fit and its predictions "
        "(processor time, one thread, median of the folds). Made by `python -m benchmarks "
        "ratings`; numbers in `ratings.csv`.",
    ]
    for name in dict.fromkeys(row["data"] for row in rows):
        lines += ["", f"## {name}", "", *_table([row for row in rows if row["data"] == name])]
    return "\n".join([*lines, ""])


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of one data set, least error first."""
    yield "| method | RMSE | clusters | seconds | times as quick as CoClustering (Surprise) |"
    yield "|---|---|---|---|---|"
    peer = _seconds(rows, "CoClustering (Surprise)")
    methods = dict.fromkeys(row["method"] for row in rows)
    errors = {name: np.mean([r["rmse"] for r in rows if r["method"] == name]) for name in methods}
    for name in sorted(errors, key=lambda name: errors[name]):
        clusters = " ".join(str(r["clusters"]) for r in rows if r["method"] == name).strip()
        seconds = _seconds(rows, name)
        ratio = f"{peer / seconds:.1f}" if peer else ""
        yield f"| {name} | {errors[name]:.3f} | {clusters} | {seconds:.2f} | {ratio} |"
    if not peer:
        published = ", ".join(f"{name} {value}" for name, value in PUBLISHED.items())
        yield ""
        yield f"Surprise is not installed; on the folds of Jester it reached: {published}."


def _seconds(rows: Sequence[Row], name: str) -> float:
    """Median over the folds; 0 for a method that was not run."""
    own = [row["seconds"] for row in rows if row["method"] == name]
    return float(np.median(own)) if own else 0.0


def main(movielens_file: Path | None = None) -> None:
    """Run all and write benchmarks/results/ratings.{csv,md}."""
    sets = {"Jester": jester()}
    if movielens_file is not None:
        sets["MovieLens-100k"] = movielens(movielens_file)
    with limit(1):
        rows = [row for name, ratings in sets.items() for row in rows_of(ratings, name)]
    with (RESULTS / "ratings.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    text = report(rows)
    (RESULTS / "ratings.md").write_text(text)
    print(text)
