"""Links between some of the samples, without losing what follows through the others."""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np

from cocluster.linalg.positions import positions_of
from cocluster.linalg.types import Array
from cocluster.links.closure import Closure, chain_within, components, merge_pairs
from cocluster.links.labelling import Labelling
from cocluster.links.stated import Stated


def subset(links: Stated, closure: Closure, kept: Array) -> dict[str, Any]:
    """Fields of the links between the samples ``kept``, renumbered in that order.

    Stated pairs of kept samples stay as they are. Where a dropped sample joined two kept
    ones, a new must-link joins them, with the smallest weight stated in their component; a
    cannot-link with a dropped end goes over to a kept sample of the same component, with its
    weight. A sample that is kept several times is must-linked with its copies if it has links.
    """
    position = positions_of(kept, links.n_samples)
    # A kept sample of each component, to stand in for those of the component that are dropped.
    heir = positions_of(closure.component[kept], closure.n_components)
    labellings = tuple(_restrict(lab, closure, kept, heir) for lab in links.labellings)
    inside = (position[links.pairs] >= 0).all(axis=1)
    pairs, signs = position[links.pairs[inside]], links.signs[inside]
    joins = _joins(links, closure, kept, pairs[signs == 1], labellings)
    passed_on, passed_weights = _passed_on(links, closure, position, heir)
    join_weights = _weakest(links, closure)[closure.component[kept[joins[:, 0]]]]
    n_new = len(joins) + len(passed_on)
    return {
        "n_samples": len(kept),
        "pairs": np.concatenate([pairs, joins, passed_on]),
        "signs": np.concatenate([signs, np.ones(len(joins)), -np.ones(len(passed_on))]),
        "weights": np.concatenate([links.weights[inside], join_weights, passed_weights]),
        "labellings": labellings,
        # Nobody stated the new pairs, so nothing is known of them besides.
        "details": {
            name: (*compress(values, inside), *("",) * n_new)
            for name, values in links.details.items()
        },
    }


def _restrict(labelling: Labelling, closure: Closure, kept: Array, heir: Array) -> Labelling:
    """Labels of the kept samples; a group that loses all its samples passes to an heir."""
    codes = labelling.codes[kept]
    left = np.bincount(codes[codes >= 0], minlength=len(labelling.sizes))
    groups = np.flatnonzero(left == 0)
    takers = heir[closure.component[labelling.first_members()[groups]]]
    groups, takers = groups[takers >= 0], takers[takers >= 0]
    # An heir that has a label keeps it: a sample cannot hold two labels of one labelling.
    free = codes[takers] < 0
    codes[takers[free]] = groups[free]
    return Labelling(codes, labelling.distinct)


def _joins(
    links: Stated,
    closure: Closure,
    kept: Array,
    must_link: Array,
    labellings: tuple[Labelling, ...],
) -> Array:
    """Fewest must-links that restore the components among the kept samples."""
    part = components(len(kept), must_link, labellings)
    linked = np.zeros(links.n_samples, dtype=bool)
    linked[links.pairs[links.signs != 0]] = True
    for labelling in links.labellings:
        linked[labelling.members] = True
    active = np.flatnonzero(linked[kept])
    of_part = active[np.unique(part[active], return_index=True)[1]]
    return chain_within(of_part, closure.component[kept[of_part]])


def _passed_on(
    links: Stated, closure: Closure, position: Array, heir: Array
) -> tuple[Array, Array]:
    """Cannot-links with a dropped end that has a must-linked sample to take its place."""
    inside = (position[links.pairs] >= 0).all(axis=1)
    lost = (links.signs == -1) & ~inside
    ends = position[links.pairs[lost]]
    ends = np.where(ends >= 0, ends, heir[closure.component[links.pairs[lost]]])
    whole = (ends >= 0).all(axis=1)
    return merge_pairs(ends[whole], links.weights[lost][whole])


def _weakest(links: Stated, closure: Closure) -> Array:
    """Smallest weight of the must-links stated in each component, 1 where there is none.

    A chain is as strong as its weakest link, and which links a new one replaces is not traced.
    """
    stated = links.signs == 1
    weakest = np.full(closure.n_components, np.inf)
    np.minimum.at(weakest, closure.component[links.pairs[stated, 0]], links.weights[stated])
    return np.where(np.isfinite(weakest), weakest, 1.0)
