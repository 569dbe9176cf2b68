"""Which pair to ask about next. Every strategy sees only the data, the labels and the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from cocluster.interview.knowledge import Geometry, Known, Query
from cocluster.linalg.types import Array

# Random pairs drawn before the open ones are looked for one by one: as long as one pair in twenty
# is open, a hundred draws miss them all less than once in a hundred times.
TRIES = 100


@dataclass(frozen=True, eq=False)
class View:
    """What a strategy sees."""

    geometry: Geometry
    known: Known
    n_clusters: int
    rng: np.random.Generator

    @cached_property
    def groups(self) -> list[Array]:
        """The classes found so far; before any answer the core of the largest cluster."""
        first = self.geometry.cores[self.geometry.sizes.argmax()]
        return self.known.groups() or [np.array([first])]

    @cached_property
    def begun(self) -> Array:
        """Components that something is known of."""
        begun = (self.known.sizes > 1) | (self.known.n_closed > 0)
        # Before any answer the first group is one sample that the others are compared with.
        begun[self.known.component[self.groups[0]]] = True
        return begun

    @cached_property
    def fresh(self) -> Array:
        """Samples that nothing is known of."""
        return np.flatnonzero(~self.begun[self.known.component])


def place(view: View) -> Query | None:
    """The core of each cluster, then uncertain samples, placed among the groups."""
    return _unfinished(view) or _core(view) or _doubtful(view) or anything(view)


def explore(view: View) -> Query | None:
    """Farthest-first: samples far from all groups until there is a group for each cluster, then
    samples at random, placed among the groups (explore and consolidate, Basu et al. 2004).
    """
    return _unfinished(view) or _far(view) or anything(view)


def uncertain(view: View) -> Query | None:
    """Samples between two clusters against the cores of these clusters, the most uncertain first.

    A sample that was found to belong to one of the two cores is not asked about again.
    """
    geometry, known = view.geometry, view.known
    component = known.component
    cores = geometry.cores[geometry.nearest]
    settled = np.stack([known.settled(core) for core in geometry.cores], axis=1)
    open_pairs = ~np.take_along_axis(settled, geometry.nearest, axis=1)
    placed = (component[cores] == component[:, None]).any(axis=1)
    candidates = np.flatnonzero(open_pairs.any(axis=1) & ~placed)
    if len(candidates) == 0:
        return anything(view)
    x = int(candidates[geometry.doubt[candidates].argmax()])
    a, b = geometry.nearest[x]
    reason = f"between clusters {a} and {b}"
    return Query(int(cores[x, open_pairs[x].argmax()]), x, reason, float(geometry.doubt[x]))


def random(view: View) -> Query | None:
    """Any open pair, all alike: the baseline."""
    n = len(view.geometry.labels)
    for i, j in view.rng.integers(n, size=(TRIES, 2)).tolist():
        if not view.known.settled(i)[j]:
            return Query(i, j, "drawn at random", 0.0)
    return anything(view)


def anything(view: View) -> Query | None:
    """An open pair if there is one: of the component that least is known of."""
    known = view.known
    a = int(known.n_closed.argmin())
    i = int((known.component == a).argmax())
    settled = known.settled(i)
    if settled.all():
        return None
    return Query(i, int(settled.argmin()), "not settled yet", 0.0)


Strategy = Callable[[View], Query | None]
STRATEGIES: dict[str, Strategy] = {
    "place": place,
    "explore": explore,
    "uncertain": uncertain,
    "random": random,
}


def _unfinished(view: View) -> Query | None:
    """Go on with the sample that was compared with most groups and is in none."""
    known = view.known
    own = known.component[[group[0] for group in view.groups]]
    compared = np.asarray((known.closed[:, own] != 0).sum(axis=1)).ravel()
    waiting = view.begun & (compared < len(own))
    waiting[own] = False
    candidates = np.flatnonzero(waiting)
    if len(candidates) == 0:
        return None
    a = candidates[compared[candidates].argmax()]
    # Any sample of the component will do: what is said of one holds for all.
    x = int((known.component == a).argmax())
    return _among_groups(view, x, "not in a group yet", float(compared[a] / len(own)))


def _core(view: View) -> Query | None:
    """The core of the largest cluster that nothing is known of, as long as classes are missing."""
    sizes = view.geometry.sizes
    untouched = np.bincount(view.geometry.labels[view.fresh], minlength=len(sizes)) == sizes
    candidates = np.flatnonzero(untouched & (sizes > 0))
    if len(candidates) == 0 or len(view.groups) >= view.n_clusters:
        return None
    # The largest first: a mistake about it costs most.
    c = int(candidates[sizes[candidates].argmax()])
    share = float(sizes[c] / sizes.sum())
    return _among_groups(view, int(view.geometry.cores[c]), f"core of cluster {c}", share)


def _doubtful(view: View) -> Query | None:
    """The sample that lies most between two clusters."""
    if len(view.fresh) == 0:
        return None
    doubt = view.geometry.doubt
    x = int(view.fresh[doubt[view.fresh].argmax()])
    a, b = view.geometry.nearest[x]
    return _among_groups(view, x, f"between clusters {a} and {b}", float(doubt[x]))


def _far(view: View) -> Query | None:
    """The sample farthest from all groups, or a random one if no class is missing."""
    if len(view.fresh) == 0:
        return None
    if len(view.groups) >= view.n_clusters:
        return _among_groups(view, int(view.rng.choice(view.fresh)), "drawn at random", 0.0)
    geometry = view.geometry
    distance = cdist(geometry.Z[view.fresh], geometry.means(view.groups)).min(axis=1)
    x = int(view.fresh[distance.argmax()])
    # The embedding has unit rows: no two are farther apart than 2.
    return _among_groups(view, x, "far from all groups", float(distance.max() / 2))


def _among_groups(view: View, x: int, reason: str, score: float) -> Query | None:
    """A sample against the nearest group it was not compared with."""
    settled = view.known.settled(x)
    groups = [group for group in view.groups if not settled[group[0]]]
    if not groups:
        return None
    distance = cdist(view.geometry.Z[[x]], view.geometry.means(groups))
    group = groups[int(distance.argmin())]
    return Query(view.geometry.typical(group), x, reason, score)
