"""Methods that are a tri-factorisation problem: a subclass only says which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import RelationalData
from cocluster.linalg.kmeans import kmeans
from cocluster.linalg.partitions import gathered, strongest
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer, HardCoclusterer, Start, Task
from cocluster.methods.by_blocks import by_blocks
from cocluster.trifactor import (
    BlockQuadratic,
    Run,
    State,
    TriFactorProblem,
    linked_labels,
    memberships,
    random_start,
    state_from,
    with_links,
)
from cocluster.utils.checks import check_choice


class TriFactorEstimator(Coclusterer):
    """Base of the methods that `alternate` solves."""

    _blockwise = True

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        """The problem that defines the method."""
        raise NotImplementedError

    def _solve(self, task: Task, start: Start) -> Run:
        problem = with_links(self._problem(task.data, task.clusters), task.links)
        if task.links and start is not None and all(given.ndim == 1 for given in start.values()):
            start = linked_labels(task.data, task.links, start, task.clusters)
        state = random_start(problem, task.rng) if start is None else state_from(problem, start)
        return self._alternate(problem, state, task)

    def _new_block(self, X: Any) -> BlockQuadratic:
        """The block of new samples, with all that was learned fixed."""
        data = self._new_data(X)
        state = State(self._factors, self.associations_)
        return TriFactorProblem(data, {}).data_block(data.center, state)


class HardTriFactorEstimator(TriFactorEstimator, HardCoclusterer):
    """Indicator factors: new samples go to the nearest prototype."""

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Cluster of each new sample, with the learned feature side fixed."""
        return self._new_block(X).costs().argmin(axis=1)


class SoftTriFactorEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TriFactorEstimator):
    """Real factors: memberships, which one of two rules turns into labels.

    Parameters
    ----------
    assign : {"argmax", "kmeans"}
        Label = strongest membership, or k-means on the factor's rows scaled to length one.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: int | Mapping[str, int] | None = None,
        *,
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
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
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.assign = assign

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.assign, "assign", ("argmax", "kmeans"))

    def _labels(self, data: RelationalData, state: State) -> dict[str, Array]:
        """Labels of every type by the chosen rule; memberships of the samples on the way."""
        problem = TriFactorProblem(data, {})
        membership = {
            name: memberships(G, problem.data_block(name, state))
            for name, G in self._factors.items()
        }
        self._membership = membership[data.center]
        if self.assign == "argmax":
            return {name: strongest(M) for name, M in membership.items()}
        self._kmeans = {
            name: kmeans(gathered(unit_rows(G)), G.shape[1], seed=0, n_init=10)
            for name, G in self._factors.items()
        }
        return {name: model.labels_.astype(np.intp) for name, model in self._kmeans.items()}

    @property
    def membership_(self) -> Array:
        """Memberships of the samples, rows summing to one."""
        check_is_fitted(self)
        return gathered(self._membership)

    @property
    def _n_features_out(self) -> int:
        """Columns of `transform`, for scikit-learn's feature names."""
        return int(self._membership.shape[1])

    @by_blocks
    def transform(self, X: Any) -> Array:
        """Memberships of new samples: non-negative fold-in, rows summing to one."""
        return self._fold_in(X)[1]

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Cluster of each new sample, with the learned feature side fixed."""
        G, membership = self._fold_in(X)
        if self.assign == "kmeans":
            return np.asarray(next(iter(self._kmeans.values())).predict(unit_rows(G)))
        return membership.argmax(axis=1)

    def _fold_in(self, X: Any) -> tuple[Array, Array]:
        """Factor rows and memberships of new samples."""
        block = self._new_block(X)
        G = block.nonnegative_minimiser()
        return G, memberships(G, block)
