"""Links between some of the samples, including those implied through dropped samples."""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np

from cocluster.linalg.positions import positions_of
from cocluster.linalg.types import Array
from cocluster.links.closure import Closure, chain_within, components, merge_pairs
from cocluster.links.labelling import Labelling
from cocluster.links.validate import StatedLinks


def subset(links: StatedLinks, closure: Closure, selected: Array) -> dict[str, Any]:
    """Fields of the links between the samples ``selected``, renumbered in that order.

    Links pairs of selected samples stay as they are. Where a dropped sample joined two selected
    ones, a new must-link joins them, with the smallest weight stated in their component; a
    cannot-link with a dropped end goes over to a selected sample of the same component, with its
    weight. A sample that is selected several times is must-linked with its copies if it has links.
    """
    position = positions_of(selected, links.n_samples)
    # A selected sample of each component, to stand in for those of the component that are dropped.
    heir = positions_of(closure.component[selected], closure.n_components)
    labellings = tuple(_restrict(lab, closure, selected, heir) for lab in links.labellings)
    inside = (position[links.pairs] >= 0).all(axis=1)
    pairs, signs = position[links.pairs[inside]], links.signs[inside]
    joins = _missing_must_links(links, closure, selected, pairs[signs == 1], labellings)
    inherited, inherited_weights = _inherited_cannot_links(links, closure, position, heir)
    join_weights = _weakest_weights(links, closure)[closure.component[selected[joins[:, 0]]]]
    n_new = len(joins) + len(inherited)
    return {
        "n_samples": len(selected),
        "pairs": np.concatenate([pairs, joins, inherited]),
        "signs": np.concatenate([signs, np.ones(len(joins)), -np.ones(len(inherited))]),
        "weights": np.concatenate([links.weights[inside], join_weights, inherited_weights]),
        "labellings": labellings,
        # Nobody stated the new pairs, so nothing is known of them besides.
        "details": {
            name: (*compress(values, inside), *("",) * n_new)
            for name, values in links.details.items()
        },
    }


def _restrict(labelling: Labelling, closure: Closure, selected: Array, heir: Array) -> Labelling:
    """Labels of the selected samples; a group that loses all its samples passes to an heir."""
    codes = labelling.codes[selected]
    remaining = np.bincount(codes[codes >= 0], minlength=len(labelling.sizes))
    groups = np.flatnonzero(remaining == 0)
    takers = heir[closure.component[labelling.first_members()[groups]]]
    groups, takers = groups[takers >= 0], takers[takers >= 0]
    # An heir that has a label keeps it: a sample cannot hold two labels of one labelling.
    free = codes[takers] < 0
    codes[takers[free]] = groups[free]
    return Labelling(codes, labelling.distinct)


def _missing_must_links(
    links: StatedLinks,
    closure: Closure,
    selected: Array,
    must_link: Array,
    labellings: tuple[Labelling, ...],
) -> Array:
    """Fewest must-links that restore the components among the selected samples."""
    component = components(len(selected), must_link, labellings)
    linked = np.zeros(links.n_samples, dtype=bool)
    linked[links.pairs[links.signs != 0]] = True
    for labelling in links.labellings:
        linked[labelling.members] = True
    active = np.flatnonzero(linked[selected])
    representatives = active[np.unique(component[active], return_index=True)[1]]
    return chain_within(representatives, closure.component[selected[representatives]])


def _inherited_cannot_links(
    links: StatedLinks, closure: Closure, position: Array, heir: Array
) -> tuple[Array, Array]:
    """Cannot-links with a dropped end that has a must-linked sample to take its place."""
    inside = (position[links.pairs] >= 0).all(axis=1)
    lost = (links.signs == -1) & ~inside
    ends = position[links.pairs[lost]]
    ends = np.where(ends >= 0, ends, heir[closure.component[links.pairs[lost]]])
    complete = (ends >= 0).all(axis=1)
    return merge_pairs(ends[complete], links.weights[lost][complete])


def _weakest_weights(links: StatedLinks, closure: Closure) -> Array:
    """Smallest weight of the must-links stated in each component, 1 where there is none.

    A chain is as strong as its weakest link, and which links a new one replaces is not traced.
    """
    stated = links.signs == 1
    weakest = np.full(closure.n_components, np.inf)
    np.minimum.at(weakest, closure.component[links.pairs[stated, 0]], links.weights[stated])
    return np.where(np.isfinite(weakest), weakest, 1.0)
