"""StarSSNMF: metrics learned from links, then factorisation in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import RelationalData
from cocluster.linalg.partitions import strongest
from cocluster.linalg.types import is_operator
from cocluster.links import Links
from cocluster.methods.factorization.base import SoftTriFactorEstimator, memberships_by_type
from cocluster.methods.factorization.metric import LearnedMetrics, learn_metrics
from cocluster.methods.starts import start_name, starts
from cocluster.methods.task import Start, Task, best_of
from cocluster.trifactor import (
    FactorSpec,
    Free,
    NonNegative,
    NonNegativeAssociation,
    Run,
    State,
    TriFactorProblem,
    state_from,
    with_links,
)
from cocluster.utils.checks import check_choice, check_integer, check_number


@dataclass(frozen=True, eq=False)
class LearnedViews:
    """Metrics and weights of the views, and the form their relations take with them.

    ``clip`` says what becomes of negative entries, see `MetricOperator.transformed`.
    """

    learned: LearnedMetrics
    clip: bool | None

    def applied(self, data: RelationalData) -> RelationalData:
        """The data with the relations of the samples transformed; others are left as they are."""
        return data.derive(
            r.derive(matrix=self.learned.transformed(r.cols, r.matrix, self.clip))
            if r.rows == data.center
            else r
            for r in data.relations
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricTask(Task):
    """A task whose data are transformed by metrics that were learned from links."""

    # The data before that.
    given: RelationalData
    views: LearnedViews


@dataclass(eq=False, repr=False)
class StarSSNMF(SoftTriFactorEstimator):
    r"""Semi-supervised co-clustering of samples seen in several views.

    .. math:: \min \sum_p \|\tilde R_p - G S_p G_p^T\|^2,\quad G, S, G_p \ge 0,
              \qquad \tilde R_p = \alpha_p R_p \sqrt{L_p}

    The links between samples give every view a metric L and a weight α ([1]_, Algorithm 1, see
    `cocluster.methods.factorization.metric`), the relations transformed by them are factorised with
    multiplicative steps (Algorithm 2). One view is pairwise co-clustering.

    Parameters
    ----------
    ridge : float > 0
        How far the scatter of the must-links is shrunk towards a multiple of the identity.
    negative : {"clip", "signed"}
        What becomes of the entries of the transformed relations below zero: set to zero; or kept,
        with S of any sign and exponent 1/2. Sparse views of more than 50 million cells, which
        clipping would make dense, are always kept as signed operators.

    continued : bool
        Whether the factorisation goes on with the links, see Notes. Without links the value does
        not matter; with False the method is Algorithms 1 and 2 of the paper and nothing else.

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

    _: KW_ONLY
    ridge: float = 1.0
    negative: str = "clip"
    continued: bool = True
    n_init: int = 5

    _nonnegative: ClassVar[bool] = True
    _blockwise: ClassVar[bool] = False
    _auto_normalization: ClassVar[str | None] = "tfidf"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.negative, "negative", ("clip", "signed"))
        if check_number(self.ridge, "ridge") == 0:
            raise ValueError("ridge must be positive: use a small number such as 1e-3.")

    def _prepared(self, task: Task) -> MetricTask:
        views = self._learn_views(task.data, task.links.get(task.data.center))
        data = views.applied(task.data)
        # New samples must take the form of those of the fit, however many they are.
        clip = not any(is_operator(r.matrix) for r in data.relations)
        views = replace(views, clip=clip)
        return task.extended(MetricTask, data=data, given=task.data, views=views)

    def _learn_views(self, data: RelationalData, links: Links | None) -> LearnedViews:
        """Metrics and weights of the views, Algorithm 1."""
        no_pairs = np.empty((0, 2), dtype=np.intp)
        views = {r.cols: r for r in data.relations if r.rows == data.center}
        learned = learn_metrics(
            {name: r.matrix for name, r in views.items()},
            no_pairs if links is None else links.must_link,
            no_pairs if links is None else links.cannot_link,
            ridge=self.ridge,
            row_index={name: r.row_index for name, r in views.items()},
        )
        return LearnedViews(learned, None if self.negative == "clip" else False)

    def _starts(self, task: Any) -> Iterator[Start]:
        """The chosen start, found in the transformed data if these have entries; then others."""
        start_data = task.data if task.views.clip else task.given
        yield from starts(start_data, task.clusters, self.init, 1, task.rng)
        for number in range(1, self.n_init if start_name(self.init) else 1):
            kind = "kmeans" if number % 2 else "random"
            yield from starts(task.given, task.clusters, kind, 1, task.rng)

    def _solve(self, task: Task) -> Run:
        # First by the metric alone, as in the paper.
        best = super()._solve(replace(task, links={}))
        return self._with_links(task, best.state) if task.links and self.continued else best

    def _with_links(self, task: Task, state: State) -> Run:
        """Go on from a state with links: from its labels, and from those near them that meet more.

        The first alone may leave groups together that cannot-links part; the second alone may
        leave a good state for the sake of few links.
        """
        # From labels, not from the factors: a multiplicative step can hardly move a tied group.
        membership_by_type = memberships_by_type(task.data, state)
        labels = {name: strongest(M) for name, M in membership_by_type.items()}
        problem = with_links(self._problem(task), task.links)
        from_labels = self._sweep(problem, state_from(problem, labels), task)
        return best_of((from_labels, self._solve_from(task, labels)))

    def _problem(self, task: Any) -> TriFactorProblem:
        # Entries of both signs need the smaller step, and associations of both signs.
        signed = not task.views.clip
        constraint = NonNegative(exponent=0.5 if signed else 1.0)
        factors = {name: FactorSpec(k, constraint) for name, k in task.clusters.items()}
        return TriFactorProblem(task.data, factors, Free() if signed else NonNegativeAssociation())

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        self._views = task.views
        self.metrics_ = dict(task.views.learned.metrics)
        self.modality_weights_ = dict(task.views.learned.modality_weights)
        self._names = dict(task.data.names)
        # S G_pᵀ of every view: what a cluster of samples looks like in it, for `top_features`.
        self._prototypes = {
            relation.cols: S @ self.factors_[relation.cols].T
            for relation, S in zip(task.data.relations, self.associations_, strict=True)
            if relation.rows == task.data.center
        }

    def _new_data(self, X: Any) -> RelationalData:
        data = super()._new_data(X)
        return self._views.applied(data)

    def top_features(self, view: str, cluster: int, n: int = 10) -> list[Any]:
        """The features of a view that set a cluster of samples apart, strongest first.

        A feature counts by its entry in the cluster's prototype S G_pᵀ beyond the largest entry it
        has in another one. Features are named where names are known, else numbered.
        """
        check_is_fitted(self)
        check_choice(view, "view", tuple(self._prototypes))
        P = self._prototypes[view]
        cluster = check_choice(int(cluster), "cluster", tuple(range(len(P))))
        largest_elsewhere = np.delete(P, cluster, axis=0).max(axis=0, initial=0.0)
        best = np.argsort(largest_elsewhere - P[cluster], kind="stable")[: check_integer(n, "n")]
        names = self._names.get(view)
        return best.tolist() if names is None else names[best].tolist()
