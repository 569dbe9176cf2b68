"""Columns of new data, matched by name with those of the data that a model was fitted to."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array

# Names that an error lists: enough to see what is wrong, few enough for one sentence.
FEW = 3


def with_columns_of(
    data: RelationalData, names: Mapping[str, Array], sizes: Mapping[str, int]
) -> RelationalData:
    """Bring the objects of every other type of new data into the order of the fit.

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
            _warn_unmatched_names(
                name, fit_named=fit_names is not None, named=new_names is not None
            )
            continue
        order = column_order(fit_names, new_names, name)
        if order is not None:
            data = _reorder(data, name, order)
    return data


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
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(map(repr, names[:FEW])) + more


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


def _warn_unmatched_names(name: str, *, fit_named: bool, named: bool) -> None:
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


def _reorder(data: RelationalData, name: str, order: Array) -> RelationalData:
    """Reorder the objects of one type."""
    relations = (r.select(name, order) for r in data.relations)
    return data.derive(relations, {**data.names, name: data.names[name][order]})
