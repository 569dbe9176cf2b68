"""Rows that come in blocks, one after the other: `partial_fit`.

What columns and associations need of the rows are sums over them: Rᵀ G, one number for each column
and cluster, and Gᵀ G. These are kept, and the rows forgotten. A new block of rows is assigned with
the columns as they are, its sums are added, and the columns move as if all rows were there.

A clustering of few rows may be a poor one, from which no further row leads away. So the first rows
are kept until they are many, and fitted anew whenever there are half as many again.

A method with `partial_fit` derives from `PartialFitMixin` and has three functions for it:

    _streamed_rows(data)            the factor of new rows, with all that was learned fixed
    _streamed_columns(task, state)  the state with the columns moved, and the association
    _streamed_labels(data, state)   labels of a block, whose factor is stored, and of all columns

The first and the last of hard methods are those of `HardPartialFitMixin`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp

from cocluster.blocks.rows import stacked
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import as_dense, gram, times, values_of
from cocluster.linalg.partitions import as_partition, is_hard, strongest, unchanged
from cocluster.linalg.types import Array, Factor, is_operator
from cocluster.methods import numbering
from cocluster.methods.base import Coclusterer
from cocluster.methods.task import Task
from cocluster.trifactor import Interrupted, Run, State
from cocluster.utils.checks import generator

# Rounds of new rows and all columns for a block: labels of planted data settle in two or three.
ROUNDS = 5
# Entries of the first rows that are kept, at most 24 MB. Of 200,000 x 10,000 planted counts a fit
# of 10,000 rows (1,000,000 entries) led to the labels of a fit of all, one of 5,000 did not.
KEPT_ENTRIES = 2_000_000
# They are fitted anew when there are so many times as many as in the last fit: all fits together
# cost three times as much as the last one, which has seen two thirds of the rows.
GROWTH = 1.5
# What `fit` says of its run and of its rows, and would be wrong after further ones.
OF_ONE_RUN = (
    "objective_",
    "objective_history_",
    "n_iter_",
    "converged_",
    "links_report_",
    "_predicting",
)


@dataclass(frozen=True, eq=False)
class SeenRows:
    """The factor of all rows so far, of which only sums are left.

    Attributes
    ----------
    sums : array of shape (n_columns, k)
        Rᵀ G, in the scale of the fit.
    square : array of shape (k, k)
        Gᵀ G.
    n : int
        Number of rows.
    """

    sums: Array
    square: Array
    n: int

    @staticmethod
    def of(R: Any, G: Factor) -> SeenRows:
        """The rows of a matrix with their factor."""
        return SeenRows(times(R.T, G).astype(np.float64), gram(G), G.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the factor."""
        return self.n, len(self.square)

    def gram(self) -> Array:
        """Gᵀ G, see `cocluster.linalg.matrices.gram`."""
        return self.square

    def __add__(self, other: SeenRows) -> SeenRows:
        return SeenRows(self.sums + other.sums, self.square + other.square, self.n + other.n)

    def state(self, relation: Relation, H: Factor, associations: tuple[Array, ...]) -> State:
        """These rows beside a factor of the columns, as if the relation had all of them."""
        products = {(0, "rows"): self.sums.astype(relation.matrix.dtype)}
        return State({relation.rows: self, relation.cols: H}, associations, products)


@dataclass(frozen=True, eq=False)
class Stream:
    """What is left of the rows so far.

    Attributes
    ----------
    seen : SeenRows
        Sums over all of them.
    kept : RelationalData or None
        The rows themselves, as they came; None once they are too many.
    n_fitted : int
        Of the rows kept, those of the last fit.
    """

    seen: SeenRows
    kept: RelationalData | None
    n_fitted: int


if TYPE_CHECKING:
    Base = Coclusterer
else:
    # Not a dataclass: its fields would hide the defaults of other bases.
    Base = object


class PartialFitMixin(Base):
    """Base of methods with `partial_fit`; the head of this module names the hooks they have."""

    _stream: Stream | None

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on with further rows, of which only sums are kept in the end.

        After `fit`, new rows are assigned and added to the sums over the rows of the fit. Without
        it, the first rows, up to 2,000,000 entries, are kept; they are fitted anew, as by `fit`,
        whenever there are half as many again. Other new rows are assigned, and the columns and the
        association follow, as if all rows were there. Clusters of rows keep their numbers. Data
        are scaled as in the last fit.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features)
            Further rows, with the columns of the first block, which must have at least as many
            rows as there are clusters. Rows should come in random order: clusters that the first
            2,000,000 entries do not show are hardly found later.
        y : ignored

        Returns
        -------
        self
            ``labels_`` are those of this block, ``column_labels_`` and ``association_`` those of
            all rows so far, of which there are ``n_samples_seen_``. `predict` gives labels to any
            rows, also to those of earlier blocks.
        """
        data = self._read(X).oriented()
        _check_streamed(self, data)
        if not hasattr(self, "_form"):
            _begin(self, data, None)
            return self
        stream, scaled = _stream_so_far(self), self._new_data(data)
        kept = None
        if stream.kept is not None:
            kept = _below(stream.kept, self._matched(data))
            if len(kept) >= GROWTH * stream.n_fitted:
                _begin(self, kept, len(data))
                return self
        _follow(self, scaled, replace(stream, kept=kept))
        return self

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows that `fit` and `partial_fit` have been given."""
        return _stream_so_far(self).seen.n

    def _run(self, X: Any, y: Any, **fitting: Any) -> tuple[Task, Run]:
        try:
            task, run = super()._run(X, y, **fitting)
        except Interrupted:
            self.__dict__.pop("_stream", None)
            raise
        # Only `CoCluster` passes ``data``. It has no `partial_fit`, and the sums cost a product.
        if fitting.get("data") is None:
            self._stream = _stream_of_fit(self, task)
        return task, run

    def _streamed_rows(self, data: RelationalData) -> Factor:
        """Return the factor of new rows, with the columns and the association fixed."""
        raise NotImplementedError

    def _streamed_columns(self, task: Task, state: State) -> State:
        """Return the state with the columns moved, and the association that follows."""
        raise NotImplementedError

    def _streamed_labels(self, data: RelationalData, state: State) -> tuple[Array, Array]:
        """Return labels of the rows of a block, whose factor is stored, and of all columns."""
        raise NotImplementedError


class HardPartialFitMixin(PartialFitMixin):
    """Base of methods with hard labels and `partial_fit`."""

    def _streamed_rows(self, data: RelationalData) -> Factor:
        # Every new row goes to the cluster in which it costs least.
        return as_partition(self._costs_of(data).argmin(axis=1), len(self.associations_[0]))

    def _streamed_labels(self, data: RelationalData, state: State) -> tuple[Array, Array]:
        (relation,) = data.relations
        return strongest(self._factors[relation.rows]), strongest(state.factors[relation.cols])


def _stream_of_fit(self: Any, task: Task) -> Stream | None:
    """Return the sums over the rows of a fit; None if `partial_fit` takes no such data."""
    relation, *others = task.data.relations
    if others or relation.rows == relation.cols:
        return None
    if relation.observed is not None or is_operator(relation.matrix):
        return None
    seen = SeenRows.of(relation.matrix, self._factors[relation.rows])
    return Stream(seen, None, seen.n)


def _stream_so_far(self: Any) -> Stream:
    """What is left of the rows so far."""
    stream: Stream | None = vars(self).get("_stream")
    if stream is None:
        raise AttributeError(
            "There are no sums over earlier rows: fit keeps them for one matrix in memory of "
            "which every entry is known. Begin with partial_fit on an estimator that is not fitted."
        )
    return stream


def _check_streamed(self: Any, data: RelationalData) -> None:
    """Refuse what sums over rows cannot hold."""
    (relation, *others) = data.relations
    if others or relation.rows == relation.cols:
        raise ValueError("partial_fit takes the rows of one matrix; fit views together.")
    if relation.observed is not None or is_operator(relation.matrix):
        raise ValueError(
            "partial_fit takes rows in memory of which every entry is known; fit the others."
        )
    if getattr(self, "assign", "argmax") != "argmax":
        raise ValueError("partial_fit needs assign='argmax': k-means would need all rows.")


def _begin(self: Any, data: RelationalData, n_new: int | None) -> None:
    """Fit all rows that are kept, the last of which are new; clusters keep their numbers."""
    before = None if n_new is None else self.predict(data)
    self.fit(data)
    (relation,) = self._scaled(data, self._form).relations
    G, H = (self._factors[name] for name in (relation.rows, relation.cols))
    (S,) = self.associations_
    if before is not None:
        number = numbering.as_before(self.labels_, before, len(S))
        G, S = _renumbered(G, number), S[np.argsort(number)]
    seen = SeenRows.of(relation.matrix, G)
    enough = values_of(relation.matrix).size > KEPT_ENTRIES
    stream = Stream(seen, None if enough else data, len(data))
    new = np.arange(len(data) - (n_new or len(data)), len(data))
    state = seen.state(relation, H, (S,))
    _store_block(self, self._scaled(data[new], self._form), state, G[new])
    self._stream = stream


def _follow(self: Any, data: RelationalData, stream: Stream) -> None:
    """Assign new rows, and let the columns follow; then both again."""
    (relation,), associations = data.relations, self.associations_
    H = self._factors[relation.cols]
    clusters = dict(zip((relation.rows, relation.cols), associations[0].shape, strict=True))
    task = Task(data, clusters, {}, generator(self.random_state), None)
    # On a copy, so that a failure leaves the estimator as it was.
    twin = copy.copy(self)
    before: Any = None
    for _ in range(ROUNDS):
        G = twin._streamed_rows(data)
        if unchanged(before, G):
            break
        every = stream.seen + SeenRows.of(relation.matrix, G)
        state = twin._streamed_columns(task, every.state(relation, H, associations))
        before, H, associations = G, state.factors[relation.cols], state.associations
        twin._factors = {relation.rows: G, relation.cols: H}
        twin.associations_ = associations
    # The rows as they are in the sums.
    _store_block(self, data, state, before)
    self._remember(replace(self._form, sizes={**self._form.sizes, relation.rows: every.n}))
    self._stream = replace(stream, seen=every)


def _store_block(self: Any, data: RelationalData, state: State, G: Factor) -> None:
    """Write the labels of a block of rows, and the factors and associations, to the estimator."""
    (relation,) = data.relations
    for stale in OF_ONE_RUN:
        self.__dict__.pop(stale, None)
    self._factors = {relation.rows: G, relation.cols: state.factors[relation.cols]}
    self.associations_ = state.associations
    rows, columns = self._streamed_labels(data, state)
    self._store_labels({relation.rows: rows, relation.cols: columns})


def _renumbered(G: Factor, number: Array) -> Factor:
    """A factor whose clusters have other numbers."""
    if is_hard(G):
        return as_partition(number[strongest(G)], len(number))
    return G[:, np.argsort(number)]


def _below(kept: RelationalData, new: RelationalData) -> RelationalData:
    """The rows of both, without their names."""
    (upper,), (lower,) = kept.relations, new.relations
    # In the form of the first block: further ones may come in another.
    form = sp.csr_array if sp.issparse(upper.matrix) else as_dense
    matrix = stacked([upper.matrix, form(lower.matrix)])
    names = {name: own for name, own in kept.names.items() if name != kept.center}
    return kept.derive((upper.derive(matrix=matrix),), names)
