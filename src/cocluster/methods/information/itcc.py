"""ITCC: information-theoretic co-clustering, for any number of types."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy

from cocluster.data.relational import RelationalData
from cocluster.linalg.assignment import fill_empty
from cocluster.linalg.matrices import column_sums, row_information
from cocluster.linalg.partitions import Ties, gathered
from cocluster.linalg.rowwise import rowwise, summed
from cocluster.linalg.types import Array, Matrix
from cocluster.links import Links
from cocluster.methods.base import Coclusterer
from cocluster.methods.default.supervision import PriorMixin, prior_costs
from cocluster.methods.streams import HardPartialFitMixin
from cocluster.methods.task import Start, Task
from cocluster.trifactor import (
    BlockQuadratic,
    Indicator,
    PairTerms,
    Penalty,
    Prior,
    RelationalProblem,
    Run,
    State,
    ties_and_pairs,
)

# Least probability whose logarithm is taken: a count where a cluster has none costs some 690
# nats, more than anything else, and stays finite.
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class InformationProblem(RelationalProblem):
    r"""Lose as little mutual information as possible by clustering.

    .. math:: J = \sum_r p_r [I(X_r; Y_r) - I(\hat X_r; \hat Y_r)],\quad p_r \propto w_r \sum R_r

    with each relation read as a joint distribution and p_r its share of all counts. Tied objects
    (must-links) move as one; a violated cannot-link of weight 1 costs as much as an average
    object informs, J(no clusters)/n. A prior adds what it costs each object of a type to be in each
    cluster.

    The objects of types in ``occurrence`` also pay for being in a small cluster, one in which a
    share :math:`\pi` of them is: :math:`-\log \pi` nats each. Of counts J is then, but for a
    constant, minus the log-likelihood of a mixture with these proportions. Without, it is that of
    clusters of equal size, and small ones take objects from large ones beside them. The value given
    for a type is the entry that stands for one occurrence: 1 for counts, 128 for 128 times the
    counts, which are no more evidence.
    """

    links: Mapping[str, Links] = field(default_factory=dict)
    priors: Mapping[str, Prior] = field(default_factory=dict)
    occurrence: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def ties(self) -> dict[str, Ties]:
        """Must-link components by type."""
        return {name: ties_and_pairs(links)[0] for name, links in self.links.items()}

    @cached_property
    def pairs(self) -> dict[str, PairTerms]:
        """Costs of shared clusters by type."""
        # Per object, so that a link weighs the same against the data whatever their size.
        costs = {name: self.information / self.data.size(name) for name in self.links}
        matrices = {name: ties_and_pairs(links)[1] for name, links in self.links.items()}
        return {name: PairTerms(costs[name] * P) for name, P in matrices.items() if P.nnz}

    @cached_property
    def totals(self) -> list[float]:
        """Sum of each relation's entries; 1 for an empty one."""
        return [float(margin.sum()) or 1.0 for margin in self.margins]

    @cached_property
    def shares(self) -> Array:
        """Share of each relation in all counts, weights included."""
        counts = np.array([r.weight for r in self.data.relations]) * self.totals
        return counts / counts.sum()

    @cached_property
    def information(self) -> float:
        """Mutual information of the data."""
        terms = []
        for r, relation in enumerate(self.data.relations):
            information = mutual_information(relation.matrix, self.totals[r], self.margins[r])
            terms.append(float(self.shares[r] * information))
        return sum(terms)

    @property
    def nat(self) -> float:
        """Weight of one nat of a single object in the objective; the mean over the relations."""
        return float(np.mean(self.shares / self.totals))

    def with_occurrence(self, name: str, unit: float) -> InformationProblem:
        """Return this problem with the objects of a type paying for the size of their cluster."""
        # A copy, not a new problem: cached properties, such as the information, are kept.
        sized = copy.copy(self)
        object.__setattr__(sized, "occurrence", {**self.occurrence, name: unit})
        return sized

    def rarity(self, name: str, state: State) -> Array:
        """Return the cost of cluster size for each object of a type, by cluster."""
        return self.occurrence.get(name, 0.0) * self.nat * rarity_of(state.factors[name].sizes)

    @property
    def constant(self) -> float:
        """Information of the data: gains are measured against the information kept.

        Of sparse counts most information is noise that no clustering keeps (of 20 M counts in ten
        clusters 4.4 nats, of which .09 can be kept): a thousandth of what is lost would be a
        twentieth of all there is to win.
        """
        return self.information

    def objective(self, state: State) -> float:
        """Information lost, the cost of violated cannot-links, of priors and of small clusters."""
        information_kept = (
            share * mutual_information(self.cross(state, r), self.totals[r])
            for r, share in enumerate(self.shares)
        )
        terms: list[tuple[str, Penalty]] = [*self.pairs.items(), *self.priors.items()]
        link_and_prior_costs = sum(term.value(state.factors[name]) for name, term in terms)
        size_costs = sum(
            float(self.rarity(name, state) @ state.factors[name].sizes) for name in self.occurrence
        )
        return self.information - sum(information_kept) + link_and_prior_costs + size_costs

    def scores_given(self, name: str, state: State, joints: Sequence[Array]) -> Any:
        """Return the information each object of a type would add in each cluster.

        The joint distributions (or counts) of the clusters are given for each relation.
        """
        scores = []
        for r, side in self.touching(name):
            code = self._code(r, joints[r] if side == "cols" else joints[r].T)
            relation_scores, index = self.product(state, r, side) @ code.T, self.rows_of(r, side)
            # Objects absent from the relation add nothing, whatever their cluster.
            if not isinstance(index, slice):
                present_scores, relation_scores = (
                    relation_scores,
                    np.zeros((self.data.size(name), code.shape[0])),
                )
                relation_scores[index] = present_scores
            scores.append(relation_scores)
        return sum(scores[1:], start=scores[0])

    def _code(self, r: int, joint: Array) -> Array:
        """Logarithms of the profiles of the clusters, times the weight of one count."""
        profile = joint / np.maximum(joint.sum(axis=1, keepdims=True), TINY)
        return self.shares[r] / self.totals[r] * np.log(np.maximum(profile, TINY))

    def moved(self, name: str, state: State) -> State:
        """Move every object to the cluster whose profile codes it best, [1]_, Fig. 1."""
        joints = [self.cross(state, r) for r in range(len(self.totals))]
        return self._assign_to_profiles(name, state, joints, self.rarity(name, state))

    def predicted(self, name: str, state: State) -> State:
        """Move every object as in `moved`, with the profiles given by the state's associations."""
        # The cluster sizes are not known yet.
        rarity = np.zeros(state.factors[name].shape[1])
        return self._assign_to_profiles(
            name, replace(state, associations=()), state.associations, rarity
        )

    def _assign_to_profiles(
        self, name: str, state: State, joints: Sequence[Array], rarity: Array
    ) -> State:
        """Move every object, with the joint distributions (or counts) of the clusters fixed.

        ``rarity`` is the cost of an object in each cluster that comes from the cluster's size.
        """
        # Large data: one pass gives labels and their sums, unless links make objects depend on
        # each other, a prior has costs for single objects, or a cluster became empty.
        alone = name not in self.links and name not in self.priors
        if alone and self.in_one_pass(name, state):
            code = self._code(0, joints[0])
            moved = self.reassigned(name, state, -code, rarity)
            if moved.factors[name].sizes.all():
                return moved
        pairs, prior = self.pairs.get(name), self.priors.get(name)
        # The cost of a cluster in a block is B_kk - 2 A_ik: with B = 0 and half the scores it is
        # minus the score, so that links act as in every factorisation. Only the halved scores are
        # kept in memory: with wide data they are much larger than the data.
        half = self.scores_given(name, state, joints) * 0.5
        if prior is not None:
            half = half + prior.costs * -0.5
        half = rowwise(np.subtract, half, rarity * 0.5)
        nothing = np.zeros((state.factors[name].shape[1],) * 2)
        block = BlockQuadratic(half, nothing, pairs and pairs.matrix)
        G = Indicator(ties=self.ties.get(name)).step(state.factors[name], block)
        moved = self.replaced(state, name, G)
        if G.sizes.all():
            return moved
        half = gathered(half)
        current_scores = 2 * half[np.arange(len(half)), gathered(G).labels]
        filled = self._refilled(name, moved, self._gain_alone(name, state, current_scores))
        # A cluster of one object has a high size cost, perhaps higher than the gain of the step.
        if name in self.occurrence and self.objective(filled) > self.objective(state):
            return state
        return filled

    def _refilled(self, name: str, state: State, gain: Array) -> State:
        """Fill each empty cluster with the object that gains most by being alone.

        Splitting a cluster never loses information; a prior may forbid it, and then the cluster
        stays empty.
        """
        G = fill_empty(gathered(state.factors[name]), gain, self.ties.get(name))
        filled = self.replaced(state, name, self.data.placed(name, G))
        if name in self.priors and self.objective(filled) > self.objective(state):
            return state
        return filled

    def _gain_alone(self, name: str, state: State, scores: Array) -> Array:
        """Return the information each object would add in a cluster of its own."""
        gain = -scores
        for r, side in self.touching(name):
            P = gathered(self.product(state, r, side))
            # Its own profile codes an object best: Σ p log(p / Σ p).
            own_information = xlogy(P, P).sum(axis=1) - xlogy(P.sum(axis=1), P.sum(axis=1))
            gain[self.rows_of(r, side)] += self.shares[r] / self.totals[r] * own_information
        return gain


def rarity_of(sizes: Array) -> Array:
    """Return minus the log of each cluster's share of the objects, in nats.

    An empty cluster counts as one with a single object.

    >>> rarity_of(np.array([50, 50])) / np.log(2)
    array([1., 1.])
    """
    return np.asarray(-np.log(np.maximum(sizes, 1) / max(np.sum(sizes), 1)))


def mutual_information(C: Matrix, total: float, margin: Array | None = None) -> float:
    """Return the mutual information of C / total, in nats; ``margin`` holds the column sums."""
    rows = summed(row_information, C)
    margin = column_sums(C) if margin is None else margin
    return float((rows - xlogy(margin, margin).sum()) / total + np.log(total))


def information_problem(
    task: Task, kind: type[InformationProblem] = InformationProblem
) -> InformationProblem:
    """Return the problem of a task, with its links and its prior in units of the information."""
    problem = kind(task.data, task.links)
    if not task.priors:
        return problem
    return replace(problem, priors=prior_costs(task, problem.information))


def initial_state(problem: InformationProblem, task: Task, start: Start) -> State:
    """Return the labels of a start as a state, tied objects together; None: random labels."""
    labels = {}
    for name, k in task.clusters.items():
        constraint = Indicator(ties=problem.ties.get(name))
        indicator = (
            constraint.start(task.data.size(name), k, task.rng)
            if start is None
            else constraint.given(start[name], k)
        )
        # Labels live where the rows do: with the workers, for Dask collections.
        labels[name] = task.data.placed(name, indicator)
    return State(labels)


def with_joint_distributions(problem: InformationProblem, run: Run) -> Run:
    """Return the run with the joint distributions of its clusters as associations.

    New samples are coded by them, and the user sees them as S.
    """
    joint = [problem.cross(run.state, r) / total for r, total in enumerate(problem.totals)]
    return replace(run, state=replace(run.state, associations=tuple(joint)))


@dataclass(eq=False, repr=False)
class ITCC(PriorMixin, HardPartialFitMixin, Coclusterer):
    r"""Information-theoretic co-clustering.

    .. math:: \min \sum_r p_r [I(X_r; Y_r) - I(\hat X_r; \hat Y_r)]

    over hard labels of every type, each relation read as a joint distribution [1]_, Eq. (1). Each
    object goes to the cluster whose profile over the other type's clusters is nearest to its own
    in Kullback-Leibler divergence (Fig. 1 there).

    Parameters
    ----------
    spread : bool
        Whether links between samples are propagated to samples that have none, see
        `cocluster.methods.default.supervision`: they add a prior to the objective.
    others
        Those of `Coclusterer`. ``normalize="auto"`` takes the counts as they are: the loss already
        accounts for the degrees of rows and columns. ``tol`` is a part of the information that the
        start keeps.

    Notes
    -----
    * Guaranteed: the information lost never rises, and with ``tol=0`` the run ends at labels that
      no further sweep changes. An empty cluster takes the object that gains most by being alone;
      splitting a cluster never loses information.
    * Cost of a sweep: two passes over the non-zeros, whatever the number of clusters.
    * For more than two types the losses of all relations are added, each by its share p_r of all
      counts (times its weight): a view with few counts knows little. Views in different units
      should be brought to one scale first, by ``normalize`` or by weights.
    * `association_` is the joint distribution of the clusters.

    References
    ----------
    .. [1] Dhillon, Mallela, Modha. Information-Theoretic Co-clustering. KDD 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import ITCC
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = ITCC(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _: KW_ONLY
    spread: bool = False
    max_iter: int = 100
    # Labels settle: the run goes on until none changes.
    tol: float = 0.0

    _nonnegative: ClassVar[bool] = True
    _auto_normalization: ClassVar[str | None] = None
    _blockwise: ClassVar[bool] = True
    _additive: ClassVar[bool] = True

    def _linked_problem(self, task: Task) -> InformationProblem:
        return information_problem(task)

    def _solve_from(self, task: Task, start: Start) -> Run:
        problem = self._linked_problem(task)
        return self._finished(
            problem, self._sweep(problem, initial_state(problem, task, start), task)
        )

    def _finished(self, problem: InformationProblem, run: Run) -> Run:
        return with_joint_distributions(problem, run)

    def _costs_of(self, data: RelationalData) -> Array:
        """Return the nats by which each cluster's profile codes a sample worse than its own does.

        Half its deviance; relations by their weights, of mean one.
        """
        problem, state = InformationProblem(data), State(self._factors)
        # As if every cluster had one more average sample, with the profile of all of them.
        n = self._form.sizes[data.center]
        joints = [joint + joint.sum(axis=0) / n for joint in self.associations_]
        scores = problem.scores_given(data.center, state, joints)
        own_information = problem._gain_alone(data.center, state, np.zeros(len(scores)))
        return (own_information[:, None] - scores) / problem.nat

    def _streamed_columns(self, task: Task, state: State) -> State:
        problem = InformationProblem(task.data)
        moved = problem.moved(task.data.relations[0].cols, state)
        counts = problem.cross(moved, 0)
        return replace(moved, associations=(counts / (counts.sum() or 1.0),))
