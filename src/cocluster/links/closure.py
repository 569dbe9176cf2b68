"""Consequences of links: must-link components, inherited cannot-links, contradictions, cliques."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cocluster.linalg.types import Array
from cocluster.links.labelling import Labelling, n_pairs, refuse_listing

# Components from which a clique is grown, the best-connected ones first: the largest clique is hard
# to find, and `check` must not take longer than the fit that follows it.
CLIQUE_STARTS = 256
# What the links of a sample in a partial labelling weigh together, see `link_share`. On CSTR, oh0,
# oh5 and re0 with a tenth or a third of the samples labelled, those without a label then lose
# nothing in kernel k-means, NCut and SSNMF (kernel k-means on oh5, a third labelled: .72 without
# labels, .31 at full weight, .75 so).
FULL_LINKS = 2


@dataclass(frozen=True, eq=False)
class Closure:
    """Everything that follows from a set of links; `Links.closure` makes it.

    Samples that must-links join, directly or through others, form a component. A cannot-link
    between two samples holds for all samples of their two components.

    Attributes
    ----------
    component : array of shape (n_samples,)
        Must-link component of each sample; a sample without must-link is alone in its own.
    sizes : array of shape (n_components,)
        Number of samples per component.
    cannot_link : array of shape (q, 2)
        Unique pairs of different components, smaller number first, that must be apart.
    weights : array of shape (q,)
        Sum of the weights of the stated cannot-links between the two components.
    """

    component: Array
    sizes: Array
    cannot_link: Array
    weights: Array

    @property
    def n_components(self) -> int:
        """Number of must-link components."""
        return len(self.sizes)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of samples whose answer is known, stated or implied."""
        a, b = self.cannot_link.T
        return int(n_pairs(self.sizes).sum() + (self.sizes[a] * self.sizes[b]).sum())

    def membership(self) -> sp.csr_array:
        """Component indicator M, shape (n_samples, n_components).

        ``M @ M.T`` has a one for each must-linked pair (and on the diagonal) and
        ``M @ C @ M.T``, with ``C = cannot_matrix()``, an entry for each cannot-linked pair.
        """
        n = len(self.component)
        return sp.csr_array(
            (np.ones(n), self.component, np.arange(n + 1)), shape=(n, self.n_components)
        )

    def cannot_matrix(self) -> sp.csr_array:
        """Symmetric weights of the cannot-links between components, (n_components,) * 2."""
        return symmetric(self.cannot_link, self.weights, self.n_components)


@dataclass(frozen=True)
class Conflict:
    """A contradiction: two samples that are cannot-linked, and must-links that join them.

    Attributes
    ----------
    pair : tuple of two int
        Positions of the cannot-linked samples.
    chain : tuple of pairs
        Must-links from the first to the second, as few as there are: ``((a, b), (b, c))`` for the
        pair ``(a, c)``. To take back one of them, or the cannot-link, solves this conflict.
    """

    pair: tuple[int, int]
    chain: tuple[tuple[int, int], ...]


def symmetric(pairs: Array, weights: Array, n: int) -> sp.csr_array:
    """Symmetric n x n matrix with the weights of pairs; repeated pairs add up."""
    ends = (np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]]))
    matrix = sp.csr_array((np.concatenate([weights, weights]), ends), shape=(n, n))
    # A pair that was stated several times is one edge with the sum of the weights.
    matrix.sum_duplicates()
    return matrix


def link_share(pairs: Array) -> float:
    """Return the weight of one link in a similarity, as a share of the full weight.

    A partial labelling joins few samples, each with all others of them: at full weight they are so
    much nearer to each other than to any sample without a label that they become clusters of
    their own, and the labels harm all others. So, as far as the linked samples are all linked with
    each other, a sample's links together weigh no more than `FULL_LINKS`. Pairs drawn from all
    samples are far from that and keep their weight.
    """
    linked = np.unique(pairs).size
    if linked < 2:
        return 1.0
    each = 2 * len(pairs) / linked
    completeness = min(1.0, each / (linked - 1))
    return 1.0 - completeness * (1.0 - min(1.0, FULL_LINKS / each))


def merge_pairs(pairs: Array, weights: Array) -> tuple[Array, Array]:
    """Unique unordered pairs with summed weights; pairs of one object with itself are dropped."""
    apart = pairs[:, 0] != pairs[:, 1]
    low, high = np.sort(pairs[apart], axis=1).T
    n = int(high.max(initial=0)) + 1
    # A sparse matrix adds up what falls on the same place, in time linear in the pairs.
    merged = sp.csr_array((weights[apart], (low, high)), shape=(n, n)).tocoo()
    return np.stack(merged.coords, axis=1, dtype=np.int64), merged.data


def chain_within(items: Array, group: Array) -> Array:
    """Pairs of consecutive items of the same group: joins each group with the fewest pairs."""
    order = np.argsort(group, kind="stable")
    same = group[order[:-1]] == group[order[1:]]
    return np.stack([items[order[:-1][same]], items[order[1:][same]]], axis=1)


def must_graph(n: int, must_link: Array, labellings: Sequence[Labelling]) -> sp.csr_array:
    """Symmetric graph of samples and, after them, one node per group, joined to its members.

    With group nodes m labels cost m edges, and a path through one is one must-link pair.
    """
    edges, nodes = [must_link], n
    for labelling in labellings:
        members = labelling.members
        edges.append(np.stack([members, nodes + labelling.codes[members]], axis=1))
        nodes += len(labelling.sizes)
    pairs = np.concatenate(edges)
    return symmetric(pairs, np.ones(len(pairs)), nodes)


def components(n: int, must_link: Array, labellings: Sequence[Labelling]) -> Array:
    """Must-link component of each sample, numbered without gaps."""
    graph = must_graph(n, must_link, labellings)
    component = connected_components(graph, directed=False)[1][:n]
    # The nodes of groups come after those of samples and have taken part in the numbering.
    return np.unique(component, return_inverse=True)[1].astype(np.int64)


def close(
    n: int, must_link: Array, cannot_link: Array, weights: Array, labellings: Sequence[Labelling]
) -> Closure:
    """Close stated links under transitivity; contradictions are left to `find_conflicts`."""
    component = components(n, must_link, labellings)
    pairs, costs = [component[cannot_link]], [weights]
    for labelling in labellings:
        if labelling.distinct:
            # One cannot-link between every two groups, as heavy as all pairs of their samples.
            sizes = labelling.sizes
            refuse_listing(n_pairs(len(sizes)))
            a, b = np.triu_indices(len(sizes), k=1)
            of_group = component[labelling.first_members()]
            pairs.append(np.stack([of_group[a], of_group[b]], axis=1))
            costs.append((sizes[a] * sizes[b]).astype(np.float64))
    merged = merge_pairs(np.concatenate(pairs), np.concatenate(costs))
    return Closure(component, np.bincount(component), *merged)


def find_conflicts(
    n: int, must_link: Array, cannot_link: Array, labellings: Sequence[Labelling]
) -> Iterator[Conflict]:
    """Yield each contradiction with a shortest chain of must-links, by breadth-first search."""
    graph = must_graph(n, must_link, labellings)
    node_component = connected_components(graph, directed=False)[1]
    ends = np.concatenate([cannot_link, _group_ends(n, node_component, labellings)])
    inside = ends[node_component[ends[:, 0]] == node_component[ends[:, 1]]]
    source, previous = -1, np.empty(0)
    # Sorted by where they start, so that one search serves all conflicts of a sample.
    for start, end in inside[np.argsort(inside[:, 0], kind="stable")].tolist():
        if start != source:
            source = start
            previous = breadth_first_order(graph, start, return_predecessors=True)[1]
        path = _path(previous, start, end, n)
        yield Conflict((path[0], path[-1]), tuple(pairwise(path)))


def _group_ends(n: int, node_component: Array, labellings: Sequence[Labelling]) -> Array:
    """Return pairs of groups of one labelling that must be apart but are in one component."""
    pairs, offset = [np.empty((0, 2), dtype=np.int64)], n
    for labelling in labellings:
        nodes = offset + np.arange(len(labelling.sizes))
        offset += len(nodes)
        if labelling.distinct:
            pairs.append(chain_within(nodes, node_component[nodes]))
    return np.concatenate(pairs)


def _path(previous: Array, start: int, end: int, n: int) -> list[int]:
    """Samples on the way from start to end, group nodes left out."""
    nodes = [end]
    while nodes[-1] != start:
        nodes.append(int(previous[nodes[-1]]))
    return [node for node in reversed(nodes) if node < n]


def greedy_clique(graph: sp.csr_array) -> Array:
    """Nodes of a large clique: from each of the best-connected nodes, grow greedily."""
    degree = np.diff(graph.indptr)
    best = np.empty(0, dtype=np.int64)
    for start in np.argsort(-degree, kind="stable")[:CLIQUE_STARTS]:
        if degree[start] < len(best):
            break  # later starts have no more neighbours, so no larger clique
        clique = _grow(graph, degree, int(start))
        best = clique if len(clique) > len(best) else best
    return best


def _grow(graph: sp.csr_array, degree: Array, start: int) -> Array:
    """Grow a clique by the best-connected common neighbour until there is none."""
    clique, candidates = [start], _neighbours(graph, start)
    while len(candidates):
        node = int(candidates[np.argmax(degree[candidates])])
        clique.append(node)
        candidates = np.intersect1d(candidates, _neighbours(graph, node), assume_unique=True)
    return np.array(clique)


def _neighbours(graph: sp.csr_array, node: int) -> Array:
    """Return the neighbours of a node."""
    return np.asarray(graph.indices[graph.indptr[node] : graph.indptr[node + 1]])
