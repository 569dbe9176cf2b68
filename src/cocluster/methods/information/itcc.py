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
from cocluster.methods.spreading import fit_with_prior, prior_costs, spread_run
from cocluster.methods.streams import hard_labels, hard_rows, n_samples_seen, partial_fit
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
        # So a link weighs as much beside the data in small sets and in large ones.
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
        parts = zip(self.data.relations, self.margins, self.totals, self.shares, strict=True)
        return sum(
            share * mutual_information(r.matrix, total, margin) for r, margin, total, share in parts
        )

    @property
    def nat(self) -> float:
        """What one nat of a single object counts for; with several relations, in their mean."""
        return float(np.mean(self.shares / self.totals))

    def with_occurrence(self, name: str, unit: float) -> InformationProblem:
        """The same problem in which the objects of a type pay for the size of their cluster."""
        # A copy, not a new problem: what was found of the data, such as their information, stays.
        sized = copy.copy(self)
        object.__setattr__(sized, "occurrence", {**self.occurrence, name: unit})
        return sized

    def rarity(self, name: str, state: State) -> Array:
        """What each object of a type pays for the size of its cluster, by cluster."""
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
        kept = (
            share * mutual_information(self.cross(state, r), self.totals[r])
            for r, share in enumerate(self.shares)
        )
        terms: list[tuple[str, Penalty]] = [*self.pairs.items(), *self.priors.items()]
        others = sum(term.value(state.factors[name]) for name, term in terms)
        small = sum(
            float(self.rarity(name, state) @ state.factors[name].sizes) for name in self.occurrence
        )
        return self.information - sum(kept) + others + small

    def scores_given(self, name: str, state: State, joints: Sequence[Array]) -> Any:
        """What each object adds to the information kept, cluster by cluster.

        The joint distributions (or counts) of the clusters are given for each relation.
        """
        scores = []
        for r, other in self.touching(name):
            code = self._code(r, joints[r] if other == "cols" else joints[r].T)
            known, index = self.product(state, r, other) @ code.T, self.rows_of(r, other)
            # Objects that the relation lacks add nothing, wherever they are.
            if not isinstance(index, slice):
                part, known = known, np.zeros((self.data.size(name), code.shape[0]))
                known[index] = part
            scores.append(known)
        return sum(scores[1:], start=scores[0])

    def _code(self, r: int, joint: Array) -> Array:
        """Logarithms of the profiles of the clusters, times the weight of one count."""
        profile = joint / np.maximum(joint.sum(axis=1, keepdims=True), TINY)
        return self.shares[r] / self.totals[r] * np.log(np.maximum(profile, TINY))

    def moved(self, name: str, state: State) -> State:
        """Every object to the cluster whose profile codes it best, [1]_, Fig. 1."""
        joints = [self.cross(state, r) for r in range(len(self.totals))]
        return self._coded(name, state, joints, self.rarity(name, state))

    def predicted(self, name: str, state: State) -> State:
        """The same with the profiles that the associations of the state give."""
        # How large the clusters are is not known yet.
        rarity = np.zeros(state.factors[name].shape[1])
        return self._coded(name, replace(state, associations=()), state.associations, rarity)

    def _coded(self, name: str, state: State, joints: Sequence[Array], rarity: Array) -> State:
        """The same with the joint distributions (or counts) of the clusters fixed.

        ``rarity`` is what an object pays for being in each cluster.
        """
        # Large data: one pass gives labels and the sums that follow from them, unless links make
        # objects depend on each other, a prior speaks of single ones, or a cluster became empty.
        alone = name not in self.links and name not in self.priors
        if alone and self.in_one_pass(name, state):
            code = self._code(0, joints[0])
            moved = self.reassigned(name, state, -code, rarity)
            if moved.factors[name].sizes.all():
                return moved
        pairs, prior = self.pairs.get(name), self.priors.get(name)
        # The cost of a cluster in a block is B_kk - 2 A_ik: with B = 0 and half the scores it is
        # minus the score, so that links act as in every factorisation. Only the halves are kept,
        # for of wide data they are much larger than the data.
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
        own = 2 * half[np.arange(len(half)), gathered(G).labels]
        filled = self._refilled(name, moved, self._gain_alone(name, state, own))
        # Clusters of one object cost more than others: perhaps more than the step has gained.
        if name in self.occurrence and self.objective(filled) > self.objective(state):
            return state
        return filled

    def _refilled(self, name: str, state: State, gain: Array) -> State:
        """Empty clusters take the objects that gain most by being alone.

        Splitting a cluster never loses information; a prior may forbid it, and then the cluster
        stays empty.
        """
        G = fill_empty(gathered(state.factors[name]), gain, self.ties.get(name))
        filled = self.replaced(state, name, self.data.placed(name, G))
        if name in self.priors and self.objective(filled) > self.objective(state):
            return state
        return filled

    def _gain_alone(self, name: str, state: State, scores: Array) -> Array:
        """Information each object would add with a cluster of its own."""
        gain = -scores
        for r, other in self.touching(name):
            P = gathered(self.product(state, r, other))
            # Its own profile codes an object best: Σ p log(p / Σ p).
            own = xlogy(P, P).sum(axis=1) - xlogy(P.sum(axis=1), P.sum(axis=1))
            gain[self.rows_of(r, other)] += self.shares[r] / self.totals[r] * own
        return gain


def rarity_of(sizes: Array) -> Array:
    """-log of the share of all objects that each cluster has, in nats.

    An empty cluster has as much as one of a single object.

    >>> rarity_of(np.array([50, 50])) / np.log(2)
    array([1., 1.])
    """
    return np.asarray(-np.log(np.maximum(sizes, 1) / max(np.sum(sizes), 1)))


def mutual_information(C: Matrix, total: float, margin: Array | None = None) -> float:
    """I of the joint distribution C / total, in nats; ``margin`` are the sums of the columns."""
    rows = summed(row_information, C)
    margin = column_sums(C) if margin is None else margin
    return float((rows - xlogy(margin, margin).sum()) / total + np.log(total))


@dataclass(eq=False, repr=False)
class ITCC(Coclusterer):
    r"""Information-theoretic co-clustering.

    .. math:: \min \sum_r p_r [I(X_r; Y_r) - I(\hat X_r; \hat Y_r)]

    over hard labels of every type, each relation read as a joint distribution [1]_, Eq. (1). Each
    object goes to the cluster whose profile over the other type's clusters is nearest to its own
    in Kullback-Leibler divergence (Fig. 1 there).

    Parameters
    ----------
    spread : bool
        Whether links between samples also say something of samples that have none, see
        `cocluster.methods.spreading`: they add a prior, which the objective then includes.
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

    fit, _best_run = fit_with_prior, spread_run
    partial_fit = partial_fit
    n_samples_seen_ = property(n_samples_seen)
    _streamed_rows, _streamed_labels = hard_rows, hard_labels

    def _linked_problem(self, task: Task) -> InformationProblem:
        return self._with_prior(InformationProblem(task.data, task.links), task)

    def _with_prior(self, problem: InformationProblem, task: Task) -> InformationProblem:
        """The problem with the prior of the task in its own unit."""
        if not task.priors:
            return problem
        return replace(problem, priors=prior_costs(task, problem.information))

    def _solve(self, task: Task, start: Start) -> Run:
        problem = self._linked_problem(task)
        labels = {}
        for name, k in task.clusters.items():
            constraint = Indicator(ties=problem.ties.get(name))
            given = (
                constraint.start(task.data.size(name), k, task.rng)
                if start is None
                else constraint.given(start[name], k)
            )
            # Labels live where the rows do: with the workers, for Dask collections.
            labels[name] = task.data.placed(name, given)
        return self._finished(problem, self._alternate(problem, State(labels), task))

    def _finished(self, problem: InformationProblem, run: Run) -> Run:
        # What new samples are coded by, and what the user sees as S.
        joint = [problem.cross(run.state, r) / total for r, total in enumerate(problem.totals)]
        return replace(run, state=replace(run.state, associations=tuple(joint)))

    def _costs_of(self, data: RelationalData) -> Array:
        """Nats by which the profile of a cluster codes a sample worse than its own profile would.

        Half its deviance; relations by their weights, of mean one.
        """
        problem, state = InformationProblem(data), State(self._factors)
        # As if every cluster had one more average sample, with the profile of all of them.
        n = self._form.sizes[data.center]
        joints = [joint + joint.sum(axis=0) / n for joint in self.associations_]
        scores = problem.scores_given(data.center, state, joints)
        own = problem._gain_alone(data.center, state, np.zeros(len(scores)))
        return (own[:, None] - scores) / problem.nat

    def _streamed_columns(self, task: Task, state: State) -> State:
        problem = InformationProblem(task.data)
        moved = problem.moved(task.data.relations[0].cols, state)
        counts = problem.cross(moved, 0)
        return replace(moved, associations=(counts / (counts.sum() or 1.0),))
