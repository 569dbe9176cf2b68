"""What the graph methods share: a graph of each type, and the unit of a strength."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from cocluster.data.relational import RelationalData, view_of
from cocluster.graphs import as_graph, knn_graph, laplacian
from cocluster.graphs.blockwise import feature_points, sample_graph
from cocluster.graphs.weights import Metric
from cocluster.linalg.eigen import smallest_eigenvectors
from cocluster.linalg.matrices import row_squares, squared_norm
from cocluster.linalg.types import Array, Matrix, is_blocked, is_operator
from cocluster.methods.base import Task
from cocluster.methods.factorization.base import TriFactorEstimator
from cocluster.trifactor import Callback, Penalty, Run
from cocluster.utils.checks import check_choice, check_integer, check_number

Graphs = dict[str, sp.csr_array]


class GraphEstimator(TriFactorEstimator):
    """Base of the methods in which a graph of its objects pulls on the factor of a type.

    Parameters
    ----------
    n_neighbors : int
        Each object is joined with so many others. A type with no more objects than that has no
        graph: if all are joined with all, the graph says nothing.
    metric : {"cosine", "euclidean"}
        How neighbours are found, in the normalised data of the type (all its relations side by
        side; absent samples count as zeros). By cosine, objects without data have no neighbours.
        Samples in row blocks are compared with those of their block and with 2,000 of all blocks,
        features by their leading singular vectors.
    """

    n_neighbors: int
    metric: Metric
    _strengths: tuple[str, ...] = ("row_strength", "column_strength")
    _penalties: dict[str, tuple[Penalty, ...]]

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        graphs: Mapping[str, Any] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Co-cluster X: a matrix, a mapping or list of views, or `RelationalData`.

        ``graphs`` maps a type (of one matrix: "samples", "features") to a graph of its objects, an
        array or sparse matrix of non-negative weights, used instead of the neighbours in the data.
        An asymmetric graph is symmetrised by maximum. Other arguments are those of
        `Coclusterer.fit`.
        """
        self._given_graphs, self._penalties = graphs, {}
        try:
            return super().fit(X, y, links=links, callback=callback)
        finally:
            # Data of the fit, not part of what it learned.
            self._given_graphs, self._penalties = None, {}

    def _best_run(self, task: Task) -> Run:
        # Here and not in _problem, because all starts share the graphs.
        given = self._checked_graphs(task.data)
        for name, k in task.clusters.items():
            strength = self._strength(task.data, name)
            graphs = self._graphs(task.data, name, given.get(name)) if strength else {}
            self._penalties[name] = (
                (self._penalty(task.data, name, k, graphs, strength),) if graphs else ()
            )
        return super()._best_run(task)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.n_neighbors, "n_neighbors")
        check_choice(self.metric, "metric", ("cosine", "euclidean"))
        for name in self._strengths:
            value = getattr(self, name)
            for one in value.values() if isinstance(value, Mapping) else [value]:
                check_number(one, name)

    def _checked_graphs(self, data: RelationalData) -> Mapping[str, Any]:
        """The graphs given to fit, by type."""
        graphs = {} if self._given_graphs is None else self._given_graphs
        if not isinstance(graphs, Mapping):
            raise TypeError(
                f"graphs must map a type to a graph of its objects, as in {{{data.center!r}: W}}, "
                f"got {type(graphs).__name__}."
            )
        _check_types(data, graphs, "graphs")
        return graphs

    def _strength(self, data: RelationalData, name: str) -> float:
        """Strength of the graph of one type."""
        parameter = self._strengths[0 if name == data.center else -1]
        value = getattr(self, parameter)
        if not isinstance(value, Mapping):
            return float(value)
        _check_types(data, value, parameter)
        return float(value.get(name, 0.0))

    def _graphs(self, data: RelationalData, name: str, given: Any) -> Graphs:
        """The graphs of one type, by name."""
        if given is not None:
            return {"given": as_graph(given, data.size(name), f"graph of {name}")}
        blocked = [r.matrix for r in data.relations if is_blocked(r.matrix)]
        if blocked and name == data.center:
            self._check_neighbors(len(data))
            return {"binary": sample_graph(blocked[0], self.n_neighbors, self.metric)}
        X = feature_points(blocked[0]) if blocked else self._objects(data, name)
        return {} if X is None else {"binary": knn_graph(X, self.n_neighbors, metric=self.metric)}

    def _objects(self, data: RelationalData, name: str) -> Matrix | None:
        """The data of a type, objects in rows; None if they are too few for neighbours."""
        X = view_of(data, name)
        if is_operator(X):
            raise ValueError(
                f"The data of type {name!r} are known by products only, which gives no "
                f"neighbours; pass graphs={{{name!r}: ...}} to fit."
            )
        n = X.shape[0]
        if name == data.center:
            self._check_neighbors(n)
        found = np.count_nonzero(row_squares(X)) if self.metric == "cosine" else n
        return X if self.n_neighbors < found else None

    def _check_neighbors(self, n: int) -> None:
        """There must be more samples than neighbours."""
        if self.n_neighbors >= n:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must be less than n_samples={n}; choose fewer "
                "neighbours."
            )

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, strength: float
    ) -> Penalty:
        """What the graphs of a type do to its factor."""
        raise NotImplementedError


def _check_types(data: RelationalData, given: Mapping[str, Any], what: str) -> None:
    """Refuse names that are no types."""
    unknown = [name for name in given if name not in data.types]
    if unknown:
        raise ValueError(
            f"{what} names the unknown type {unknown[0]!r}; the types are {', '.join(data.types)}."
        )


def scale_of(data: RelationalData, name: str) -> float:
    """Σ_r w_r ‖R_r‖² over the relations of a type: strengths are relative to it."""
    touching = (r for r in data.relations if name in (r.rows, r.cols))
    return sum(r.weight * squared_norm(r.matrix) for r in touching)


def smoothing(data: RelationalData, graph: sp.csr_array, scale: float) -> sp.csr_array:
    """The scaled normalised Laplacian, in the precision of the data."""
    dtype = np.result_type(*(r.matrix.dtype for r in data.relations))
    return (scale * laplacian(graph, normalized=True)).astype(dtype)


def spectral_basis(graph: sp.csr_array, k: int) -> Array:
    r"""B = P Σ^{1/2}: the k leading eigenvectors of D^{-1/2} W D^{-1/2} times √eigenvalue.

    Eq. (15) of LP-FNMTF; negative eigenvalues count as zero.
    """
    n = graph.shape[0]
    adjacency = sp.eye_array(n) - laplacian(graph, normalized=True)
    # Objects without edges have a zero row in the Laplacian; they must not become eigenvectors.
    alone = np.flatnonzero(np.diff(graph.indptr) == 0)
    adjacency = adjacency - sp.csr_array((np.ones(len(alone)), (alone, alone)), shape=(n, n))
    values, vectors = smallest_eigenvectors(-adjacency, k, np.random.default_rng(0))
    return vectors * np.sqrt(np.maximum(-values, 0))
