"""Data with unknown entries: how they are read, where a fit begins, and what the unknown may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from cocluster.data.missing import MISSING, Biases, fit_biases
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.known import ones_like
from cocluster.linalg.matrices import chunks, values_of
from cocluster.linalg.partitions import is_hard, strongest
from cocluster.linalg.types import Array, Factor
from cocluster.methods.base import Coclusterer
from cocluster.methods.task import Form, Start, Task
from cocluster.trifactor import Run
from cocluster.utils.checks import check_choice

# Pairs of a row and a column whose entries are predicted at once: with a hundred clusters, 80 MB.
PAIRS_AT_ONCE = 100_000


@dataclass(frozen=True, eq=False)
class KnownScale:
    """How a relation with unknown entries is brought to the form that is fitted, and back.

    Attributes
    ----------
    low, high : float
        Range of the known entries: no prediction leaves it.
    biases : Biases or None
        What is taken off the entries before they are clustered.
    rows : array or None
        Biases of the rows of the fit.
    """

    low: float
    high: float
    biases: Biases | None = None
    rows: Array | None = None

    @staticmethod
    def of(relation: Relation, with_biases: bool) -> KnownScale:
        """The scale of a relation, with the biases found in it, if they are asked for."""
        R, W = relation.matrix, _mask(relation)
        values: Array = values_of(R)[values_of(W) > 0]
        if relation.observed is None and values.size < np.prod(R.shape):
            # Zeros that a complete sparse matrix does not store are in its range.
            values = np.append(values, 0)
        biases = fit_biases(R, W) if with_biases else None
        rows = None if biases is None else biases.rows(R, W)
        return KnownScale(float(values.min()), float(values.max()), biases, rows)

    def scaled(self, relation: Relation) -> Relation:
        """The relation as it is fitted."""
        if self.biases is None:
            return relation
        matrix = self.biases.residuals(relation.matrix, _mask(relation))
        return relation.derive(matrix=matrix)

    def restored(self, values: Array, rows: Array, columns: Array) -> Array:
        """Fitted entries at some positions, in the units of the data."""
        if self.biases is not None and self.rows is not None:
            values = values + self.biases.mean + self.rows[rows] + self.biases.columns[columns]
        return np.clip(values, self.low, self.high)


def _mask(relation: Relation) -> Any:
    """Where entries of a relation are known."""
    return ones_like(relation.matrix) if relation.observed is None else relation.observed


@dataclass(eq=False, repr=False)
class UnknownEntries(Coclusterer):
    """Base of the methods that fit the known entries only, and predict the others.

    Parameters
    ----------
    missing : {"zero", "unobserved"}
        What sparse data do not store is zero, or unknown, as in a matrix of ratings. NaN in dense
        data is unknown in any case, and `fit` takes a mask.

    Other parameters are those of `Coclusterer`. Data with unknown entries are taken as they are, in
    all views: ``normalize="auto"`` means None for them, and other values are refused.
    """

    _: KW_ONLY
    missing: str = "zero"

    _unknown: ClassVar[bool] = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.missing, "missing", MISSING)

    def _read(self, X: Any, mask: Any = None) -> RelationalData:
        return relational(X, mask=mask, missing=self.missing)

    def _new_data(self, X: Any) -> RelationalData:
        data = super()._new_data(X)
        for relation in data.relations:
            _check_side(relation, relation.rows, "row", relation.known_rows(), data.names)
        return data

    def _has_biases(self) -> bool:
        """Whether the model has biases of rows and columns."""
        return False

    def _learned_form(self, data: RelationalData) -> Form:
        form = super()._learned_form(data)
        complete = all(relation.observed is None for relation in data.relations)
        if complete and not self._has_biases():
            return form
        if self.normalize not in ("auto", None):
            raise ValueError(
                f"normalize={self.normalize!r} would measure rows and columns by those entries "
                "that happen to be known; leave it out for data with unknown entries or biases."
            )
        # All relations as they are, also complete ones: they share their clusters, and the loss.
        scales: list[Any] = [self._scale_of(r, data.names) for r in data.relations]
        return replace(form, scalings=scales)

    def _scale_of(self, relation: Relation, names: Mapping[str, Array]) -> KnownScale:
        """The scale of one relation."""
        if relation.observed is None and self._has_biases() and sp.issparse(relation.matrix):
            raise ValueError(
                f"Biases would fill the zeros of the sparse relation {relation}; say "
                "missing='unobserved' if they are unknown, or pass a dense array."
            )
        _check_side(relation, relation.rows, "row", relation.known_rows(), names)
        _check_side(relation, relation.cols, "column", relation.known_columns(), names)
        return KnownScale.of(relation, self._has_biases())

    def _scaled(self, data: RelationalData, form: Form) -> RelationalData:
        pairs = zip(data.relations, form.scalings, strict=True)
        return data.derive(_scaled(r, scale) for r, scale in pairs)

    def _starts(self, task: Task) -> Iterator[Start]:
        # A start that takes unknown entries for zeros would group rows by what is known of them.
        relations = tuple(_centred(relation) for relation in task.data.relations)
        yield from super()._starts(replace(task, data=task.data.derive(relations)))

    def _store(self, task: Task, run: Run) -> None:
        super()._store(task, run)
        self._predicting = self._predicting_associations(task, run)
        self._names = dict(task.data.names)

    def _predicting_associations(self, task: Task, run: Run) -> tuple[Array, ...]:
        """The S that entries are predicted with."""
        return self.associations_

    def complete(self, rows: Any = None, columns: Any = None, *, view: str | None = None) -> Array:
        """Predicted entries of the data of the fit, known or not.

        Parameters
        ----------
        rows, columns : arrays or single values, optional
            Names, as the data of the fit had them, or positions, which are paired as numpy pairs
            indices: arrays of one length give as many entries, ``numpy.ix_(rows, columns)`` the
            block of all pairs. Both left out: all entries. Integers are positions, unless the
            names are integers themselves.
        view : str, optional
            The type of the columns, if the data have several relations.

        Returns
        -------
        array
            In the units of the data, and within the range of the known entries.
        """
        check_is_fitted(self)
        if "_predicting" not in vars(self):
            raise ValueError("There are no rows to complete after partial_fit; fit them.")
        r, ends = self._relation_named(view)
        sizes = [self._form.sizes[name] for name in ends]
        if rows is None and columns is None:
            rows, columns = np.ogrid[: sizes[0], : sizes[1]]
        elif rows is None or columns is None:
            raise ValueError("Give both rows and columns, or neither.")
        else:
            given = zip((rows, columns), ends, sizes, ("rows", "columns"), strict=True)
            rows, columns = (_positions(g, self._names.get(n), k, what) for g, n, k, what in given)
        i, j = np.broadcast_arrays(rows, columns)
        G, H = (self._factors[name] for name in ends)
        entries = _entries(G, self._predicting[r], H, i.ravel(), j.ravel())
        scale = self._form.scalings[r]
        if isinstance(scale, KnownScale):
            entries = scale.restored(entries, i.ravel(), j.ravel())
        return np.asarray(entries.reshape(i.shape))

    def _relation_named(self, view: str | None) -> tuple[int, tuple[str, str]]:
        """Number and types of the relation whose entries are asked for."""
        ends = self._form.ends
        matching = [r for r, end in enumerate(ends) if view in (None, end[1])]
        if len(matching) != 1:
            raise ValueError(
                f"view must name the columns of one relation, {', '.join(e[1] for e in ends)}; "
                f"got {view!r}."
            )
        (r,) = matching
        scaling = _how(self._form.scalings[r])
        if scaling is not None:
            raise ValueError(
                f"The fit scaled the data ({scaling}), and entries in their own units cannot be "
                "predicted; fit with normalize=None."
            )
        return r, ends[r]


def _entries(G: Factor, S: Array, H: Factor, rows: Array, columns: Array) -> Array:
    """Entries of G S Hᵀ at some pairs of positions."""
    if is_hard(G) and is_hard(H):
        return np.asarray(S[strongest(G)[rows], strongest(H)[columns]])
    entries = np.empty(len(rows))
    for pairs in chunks(len(rows), PAIRS_AT_ONCE):
        entries[pairs] = np.einsum("ik,ik->i", G[rows[pairs]] @ S, H[columns[pairs]])
    return entries


def _how(scale: Any) -> str | None:
    """How complete data were normalised, if they were."""
    return getattr(scale, "how", None)


def _scaled(relation: Relation, scale: Any) -> Relation:
    """A relation in the scale of the fit."""
    if isinstance(scale, KnownScale):
        return scale.scaled(relation)
    if relation.observed is not None and _how(scale) is not None:
        raise ValueError(
            f"The fit scaled relation {relation} ({_how(scale)}) by all of its entries; new data "
            "must know theirs, too, or fit with normalize=None."
        )
    return relation.derive(matrix=scale.apply(relation.matrix))


def _centred(relation: Relation) -> Relation:
    """What biases leave of a relation with unknown entries: zero is then what was expected."""
    if relation.observed is None:
        return relation
    biases = fit_biases(relation.matrix, relation.observed)
    return relation.derive(matrix=biases.residuals(relation.matrix, relation.observed))


def _check_side(
    relation: Relation, kind: str, what: str, known: Array, names: Mapping[str, Array]
) -> None:
    """Refuse a row or column of which no entry is known: nothing could be said of it."""
    lost = np.flatnonzero(~known)
    if lost.size:
        first = names[kind][lost[0]] if kind in names else lost[0]
        more = f" (and of {lost.size - 1} more)" if lost.size > 1 else ""
        raise ValueError(
            f"No entry of {what} {first}{more} of relation {relation} is known (all are NaN or "
            f"left out); leave such {what}s out."
        )


def _positions(given: Any, names: Array | None, size: int, what: str) -> Array:
    """Positions of rows or columns that are given by name or by position."""
    keys = np.asarray(given)
    if names is not None and (keys.dtype.kind not in "iu" or _whole(names)):
        position = {name: i for i, name in enumerate(names)}
        unknown = [name for name in keys.ravel().tolist() if name not in position]
        if unknown:
            raise ValueError(f"The data of the fit had no {what[:-1]} {unknown[0]!r}.")
        return np.array([position[name] for name in keys.ravel().tolist()], dtype=np.intp).reshape(
            keys.shape
        )
    if keys.dtype.kind not in "iu" or (keys.size and not 0 <= keys.min() <= keys.max() < size):
        raise ValueError(
            f"{what} must be positions (integers) from 0 to {size - 1}, or names of the data."
        )
    return keys


def _whole(names: Array) -> bool:
    """Whether names are integers."""
    return all(isinstance(name, int | np.integer) for name in names)
