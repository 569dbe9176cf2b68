"""CMRF: co-clustering by mutual information, moving one object at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy

from cocluster.linalg.assignment import pair_costs
from cocluster.linalg.matrices import inner
from cocluster.linalg.partitions import Partition, as_partition, gathered
from cocluster.linalg.types import Array
from cocluster.methods.information.itcc import ITCC, InformationProblem, information_problem
from cocluster.methods.task import Task
from cocluster.trifactor import State

# Gains below this are rounding: objects stay, so that labels settle.
LEAST_GAIN = 1e-12


@dataclass(frozen=True, eq=False)
class SequentialProblem(InformationProblem):
    """Solve the problem of `InformationProblem` by moving one object after the other."""

    def moved(self, name: str, state: State) -> State:
        """Move every object in turn to the cluster that keeps most information, exactly."""
        # The objects are visited in sequence, so all labels and profiles are needed in memory.
        G = gathered(state.factors[name])
        ties, pairs = self.ties.get(name), self.pairs.get(name)
        Q, weights = self.profiles(name, state)
        pairwise = pairs and pairs.matrix
        costs = gathered(self.priors[name].costs) if name in self.priors else None
        if ties is None:
            G = sequential_pass(Q, weights, G, pairwise, costs)
        else:
            # A component is one object with the summed profile of its members.
            tied = Partition(G.labels[ties.representative], G.n_clusters)
            component_pairs = None if pairwise is None else ties.between(pairwise)
            component_costs = None if costs is None else ties.sums(costs)
            moved_components = sequential_pass(
                ties.sums(Q), weights, tied, component_pairs, component_costs
            )
            G = Partition(moved_components.labels[ties.component], G.n_clusters)
        moved = self.replaced(state, name, self.data.placed(name, G))
        if G.sizes.all():
            return moved
        return self._refilled(name, moved, xlogy(Q, Q) @ weights - _coding_scores(Q, weights, G))

    def profiles(self, name: str, state: State) -> tuple[Array, Array]:
        r"""Return Q and v such that the information kept is :math:`\sum_k v \cdot (C_k \log C_k)`.

        C = Gᵀ Q sums the objects of each cluster; the difference does not depend on G. Columns of
        Q are the object's probability with each cluster of the other types (v = p_r) and, for
        every relation, their sum (v = -p_r). Objects absent from a relation are zero there.
        """
        blocks, weights = [], []
        for r, side in self.touching(name):
            P = np.zeros((self.data.size(name), self.part(state, r, side).shape[1] + 1))
            rows = self.rows_of(r, side)
            P[rows, :-1] = gathered(self.product(state, r, side)) / self.totals[r]
            P[:, -1] = P[:, :-1].sum(axis=1)
            blocks.append(P)
            weights.append(self.shares[r] * np.append(np.ones(P.shape[1] - 1), -1.0))
        return np.hstack(blocks), np.concatenate(weights)


def sequential_pass(
    Q: Array,
    weights: Array,
    G: Partition,
    pairwise: sp.csr_array | None = None,
    costs: Array | None = None,
) -> Partition:
    r"""Raise the information that labels keep, less the costs of labels and of pairs.

    .. math:: \sum_k v \cdot (C_k \log C_k) - \sum_i c_{i, z_i} - \sum_{ij} P_{ij} [z_i = z_j]

    With C = Gᵀ Q, c the costs of each object in each cluster, and z the labels.

    Object by object, the lightest first: it is taken out of its cluster and goes where the sum is
    largest, back if that is as good. O(k m) for each of the n objects, m columns in Q.
    """
    labels, k = G.labels.copy(), G.n_clusters
    # Sums and values of the clusters are kept up to date: a move changes two of them.
    C = inner(G, Q)
    value = xlogy(C, C) @ weights
    for i in np.argsort(Q.sum(axis=1), kind="stable").tolist():
        current = labels[i]
        # Take the object out of its cluster; rounding may leave sums just below zero.
        C[current] = np.maximum(C[current] - Q[i], 0.0)
        value[current] = xlogy(C[current], C[current]) @ weights
        grown = C + Q[i]
        grown_value = xlogy(grown, grown) @ weights
        gain = grown_value - value
        if costs is not None:
            gain -= costs[i]
        if pairwise is not None:
            gain -= pair_costs(pairwise, i, labels, k)
        best = gain.argmax() if gain.max() > gain[current] + LEAST_GAIN else current
        labels[i], C[best], value[best] = best, grown[best], grown_value[best]
    return as_partition(labels, k)


def _coding_scores(Q: Array, weights: Array, G: Partition) -> Array:
    """Return the information each object adds, coded by the profile of its cluster."""
    C = inner(G, Q)
    code = np.log(np.where(C > 0, C, 1.0)) * weights
    return np.einsum("ij,ij->i", Q, code[G.labels])


@dataclass(eq=False, repr=False)
class CMRF(ITCC):
    r"""Combinatorial Markov random field: co-clustering that keeps most mutual information.

    .. math:: \max \sum_r p_r I(\hat X_r; \hat Y_r) - \text{cost of violated links}

    over hard labels of every type: the star of [1]_ and [2]_, the CMRF of Chen et al.
    2010, and with links their SS-CMRF. One type after the other, each object (must-linked ones as
    one) is taken out of its cluster and goes where the sum is largest.

    Parameters are those of `Coclusterer`; weights of relations and costs of links as in `ITCC`.

    Notes
    -----
    * The same objective as `ITCC` (`objective_` is the information lost: that of the data is a
      constant), by finer moves: an object is judged without its own pull on its cluster. Where no
      single move helps, no sweep of ITCC changes a label either; the reverse does not hold.
    * Guaranteed: no move lowers the information kept (minus the cost of violated cannot-links),
      and with ``tol=0`` the run ends at labels that no single move improves.
    * Objects follow by their mass, the lightest first, where the papers draw an order: the result
      then does not depend on the order of rows and columns. (Three real sets: neither order keeps
      more information than the other.)
    * Cost of a sweep: two passes over the non-zeros, and k m operations for each object of a type
      with m clusters around it, one object after the other: some 20,000 objects a second.
      Of row blocks and Dask collections the profiles, n times (m + 1) numbers, are held in memory.

    References
    ----------
    .. [1] Bekkerman, Sahami. Semi-supervised Clustering using Combinatorial MRFs. ICML Workshop
       on Learning in Structured Output Spaces 2006.
    .. [2] Bekkerman, Jeon. Multi-modal Clustering for Multimedia Collections. CVPR 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import CMRF
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = CMRF(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    def _linked_problem(self, task: Task) -> InformationProblem:
        for relation in task.data.relations:
            if relation.rows == relation.cols:
                raise ValueError(
                    f"CMRF takes relations between different types, {relation} is of one type "
                    "with itself; use ITCC or a spectral method."
                )
        return information_problem(task, SequentialProblem)
