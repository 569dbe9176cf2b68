"""Relational data: named types of objects, and the matrices between them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from cocluster.data.alignment import Alignment, align, column_order, warn_unmatched_names
from cocluster.data.containers import as_table, has_views, named_views
from cocluster.data.missing import known_entries
from cocluster.data.relation import Relation, check_objects, count_objects
from cocluster.linalg.matrices import (
    DENSE_FROM_SHARE,
    DENSE_UP_TO_ENTRIES,
    as_dense,
    as_sparse,
    by_rows,
    column_counts,
    row_key,
    values_of,
)
from cocluster.linalg.partitions import placed
from cocluster.linalg.types import Array, Matrix, is_blocked, is_operator

__all__ = ["Relation", "RelationalData", "bipartite", "relational", "star"]


@dataclass(frozen=True, eq=False, repr=False)
class RelationalData:
    """Types of objects and the relations between them, indexed by the objects of one type.

    ``len(data)``, ``data.shape`` and ``data[rows]`` count and select objects of the central
    type, so that scikit-learn splits the data as it splits a matrix. (It takes a dict of two
    views for two samples.)

    Parameters
    ----------
    relations : sequence of Relation
        Every type must be linked to the central one, directly or through others, and every
        object must be present in some relation.
    center : str, default: rows of the first relation
        The central type.
    names : mapping of type to array, optional
        Names of the objects, where known.
    alignment : Alignment, optional
        How rows of views were matched when the data were put together; subsets keep it.

    Attributes
    ----------
    sizes : dict of type to int
        Number of objects, by type.

    Examples
    --------
    >>> import numpy as np
    >>> data = star({"words": np.eye(4), "authors": np.ones((4, 2))})
    >>> data
    RelationalData(samples: 4, words: 4, authors: 2; 2 relations)
    >>> data[1:3].sizes
    {'samples': 2, 'words': 4, 'authors': 2}
    """

    relations: tuple[Relation, ...]
    center: str = ""
    names: Mapping[str, Array] = field(default_factory=dict)
    alignment: Alignment | None = None
    sizes: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        relations = tuple(self.relations)
        center = self.center or (relations[0].rows if relations else "")
        sizes = count_objects(center, relations)
        names = {name: np.asarray(labels) for name, labels in self.names.items()}
        vars(self).update(relations=relations, center=center, sizes=sizes, names=names)
        check_objects(center, relations)
        for name, labels in self.names.items():
            if len(labels) != self.size(name):
                raise ValueError(
                    f"Type {name!r} has {self.size(name)} objects but {len(labels)} names; "
                    "pass one name for each object."
                )

    def derive(
        self, relations: Iterable[Relation], names: Mapping[str, Array] | None = None
    ) -> RelationalData:
        """Return data with other relations and names, without checking that they fit together.

        For relations that were derived from those of this data, object by object.
        """
        data = copy.copy(self)
        relations = tuple(relations)
        sizes = count_objects(self.center, relations)
        vars(data).update(
            relations=relations, sizes=sizes, names=self.names if names is None else names
        )
        return data

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the types: the central one, then the others in order of appearance."""
        return tuple(self.sizes)

    def size(self, name: str) -> int:
        """Number of objects of a type."""
        if name not in self.sizes:
            raise ValueError(f"There is no type {name!r}; the types are {', '.join(self.types)}.")
        return self.sizes[name]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of central objects, and of objects of all other types together."""
        return len(self), sum(self.sizes.values()) - len(self)

    @property
    def ndim(self) -> int:
        """2, as of a matrix."""
        return 2

    def __len__(self) -> int:
        return self.size(self.center)

    def __getitem__(self, key: Any) -> RelationalData:
        """Select central objects by positions, mask or slice, in every relation they are in."""
        positions = np.atleast_1d(np.arange(len(self))[row_key(key)])
        if positions.ndim > 1:
            raise IndexError("Select central objects by a 1-D array of positions or a mask.")
        names = dict(self.names)
        if self.center in names:
            names[self.center] = names[self.center][positions]
        return self.derive((r.select(self.center, positions) for r in self.relations), names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        # Without this numpy would read len() and [] as a deeply nested sequence.
        raise TypeError("RelationalData is not one array; use the matrices of its relations.")

    def placed(self, name: str, values: Any) -> Any:
        """Values of the objects of a type (labels, a factor), brought to where their data are."""
        for relation in self.relations:
            if relation.rows == name:
                values = placed(relation.matrix, values)
        return values

    def map(self, function: Callable[[Matrix], Matrix]) -> RelationalData:
        """Same structure with every matrix transformed; the function must keep its shape."""
        return self.derive(_map_relation(r, function) for r in self.relations)

    def oriented(self) -> RelationalData:
        """The same data with the central type in the rows of each relation it is in."""
        return self.derive(r.with_rows(self.center) for r in self.relations)

    def renamed(self, new: Mapping[str, str]) -> RelationalData:
        """The same data with other names for some types."""

        def name(old: str) -> str:
            return new.get(old, old)

        relations = (r.derive(rows=name(r.rows), cols=name(r.cols)) for r in self.relations)
        names = {name(old): labels for old, labels in self.names.items()}
        return replace(self, relations=tuple(relations), center=name(self.center), names=names)

    def ordered(self, ends: Sequence[tuple[str, str]]) -> RelationalData:
        """The same data with its relations in the order of their (rows, cols) types."""
        unmatched = list(self.relations)
        relations = []
        for pair in ends:
            match = next((r for r in unmatched if (r.rows, r.cols) == pair), None)
            if match is None:
                raise ValueError(f"There is no relation {pair[0]!r} x {pair[1]!r}, add it.")
            unmatched.remove(match)
            relations.append(match)
        return self.derive(relations)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {size}" for name, size in self.sizes.items())
        return f"RelationalData({sizes}; {len(self.relations)} relations)"


def bipartite(
    X: Any,
    rows: str = "samples",
    columns: str = "features",
    *,
    mask: Any = None,
    missing: str = "zero",
) -> RelationalData:
    """Relational data of one matrix, in any container `as_table` reads.

    Parameters
    ----------
    X : array-like, sparse array or matrix, frame or AnnData of shape (n_samples, n_features)
    rows, columns : str
        Names of the two types; the same name twice makes X a relation of one type with itself.
    mask : boolean array of the shape of X, dense or sparse, optional
        True where an entry is known. NaN in X says the same, and so do the masked arrays of numpy,
        whose own mask is True where an entry is not known.
    missing : {"zero", "unobserved"}
        What a sparse X does not store is zero, or unknown, as in a matrix of ratings.

    Returns
    -------
    RelationalData

    Examples
    --------
    >>> bipartite([[5.0, np.nan], [np.nan, 3.0]]).relations[0].observed
    array([[1., 0.],
           [0., 1.]])
    """
    table = as_table(X, allow_nan=True)
    all_names = {columns: table.column_names, rows: table.row_ids}
    names = {name: labels for name, labels in all_names.items() if labels is not None}
    matrix, observed = known_entries(table.matrix, mask=mask, missing=missing)
    relation = Relation(matrix, rows, columns, observed=observed, checked=True)
    return RelationalData((relation,), rows, names)


def star(
    views: Any,
    center: str = "samples",
    weights: Mapping[str, float] | Sequence[float] | None = None,
    *,
    missing: str = "zero",
) -> RelationalData:
    """Relational data of several views of the same objects.

    Parameters
    ----------
    views : mapping of name to matrix, list of matrices, or MuData
        Rows are matched by id if every view has ids: the objects are the union of the ids in order
        of first appearance, and an object that a view lacks is absent from that view. Otherwise
        row i of each view is object i. The report is ``data.alignment``.
    center : str
        Name of the type the views share.
    weights : mapping of view to float, or one float for each view, default: all 1
    missing : {"zero", "unobserved"}
        What sparse views do not store is zero, or unknown. NaN in dense views is unknown; an
        object of which a view knows no entry is absent from that view.

    Returns
    -------
    RelationalData

    Examples
    --------
    >>> import numpy as np
    >>> star({"words": np.ones((3, 5)), "tags": np.ones((3, 2))})
    RelationalData(samples: 3, words: 5, tags: 2; 2 relations)
    """
    named = named_views(views)
    if center in named:
        raise ValueError(f"A view and the central type are both named {center!r}; rename one.")
    weight = _weights_by_view(weights, tuple(named))
    tables = {name: as_table(X, name, allow_nan=True) for name, X in named.items()}
    row_index, ids, report = align(tables)
    names = {name: t.column_names for name, t in tables.items() if t.column_names is not None}
    if ids is not None:
        names[center] = ids
    relations = []
    for name, table in tables.items():
        matrix, observed = known_entries(table.matrix, name, missing=missing)
        index = row_index[name]
        view = Relation(matrix, center, name, weight[name], index, observed=observed, checked=True)
        relations.append(_drop_unknown_rows(view))
    _check_present(center, relations, report.n_objects)
    return RelationalData(tuple(relations), center, names, report)


def relational(X: Any, *, mask: Any = None, missing: str = "zero") -> RelationalData:
    """Relational data of anything: itself, a star of views, or one matrix.

    ``mask`` and ``missing`` are those of `bipartite` and `star`. In relational data "unobserved"
    speaks of the sparse relations that have no mask yet.
    """
    several = isinstance(X, RelationalData) or has_views(X)
    if several and mask is not None:
        raise ValueError(
            "A mask belongs to one matrix; mark the unknown entries of views by NaN, and give the "
            "mask of relational data to bipartite()."
        )
    if isinstance(X, RelationalData):
        return X if missing == "zero" else _mask_unstored(X, missing)
    return star(X, missing=missing) if several else bipartite(X, mask=mask, missing=missing)


def _mask_unstored(data: RelationalData, missing: str) -> RelationalData:
    """Mark entries that sparse relations without a mask do not store as unknown."""
    relations = []
    for relation in data.relations:
        if relation.observed is None:
            matrix, observed = known_entries(relation.matrix, f"{relation}", missing=missing)
            relation = relation.derive(matrix=matrix, observed=observed)
            # A sample of which one of several views knows nothing is absent from that view.
            several = len(data.relations) > 1 and relation.rows == data.center
            relation = _drop_unknown_rows(relation) if several else relation
        relations.append(relation)
    return replace(data, relations=tuple(relations))


def _drop_unknown_rows(relation: Relation) -> Relation:
    """Drop the rows of a view that have no known entry."""
    row_mask, index = relation.known_rows(), relation.row_index
    matrix: Any = relation.matrix
    if relation.observed is None or row_mask.all():
        return relation
    if not row_mask.any():
        raise ValueError(f"No entry of view {relation.cols!r} is known; leave it out.")
    return relation.derive(
        matrix=matrix[row_mask],
        observed=relation.observed[row_mask],
        row_index=np.flatnonzero(row_mask) if index is None else index[row_mask],
    )


def _check_present(center: str, relations: Sequence[Relation], n: int) -> None:
    """Refuse an object that is absent from every view."""
    present = np.zeros(n, dtype=bool)
    for relation in relations:
        present[slice(None) if relation.row_index is None else relation.row_index] = True
    if not present.all():
        raise ValueError(
            f"No view knows anything of object {int(np.flatnonzero(~present)[0])} of type "
            f"{center!r}; leave such objects out."
        )


def _weights_by_view(
    weights: Mapping[str, float] | Sequence[float] | None, views: tuple[str, ...]
) -> dict[str, float]:
    """Weights by view; 1 for a view that a mapping leaves out."""
    if weights is not None and not isinstance(weights, Mapping):
        if len(weights) != len(views):
            raise ValueError(
                f"There are {len(views)} views but {len(weights)} weights; pass one for each view."
            )
        weights = dict(zip(views, weights, strict=True))
    unknown = [name for name in weights or () if name not in views]
    if unknown:
        raise ValueError(
            f"There is no view {unknown[0]!r} to weigh; the views are {', '.join(views)}."
        )
    return dict.fromkeys(views, 1.0) | {name: float(w) for name, w in (weights or {}).items()}


def _map_relation(relation: Relation, function: Callable[[Matrix], Matrix]) -> Relation:
    """Transform the matrix of a relation."""
    matrix = function(relation.matrix)
    if matrix.shape != relation.matrix.shape:
        raise ValueError(
            f"The function turned relation {relation} of shape {relation.matrix.shape} into shape "
            f"{matrix.shape}; it must keep the shape."
        )
    # The function is the caller's, so its result is checked like any other input.
    return replace(relation, matrix=matrix)


def stack_relations(data: RelationalData, name: str) -> Any:
    """Stack the matrices of a type side by side, its objects in rows; absent rows are empty."""
    blocks: list[Any] = []
    for relation in data.relations:
        if relation.rows == name:
            blocks.append(_expand_rows(relation.matrix, relation.row_index, data.size(name)))
        if relation.cols == name and relation.rows != name:
            blocks.append(relation.matrix.T)
    if len(blocks) == 1:
        return by_rows(blocks[0])
    # One sparse part makes the whole sparse: it may be the only way the parts fit in memory.
    if any(sp.issparse(block) for block in blocks):
        return sp.csr_array(sp.hstack(blocks, format="csr"))
    return np.hstack(blocks)


def row_blocks(data: RelationalData) -> Any:
    """Return the matrix that is in row blocks, on disk or on a cluster; None if there is none."""
    return next((r.matrix for r in data.relations if is_blocked(r.matrix)), None)


def _expand_rows(R: Matrix, row_index: Array | None, n: int) -> Any:
    """Move the rows of R to their positions among n rows."""
    if row_index is None:
        return R
    present = len(row_index)
    # A product with a sparse 0/1 matrix moves rows of dense and of sparse matrices alike.
    # 32-bit indices: scikit-learn's k-means takes no others.
    ends = (row_index.astype(np.int32), np.arange(present, dtype=np.int32))
    return sp.csr_array((np.ones(present, R.dtype), ends), shape=(n, present)) @ R


def store_by_content(data: RelationalData) -> RelationalData:
    """Store full matrices dense and all others sparse, unless they are large.

    Products of dense and of sparse arrays add the same numbers in another order, and so differ in
    the last digit. In data of few ones and many zeros that digit may decide between two clusters
    of the same cost, or among the singular vectors of one singular value. So that the same numbers
    give the same labels, methods get them in the same storage whatever their container was.
    """
    return data.derive(_store_relation(r, full_as=as_dense) for r in data.relations)


def store_zeros_sparse(data: RelationalData) -> RelationalData:
    """Store matrices with many zeros as sparse ones, unless they are large; leave full ones.

    For methods that promise never to fill sparse data. Full matrices have so many different entries
    that the last digit decides next to nothing.
    """
    return data.derive(_store_relation(r, full_as=None) for r in data.relations)


def _store_relation(relation: Relation, full_as: Callable[[Any], Any] | None) -> Relation:
    """Convert a full matrix by `full_as`, if given, and any other to a sparse one."""
    R = relation.matrix
    # Of large data no second copy is made. Data on disk or on a cluster stay there, and a mask
    # keeps the layout of its matrix.
    if is_operator(R) or not may_be_dense(R) or relation.observed is not None:
        return relation
    convert = full_as if is_full(R) else as_sparse
    return relation if convert is None else relation.derive(matrix=convert(R))


def may_be_dense(R: Matrix) -> bool:
    """Whether all entries of a matrix, zeros included, fit into memory."""
    return prod(R.shape) <= DENSE_UP_TO_ENTRIES


def is_full(R: Any) -> bool:
    """Whether so many entries are non-zero that a dense array serves best."""
    # In memory the entries are counted in place; row blocks know the counts of their columns.
    n_nonzero = column_counts(R).sum() if is_operator(R) else np.count_nonzero(values_of(R))
    return bool(n_nonzero > DENSE_FROM_SHARE * prod(R.shape))


def match_columns(
    data: RelationalData, names: Mapping[str, Array], sizes: Mapping[str, int]
) -> RelationalData:
    """Bring the columns of new data (all types but the samples) into the order of the fit.

    Parameters
    ----------
    data : RelationalData
        New samples.
    names : mapping of type to array
        Names in the fit, of the types that had some.
    sizes : mapping of type to int
        All types of the fit, the central one first.

    Raises
    ------
    ValueError
        If a type has other names than in the fit; the sentence lists some.

    Notes
    -----
    Where only the fit or only the new data have names, the order is taken on trust, with the
    warning that scikit-learn gives.
    """
    data = _rename_types(data, tuple(sizes))
    for name in data.types:
        if name == data.center or name not in sizes:
            continue
        new_names, fit_names = data.names.get(name), names.get(name)
        if new_names is None or fit_names is None:
            warn_unmatched_names(name, fit_named=fit_names is not None, named=new_names is not None)
            continue
        order = column_order(fit_names, new_names, name)
        if order is not None:
            relations = (r.select(name, order) for r in data.relations)
            data = data.derive(relations, {**data.names, name: new_names[order]})
    return data


def _rename_types(data: RelationalData, types: Iterable[str]) -> RelationalData:
    """Rename the types of new data to those of the fit, where the match is unambiguous."""
    center, *fit_views = types
    new = {data.center: center}
    new_views = [name for name in data.types if name != data.center]
    # A single view corresponds to the single view of the fit, whatever its name.
    if len(new_views) == len(fit_views) == 1:
        new |= {new_views[0]: fit_views[0]}
    taken = any(name in data.types and name not in new for name in new.values())
    return data if taken else data.renamed(new)
