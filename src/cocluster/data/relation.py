"""One relation: a matrix between two types; and what several relations must agree on."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from cocluster.data.missing import known_entries
from cocluster.linalg.checked import as_matrix, in_form
from cocluster.linalg.matrices import column_sums, row_sums
from cocluster.linalg.positions import positions_of
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.types import Array, InMemory, Matrix, is_operator


@dataclass(frozen=True, eq=False, repr=False)
class Relation:
    """A matrix between the objects of two types (which may be the same type).

    Parameters
    ----------
    matrix : matrix of shape (n_present_rows, n_cols), or an operator
        What a matrix may be is in `cocluster.linalg.matrices`.
    rows, cols : str
        Types of the objects in rows and in columns.
    weight : float > 0
        Weight of the relation in an objective.
    row_index : int array of shape (n_present_rows,) or None
        Distinct positions, in any order, of the matrix's rows within type `rows`. Other objects
        are absent: they have no data here, which is not the same as zeros. None: every object
        is present, in order.
    observed : matrix of the same shape, or None
        1 (True) where an entry is known; the matrix is 0 elsewhere. NaN in a matrix says the
        same. None: every entry is known. See `cocluster.linalg.known`.
    checked : bool
        Whether the values were checked before, so that only their layout is made uniform.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import RelationalData
    >>> written = Relation(np.ones((4, 2)), "papers", "authors")
    >>> shown = Relation(np.ones((4, 3)), "papers", "venues", weight=2.0)
    >>> RelationalData((written, shown))
    RelationalData(papers: 4, authors: 2, venues: 3; 2 relations)
    """

    matrix: Matrix
    rows: str
    cols: str
    weight: float = 1.0
    row_index: Array | None = None
    observed: InMemory | None = field(default=None, kw_only=True)
    checked: InitVar[bool] = field(default=False, kw_only=True)

    def __post_init__(self, checked: bool) -> None:
        # Operators and row blocks were checked when they were made.
        if not is_operator(self.matrix):
            if not checked:
                matrix = as_matrix(self.matrix, f"{self}", 0, allow_nan=True)
                matrix, observed = known_entries(matrix, f"{self}", mask=self.observed)
                vars(self).update(matrix=matrix, observed=observed)
            self._unify_layout()
        if not 0 < self.weight < np.inf:
            raise ValueError(
                f"Relation {self} has weight {self.weight}; weights must be positive and finite, "
                "so leave a relation of no weight out."
            )
        if self.row_index is not None:
            vars(self).update(row_index=self._check_index(self.row_index))

    def _unify_layout(self) -> None:
        """Bring values and mask into the two layouts that the library works on."""
        for name in ("matrix", "observed"):
            matrix = getattr(self, name)
            if matrix is not None and not is_operator(matrix):
                vars(self)[name] = in_form(matrix)

    def derive(self, **changes: Any) -> Relation:
        """Return a copy with some fields changed, without checking values, weight and index again.

        For changes that keep a checked relation valid, such as selections, scalings and transposes.
        """
        relation = copy.copy(self)
        vars(relation).update(changes)
        relation._unify_layout()
        return relation

    def _check_index(self, row_index: Any) -> Array:
        """row_index as an array of distinct positions, one for each row of the matrix."""
        index: Array = np.asarray(row_index)
        is_index = index.size == 0 or (index.dtype.kind in "iu" and index.min() >= 0)
        if index.shape != self.matrix.shape[:1] or not is_index:
            raise ValueError(
                f"row_index of relation {self} must hold one position (integer >= 0) for each of "
                f"its {self.matrix.shape[0]} rows."
            )
        if np.unique(index).size < index.size:
            raise ValueError(f"row_index of relation {self} repeats a position; list each once.")
        return index.astype(np.intp, copy=False)

    @property
    def n_rows(self) -> int:
        """Smallest size of type `rows` that this relation allows."""
        if self.row_index is None:
            return int(self.matrix.shape[0])
        return int(self.row_index.max(initial=-1)) + 1

    def select(self, name: str, positions: Array) -> Relation:
        """Relation between the chosen objects of type `name` only, in the order given."""
        matrix: Any = self.matrix
        index = self.row_index
        if name == self.cols:
            matrix = rowwise(_select_columns, matrix, positions)
        if name == self.rows and index is None:
            matrix = matrix[positions]
        elif name == self.rows and index is not None:
            size = max(self.n_rows, int(positions.max(initial=-1)) + 1)
            row_positions = positions_of(index, size)[positions]
            matrix, index = (
                matrix[row_positions[row_positions >= 0]],
                np.flatnonzero(row_positions >= 0),
            )
        observed = self.observed
        if observed is not None:
            # The mask is a matrix between the same objects, and is selected as one.
            mask = self.derive(matrix=observed, observed=None)
            observed = mask.select(name, positions).matrix
        return self.derive(matrix=matrix, row_index=index, observed=observed)

    def with_rows(self, name: str) -> Relation:
        """The relation with a type in its rows; turned over if that type is in its columns."""
        if name != self.cols or name == self.rows:
            return self
        if self.row_index is not None:
            raise ValueError(
                f"Relation {self} lacks some {self.rows!r} and has the central type {name!r} in "
                "its columns; leave those objects out, or pass a complete matrix."
            )
        observed = None if self.observed is None else self.observed.T
        return self.derive(matrix=self.matrix.T, observed=observed, rows=self.cols, cols=self.rows)

    def known_rows(self) -> Array:
        """Which of the matrix's rows have a known entry."""
        everywhere = np.ones(self.matrix.shape[0], dtype=bool)
        return everywhere if self.observed is None else row_sums(self.observed) > 0

    def known_columns(self) -> Array:
        """Which of the matrix's columns have a known entry."""
        everywhere = np.ones(self.matrix.shape[1], dtype=bool)
        return everywhere if self.observed is None else column_sums(self.observed) > 0

    def __str__(self) -> str:
        return f"{self.rows!r} x {self.cols!r}"

    def __repr__(self) -> str:
        return f"Relation({self}, shape={self.matrix.shape}, weight={self.weight:g})"


def _select_columns(matrix: InMemory, positions: Array) -> InMemory:
    """Select columns. (Row blocks keep their shape: all their columns, in another order.)"""
    return matrix[:, positions]


def count_objects(center: str, relations: Sequence[Relation]) -> dict[str, int]:
    """Count the objects of each type, the centre first, then in order of appearance."""
    if not relations:
        raise ValueError("There are no relations; pass at least one.")
    counts = {center: 0}
    for relation in relations:
        counts[relation.rows] = max(counts.get(relation.rows, 0), relation.n_rows)
        counts[relation.cols] = max(counts.get(relation.cols, 0), int(relation.matrix.shape[1]))
    return counts


def check_objects(center: str, relations: Sequence[Relation]) -> None:
    """Refuse relations that do not describe the same objects.

    Raises ValueError if relations disagree on a size, if an object is in no relation, or if a
    type is not linked to the centre.
    """
    types = tuple(dict.fromkeys(name for r in relations for name in (r.rows, r.cols)))
    if center not in types:
        raise ValueError(f"There is no type {center!r}; the types are {', '.join(types)}.")
    _check_connected(center, relations, types)
    for name in types:
        _check_size(name, relations)


def _check_connected(center: str, relations: Sequence[Relation], types: Sequence[str]) -> None:
    """Refuse a type that no chain of relations links to the centre."""
    reached = {center}
    # Each round goes one relation further, and no chain is longer than the number of types.
    for _ in types:
        reached.update(*({r.rows, r.cols} for r in relations if {r.rows, r.cols} & reached))
    lost = [name for name in types if name not in reached]
    if lost:
        raise ValueError(
            f"Types {', '.join(lost)} are disconnected from the central type {center!r}; add a "
            "relation that links them, or fit them apart."
        )


def _check_size(name: str, relations: Sequence[Relation]) -> None:
    """Refuse relations that disagree on the number of objects of a type."""
    full = [(r, int(r.matrix.shape[1])) for r in relations if r.cols == name]
    full += [(r, r.n_rows) for r in relations if r.rows == name and r.row_index is None]
    partial = [r for r in relations if r.rows == name and r.row_index is not None]
    if not full:
        _check_gaps(name, partial)
        return
    first, size = full[0]
    wrong = [(r, count) for r, count in full if count != size]
    wrong += [(r, r.n_rows) for r in partial if r.n_rows > size]
    for relation, count in wrong:
        raise ValueError(
            f"Type {name!r} has {size} objects in relation {first} but {count} in relation "
            f"{relation}; relations must hold the same objects, or say "
            "by row_index which they hold."
        )


def _check_gaps(name: str, partial: Sequence[Relation]) -> None:
    """Refuse objects of a type that are in no relation, where each relation lacks some."""
    present = np.unique(np.concatenate([r.row_index for r in partial]))
    gaps = np.flatnonzero(present != np.arange(present.size))
    if gaps.size:
        raise ValueError(
            f"Object {gaps[0]} of type {name!r} is in no relation; leave such objects out and "
            "number the others without gaps."
        )
