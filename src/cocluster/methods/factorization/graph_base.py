"""Base of the graph methods: a graph of each type, and the unit of a strength."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from cocluster.data.relational import RelationalData, row_blocks, stack_relations
from cocluster.graphs import as_graph, knn_graph, laplacian
from cocluster.graphs.blockwise import feature_points, sample_graph
from cocluster.graphs.weights import Metric
from cocluster.linalg.eigen import smallest_eigenvectors
from cocluster.linalg.matrices import row_squares, squared_norm
from cocluster.linalg.partitions import as_array
from cocluster.linalg.types import Array, Matrix, is_operator
from cocluster.methods.base import Coclusterer
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.factorization.newcomers import nearest_samples, points_of, pull_of, pulled
from cocluster.methods.task import Task
from cocluster.trifactor import (
    BlockQuadratic,
    Callback,
    FactorSpec,
    Free,
    NonNegative,
    PairTerms,
    Penalty,
    Run,
    SpectralAnchor,
    TriFactorProblem,
    memberships,
)
from cocluster.utils.checks import broadcast, check_choice, check_integer, check_number

# Graphs of one type, by name: RMC has several candidates, the others one.
Graphs = dict[str, sp.csr_array]


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphTask(Task):
    """A task in which graphs pull on the factors: what they do, by type."""

    penalties: Mapping[str, tuple[Penalty, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """How the graph of a type is found in its data: how many neighbours, by which metric."""

    n_neighbors: int
    metric: Metric

    def check(self) -> None:
        """Refuse parameters that can be judged without data."""
        check_integer(self.n_neighbors, "n_neighbors")
        check_choice(self.metric, "metric", ("cosine", "euclidean"))

    def graphs(self, data: RelationalData, name: str, given: Any) -> Graphs:
        """The graph of one type by its name, given or found; none if objects are too few."""
        if given is not None:
            return {"given": as_graph(given, data.size(name), f"graph of {name}")}
        blocks = row_blocks(data)
        if blocks is not None and name == data.center:
            self._check_size(len(data))
            return {"binary": sample_graph(blocks, self.n_neighbors, self.metric)}
        # Columns of blocks are as long as the data: their singular vectors stand for them.
        X = self.objects(data, name) if blocks is None else feature_points(blocks)
        return {} if X is None else {"binary": knn_graph(X, self.n_neighbors, metric=self.metric)}

    def objects(self, data: RelationalData, name: str) -> Matrix | None:
        """The data of a type, objects in rows; None if they are too few for neighbours."""
        X = stack_relations(data, name)
        if is_operator(X):
            raise ValueError(
                f"The data of type {name!r} are known by products only, which gives no "
                f"neighbours; pass graphs={{{name!r}: ...}} to fit."
            )
        n = X.shape[0]
        if name == data.center:
            self._check_size(n)
        # By cosine an object without data has no direction, and so no neighbours.
        n_nonzero = np.count_nonzero(row_squares(X)) if self.metric == "cosine" else n
        return X if self.n_neighbors < n_nonzero else None

    def _check_size(self, n: int) -> None:
        """There must be more samples than neighbours."""
        if self.n_neighbors >= n:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must be less than n_samples={n}; choose fewer "
                "neighbours."
            )


def neighbours_of(method: Any) -> Neighbours:
    """How a graph method finds graphs in the data, from its parameters."""
    return Neighbours(method.n_neighbors, method.metric)


def strengths_of(method: Any) -> dict[str, Any]:
    """The strengths of a graph method, by the names of the parameters that hold them."""
    return {name: getattr(method, name) for name in method._strengths}


def check_graph_parameters(method: Any) -> None:
    """Refuse neighbours and strengths that can be judged without data."""
    neighbours_of(method).check()
    check_choice(method.strength_unit, "strength_unit", ("relative", "absolute"))
    for parameter, value in strengths_of(method).items():
        for strength in broadcast(value, [parameter]).values():
            check_number(strength, parameter)


def strengths_by_type(data: RelationalData, strengths: Mapping[str, Any]) -> dict[str, float]:
    """Strength of the graph of every type.

    ``strengths`` holds the values of one parameter or two: the first is for the samples, the last
    for all other types. A value may be a mapping of type to strength.
    """
    parameters = list(strengths)
    strength_by_type = {}
    for name in data.types:
        parameter = parameters[0 if name == data.center else -1]
        parameter_strengths = broadcast(strengths[parameter], data.types)
        _check_types(data, parameter_strengths, parameter)
        strength_by_type[name] = float(parameter_strengths.get(name, 0.0))
    return strength_by_type


def with_penalties(
    task: Task,
    method: Any,
    graphs_of: Callable[[RelationalData, str, Any], Graphs],
    weigh: Callable[[RelationalData, str, int, float], float],
    penalty: Callable[[RelationalData, str, int, Graphs, float], Penalty],
) -> GraphTask:
    """The task with the penalty of every type whose graph has a strength.

    ``graphs_of(data, name, given)`` are the graphs of a type, ``weigh(data, name, k, strength)`` is
    how much they weigh where strengths are relative to the data, and ``penalty(data, name, k,
    graphs, weight)`` is what they do to its factor.
    """
    data, user_graphs = task.data, _check_graphs(task)
    by_type = strengths_by_type(data, strengths_of(method))
    penalties: dict[str, tuple[Penalty, ...]] = {}
    for name, k in task.clusters.items():
        strength = by_type[name]
        # Looking for neighbours is the costly part: not for a type whose graph has no strength.
        graphs = graphs_of(data, name, user_graphs.get(name)) if strength else {}
        relative = method.strength_unit == "relative"
        weight = weigh(data, name, k, strength) if relative else strength
        penalties[name] = (penalty(data, name, k, graphs, weight),) if graphs else ()
    return task.extended(GraphTask, penalties=penalties)


def _check_graphs(task: Task) -> Mapping[str, Any]:
    """Return the graphs given to fit, by type; raise if they are no mapping of types."""
    graphs = {} if task.graphs is None else task.graphs
    if not isinstance(graphs, Mapping):
        raise TypeError(
            f"graphs must map a type to a graph of its objects, as in {{{task.data.center!r}: W}}, "
            f"got {type(graphs).__name__}."
        )
    _check_types(task.data, graphs, "graphs")
    return graphs


def _check_types(data: RelationalData, by_type: Mapping[str, Any], argument: str) -> None:
    """Refuse names that are no types."""
    unknown = [name for name in by_type if name not in data.types]
    if unknown:
        raise ValueError(
            f"{argument} names the unknown type {unknown[0]!r}; the types are "
            f"{', '.join(data.types)}."
        )


if TYPE_CHECKING:
    Base = Coclusterer
else:
    # Not a dataclass: its fields would hide the defaults of other bases.
    Base = object


class GraphFitMixin(Base):
    """Base of methods whose `fit` accepts graphs."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        links: Any = None,
        graphs: Mapping[str, Any] | None = None,
        callback: Callback | None = None,
        mask: Any = None,
    ) -> Self:
        """Co-cluster X: a matrix, a mapping or list of views, or `RelationalData`.

        ``graphs`` maps a type (of one matrix: "samples", "features") to a graph of its objects, an
        array or sparse matrix of non-negative weights, used instead of the neighbours in the data.
        An asymmetric graph is symmetrised by maximum. Other arguments are those of
        `Coclusterer.fit`.
        """
        self._run(X, y, links=links, callback=callback, graphs=graphs, mask=mask)
        return self


@dataclass(eq=False, repr=False)
class GraphEstimator(GraphFitMixin, SoftTriFactorEstimator):
    """Base of the methods in which a graph of its objects pulls on the soft factor of a type.

    Unless a method says otherwise: semi-NMTF with columns of unit length, each factor smooth on
    the graph of its objects.

    Parameters
    ----------
    n_neighbors : int
        Number of others that each object is joined with. A type with no more objects than that
        has no graph: if all are joined with all, the graph says nothing.
    metric : {"cosine", "euclidean"}
        How neighbours are found, in the normalised data of the type (all its relations side by
        side; absent samples count as zeros). By cosine, objects without data have no neighbours.
        Samples in row blocks are compared with those of their block and with 2,000 of all blocks,
        features by their leading singular vectors.
    laplacian : {"normalized", "plain"}
        :math:`D^{-1/2} (D - W) D^{-1/2}`, with which strengths do not depend on the weights of the
        graph; or D - W, as most of the papers print it.
    strength_unit : {"relative", "absolute"}
        Whether strengths are relative to the data, so that they mean the same whatever the unit of
        the data, as each method says; or are the papers' own λ, α and β.

    Other parameters are those of `SoftTriFactorEstimator`, with ``assign="kmeans"``, because the
    literature clusters the rows of the factor.

    Notes
    -----
    New samples (`predict`, `transform`) are smoothed as those of the fit: the graph pulls them to
    where it pulled their ``n_neighbors`` nearest samples of the fit on the average, or their equals
    if they have any. For this the model keeps the normalised data of the samples. After a fit of
    row blocks, or with a graph of the samples that was given, it knows no neighbours of new ones,
    which are then fitted to the data alone: their clusters agree less with those of the fit (on
    CT7 of Chen et al. 2010, 144 texts, `DRCC` finds .76 of its labels again, with neighbours .96).
    """

    _: KW_ONLY
    n_neighbors: int = 5
    metric: Metric = "cosine"
    laplacian: str = "normalized"
    strength_unit: str = "relative"
    assign: str = "kmeans"
    # The best on the half for choosing of the leaderboard's sets (benchmarks/results/sweeps.md),
    # although the objective falls for longer where a graph is strong.
    max_iter: int = 100
    tol: float = 1e-6

    # The parameters with the strengths: of the samples, and (the last) of all other types.
    _strengths: ClassVar[tuple[str, ...]] = ("row_strength", "column_strength")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_graph_parameters(self)
        check_choice(self.laplacian, "laplacian", ("normalized", "plain"))

    def _prepared(self, task: Task) -> GraphTask:
        return with_penalties(task, self, self._graphs, self._weight, self._penalty)

    def _graphs(self, data: RelationalData, name: str, given: Any) -> Graphs:
        """The graphs of one type, by name."""
        return neighbours_of(self).graphs(data, name, given)

    def _weight(self, data: RelationalData, name: str, k: int, strength: float) -> float:
        """How much the graphs of a type weigh at a strength that is relative to the data."""
        # Columns of unit length make tr(Gᵀ L G) at most 2 k: divided by k, strengths compare.
        return strength * scale_of(data, name) / k

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, weight: float
    ) -> Penalty:
        """Return the penalty that the graphs of a type put on its factor."""
        (graph,) = graphs.values()
        return PairTerms(smoothing(data, graph, weight, self.laplacian == "normalized"))

    def _problem(self, task: Any) -> TriFactorProblem:
        factors = {
            name: FactorSpec(k, NonNegative(), task.penalties[name], unit_columns=True)
            for name, k in task.clusters.items()
        }
        return TriFactorProblem(task.data, factors, Free())

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        center, self._pulled = task.data.center, None
        points = points_of(task.data, task.graphs)
        if points is not None and task.penalties[center]:
            G = self._factors[center]
            L = self._on_samples(task).laplacian
            self._pulled = points, *pull_of(L, as_array(G))

    def _on_samples(self, task: Any) -> BlockQuadratic:
        """Return the penalty of the samples' graph on their factor, at the end of the fit."""
        center = task.data.center
        (penalty,) = task.penalties[center]
        block: BlockQuadratic = penalty.majorizer(self._factors[center])
        return block

    def _fold_in(self, data: RelationalData) -> tuple[Array, Array]:
        if self._pulled is None:
            return super()._fold_in(data)
        points, diagonal, pull = self._pulled
        new = stack_relations(data, data.center)
        near = nearest_samples(points, new, self.n_neighbors, self.metric)
        block = self._new_block(data)
        G = pulled(block, diagonal, pull, *near).nonnegative_minimiser()
        return G, memberships(G, block)


def scale_of(data: RelationalData, name: str) -> float:
    """Σ_r w_r ‖R_r‖² over the relations of a type: strengths are relative to it."""
    touching = (r for r in data.relations if name in (r.rows, r.cols))
    return sum(r.weight * squared_norm(r.matrix) for r in touching)


def smoothing(
    data: RelationalData, graph: sp.csr_array, scale: float, normalized: bool = True
) -> sp.csr_array:
    """The scaled Laplacian, in the precision of the data."""
    dtype = np.result_type(*(r.matrix.dtype for r in data.relations))
    return (scale * laplacian(graph, normalized)).astype(dtype)


def anchor_weight(data: RelationalData, name: str, k: int, strength: float) -> float:
    """How much `anchor` weighs at a strength that is relative to the data, see `LPFNMTF`."""
    # A graph that shows k equal clusters perfectly has B = G √(k/n): per object this is its mean
    # square times twice the strength, whatever n and k.
    return float(strength * (scale_of(data, name) / np.sqrt(data.size(name) * k)))


def anchor(
    data: RelationalData, name: str, k: int, graphs: Graphs, weight: float
) -> SpectralAnchor:
    """Return the penalty that draws a type's indicator factor to the basis of its graph.

    In the precision of the data.
    """
    (graph,) = graphs.values()
    dtype = np.result_type(*(r.matrix.dtype for r in data.relations))
    return SpectralAnchor(data.placed(name, spectral_basis(graph, k).astype(dtype)), weight)


def spectral_basis(graph: sp.csr_array, k: int) -> Array:
    r"""B = P Σ^{1/2}: the k leading eigenvectors of D^{-1/2} W D^{-1/2} times √eigenvalue.

    Eq. (15) of LP-FNMTF; negative eigenvalues count as zero.
    """
    n = graph.shape[0]
    adjacency = sp.eye_array(n) - laplacian(graph, normalized=True)
    # Objects without edges have a zero row in the Laplacian; they must not become eigenvectors.
    alone = np.flatnonzero(np.diff(graph.indptr) == 0)
    adjacency = adjacency - sp.csr_array((np.ones(len(alone)), (alone, alone)), shape=(n, n))
    # The leading ones of the adjacency; a fixed seed, because the basis is part of the objective.
    values, vectors = smallest_eigenvectors(-adjacency, k, np.random.default_rng(0))
    return vectors * np.sqrt(np.maximum(-values, 0))
