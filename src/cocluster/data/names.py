"""Columns of new data, matched by name with those of the data that a model was fitted to."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array

# Names that an error lists: enough to see what is wrong, few enough for one sentence.
FEW = 3


def with_columns_of(
    data: RelationalData, names: Mapping[str, Array], sizes: Mapping[str, int]
) -> RelationalData:
    """New data with the objects of every other type in the order they had in the fit.

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
    data = _with_types_of(data, tuple(sizes))
    for name in data.types:
        if name == data.center or name not in sizes:
            continue
        given, known = data.names.get(name), names.get(name)
        if given is None or known is None:
            _warn_of_trust(name, fitted=known is not None, given=given is not None)
            continue
        order = column_order(known, given, name)
        if order is not None:
            data = _selected(data, name, order)
    return data


def column_order(known: Array, given: Array, what: str) -> Array | None:
    """Where the known names are among those given; None if they are in order.

    >>> column_order(np.array(["a", "b"]), np.array(["b", "a"]), "words")
    array([1, 0])
    """
    if np.array_equal(known, given):
        return None
    position = {key: i for i, key in enumerate(given)}
    missing = [key for key in known if key not in position]
    extra = sorted(set(given) - set(known), key=position.__getitem__)
    if missing or extra:
        problems = [f"lack {_some(missing)}"] if missing else []
        problems += [f"have {_some(extra)}, unknown to the fit"] if extra else []
        raise ValueError(
            f"New data must have the columns of the fit ({what}), in any order; they "
            f"{', and '.join(problems)}."
        )
    repeated = [key for key, count in Counter(given).items() if count > 1]
    if repeated or len(given) != len(known):
        raise ValueError(
            f"Column names repeat ({_some(repeated)}), so columns in another order than in the "
            f"fit cannot be matched ({what}); make names unique, or keep the order."
        )
    return np.fromiter((position[key] for key in known), dtype=np.intp, count=len(known))


def _some(names: list[Any]) -> str:
    """The first few names, and how many there are besides."""
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(map(repr, names[:FEW])) + more


def _with_types_of(data: RelationalData, types: Iterable[str]) -> RelationalData:
    """The data with the names of types of the fit, where there is no doubt which is which."""
    center, *others = types
    new = {data.center: center}
    own = [name for name in data.types if name != data.center]
    # With one view there is only one that can be meant, whatever it was called.
    if len(own) == len(others) == 1:
        new |= {own[0]: others[0]}
    taken = any(name in data.types and name not in new for name in new.values())
    return data if taken else data.renamed(new)


def _warn_of_trust(name: str, *, fitted: bool, given: bool) -> None:
    """Say that names could not be compared, in scikit-learn's words."""
    if fitted:
        lack = "X does not have valid feature names, but the model was fitted with feature names"
    elif given:
        lack = "X has feature names, but the model was fitted without feature names"
    else:
        return
    warnings.warn(
        f"{lack} ({name}): columns are taken in the order of the fit.", UserWarning, stacklevel=4
    )


def _selected(data: RelationalData, name: str, order: Array) -> RelationalData:
    """The data with the objects of one type in another order."""
    relations = tuple(r.select(name, order) for r in data.relations)
    return replace(data, relations=relations, names={**data.names, name: data.names[name][order]})
