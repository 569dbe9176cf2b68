"""Links between some of the samples, without losing what follows through the others."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links.closure import chain_within, components, merge_pairs
from cocluster.links.labelling import Labelling

if TYPE_CHECKING:
    from cocluster.links.links import Links


def subset(links: Links, kept: Array) -> dict[str, Any]:
    """Fields of the links between the samples ``kept``, renumbered in that order.

    Stated pairs of kept samples stay as they are. Where a dropped sample joined two kept
    ones, a new must-link joins them, with the smallest weight stated in their component; a
    cannot-link with a dropped end goes over to a kept sample of the same component, with its
    weight. A sample that is kept several times is must-linked with its copies if it has links.
    """
    component = links.closure().component
    position = _table(kept, np.arange(len(kept)), links.n_samples)
    heir = _table(component[kept], np.arange(len(kept)), len(links.closure().sizes))
    labellings = tuple(_restrict(lab, kept, heir, component) for lab in links.labellings)
    inside = (position[links.pairs] >= 0).all(axis=1)
    pairs, signs = position[links.pairs[inside]], links.signs[inside]
    joins = _joins(links, kept, pairs[signs == 1], labellings)
    moved, moved_weights = _moved(links, position, heir)
    join_weights = _weakest(links)[component[kept[joins[:, 0]]]]
    n_new = len(joins) + len(moved)
    return {
        "n_samples": len(kept),
        "pairs": np.concatenate([pairs, joins, moved]),
        "signs": np.concatenate([signs, np.ones(len(joins)), -np.ones(len(moved))]),
        "weights": np.concatenate([links.weights[inside], join_weights, moved_weights]),
        "labellings": labellings,
        "details": {
            name: (*compress(values, inside), *("",) * n_new)
            for name, values in links.details.items()
        },
    }


def _table(keys: Array, values: Array, size: int) -> Array:
    """Lookup table of a value of each key, -1 where there is none."""
    table = np.full(size, -1, dtype=np.int64)
    table[keys] = values
    return table


def _restrict(labelling: Labelling, kept: Array, heir: Array, component: Array) -> Labelling:
    """Labels of the kept samples; a group without any passes to a kept must-linked sample."""
    codes = labelling.codes[kept]
    left = np.bincount(codes[codes >= 0], minlength=len(labelling.sizes))
    groups = np.flatnonzero(left == 0)
    takers = heir[component[labelling.first_members()[groups]]]
    groups, takers = groups[takers >= 0], takers[takers >= 0]
    free = codes[takers] < 0
    codes[takers[free]] = groups[free]
    return Labelling(codes, labelling.distinct)


def _joins(links: Links, kept: Array, must_link: Array, labellings: tuple[Labelling, ...]) -> Array:
    """Fewest must-links that restore the components among the kept samples."""
    part = components(len(kept), must_link, labellings)
    linked = np.zeros(links.n_samples, dtype=bool)
    linked[links.pairs[links.signs != 0]] = True
    for labelling in links.labellings:
        linked[labelling.members] = True
    active = np.flatnonzero(linked[kept])
    of_part = active[np.unique(part[active], return_index=True)[1]]
    return chain_within(of_part, links.closure().component[kept[of_part]])


def _moved(links: Links, position: Array, heir: Array) -> tuple[Array, Array]:
    """Cannot-links with a dropped end that has a must-linked sample to take its place."""
    inside = (position[links.pairs] >= 0).all(axis=1)
    lost = (links.signs == -1) & ~inside
    ends = position[links.pairs[lost]]
    ends = np.where(ends >= 0, ends, heir[links.closure().component[links.pairs[lost]]])
    whole = (ends >= 0).all(axis=1)
    return merge_pairs(ends[whole], links.weights[lost][whole])


def _weakest(links: Links) -> Array:
    """Smallest weight of the must-links stated in each component, 1 where there is none."""
    closure, stated = links.closure(), links.signs == 1
    weakest = np.full(closure.n_components, np.inf)
    np.minimum.at(weakest, closure.component[links.pairs[stated, 0]], links.weights[stated])
    return np.where(np.isfinite(weakest), weakest, 1.0)
