"""Matching of rows between views, and of columns between a fit and new data.

Rows of several views are matched by id where every view has ids, else by position. Columns of new
data are matched by name with those of the data that a model was fitted to.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cocluster.data.containers import Table
from cocluster.linalg.types import Array
from cocluster.utils.text import is_missing

# Names that an error message lists.
MAX_LISTED = 3


@dataclass(frozen=True)
class Alignment:
    """Report of how the rows of views were matched when the data were put together.

    Attributes
    ----------
    by_id : bool
        True if rows were matched by id, False if row i of each view was taken as object i.
    n_objects : int
        Number of distinct objects over all views.
    matched : mapping of view to int
        Objects that the view describes.
    reason : str
        Why rows were matched this way.
    """

    by_id: bool
    n_objects: int
    matched: Mapping[str, int]
    reason: str

    @property
    def absent(self) -> dict[str, int]:
        """Count the objects that each view does not describe."""
        return {view: self.n_objects - count for view, count in self.matched.items()}

    def __str__(self) -> str:
        matching = "by id" if self.by_id else "by position"
        lines = [f"{self.n_objects} objects, rows matched {matching} ({self.reason})"]
        lines += [f"  {v}: {n} matched, {self.absent[v]} absent" for v, n in self.matched.items()]
        return "\n".join(lines)


def align(tables: Mapping[str, Table]) -> tuple[dict[str, Array | None], Array | None, Alignment]:
    """Match the rows of views.

    Parameters
    ----------
    tables : mapping of view name to Table

    Returns
    -------
    row_indices : dict of view to int array or None
        Position of each row of the view among all objects; None if row i is object i throughout.
    ids : object array or None
        Ids of all objects, in order of first appearance.
    report : Alignment
    """
    ids = {view: table.row_ids for view, table in tables.items() if table.row_ids is not None}
    # One view without ids leaves only the position to go by. A single view has nothing to match.
    if len(ids) == len(tables) > 1:
        return _align_by_id(ids)
    return _align_by_position(tables, ids)


def _align_by_id(
    ids: Mapping[str, Array],
) -> tuple[dict[str, Array | None], Array | None, Alignment]:
    """Match rows by id: each view gets the positions of its rows in the union of the ids."""
    for view, view_ids in ids.items():
        _check_ids(view, view_ids)
    _check_overlap(ids)
    # A dict keeps the order of first appearance, so the first view mostly keeps its own order.
    position: dict[Any, int] = {}
    for view_ids in ids.values():
        for key in view_ids:
            position.setdefault(key, len(position))
    rows = {view: _positions(view_ids, position) for view, view_ids in ids.items()}
    matched = {view: len(view_ids) for view, view_ids in ids.items()}
    report = Alignment(True, len(position), matched, "every view has ids")
    return rows, np.fromiter(position, dtype=object, count=len(position)), report


def _align_by_position(
    tables: Mapping[str, Table], ids: Mapping[str, Array]
) -> tuple[dict[str, Array | None], Array | None, Alignment]:
    """Match rows by position: row i of every view is object i."""
    counts = {view: table.matrix.shape[0] for view, table in tables.items()}
    first, n = next(iter(counts.items()))
    for view, count in counts.items():
        if count != n:
            raise ValueError(
                f"Views {first!r} ({n} rows) and {view!r} ({count} rows) differ in rows; pass the "
                "same rows, or give every view ids (pandas index, AnnData obs_names)."
            )
    first_ids = next(iter(ids.values()), None)
    # Views that do have ids must agree: where they do not, equal positions are different objects.
    for view, view_ids in ids.items():
        if first_ids is not None and not np.array_equal(view_ids, first_ids):
            bare = next(view for view in tables if view not in ids)
            raise ValueError(
                f"Views {next(iter(ids))!r} and {view!r} have different ids and {bare!r} has none, "
                f"so its rows cannot be matched; give {bare!r} ids, or order all views alike."
            )
    reason = "there is one view" if len(tables) == 1 else f"{len(ids)} of {len(tables)} have ids"
    return dict.fromkeys(tables), first_ids, Alignment(False, n, counts, reason)


def _positions(view_ids: Array, position: Mapping[Any, int]) -> Array | None:
    """Positions of a view's rows in the union; None if they are all of it, in order."""
    index = np.fromiter((position[key] for key in view_ids), dtype=np.intp, count=len(view_ids))
    return None if np.array_equal(index, np.arange(len(position))) else index


def _check_ids(view: str, ids: Array) -> None:
    """Refuse missing and duplicate ids of a view."""
    # pandas writes a missing id as None, NaN or NA; as keys, two NaN would be two objects.
    if any(map(is_missing, ids)):
        raise ValueError(f"View {view!r} has rows with a missing id; fill in ids or drop the rows.")
    repeated = [key for key, count in Counter(ids).items() if count > 1]
    if repeated:
        examples = _list_names(repeated)
        raise ValueError(
            f"View {view!r} has duplicate ids ({examples}); keep one row per id, or reset the "
            "index of all views to match rows by position."
        )


def _check_overlap(ids: Mapping[str, Array]) -> None:
    """Refuse a view that shares no id with any other view."""
    owners = Counter(key for view_ids in ids.values() for key in view_ids)
    for view, view_ids in ids.items():
        if all(owners[key] == 1 for key in view_ids):
            raise ValueError(
                f"View {view!r} shares no id with the other views (its first id is "
                f"{view_ids[0]!r}); check that ids have the same spelling and type in every view."
            )


def column_order(fit_names: Array, new_names: Array, type_name: str) -> Array | None:
    """Find the positions of the fitted names among the new ones; None if they are in order.

    >>> column_order(np.array(["a", "b"]), np.array(["b", "a"]), "words")
    array([1, 0])
    """
    if np.array_equal(fit_names, new_names):
        return None
    position = {key: i for i, key in enumerate(new_names)}
    missing = [key for key in fit_names if key not in position]
    extra = sorted(set(new_names) - set(fit_names), key=position.__getitem__)
    if missing or extra:
        problems = [f"lack {_list_names(missing)}"] if missing else []
        problems += [f"have {_list_names(extra)}, unknown to the fit"] if extra else []
        raise ValueError(
            f"New data must have the columns of the fit ({type_name}), in any order; they "
            f"{', and '.join(problems)}."
        )
    repeated = [key for key, count in Counter(new_names).items() if count > 1]
    if repeated or len(new_names) != len(fit_names):
        raise ValueError(
            f"Column names repeat ({_list_names(repeated)}), so columns in another order than in "
            f"the fit cannot be matched ({type_name}); make names unique, or keep the order."
        )
    return np.fromiter((position[key] for key in fit_names), dtype=np.intp, count=len(fit_names))


def _list_names(names: list[Any]) -> str:
    """List the first few names, and the number of further ones."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(map(repr, names[:MAX_LISTED])) + more


def warn_unmatched_names(name: str, *, fit_named: bool, named: bool) -> None:
    """Warn, with scikit-learn's text, that feature names could not be compared."""
    if fit_named:
        lack = "X does not have valid feature names, but the model was fitted with feature names"
    elif named:
        lack = "X has feature names, but the model was fitted without feature names"
    else:
        return
    warnings.warn(
        f"{lack} ({name}): columns are taken in the order of the fit.", UserWarning, stacklevel=4
    )
