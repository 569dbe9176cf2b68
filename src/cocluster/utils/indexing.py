"""How scikit-learn asks for rows."""

from __future__ import annotations

from typing import Any


def row_key(key: Any) -> Any:
    """What stands for the rows in ``X[rows]``, and in ``X[rows, ...]`` as scikit-learn writes it.

    >>> row_key((slice(2), ...))
    slice(None, 2, None)
    """
    if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
        return key[0]
    return key
