"""What the spectral methods share: embed, k-means with links, labels; and the way back for new
samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.data.scaling import NORMALIZATIONS
from cocluster.linalg.matrices import inner, safe_inverse
from cocluster.linalg.partitions import Partition
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer
from cocluster.methods.spectral.means import NearestMeans, point_set, squared_distances
from cocluster.methods.spectral.merging import merger
from cocluster.methods.task import Task, best_of
from cocluster.trifactor import RelationalProblem, Run, State, alternate
from cocluster.utils.checks import check_choice, check_integer

Points = dict[str, Array]
# k-means ends when no label changes, after some tens of sweeps; this only bounds the exceptions.
MAX_SWEEPS = 300


@dataclass(frozen=True, eq=False, kw_only=True)
class SpectralTask(Task):
    """A task whose objects are points of an embedding.

    Attributes
    ----------
    points : dict of type to points, as the method made them
    projection : B of `SpectralCoclusterer`, which maps what is known of a new sample to a point
    landed : the points of the samples as if they were new ones
    extras : whatever else the method found out and will store
    """

    points: Points
    projection: Array
    landed: Array
    extras: Any = None


@dataclass(eq=False, repr=False)
class SpectralCoclusterer(Coclusterer):
    r"""Base of the methods that cluster objects as points in the span of a few eigenvectors.

    Parameters
    ----------
    n_clusters : int
        Clusters of samples.
    normalize : {"auto", None, "l2", "tfidf", "degree"}
        How the data are scaled first, see `cocluster.data.scaling.fit_scaling`.
    n_init : int
        Starts of k-means; the one with the lowest objective is kept.
    random_state : int, RandomState or None
        The same seed gives the same labels.

    Attributes
    ----------
    embedding_ : dict of type to array of shape (n_objects, n_dimensions), the points
    objective_ : sum of the squared distances of the points to the means of their clusters, and the
        cost of violated cannot-links
    association_ : mean of the normalised data in each block
    labels_, row_labels_, column_labels_, labels_by_type_, links_report_, objective_history_,
    n_iter_, converged_
        As in `Coclusterer`.

    Notes
    -----
    Links act by one mechanism: objects joined by must-links are contracted to one before the
    embedding, and move as one in k-means; a cannot-link costs there (`NearestMeans`).

    New samples are projected to P B: the method gives features P of a sample that need only the
    points of the other types, and least squares on the samples of the fit give B with
    :math:`P B \approx Z`. Where the points are singular vectors, P B = Z exactly and B holds the
    inverse singular values (the Nyström step). They join the cluster whose samples have the
    nearest mean when they are projected alike: with links, or smoothed by patches, samples lie
    elsewhere than new ones land.
    """

    # Not parameters, unless a method makes them so: embeddings need no start.
    n_column_clusters: int | Mapping[str, int] | None = field(default=None, init=False)
    _: KW_ONLY
    n_init: int = 10
    init: Any = field(default="spectral", init=False)
    max_iter: int = field(default=MAX_SWEEPS, init=False)
    tol: float = field(default=0.0, init=False)

    _auto_normalization: ClassVar[str | None] = None
    # All types share one k-means.
    _together: ClassVar[bool] = True
    # How the rows of must-linked objects are added up, see `Merger`.
    _tie_power: ClassVar[float] = 0.0

    def _check_parameters(self) -> None:
        check_choice(self.normalize, "normalize", NORMALIZATIONS)
        check_integer(self.n_init, "n_init")

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        clusters = super()._clusters(data)
        k = clusters[data.center]
        return dict.fromkeys(clusters, k) if self._together else clusters

    def _embed(
        self, data: RelationalData, clusters: Mapping[str, int], rng: np.random.Generator
    ) -> tuple[Points, Any]:
        """Points of every type that is clustered, and what else is to be stored."""
        raise NotImplementedError

    def _projected(self, data: RelationalData, points: Points) -> Array:
        """What the points of other types say of each sample."""
        raise NotImplementedError

    def _prepared(self, task: Task) -> SpectralTask:
        tied = merger(task.links, self._tie_power)
        points, extras = self._embed(tied.data(task.data), task.clusters, task.rng)
        points = tied.spread(points)
        # From single samples to the points of their components: so will new samples come.
        features = self._projected(task.data, points)
        B = np.linalg.lstsq(features, points[task.data.center])[0]
        landed = self._finished(features @ B)
        return task.extended(
            SpectralTask, points=points, projection=B, landed=landed, extras=extras
        )

    def _solve(self, task: Any) -> Run:
        finished = {name: self._finished(Z) for name, Z in task.points.items()}
        groups = [list(finished)] if self._together else [[name] for name in finished]
        sets = {
            names[0]: point_set(
                {name: finished[name] for name in names}, task.clusters[names[0]], task.links
            )
            for names in groups
        }
        problem = NearestMeans(sets)
        starts = (problem.start(int(s)) for s in task.rng.integers(2**31 - 1, size=self.n_init))
        runs = (
            alternate(problem, start, max_iter=MAX_SWEEPS, tol=0, callback=task.callback)
            for start in starts
        )
        best = best_of(runs)
        return replace(best, state=self._by_type(task.data, groups, best.state))

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        self.embedding_ = {name: self._finished(Z) for name, Z in task.points.items()}
        self._points, self._projection = task.points, task.projection
        G: Partition = run.state.factors[task.data.center]
        # Clusters as new samples see them; one that holds features only takes no samples.
        self._occupied, self._n_means = np.flatnonzero(G.sizes), G.n_clusters
        self._means = inner(G, task.landed)[self._occupied] / G.sizes[self._occupied, None]

    def _finished(self, Z: Array) -> Array:
        """Points as k-means sees them: their directions only."""
        return np.asarray(unit_rows(Z))

    def _by_type(self, data: RelationalData, groups: list[list[str]], state: State) -> State:
        """Labels of every type, and the mean of the data in each block."""
        partitions: dict[str, Partition] = {}
        for names in groups:
            G, first = state.factors[names[0]], 0
            for name in names:
                partitions[name] = G[np.arange(first, first + data.size(name))]
                first += data.size(name)
        labelled, problem = State(partitions), RelationalProblem(data)
        means = []
        for r in range(len(data.relations)):
            rows, columns = (problem.part(labelled, r, side).sizes for side in ("rows", "cols"))
            means.append(
                problem.cross(labelled, r) * np.outer(safe_inverse(rows), safe_inverse(columns))
            )
        return replace(labelled, associations=tuple(means))

    def _costs_of(self, data: RelationalData) -> Array:
        """Squared distance to every mean of a sample projected as in Notes."""
        Z = self._finished(self._projected(data, self._points) @ self._projection)
        costs = np.full((len(Z), self._n_means), np.inf)
        costs[:, self._occupied] = squared_distances(Z, self._means)
        return costs
