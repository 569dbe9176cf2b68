"""RMC: tri-factorisation of many types, with a learned combination of graphs of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.graphs import as_graph, candidate_graphs
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, Factor
from cocluster.methods.factorization.graph_base import (
    GraphEstimator,
    Graphs,
    GraphTask,
    neighbours_of,
    smoothing,
)
from cocluster.trifactor import (
    BlockQuadratic,
    FactorSpec,
    Free,
    GraphEnsemble,
    NonNegative,
    Run,
    State,
    TriFactorProblem,
    simplex_weights,
)
from cocluster.utils.checks import broadcast, check_choice, check_number


@dataclass(eq=False, repr=False)
class RMC(GraphEstimator):
    r"""Relational Multi-manifold Co-clustering of any number of types.

    .. math:: \min \sum_r w_r \|R_r - G_{rows} S_r G_{cols}^T\|^2 + \sum_t \alpha_t
              \left[\sum_i \mu_{ti}\, tr(G_t^T L_{ti} G_t) + \gamma \|\mu_t\|^2\right],
              \quad G \ge 0,\ \mu_t \in \Delta,\ S\ free

    [1]_, Eq. (4): each type has candidate graphs, and weights on them that are learned. S by least
    squares (Eq. 5), G by Eq. (8), μ exactly, columns of G at unit length.

    Parameters
    ----------
    strength : float, or mapping of type to float
        Strength of the graphs of every type, relative to the data: α_t is ``strength`` ·
        Σ w_r ‖R_r‖² / k_t, over the relations of the type; see `SNMTF`.
    weight_penalty : float
        γ, the paper's β/α. Larger: more equal weights; 0: all weight on the smoothest graph.
    share_weights : bool
        Whether all types have the same μ, as in the block form of the paper. The candidate graphs
        of all types must then correspond.
    bandwidth : {"scaled", "printed"}
        Of the heat weights: multiples of the mean squared distance, which makes the graphs free of
        the scale of the data, or of its inverse, as the paper prints.
    n_neighbors, metric, laplacian, strength_unit
        See `GraphEstimator`. The candidates are those of `graphs.candidate_graphs`. Graphs of your
        own are given to `fit`: for a type one graph, a list of graphs, or a mapping of names to
        graphs.

    Other parameters are those of `SoftTriFactorEstimator`; ``assign="kmeans"``.

    Attributes
    ----------
    graph_weights_ : dict of type to dict of graph to weight

    Notes
    -----
    * Guarantees are those of `DRCC`. With one candidate it is `SNMTF`.
    * Rule (8) belongs to the stacked objective with 2α; that counts each relation twice and so is
      this one with α. The μ step is a projection on the simplex, so the mirror descent of the
      paper is not needed; its Eq. (9) drops α from the linear term.
    * Laplacians are normalised: with D - W the graph with the smallest weights always wins.
    * Cost of a sweep: two products of each relation with k columns, two of each candidate graph.

    References
    ----------
    .. [1] Li, Bu, Chen, He. Relational Co-Clustering via Manifold Ensemble Learning. CIKM 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import RMC
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((8, 6)))
    >>> labels = RMC(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[7]), bool(labels[0] == labels[8])
    (True, False)
    """

    _: KW_ONLY
    strength: float | Mapping[str, float] = 1.0
    weight_penalty: float = 0.1
    share_weights: bool = False
    bandwidth: str = "scaled"

    _strengths: ClassVar[tuple[str, ...]] = ("strength",)

    # Candidate graphs are found and weighed among all rows, in memory.
    _blockwise: ClassVar[bool] = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.weight_penalty, "weight_penalty")
        check_choice(self.bandwidth, "bandwidth", ("scaled", "printed"))

    def _graphs(self, data: RelationalData, name: str, given: Any) -> Graphs:
        if given is None:
            X = neighbours_of(self).objects(data, name)
            if X is None:
                return {}
            # Candidates are made by distances; those of unit rows follow the cosines.
            X = unit_rows(X) if self.metric == "cosine" else X
            return candidate_graphs(X, self.n_neighbors, printed=self.bandwidth == "printed")
        if isinstance(given, list | tuple):
            given = {f"graph {i}": graph for i, graph in enumerate(given)}
        candidates = broadcast(given, ["given"])
        if not candidates:
            raise ValueError(f"graphs of {name} are empty; give at least one, or leave it out.")
        n = data.size(name)
        return {key: as_graph(W, n, f"{key} of {name}") for key, W in candidates.items()}

    def _penalty(
        self, data: RelationalData, name: str, k: int, graphs: Graphs, weight: float
    ) -> GraphEnsemble:
        # Unscaled: the ensemble multiplies with the weight, after it has weighed the graphs.
        normal = self.laplacian == "normalized"
        laplacians = {key: smoothing(data, graph, 1.0, normal) for key, graph in graphs.items()}
        return GraphEnsemble(laplacians, weight, self.weight_penalty)

    def _problem(self, task: Any) -> TriFactorProblem:
        ensembles = _ensembles(task)
        if not (self.share_weights and ensembles):
            return super()._problem(task)
        # No penalties: with shared weights they are no longer a sum over types.
        factors = {
            name: FactorSpec(k, NonNegative(), unit_columns=True)
            for name, k in task.clusters.items()
        }
        return SharedWeightsProblem(task.data, factors, Free(), ensembles)

    def _on_samples(self, task: Any) -> BlockQuadratic:
        ensembles = _ensembles(task)
        if not self.share_weights:
            return super()._on_samples(task)
        ensemble, weights = ensembles[task.data.center], shared_weights(ensembles, self._factors)
        return ensemble.combined(self._factors[task.data.center], weights)

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        ensembles = _ensembles(task)
        weights = {
            name: ensemble.weights(self._factors[name]) for name, ensemble in ensembles.items()
        }
        if self.share_weights and ensembles:
            weights = dict.fromkeys(ensembles, shared_weights(ensembles, self._factors))
        self.graph_weights_ = {
            name: dict(zip(ensemble.laplacians, weights[name].tolist(), strict=True))
            for name, ensemble in ensembles.items()
        }


def _ensembles(task: GraphTask) -> dict[str, Any]:
    """The ensemble of every type that has one: the only penalty RMC gives."""
    return {name: penalty for name, penalties in task.penalties.items() for penalty in penalties}


@dataclass(frozen=True, eq=False)
class SharedWeightsProblem(TriFactorProblem):
    """A problem whose types have ensembles of graphs with the same weights."""

    ensembles: Mapping[str, GraphEnsemble] = field(default_factory=dict)

    def block(self, name: str, state: State) -> BlockQuadratic:
        """The objective as a function of one factor, with the best weights for all factors."""
        weights = shared_weights(self.ensembles, state.factors)
        block, ensemble = super().block(name, state), self.ensembles.get(name)
        return (
            block if ensemble is None else block + ensemble.combined(state.factors[name], weights)
        )

    def _objective(self, state: State) -> float:
        """J with the best weights."""
        weights = shared_weights(self.ensembles, state.factors)
        ensembles = self.ensembles.items()
        shares = (
            ensemble.combined_value(state.factors[name], weights) for name, ensemble in ensembles
        )
        return super()._objective(state) + sum(shares)


def shared_weights(ensembles: Mapping[str, GraphEnsemble], factors: Mapping[str, Factor]) -> Array:
    """The μ that is best for all types together."""
    if len({tuple(ensemble.laplacians) for ensemble in ensembles.values()}) > 1:
        raise ValueError(
            "share_weights=True needs the same candidate graphs for every type; give each type "
            "graphs of the same names, or leave share_weights=False."
        )
    # Σ α_t (μ·s_t + γ ‖μ‖²), divided by Σ α_t, is the problem of one type; 1 if all are zero.
    total = sum(ensemble.strength for ensemble in ensembles.values()) or 1.0
    s = [
        ensemble.strength * ensemble.smoothness(factors[name])
        for name, ensemble in ensembles.items()
    ]
    return simplex_weights(np.sum(s, axis=0) / total, next(iter(ensembles.values())).spread)
