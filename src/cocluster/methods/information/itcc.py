"""ITCC: information-theoretic co-clustering, for any number of types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy

from cocluster.data.relational import RelationalData
from cocluster.linalg.assignment import fill_empty
from cocluster.linalg.matrices import column_sums, row_sums, values_of
from cocluster.linalg.partitions import Ties, gathered
from cocluster.linalg.rowwise import summed
from cocluster.linalg.types import Array, InMemory, Matrix
from cocluster.links import Links
from cocluster.methods.base import Coclusterer, Start, Task, by_blocks
from cocluster.trifactor import (
    BlockQuadratic,
    Indicator,
    PairTerms,
    RelationalProblem,
    Run,
    State,
    ties_and_pairs,
)

# Least probability whose logarithm is taken: a count where a cluster has none costs some 690
# nats, more than anything else, and stays finite.
TINY = 1e-300
# Entries whose logarithms are held at once: 8 MB.
CHUNK = 1_000_000


@dataclass(frozen=True, eq=False)
class InformationProblem(RelationalProblem):
    r"""Lose as little mutual information as possible by clustering.

    .. math:: J = \sum_r p_r [I(X_r; Y_r) - I(\hat X_r; \hat Y_r)],\quad p_r \propto w_r \sum R_r

    with each relation read as a joint distribution and p_r its share of all counts. Tied objects
    (must-links) move as one; a violated cannot-link of weight 1 costs as much as an average
    object informs, J(no clusters)/n.
    """

    links: Mapping[str, Links] = field(default_factory=dict)

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
        return [float(column_sums(r.matrix).sum()) or 1.0 for r in self.data.relations]

    @cached_property
    def shares(self) -> Array:
        """Share of each relation in all counts, weights included."""
        counts = np.array([r.weight for r in self.data.relations]) * self.totals
        return counts / counts.sum()

    @cached_property
    def information(self) -> float:
        """Mutual information of the data."""
        parts = zip(self.data.relations, self.totals, self.shares, strict=True)
        return sum(share * mutual_information(r.matrix, total) for r, total, share in parts)

    def objective(self, state: State) -> float:
        """Information lost, and the cost of violated cannot-links."""
        kept = (
            share * mutual_information(self.cross(state, r), self.totals[r])
            for r, share in enumerate(self.shares)
        )
        violated = sum(pairs.value(state.factors[name]) for name, pairs in self.pairs.items())
        return self.information - sum(kept) + violated

    def scores(self, name: str, state: State) -> Any:
        """What each object adds to the information kept, cluster by cluster."""
        joints = [self.cross(state, r) for r in range(len(self.data.relations))]
        return self.scores_given(name, state, joints)

    def scores_given(self, name: str, state: State, joints: Sequence[Array]) -> Any:
        """The same with the joint distributions (or counts) of the clusters fixed."""
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
        # Large data: one pass gives labels and the sums that follow from them, unless links make
        # objects depend on each other or a cluster has become empty.
        if name not in self.links and self.in_one_pass(name, state):
            code = self._code(0, self.cross(state, 0))
            moved = self.reassigned(name, state, -code, np.zeros(len(code)))
            if moved.factors[name].sizes.all():
                return moved
        scores, ties = self.scores(name, state), self.ties.get(name)
        pairs = self.pairs.get(name)
        nothing = np.zeros((state.factors[name].shape[1],) * 2)
        # The cost of a cluster in a block is B_kk - 2 A_ik: with B = 0 and half the scores it is
        # minus the score, so that links act as in every factorisation.
        block = BlockQuadratic(scores * 0.5, nothing, pairs and pairs.matrix)
        G = Indicator(ties=ties).step(state.factors[name], block)
        if not G.sizes.all():
            G, scores = gathered(G), gathered(scores)
            own = scores[np.arange(len(scores)), G.labels]
            G = fill_empty(G, self._gain_alone(name, state, own), ties)
            G = self.data.placed(name, G)
        return self.replaced(state, name, G)

    def _gain_alone(self, name: str, state: State, scores: Array) -> Array:
        """Information each object would add with a cluster of its own."""
        gain = -scores
        for r, other in self.touching(name):
            P = gathered(self.product(state, r, other))
            # Its own profile codes an object best: Σ p log(p / Σ p).
            own = xlogy(P, P).sum(axis=1) - xlogy(P.sum(axis=1), P.sum(axis=1))
            gain[self.rows_of(r, other)] += self.shares[r] / self.totals[r] * own
        return gain


def mutual_information(C: Matrix, total: float) -> float:
    """I of the joint distribution C / total, in nats."""
    rows = summed(_row_information, C, total)
    margin = column_sums(C)
    return float((rows - xlogy(margin, margin / total).sum()) / total)


def _row_information(C: InMemory, total: float) -> float:
    """Σ_ij c log(c / total) less the same of the sums of the rows."""
    flat, margin = values_of(C), row_sums(C)
    # In parts: the logarithms of all entries at once would outweigh the data.
    parts = (flat[i : i + CHUNK] for i in range(0, flat.size, CHUNK))
    inside = sum(xlogy(part, part / total).sum(dtype=np.float64) for part in parts)
    return float(inside - xlogy(margin, margin / total).sum())


@dataclass(eq=False, repr=False)
class ITCC(Coclusterer):
    r"""Information-theoretic co-clustering.

    .. math:: \min \sum_r p_r [I(X_r; Y_r) - I(\hat X_r; \hat Y_r)]

    over hard labels of every type, each relation read as a joint distribution [1]_, Eq. (1). Each
    object goes to the cluster whose profile over the other type's clusters is nearest to its own
    in Kullback-Leibler divergence (Fig. 1 there).

    Parameters are those of `Coclusterer`. ``normalize="auto"`` takes the counts as they are: the
    loss already accounts for the degrees of rows and columns.

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
    """

    _: KW_ONLY
    max_iter: int = 100
    # Labels settle: the run goes on until none changes.
    tol: float = 0.0

    _nonnegative: ClassVar[bool] = True
    _auto_normalization: ClassVar[str | None] = None
    _blockwise: ClassVar[bool] = True

    def _problem(self, data: RelationalData, links: dict[str, Links]) -> InformationProblem:
        """The problem that defines the method."""
        return InformationProblem(data, links)

    def _solve(self, task: Task, start: Start) -> Run:
        problem = self._problem(task.data, task.links)
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
        run = self._alternate(problem, State(labels), task)
        # What new samples are coded by, and what the user sees as S.
        joint = [problem.cross(run.state, r) / total for r, total in enumerate(problem.totals)]
        return replace(run, state=replace(run.state, associations=tuple(joint)))

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Cluster of each new sample: the one whose profile codes it best."""
        data = self._new_data(X)
        problem = InformationProblem(data)
        scores = problem.scores_given(data.center, State(self._factors), self.associations_)
        return scores.argmax(axis=1)
