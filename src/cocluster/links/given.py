"""What an estimator was given as supervision, in any of its forms."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.data.relational import RelationalData
from cocluster.links.links import Links
from cocluster.utils.checks import broadcast


def as_links(
    links: object, y: object, n_samples: int, *, n_clusters: int | None = None
) -> Links | None:
    """The supervision an estimator was given, checked; None if nothing was said.

    Parameters
    ----------
    links : Links, tuple or None
        Links, or the plain tuple ``(must_link, cannot_link)`` of arrays of shape (p, 2).
    y : array-like of shape (n_samples,) or None
        Partial labelling, -1 = unknown.
    n_samples : int
        Number of samples of the data.
    n_clusters : int, optional
        Number of clusters that is asked for; refused if ``links`` need more. (A labelling ``y``
        may name more classes than there are clusters: what cannot be met is reported.)
    """
    given = []
    if y is not None:
        given.append(Links.from_labels(y))
    if isinstance(links, tuple) and len(links) == 2:
        given.append(Links.from_pairs(*links, n_samples=n_samples))
    elif isinstance(links, Links):
        given.append(links)
    elif links is not None:
        raise TypeError(
            "links must be Links or a tuple (must_link, cannot_link) of arrays of shape (p, 2), "
            f"got {type(links).__name__}."
        )
    for part in given:
        if len(part) != n_samples:
            raise ValueError(f"links or y describe {len(part)} samples, the data has {n_samples}.")
    if not given:
        return None
    merged = given[0] if len(given) == 1 else given[1] | given[0]
    merged.check(n_clusters if y is None else None)
    # Links that are all "unsure" ask for nothing: the fit is then that of no links at all.
    return merged if merged.n_must + merged.n_cannot else None


def links_by_type(
    data: RelationalData, links: object, y: object, n_clusters: Mapping[str, int]
) -> dict[str, Links]:
    """Links of every type that has some; ``links`` may be a mapping of type to links."""
    given = broadcast(links, [data.center])
    unknown = [name for name in given if name not in data.types]
    if unknown:
        raise ValueError(
            f"links name the unknown type {unknown[0]!r}; the types are {', '.join(data.types)}."
        )
    found = {}
    for name in data.types:
        labelling = y if name == data.center else None
        own = as_links(given.get(name), labelling, data.size(name), n_clusters=n_clusters[name])
        if own is not None:
            found[name] = own
    return found
