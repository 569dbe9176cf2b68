"""People err: contradictions with their weakest link, and answers worth a second question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cocluster.interview.knowledge import Known, Query
from cocluster.interview.understanding import Understanding
from cocluster.linalg.types import Array
from cocluster.links import Links

# An answer that is right with a smaller probability is asked for again, with another member.
BELIEVED = 0.8
# So often at most, the first time included.
MOST_ASKED = 3
# Chances are kept from 0 and 1: the posterior has few samples to go by.
LEAST_CHANCE = 0.02


def without_contradictions(links: Links, understanding: Understanding) -> tuple[Links, Array]:
    """Links with the weakest one of each contradiction left out, and the positions of those.

    Of the pairs that contradict each other it is the one that the other answers, spread over the
    neighbours, believe in least. Labellings are not touched.
    """
    kept = np.ones(len(links.pairs), dtype=bool)
    while (conflict := next(iter(_some(links, kept).conflicts()), None)) is not None:
        ends = {frozenset(pair) for pair in (conflict.pair, *conflict.chain)}
        involved = np.array(
            [p for p in np.flatnonzero(kept) if frozenset(links.pairs[p].tolist()) in ends]
        )
        if not len(involved):
            break  # labellings contradict each other
        # Judged by all answers but those in question.
        rest = kept.copy()
        rest[involved] = False
        judge = replace(understanding, known=Known(_some(links, rest)), current=None)
        doubted = Links(
            len(links), links.pairs[involved], links.signs[involved], links.weights[involved]
        )
        kept[involved[strengths(judge, doubted).argmin()]] = False
    return _some(links, kept), np.flatnonzero(~kept)


def _some(links: Links, kept: Array) -> Links:
    """Some of the stated pairs."""
    details = {
        name: tuple(text for text, keep in zip(values, kept, strict=True) if keep)
        for name, values in links.details.items()
    }
    return replace(
        links,
        pairs=links.pairs[kept],
        signs=links.signs[kept],
        weights=links.weights[kept],
        details=details,
    )


def without(links: Links, sample: int) -> Links:
    """The links in which a sample does not occur."""
    return _some(links, ~(links.pairs == sample).any(axis=1))


def strengths(understanding: Understanding, links: Links) -> Array:
    """How much the posterior believes in each stated pair, from 0 to 1."""
    groups = understanding.groups
    codes = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    targets = np.eye(len(groups))[codes]
    P = understanding.ground.posterior(understanding.placed, targets)
    same = np.einsum("ij,ij->i", P[links.pairs[:, 0]], P[links.pairs[:, 1]])
    return np.asarray(np.where(links.signs > 0, same, 1 - same))


def second_question(now: Understanding, sample: int, stated: Links, errors: float) -> Query | None:
    """The last sample once more, against another member, if what was said of it is hard to believe.

    Parameters
    ----------
    now : Understanding
        Without anything that was said of the sample.
    sample : int
    stated : Links
        All answers.
    errors : float
        Share of answers that are wrong.
    """
    about = (stated.pairs == sample).any(axis=1) & (stated.signs != 0)
    if not about.any():
        return None
    last = int(np.flatnonzero(about)[-1])
    others = np.where(stated.pairs == sample, -1, stated.pairs).max(axis=1)
    group = next((g for g, own in enumerate(now.groups) if others[last] in own), None)
    if group is None:
        return None
    own = now.groups[group]
    here = about & np.isin(others, own)
    votes = int(stated.signs[here].sum())
    chance = float(np.clip(now.chances(sample)[group], LEAST_CHANCE, 1 - LEAST_CHANCE))
    odds = np.log(chance / (1 - chance)) + votes * np.log((1 - errors) / errors)
    belief = 1 / (1 + np.exp(-abs(odds)))
    fresh = np.setdiff1d(own, others[here])
    if belief >= BELIEVED or here.sum() >= MOST_ASKED or not len(fresh):
        return None
    return Query(now.ground.core(fresh), sample, "the last answer is a surprise", 1 - belief)


def known_without(understanding: Understanding, sample: int) -> Understanding:
    """What would be understood if nothing had been said of a sample, which is to be placed."""
    rest = Known(without(understanding.known.links, sample))
    return replace(understanding, known=rest, current=sample)
