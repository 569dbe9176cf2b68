"""StarSSNMF: metrics learned from links, then factorisation of the moved relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array, Matrix, is_operator
from cocluster.links import Links
from cocluster.methods.base import Task
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.factorization.metric import learn_metrics
from cocluster.methods.starts import starts
from cocluster.trifactor import (
    FactorSpec,
    Free,
    NonNegative,
    NonNegativeAssociation,
    Run,
    State,
    TriFactorProblem,
    memberships,
    state_from,
    with_links,
)
from cocluster.utils.checks import check_choice, check_integer, check_number


class StarSSNMF(SoftTriFactorEstimator):
    r"""Semi-supervised co-clustering of samples seen in several views.

    .. math:: \min \sum_p \|\tilde R_p - G S_p G_p^T\|^2,\quad G, S, G_p \ge 0,
              \qquad \tilde R_p = \alpha_p R_p \sqrt{L_p}

    The links between samples give every view a metric L and a weight α ([1]_, Algorithm 1, see
    `cocluster.methods.factorization.metric`), the moved relations are factorised with
    multiplicative steps (Algorithm 2). One view is pairwise co-clustering.

    Parameters
    ----------
    ridge : float > 0
        How far the scatter of the must-links is shrunk towards a multiple of the identity.
    negative : {"clip", "signed"}
        What becomes of the entries of the moved relations below zero: set to zero; or kept, with
        S of any sign and exponent 1/2. Sparse views of more than 50 million cells, which clipping
        would make dense, are always kept as signed operators.

    n_init : int
        The first start is ``init``, further ones alternate between k-means and chance; the run
        with the lowest objective is kept.

    Other parameters are those of `SoftTriFactorEstimator`.

    Attributes
    ----------
    metrics_ : dict of view to `MetricOperator`
    modality_weights_ : dict of view to float

    Notes
    -----
    * Beyond the paper, the links do not end with the metric: from the best run the factorisation
      goes on as every other does with links, must-links sharing a row of the factor and
      cannot-links costing; of two ways to begin the one with the lower objective is kept. With the
      metric alone many links can do harm (re0, interest and trade: accuracy .997 with 1 % of the
      pairs, .91 with 10 %; so it is 1.0 with both).
    * Several kinds of starts, because the metric leaves deep local minima that one kind of
      start shares, and the objective tells them apart.
    * Guaranteed: the objective never rises. Without links this is `NMTF` exactly, given the same
      start and normalisation.
    * ``normalize="auto"`` is "tfidf", which for data without zeros is unit length of the rows:
      distances between samples decide, so no sample should be far from all others by its size.
    * Cost: see `learn_metrics`; a sweep costs two products of each relation with k columns. An
      operator adds to each product one with the directions along which the metric shrinks.
    * The paper writes √L R, which does not fit; it must be R √L. Its rules have exponent 1, which
      descends for relations between different types.
    * A view that lacks samples learns from the links between those it has. Links between
      features act on their factor only. Relations that do not touch the samples are left as they
      are.

    References
    ----------
    .. [1] Chen, Wang, Dong. Non-Negative Matrix Factorization for Semisupervised Heterogeneous
       Data Coclustering. TKDE 22(10), 2010.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((3, 2)))
    >>> model = StarSSNMF(2, random_state=0).fit({"words": X}, links=([[0, 1]], [[0, 3]]))
    >>> model.top_features("words", model.labels_[0], n=2)
    [0, 1]
    """

    _nonnegative = True
    _blockwise = False
    _auto_normalization = "tfidf"

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        ridge: float = 1.0,
        negative: str = "clip",
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 5,
        assign: str = "argmax",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            n_column_clusters,
            normalize=normalize,
            init=init,
            n_init=n_init,
            assign=assign,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.ridge = ridge
        self.negative = negative

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.negative, "negative", ("clip", "signed"))
        if check_number(self.ridge, "ridge") == 0:
            raise ValueError("ridge must be positive: use a small number such as 1e-3.")

    def _best_run(self, task: Task) -> Run:
        self._learn(task.data, task.links.get(task.data.center))
        self._clip = None if self.negative == "clip" else False
        self._factorised = self._moved(task.data)
        # New samples must take the form of those of the fit, however many they are.
        self._clip = not any(is_operator(r.matrix) for r in self._factorised.relations)
        runs = (
            self._solve(replace(task, data=self._factorised, links={}), start)
            for start in self._starts(task.data, task.clusters, task.rng)
        )
        best = min(runs, key=lambda run: run.objective)
        if not task.links:
            return best
        return self._with_links(replace(task, data=self._factorised), best.state)

    def _with_links(self, task: Task, state: State) -> Run:
        """Go on from a state with links: from its labels, and from those near them that meet more.

        The first alone may leave groups together that cannot-links part; the second alone may
        leave a good state for the sake of few links.
        """
        labels = self._memberships_argmax(state)
        problem = with_links(self._problem(task.data, task.clusters), task.links)
        as_they_are = self._alternate(problem, state_from(problem, labels), task)
        return min(as_they_are, self._solve(task, labels), key=lambda run: run.objective)

    def _starts(
        self, data: RelationalData, clusters: dict[str, int], rng: np.random.Generator
    ) -> Iterator[Mapping[str, Array] | None]:
        """The chosen start, found in the moved data if these have entries; then other kinds."""
        yield from starts(self._factorised if self._clip else data, clusters, self.init, 1, rng)
        for number in range(1, self.n_init if isinstance(self.init, str) else 1):
            yield from starts(data, clusters, "kmeans" if number % 2 else "random", 1, rng)

    def _memberships_argmax(self, state: State) -> dict[str, Array]:
        """Labels of every type by strongest membership."""
        problem = TriFactorProblem(self._factorised, {})
        return {
            name: memberships(G, problem.data_block(name, state)).argmax(axis=1)
            for name, G in state.factors.items()
        }

    def _learn(self, data: RelationalData, links: Links | None) -> None:
        """Metrics and weights of the views, Algorithm 1."""
        none = np.empty((0, 2), dtype=np.intp)
        views = {r.cols: r for r in data.relations if r.rows == data.center}
        views |= {r.rows: r for r in data.relations if r.cols == data.center}
        self._learned = learn_metrics(
            {name: _seen_from(r, data.center) for name, r in views.items()},
            none if links is None else links.must_link,
            none if links is None else links.cannot_link,
            ridge=self.ridge,
            row_index={name: r.row_index for name, r in views.items() if r.rows == data.center},
        )
        self.metrics_ = dict(self._learned.metrics)
        self.modality_weights_ = dict(self._learned.modality_weights)

    def _moved(self, data: RelationalData) -> RelationalData:
        """The data in the metrics and weights of the fit."""
        relations = tuple(self._moved_relation(r, data.center) for r in data.relations)
        return replace(data, relations=relations)

    def _moved_relation(self, relation: Relation, center: str) -> Relation:
        """One relation moved, if it touches the samples."""
        if center not in (relation.rows, relation.cols):
            return relation
        name = relation.cols if relation.rows == center else relation.rows
        moved = self._learned.transformed(name, _seen_from(relation, center), self._clip)
        return replace(relation, matrix=moved if relation.rows == center else moved.T)

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        signed = any(is_operator(r.matrix) for r in data.relations)
        constraint = NonNegative(exponent=0.5 if signed else 1.0)
        factors = {name: FactorSpec(k, constraint) for name, k in clusters.items()}
        return TriFactorProblem(data, factors, Free() if signed else NonNegativeAssociation())

    def _store(self, data: RelationalData, run: Run) -> None:
        super()._store(self._factorised, run)
        del self._factorised
        self._names = dict(data.names)
        self._prototypes = {}
        for relation, S in zip(data.relations, self.associations_, strict=True):
            if relation.rows == data.center:
                self._prototypes[relation.cols] = S @ self.factors_[relation.cols].T
            elif relation.cols == data.center:
                self._prototypes[relation.rows] = S.T @ self.factors_[relation.rows].T

    def _new_data(self, X: Any) -> RelationalData:
        return self._moved(super()._new_data(X))

    def top_features(self, view: str, cluster: int, n: int = 10) -> list[Any]:
        """The features of a view that set a cluster of samples apart, strongest first.

        A feature counts by its entry in the cluster's prototype S G_pᵀ beyond the largest entry it
        has in another one. Features are named where names are known, else numbered.
        """
        check_is_fitted(self)
        check_choice(view, "view", tuple(self._prototypes))
        P = self._prototypes[view]
        cluster = check_choice(int(cluster), "cluster", tuple(range(len(P))))
        others = np.delete(P, cluster, axis=0).max(axis=0, initial=0.0)
        best = np.argsort(others - P[cluster], kind="stable")[: check_integer(n, "n")]
        names = self._names.get(view)
        return best.tolist() if names is None else names[best].tolist()


def _seen_from(relation: Relation, center: str) -> Matrix:
    """The matrix of a relation with the samples in rows."""
    return relation.matrix if relation.rows == center else relation.matrix.T.tocsr()
