"""The default algorithm of `CoCluster`, top-down.

`select_method` decides by the values alone which estimator fits the data; `ConsensusITCC`
is the rule, and its `_solve` is the algorithm. The stages, in order:

1. label propagation (`supervision`): links between some samples become a prior for all of them;
2. subsampled start (`subsample`): large data are clustered on a sample of their rows first;
3. consensus embedding (`embedding`): the samples as points, smoothed over nearest neighbours;
4. initial partition: k-means in the embedding, features by their profiles over these clusters;
5. alternating minimisation: sweeps that lower the information lost, with mixture weights if the
   counts are Poisson (`poisson`);
6. split-merge moves (`split_merge`) out of a local optimum, for Poisson counts;
7. merging of features, numbering (`results`) and calibration (`probability`), by `CoCluster`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from cocluster.data.relational import (
    RelationalData,
    is_full,
    may_be_dense,
    row_blocks,
    store_by_content,
)
from cocluster.data.scaling import Shifted, column_floor, subtract_floor
from cocluster.graphs.neighbours import EXACT_LIMIT
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import column_sums, is_nonnegative, times
from cocluster.linalg.partitions import Ties, as_partition
from cocluster.linalg.rowwise import rows_in_memory
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, Matrix
from cocluster.methods.base import Coclusterer, undecided
from cocluster.methods.default.embedding import (
    SampleEmbedding,
    consensus_embedding,
    singular_embedding,
)
from cocluster.methods.default.poisson import CountSample, has_poisson_noise, sample_counts
from cocluster.methods.default.split_merge import split_and_merge
from cocluster.methods.default.subsample import assign_all_rows, subsample_task
from cocluster.methods.default.supervision import propagate_labels
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.information.itcc import (
    ITCC,
    InformationProblem,
    information_problem,
    initial_state,
    rarity_of,
    with_joint_distributions,
)
from cocluster.methods.starts import Labels, given_start, start_name, starts
from cocluster.methods.task import Form, Scale, Start, Task, best_of, clusters_by_type
from cocluster.trifactor import Run, State, alternate
from cocluster.utils.checks import broadcast

# On the leaderboard scores rise from one to five, and ten gain nothing more.
FEATURE_CLUSTERS_PER_CLUSTER = 5


def select_method(data: RelationalData) -> tuple[type[Coclusterer], RelationalData]:
    """Return the estimator that "auto" uses for some data, and the data as it is given them.

    Without negative values it is `ConsensusITCC`. With some it is `ShiftedITCC`, which counts every
    feature from its least value and so fills what was sparse; if that would be more than
    50,000,000 entries, and less than a quarter of them are not zero, it is `FNMTF`, as for data
    with missing entries. The same data, dense or sparse, integers or floats, are treated alike,
    and unless they are large they reach the estimator as the same bytes.
    """
    if any(r.observed is not None for r in data.relations):
        return FNMTF, data
    signed = [r.matrix for r in data.relations if not is_nonnegative(r.matrix)]
    if not all(may_be_dense(R) or is_full(R) for R in signed):
        return FNMTF, data
    return (ShiftedITCC if signed else ConsensusITCC), store_by_content(data)


@dataclass(eq=False, repr=False)
class ConsensusITCC(ITCC):
    r"""Information-theoretic co-clustering from a consensus of embeddings and neighbours.

    The objective, links and predictions are those of `ITCC`. Six things differ, most of them chosen
    on one half of the leaderboard's sets and shown on the other (``benchmarks/leaderboard``):

    * The start is k-means in an embedding that was smoothed over nearest neighbours, see
      `cocluster.methods.default.embedding.consensus_embedding`. Above 20,000 samples, and in row
      blocks, the singular vectors of :math:`D_r^{-1/2} X D_c^{-1/2}` alone. Must-linked samples
      start at one point.
    * Measurements (more than a quarter of the entries are not zero) of 300 samples or more, unless
      they are counts with Poisson noise: the samples keep the labels of the start, and only the
      features move. Neighbours tell more there than profiles over feature clusters. With links the
      samples move all the same.
    * ``n_column_clusters=None`` means five times ``n_clusters``, at most one for each feature:
      finer profiles tell samples better apart.
    * One matrix of counts that vary as Poisson counts do, see `cocluster.methods.default.poisson`:
      the objective includes the sizes of the clusters, and split-merge moves follow
      (`cocluster.methods.default.split_merge`). If some clusters are fifty times as large as
      others, small ones would otherwise take samples from them. Chosen on planted data: texts are
      not such.
    * Several relations count alike (times their weights), whatever their units.
    * Links are propagated: their information on some samples is used for all, see
      `cocluster.methods.default.supervision`.

    Parameters and attributes are those of `ITCC`, but for ``tol``: by default a run ends with the
    first sweep that gains less than a thousandth of the objective. The many small sweeps after it
    change no score by more than half a point.
    """

    _: KW_ONLY
    tol: float = 1e-3
    spread: bool = True

    @property
    def method_name(self) -> str:
        """Return "auto": the default of `CoCluster` has no name of its own."""
        return "auto"

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        counts = clusters_by_type(data, self.n_clusters, self.n_column_clusters)
        requested = broadcast(self.n_column_clusters, counts)
        default = FEATURE_CLUSTERS_PER_CLUSTER * counts[data.center]
        for name in counts:
            if name != data.center and requested.get(name) is None:
                counts[name] = min(default, data.size(name))
        return counts

    def _scaled(self, data: RelationalData, form: Form) -> RelationalData:
        return balance_relations(super()._scaled(data, form))

    def _solve(self, task: Task) -> Run:
        """Propagate the links, if there are any; then cluster from the prior or from scratch."""
        center, seeds = task.data.center, ()
        if start_name(self.init) == "spectral":
            seeds = tuple(task.rng.integers(2**31 - 1, size=self.n_init).tolist())
        prior, links = task.priors.get(center), task.links.get(center)
        if prior is None and links is not None and self.spread:
            prior = propagate_labels(
                task, links, lambda unlinked: co_cluster(unlinked, seeds, self)
            )
        if prior is None:
            return co_cluster(task, seeds, self)
        task = replace(task, priors={center: prior})
        start = given_start(task.data, task.clusters, {center: prior.argmax(axis=1)})
        problem = information_problem(task)
        return minimise_from(start, problem, sample_counts(task.data), task, self)

    def _store(self, task: Task, run: Run) -> None:
        super()._store(task, run)
        # New samples pay for the size of their cluster as those of the fit did.
        counts = sample_counts(task.data)
        unit = 0.0
        if counts is not None:
            unit = counts.poisson_unit(InformationProblem(task.data), run.state)
        self._rarity = unit * rarity_of(self._factors[task.data.center].sizes)

    def _keep(self, run: Run) -> None:
        super()._keep(run)
        # The sizes of the clusters were lost with the labels.
        self.__dict__.pop("_rarity", None)

    def _costs_of(self, data: RelationalData) -> Array:
        costs = super()._costs_of(data)
        # A sample without evidence is not evidence for the largest cluster, either.
        return np.where(undecided(costs)[:, None], costs, costs + getattr(self, "_rarity", 0.0))


@dataclass(eq=False, repr=False)
class ShiftedITCC(ConsensusITCC):
    """`ConsensusITCC` for data of any sign: features below zero are shifted up to zero.

    A new value below all those of the fit counts as the least of them.
    """

    _nonnegative: ClassVar[bool] = False

    def _fit_scaling(self, R: Matrix) -> Scale:
        floor = column_floor(R)
        return Shifted(floor, super()._fit_scaling(subtract_floor(R, floor)))


def balance_relations(data: RelationalData) -> RelationalData:
    """Divide the weight of each of several relations by its total, so that all count alike."""
    # The weight of an only relation changes nothing.
    if len(data.relations) == 1:
        return data
    totals = [float(column_sums(relation.matrix).sum()) for relation in data.relations]
    return data.derive(
        relation.derive(weight=relation.weight / total) if total > 0 else relation
        for relation, total in zip(data.relations, totals, strict=True)
    )


def co_cluster(task: Task, seeds: tuple[int, ...], parameters: ITCC) -> Run:
    """Cluster the data of a task without a prior: embed, partition, minimise, split and merge.

    Parameters
    ----------
    task : Task
    seeds : tuple of int
        One for each start in an embedding; empty if ``parameters.init`` says how to start.
    parameters : ITCC
        The estimator, for ``init``, ``n_init``, ``max_iter`` and ``tol``.
    """
    sample = subsample_task(task) if seeds else None
    small = task if sample is None else sample
    problem, k = information_problem(small), small.clusters[small.data.center]
    partitions: Iterable[Start]
    if seeds:
        near = comparable_samples(small.data)
        if near is None:
            embedding = SampleEmbedding(singular_embedding(small.data, k, seeds[0]))
        else:
            embedding = consensus_embedding(near, k, seeds[0])
        partitions = kmeans_partitions = [
            partition_embedding(small, embedding, seed) for seed in seeds
        ]
        # Counts with Poisson noise, and samples with links, are left to the sweeps.
        sweeps_help = small.links or not embedding.outlines_clusters
        if (
            near is not None
            and not sweeps_help
            and not has_poisson_views(near, kmeans_partitions[0])
        ):
            problem = FeaturesOnly(small.data)
    else:
        partitions = starts(
            small.data, small.clusters, parameters.init, parameters.n_init, task.rng
        )
    counts, runs = sample_counts(small.data), []
    for start in partitions:
        runs.append(minimise_from(start, problem, counts, small, parameters))
    run = best_of(runs)
    if sample is None:
        return run
    problem = information_problem(task)
    state = assign_all_rows(problem, run.state)
    run = minimise_information_loss(problem, state, sample_counts(task.data), task, parameters)
    return with_joint_distributions(problem, run)


def comparable_samples(data: RelationalData) -> RelationalData | None:
    """Return the data in memory if all samples can be compared with all; None if too many.

    So few rows fit into memory also if they come in blocks, and are then treated as others.
    """
    n = len(data)
    if n > min(EXACT_LIMIT, *(rows_in_memory(r.matrix) for r in data.relations)):
        return None
    return data if row_blocks(data) is None else data[np.arange(n)]


def partition_embedding(task: Task, embedding: SampleEmbedding, seed: int) -> Labels:
    """Cluster samples by k-means in the embedding, features by their profile over the clusters."""
    center, links = task.data.center, task.links.get(task.data.center)
    ties = None if links is None else Ties(links.closure().component)
    labels = embedding.kmeans(task.clusters[center], seed, ties)
    start = {center: labels}
    G = as_partition(labels, task.clusters[center])
    for r in task.data.relations:
        if r.rows == center and r.cols not in start:
            profile = times(r.matrix.T, G if r.row_index is None else G[r.row_index])
            start[r.cols] = kmeans_labels(unit_rows(profile), task.clusters[r.cols], seed, n_init=1)
    return given_start(task.data, task.clusters, start)


def has_poisson_views(data: RelationalData, start: Labels) -> bool:
    """Whether all views hold counts that vary in the blocks of a start as Poisson counts do."""
    rows = start[data.center]
    return all(
        has_poisson_noise(
            r.matrix, rows if r.row_index is None else rows[r.row_index], start[r.cols]
        )
        for r in data.relations
        if r.rows == data.center
    )


@dataclass(frozen=True, eq=False)
class FeaturesOnly(InformationProblem):
    """Lose as little information as possible by clusters of the features, the samples fixed."""

    def moved(self, name: str, state: State) -> State:
        """Return the state after one step; the samples stay."""
        return state if name == self.data.center else super().moved(name, state)


def minimise_from(
    start: Start,
    problem: InformationProblem,
    counts: CountSample | None,
    task: Task,
    parameters: ITCC,
) -> Run:
    """Minimise the information lost from one start, then try split-merge moves.

    Only Poisson counts without links or priors are split and merged.
    """
    state = initial_state(problem, task, start)
    run = minimise_information_loss(problem, state, counts, task, parameters)
    run = with_joint_distributions(problem, run)
    if counts is None or task.links or task.priors:
        return run
    weighted = counts.with_mixture_weights(problem, run.state)
    if not weighted.occurrence:
        return run

    def sweep(moved: State) -> Run:
        moved_run = minimise_information_loss(weighted, moved, counts, task, parameters)
        return with_joint_distributions(weighted, moved_run)

    return split_and_merge(weighted, run, sweep, parameters.tol)


def minimise_information_loss(
    problem: InformationProblem,
    state: State,
    counts: CountSample | None,
    task: Task,
    parameters: ITCC,
) -> Run:
    """Sweep over samples and features in turn, with mixture weights if the counts are Poisson."""
    sweep = partial(
        alternate, max_iter=parameters.max_iter, tol=parameters.tol, callback=task.callback
    )
    if counts is None or problem.occurrence:
        return sweep(problem, state)
    # Sweeps without mixture weights would lead away from a good start.
    weighted = counts.with_mixture_weights(problem, state)
    run = sweep(weighted, state)
    if weighted.occurrence:
        return run
    # A start that is far off does not show yet how the counts vary.
    weighted = counts.with_mixture_weights(problem, run.state)
    return sweep(weighted, run.state) if weighted.occurrence else run
