"""How many clusters each type gets, from what the user said."""

from __future__ import annotations

from typing import Any

from cocluster.data.relational import RelationalData
from cocluster.utils.checks import check_integer
from cocluster.utils.named import by_name


def clusters_by_type(
    data: RelationalData, n_clusters: Any, n_column_clusters: Any
) -> dict[str, int]:
    """Number of clusters of every type; None means as many as the samples have, where they fit."""
    k = check_integer(n_clusters, "n_clusters")
    if k > len(data):
        raise ValueError(
            f"n_clusters={k} is more than n_samples={len(data)}; ask for at most {len(data)}."
        )
    names = [name for name in data.types if name != data.center]
    counts = {data.center: k}
    given = by_name(n_column_clusters, names)
    unknown = set(given) - set(names)
    if unknown:
        raise ValueError(
            f"n_column_clusters names unknown types {sorted(unknown)}; there are {names}."
        )
    for name in names:
        counts[name] = _clusters_of(name, given.get(name), data.size(name), k)
    return counts


def _clusters_of(name: str, count: Any, size: int, default: int) -> int:
    """Number of clusters of one type that is not the centre."""
    if count is None:
        return min(default, size)
    count = check_integer(count, f"n_column_clusters of {name}")
    if count > size:
        raise ValueError(
            f"n_column_clusters={count} is more than the {size} objects of type {name!r}; "
            f"ask for at most {size}."
        )
    return count
