"""What `CoCluster` does by default: neighbours, then information."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, blocks_of
from cocluster.data.shifting import Shifted, above, floor_of
from cocluster.graphs.neighbours import EXACT_LIMIT
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import as_dense, column_sums, safe_inverse, times
from cocluster.linalg.partitions import Ties, as_partition, gathered
from cocluster.linalg.rowwise import rows_in_memory
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, InMemory, Matrix
from cocluster.methods.auto_start import Places, far_places, has_noise_of_counts, places
from cocluster.methods.base import undecided
from cocluster.methods.information.itcc import ITCC, InformationProblem, rarity_of
from cocluster.methods.occurrences import unit_of, vary_as_counts
from cocluster.methods.probability import sampled_rows
from cocluster.methods.starts import Labels, given_start, start_name
from cocluster.methods.swapping import with_swaps
from cocluster.methods.task import Form, Scale, Start, Task, clusters_by_type
from cocluster.trifactor import Run, State
from cocluster.utils.checks import broadcast

# On the leaderboard scores rise from one to five, and ten gain nothing more.
FEATURE_CLUSTERS_PER_CLUSTER = 5


@dataclass(frozen=True, eq=False)
class PlacedTask(Task):
    """A task whose samples are embedded before they are clustered.

    Without ``seeds`` the start is given.
    """

    seeds: tuple[int, ...] = ()

    @cached_property
    def near(self) -> RelationalData | None:
        """The data in memory, where all rows can be compared with all; None if they are too many.

        So few rows fit also if they are in blocks, and then go the same way as others.
        """
        data, n = self.data, len(self.data)
        if n > min(EXACT_LIMIT, *(rows_in_memory(r.matrix) for r in data.relations)):
            return None
        return data if blocks_of(data) is None else data[np.arange(n)]

    @cached_property
    def places(self) -> Places | None:
        """Where the samples lie among their neighbours; None if they are too many to compare."""
        if self.near is None:
            return None
        return places(self.near, self.clusters[self.data.center], self.seeds[0])

    @property
    def ties(self) -> Ties | None:
        """Must-linked samples."""
        own = self.links.get(self.data.center)
        return None if own is None else Ties(own.closure().component)

    def start(self, seed: int) -> Labels:
        """Samples by k-means at their places, features by their profile over those clusters."""
        center = self.data.center
        labels = self.embedded(seed)
        start = {center: labels}
        # Features follow from the samples, for which the embeddings were made.
        G = as_partition(labels, self.clusters[center])
        for r in self.data.relations:
            if r.rows == center and r.cols not in start:
                profile = times(r.matrix.T, G if r.row_index is None else G[r.row_index])
                k = self.clusters[r.cols]
                start[r.cols] = kmeans_labels(unit_rows(profile), k, seed, n_init=1)
        return given_start(self.data, self.clusters, start)

    def embedded(self, seed: int) -> Array:
        """Clusters of the samples by k-means at their places."""
        k = self.clusters[self.data.center]
        if self.places is not None:
            return self.places.labels(k, seed, self.ties)
        Z = far_places(self.data, k, self.seeds[0])
        return kmeans_labels(Z if self.ties is None else unit_rows(self.ties.pooled(Z)), k, seed)

    @cached_property
    def settled(self) -> bool:
        """Whether the samples stay where their neighbours put them, and only features move.

        So they do where the places say more than profiles: measurements of many samples. Counts
        with the noise of counts, and links, are left to the sweeps.
        """
        if not self.seeds or self.near is None or self.places is None:
            return False
        if self.links or self.priors:
            return False
        if not self.places.by_neighbours:
            return False
        start = self.start(self.seeds[0])
        rows = start[self.data.center]
        return not all(
            has_noise_of_counts(
                r.matrix, rows if r.row_index is None else rows[r.row_index], start[r.cols]
            )
            for r in self.near.relations
            if r.rows == self.data.center
        )

    @cached_property
    def looked_at(self) -> Array:
        """Positions of the rows that tell what kind of counts the data are; some, of many."""
        n = len(self.data)
        return np.arange(n) if n <= EXACT_LIMIT else sampled_rows(n)

    @cached_property
    def their_matrix(self) -> InMemory | None:
        """These rows, of the only matrix; None if there are several, or if it lacks samples."""
        first, *others = self.data.relations
        if others or first.row_index is not None:
            return None
        matrix: InMemory = self.data[self.looked_at].relations[0].matrix
        return matrix

    @cached_property
    def unit(self) -> float:
        """The entry that stands for one occurrence; 0 if the data do not count any."""
        return 0.0 if self.their_matrix is None else unit_of(self.their_matrix)

    def occurrence(self, problem: InformationProblem, state: State) -> float:
        """The same; 0 also if counts do not vary as the clusters of a state lead one to expect.

        See `cocluster.methods.occurrences`.
        """
        X = self.their_matrix
        if X is None or not self.unit:
            return 0.0
        labels = gathered(state.factors[self.data.center]).labels[self.looked_at]
        joint = problem.cross(State(state.factors, (), dict(state.products)), 0)
        profiles = joint * safe_inverse(joint.sum(axis=1))[:, None]
        counts = as_dense(times(X, state.factors[self.data.relations[0].cols])) / self.unit
        return self.unit if vary_as_counts(counts, profiles[labels]) else 0.0


@dataclass(frozen=True, eq=False)
class FeaturesOnly(InformationProblem):
    """Lose as little information as possible by clusters of the features, for given samples."""

    def moved(self, name: str, state: State) -> State:
        """The state after one step; the samples stay."""
        return state if name == self.data.center else super().moved(name, state)


@dataclass(eq=False, repr=False)
class ConsensusITCC(ITCC):
    r"""Information-theoretic co-clustering from what several embeddings and neighbours agree on.

    The objective, links and predictions are those of `ITCC`. Six things differ, most of them chosen
    on one half of the leaderboard's sets and shown on the other (``benchmarks/leaderboard``):

    * The start is k-means where the samples lie after their neighbours were heard, see
      `cocluster.methods.auto_start.places`. Above 20,000 samples, and in row blocks, the singular
      vectors of :math:`D_r^{-1/2} X D_c^{-1/2}` alone. Must-linked samples begin at one point.
    * Measurements (more than a quarter of the entries are not zero) of 300 samples or more, unless
      they are counts with the noise of counts: the samples keep the labels of the start, and only
      the features move. Neighbours tell more there than profiles over feature clusters. Links let
      the samples move all the same.
    * ``n_column_clusters=None`` means five times ``n_clusters``, at most one for each feature:
      finer profiles tell samples better apart.
    * One matrix of counts that vary as Poisson counts do, see `cocluster.methods.occurrences`: the
      objective includes the sizes of the clusters, and merges and splits follow
      (`cocluster.methods.swapping`). Where some clusters are fifty times as large as others, small
      ones would otherwise take samples from them. Chosen on planted data: texts are not such.
    * Several relations count alike (times their weights), whatever their units.
    * Links spread: what they say of some samples is used for all, see
      `cocluster.methods.spreading`.

    Parameters and attributes are those of `ITCC`, but for ``tol``: by default a run ends with the
    first sweep that wins less than a thousandth of the objective. The many small sweeps after it
    change no score by more than half a point.
    """

    _: KW_ONLY
    tol: float = 1e-3
    spread: bool = True

    @property
    def method_name(self) -> str:
        """What `CoCluster` does by default has no name of its own."""
        return "auto"

    def _scaled(self, data: RelationalData, form: Form) -> RelationalData:
        data = super()._scaled(data, form)
        # The weight of an only relation changes nothing.
        if len(data.relations) == 1:
            return data
        return data.derive(map(_balanced, data.relations))

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        counts = clusters_by_type(data, self.n_clusters, self.n_column_clusters)
        given = broadcast(self.n_column_clusters, counts)
        many = FEATURE_CLUSTERS_PER_CLUSTER * counts[data.center]
        for name in counts:
            if name != data.center and given.get(name) is None:
                counts[name] = min(many, data.size(name))
        return counts

    def _prepared(self, task: Task) -> Task:
        spectral = start_name(self.init) == "spectral"
        seeds = task.rng.integers(2**31 - 1, size=self.n_init).tolist() if spectral else ()
        return task.extended(PlacedTask, seeds=tuple(seeds))

    def _starts(self, task: Task) -> Iterator[Start]:
        placed = cast(PlacedTask, task)
        if placed.seeds:
            yield from map(placed.start, placed.seeds)
        else:
            yield from super()._starts(task)

    def _linked_problem(self, task: Task) -> InformationProblem:
        settled = cast(PlacedTask, task).settled
        problem = (FeaturesOnly if settled else InformationProblem)(task.data, task.links)
        return self._with_prior(problem, task)

    def _sized(self, problem: InformationProblem, state: State, task: Task) -> InformationProblem:
        """The problem in which clusters have a size, if what was found says that they should."""
        unit = cast(PlacedTask, task).occurrence(problem, state)
        return problem.with_occurrence(task.data.center, unit) if unit else problem

    def _sweep(self, problem: Any, start: State, task: Task) -> Run:
        if not problem.occurrence:
            # Sweeps without sizes would lead away from a good start.
            problem = self._sized(problem, start, task)
        run = super()._sweep(problem, start, task)
        if problem.occurrence:
            return run
        # A start that is far off does not show yet how counts vary.
        problem = self._sized(problem, run.state, task)
        return super()._sweep(problem, run.state, task) if problem.occurrence else run

    def _solve_from(self, task: Task, start: Start) -> Run:
        run = super()._solve_from(task, start)
        problem = self._sized(self._linked_problem(task), run.state, task)
        if not problem.occurrence or task.links or task.priors:
            return run

        def sweeps(state: State) -> Run:
            return self._finished(problem, self._sweep(problem, state, task))

        return with_swaps(problem, run, sweeps, self.tol)

    def _store(self, task: Task, run: Run) -> None:
        super()._store(task, run)
        # What new samples pay for the size of their cluster.
        unit = cast(PlacedTask, task).occurrence(self._linked_problem(task), run.state)
        self._rarity = unit * rarity_of(self._factors[task.data.center].sizes)

    def _keep(self, run: Run) -> None:
        super()._keep(run)
        # How large the clusters are was lost with the labels.
        self.__dict__.pop("_rarity", None)

    def _costs_of(self, data: RelationalData) -> Array:
        costs = super()._costs_of(data)
        # A sample that says nothing says nothing for the largest cluster, either.
        return np.where(undecided(costs)[:, None], costs, costs + getattr(self, "_rarity", 0.0))


@dataclass(eq=False, repr=False)
class ShiftedITCC(ConsensusITCC):
    """`ConsensusITCC` for data of any sign: features below zero are shifted up to zero.

    A new value below all those of the fit counts as the least of them.
    """

    _nonnegative: ClassVar[bool] = False

    def _fit_scaling(self, R: Matrix) -> Scale:
        floor = floor_of(R)
        return Shifted(floor, super()._fit_scaling(above(R, floor)))


def _balanced(relation: Relation) -> Relation:
    """The relation with a weight that makes up for its total."""
    total = float(column_sums(relation.matrix).sum())
    return relation.derive(weight=relation.weight / total) if total > 0 else relation
