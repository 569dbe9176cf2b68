"""Which pair to ask about next. Every strategy sees only the data, the labels and the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from cocluster.interview.knowledge import Geometry, Known, Query
from cocluster.interview.understanding import Understanding
from cocluster.linalg.types import Array

# Least chance of "same" at which a sample is compared with a group. Below, it is taken for one of a
# group of its own.
WORTH_ASKING = 0.25
# Where there are as many groups as clusters, that many times smaller a chance is enough: a group
# too many costs more than a question.
MORE_CAREFUL = 3.0
# Doubt counts where neighbours are in doubt, too: in dense regions many follow one answer.
FROM_NEIGHBOURS, STEPS = 0.7, 10
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
    understanding: Understanding

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
    """Cores of clusters, groups that may be one, then uncertain samples where many are alike.

    Each sample is compared with its most probable group first, until it is in one or fits none.
    """
    now = view.understanding
    return _goes_on(now) or fresh(now.placing(None)) or anything(view)


def placement(now: Understanding) -> Query | None:
    """A sample with the groups that it may be in; perhaps the core of a group that may be another.

    Where people may err, groups may be one that were said to be apart; then a sample is placed.
    """
    for merging in (True, False):
        query = fresh(now.placing(None), merging)
        if query is None:
            return None
        trying = now.placing(query.j)
        options = tuple(trying.ground.core(trying.groups[g]) for g in trying.likely_groups(query.j))
        if options:
            return replace(query, i=options[0], options=options)
    return None


def with_new_groups(now: Understanding) -> Understanding:
    """The same with cores of untouched clusters that fit no group as groups of their own.

    From the largest cluster on, until there is one that is worth asking about.
    """
    if now.current is not None and _goes_on(now) is not None:
        return now
    now = now.placing(None)
    for c in now.untouched:
        x = now.cores[c]
        if now.is_closed(x) or now.placing(x).chances(x).max() >= WORTH_ASKING:
            break
        now = replace(now, asked=now.asked | {x})
    return now


def fresh(now: Understanding, merging: bool = True) -> Query | None:
    """A question about a sample, or two groups, that none is going on about.

    Without ``merging`` it is always about a sample.
    """
    return _untouched_core(now) or (_one_group(now) if merging else None) or _uncertain(now)


def _goes_on(now: Understanding) -> Query | None:
    """The sample that is being placed, if it may well belong to a group still."""
    if now.current is None:
        return None
    chances = now.chances(now.current)
    enough = WORTH_ASKING if len(now.groups) < now.n_clusters else WORTH_ASKING / MORE_CAREFUL
    for group in np.argsort(-chances, kind="stable"):
        if chances[group] < enough:
            break
        pair = _unasked(now, now.groups[group], np.array([now.current]))
        if pair is not None:
            asked = against(now, now.current, int(group), "not in a group yet")
            return replace(asked, i=pair[0])
    return None


def _untouched_core(now: Understanding) -> Query | None:
    """The core of the largest cluster that nothing is known of."""
    for c in now.untouched:
        x = now.cores[c]
        # Those that nobody could place are not asked about again.
        if not now.is_closed(x):
            trying = now.placing(x)
            return against(trying, x, int(trying.chances(x).argmax()), f"core of cluster {c}")
    return None


def _one_group(now: Understanding) -> Query | None:
    """The two groups that are most probably one, if that is worth asking."""
    chance = now.chance_of_one
    a, b = divmod(int(chance.argmax()), len(now.groups))
    few = len(now.groups) <= now.n_clusters
    if chance[a, b] < (WORTH_ASKING if few else WORTH_ASKING / MORE_CAREFUL):
        return None
    pair = _unasked(now, now.groups[a], now.groups[b])
    if pair is None:
        return None
    changes = _joining(now, a, b)
    return Query(*pair, "two groups that may be one", float(chance[a, b]), changes=changes)


def _unasked(now: Understanding, one: Array, other: Array) -> tuple[int, int] | None:
    """Typical members of two groups that were not compared with each other."""
    asked = {tuple(sorted(pair)) for pair in now.known.links.pairs.tolist()}
    for nth in range(max(len(one), len(other))):
        i, j = now.ground.core(one, nth), now.ground.core(other, nth)
        if (min(i, j), max(i, j)) not in asked:
            return i, j
    return None


def _uncertain(now: Understanding) -> Query | None:
    """The sample with the largest doubt among neighbours that are in doubt as well."""
    doubt = now.ground.smoothed(1 - now.posterior.max(axis=1), FROM_NEIGHBOURS, STEPS)
    doubt = np.where(now.doubt < 0, -1.0, doubt)
    doubt[now.known.n_closed[now.known.component] > 0] = -1.0  # nobody could place them
    x = int(doubt.argmax())
    if doubt[x] < 0:
        return None
    trying = now.placing(x)
    chances = trying.chances(x)
    if not chances.max() > 0:
        return None
    return against(trying, x, int(chances.argmax()), "its group is uncertain")


def against(now: Understanding, x: int, group: int, reason: str) -> Query:
    """A sample against the most typical one of a group."""
    chance = float(now.chances(x)[group])
    follow = f"up to {now.reach(x)} samples around it would follow"
    return Query(now.ground.core(now.groups[group]), x, reason, chance, changes=follow)


def _joining(now: Understanding, a: int, b: int) -> str:
    """What follows if two groups are one."""
    sizes = np.bincount(now.posterior.argmax(axis=1), minlength=now.posterior.shape[1])
    return f"clusters of about {sizes[a]} and {sizes[b]} samples would be one"


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


def _far(view: View) -> Query | None:
    """The sample farthest from all groups, or a random one if no class is missing."""
    if len(view.fresh) == 0:
        return None
    if len(view.groups) >= view.n_clusters:
        return _among_groups(view, int(view.rng.choice(view.fresh)), "drawn at random", 0.0)
    geometry = view.geometry
    distance = cdist(geometry.Z[view.fresh], geometry.means(view.groups)).min(axis=1)
    x = int(view.fresh[distance.argmax()])
    # No two are farther apart than twice the longest.
    longest = 2 * np.linalg.norm(geometry.Z, axis=1).max()
    return _among_groups(view, x, "far from all groups", float(distance.max() / longest))


def _among_groups(view: View, x: int, reason: str, score: float) -> Query | None:
    """A sample against the nearest group it was not compared with."""
    settled = view.known.settled(x)
    groups = [group for group in view.groups if not settled[group[0]]]
    if not groups:
        return None
    distance = cdist(view.geometry.Z[[x]], view.geometry.means(groups))
    group = groups[int(distance.argmin())]
    return Query(view.geometry.typical(group), x, reason, score)
