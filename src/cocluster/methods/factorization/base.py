"""Methods that are a tri-factorisation problem: a subclass only says which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import RelationalData
from cocluster.linalg.kmeans import kmeans
from cocluster.linalg.matrices import row_squares
from cocluster.linalg.partitions import as_array, gathered, is_hard, strongest
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, Factor
from cocluster.methods.base import Coclusterer
from cocluster.methods.mixins import by_blocks
from cocluster.methods.task import Start, Task
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


def linked_start(
    problem: TriFactorProblem, task: Task, start: Start
) -> tuple[TriFactorProblem, State]:
    """The problem with the links of the task, and the state that one start stands for."""
    problem = with_links(problem, task.links)
    if start is None:
        return problem, random_start(problem, task.rng)
    # Memberships are taken as they are: they may well be those of an earlier fit with links.
    # Labels are first brought near the links, by a hard problem.
    if task.links and all(
        labels_or_memberships.ndim == 1 for labels_or_memberships in start.values()
    ):
        start = linked_labels(task.data, task.links, start, task.clusters)
    return problem, state_from(problem, start)


def new_block(
    data: RelationalData, factors: Mapping[str, Factor], associations: tuple[Array, ...]
) -> BlockQuadratic:
    """The block of new samples, with all that was learned fixed."""
    problem, state = TriFactorProblem(data, {}), State(factors, associations)
    return problem.data_block(data.center, state)


def memberships_by_type(data: RelationalData, state: State) -> dict[str, Factor]:
    """Memberships of every type that has a factor, rows summing to one."""
    problem = TriFactorProblem(data, {})
    return {
        name: memberships(state.factors[name], problem.data_block(name, state))
        for name in data.types
        if name in state.factors
    }


@dataclass(eq=False, repr=False)
class HardTriFactorEstimator(Coclusterer):
    """Base of the methods with indicator factors: one cluster for each object.

    Parameters are those of `Coclusterer`; runs go on until no label changes.
    """

    _: KW_ONLY
    max_iter: int = 100
    # Labels settle: the run goes on until none changes.
    tol: float = 0.0

    _blockwise: ClassVar[bool] = True
    _additive: ClassVar[bool] = True

    def _finished(self, problem: TriFactorProblem, run: Run) -> Run:
        return run

    def _problem(self, task: Task) -> TriFactorProblem:
        """The problem that defines the method."""
        raise NotImplementedError

    def _linked_problem(self, task: Task) -> TriFactorProblem:
        return with_links(self._problem(task), task.links)

    def _solve_from(self, task: Task, start: Start) -> Run:
        return self._sweep(*linked_start(self._problem(task), task, start), task)

    def _costs_of(self, data: RelationalData) -> Array:
        """Squared distance to every prototype, in the scale and with the weights of the fit."""
        lengths = np.zeros((len(data), 1))
        for r in data.relations:
            if r.rows == data.center:
                present = slice(None) if r.row_index is None else r.row_index
                lengths[present, 0] += r.weight * row_squares(r.matrix)
        return lengths + new_block(data, self._factors, self.associations_).costs()


@dataclass(eq=False, repr=False)
class SoftTriFactorEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Coclusterer):
    """Base of the methods with real factors: memberships, from which labels are made.

    Parameters
    ----------
    assign : {"argmax", "kmeans"}
        Label = strongest membership, or k-means on the factor's rows scaled to length one.

    Other parameters are those of `Coclusterer`.

    Attributes
    ----------
    membership_ : array of shape (n_samples, n_clusters), rows summing to one
    factors_, row_factor_, column_factor_ : the factors as they are
    """

    _: KW_ONLY
    assign: str = "argmax"

    # Steps need products of the data with factors and sums over rows, nothing else.
    _blockwise: ClassVar[bool] = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.assign, "assign", ("argmax", "kmeans"))

    def _problem(self, task: Task) -> TriFactorProblem:
        """The problem that defines the method."""
        raise NotImplementedError

    def _solve_from(self, task: Task, start: Start) -> Run:
        return self._sweep(*linked_start(self._problem(task), task, start), task)

    def _store(self, task: Task, run: Run) -> None:
        self._store_run(task, run)
        membership_by_type = memberships_by_type(task.data, run.state)
        self._membership, self._kmeans = membership_by_type[task.data.center], None
        labels = {name: strongest(M) for name, M in membership_by_type.items()}
        if self.assign == "kmeans":
            models = {
                # A fixed seed and ten starts: labels are to depend on the factor, not on k-means.
                name: kmeans(gathered(unit_rows(G)), G.shape[1], seed=0, n_init=10)
                for name, G in self._factors.items()
                # Of indicators the labels are known.
                if not is_hard(G)
            }
            self._kmeans = models.get(task.data.center)
            labels |= {name: model.labels_.astype(np.intp) for name, model in models.items()}
        self._store_labels(labels)

    @property
    def membership_(self) -> Array:
        """Memberships of the samples, rows summing to one."""
        check_is_fitted(self)
        return as_array(self._membership)

    @property
    def _n_features_out(self) -> int:
        """Columns of `transform`, for scikit-learn's feature names."""
        return int(self._membership.shape[1])

    @by_blocks
    def transform(self, X: Any) -> Array:
        """Memberships of new samples: non-negative fold-in, rows summing to one."""
        return self._fold_in(self._new_data(X))[1]

    def _costs_of(self, data: RelationalData) -> Array:
        """One minus the membership, or the distance to the mean of each cluster's factor rows."""
        G, membership = self._fold_in(data)
        if self._kmeans is not None:
            return np.asarray(self._kmeans.transform(unit_rows(G)))
        return 1 - membership

    def _new_block(self, data: RelationalData) -> BlockQuadratic:
        """The block of new samples, with all that was learned fixed."""
        return new_block(data, self._factors, self.associations_)

    def _fold_in(self, data: RelationalData) -> tuple[Array, Array]:
        """Factor rows and memberships of new samples."""
        block = self._new_block(data)
        # Non-negative whatever the constraint of the fit: memberships are read from it.
        G = block.nonnegative_minimiser()
        return G, memberships(G, block)
