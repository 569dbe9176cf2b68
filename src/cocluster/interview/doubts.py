"""People err: contradictions with their weakest link, and answers worth a second question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cocluster.interview.knowledge import SIGNS, Answered, Known, Query
from cocluster.interview.understanding import Understanding
from cocluster.linalg.types import Array
from cocluster.links import Links

# An answer that is right with a smaller probability is asked for again, with another member.
BELIEVED = 0.9
# Two groups are joined only if that is right with this probability.
GROUPS_BELIEVED = 0.95
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


def strengths(understanding: Understanding, links: Links) -> Array:
    """How much the posterior believes in each stated pair, from 0 to 1."""
    groups = understanding.groups
    codes = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    targets = np.eye(len(groups))[codes]
    P = understanding.ground.posterior(understanding.placed, targets)
    same = np.einsum("ij,ij->i", P[links.pairs[:, 0]], P[links.pairs[:, 1]])
    return np.asarray(np.where(links.signs > 0, same, 1 - same))


def credible(links: Links, chances: Array, errors: float) -> Links:
    """The links that are believed: "same" must outweigh how improbable it was.

    Answers are votes, each worth the logarithm of (1 - errors) / errors. A sample joins a group
    when that is right with 90 %, a group another group with 95 %: a wrong join costs most. Where
    most votes say "different", two groups are apart. Answers within a group are outvoted.

    Parameters
    ----------
    links : Links
        As stated, in order.
    chances : array, one for each pair
        Chance of "same" that was foreseen; 1 for what need not be doubted.
    errors : float
    """
    root = links.closure().component * 0 + np.arange(len(links))
    size = np.ones(len(links), dtype=np.intp)
    vote = np.log((1 - errors) / errors)
    open_votes: dict[tuple[int, int], list[float]] = {}
    for (i, j), sign, chance in zip(
        links.pairs.tolist(), links.signs.tolist(), chances.tolist(), strict=True
    ):
        a, b = sorted((int(root[i]), int(root[j])))
        if a == b or sign == 0:
            continue
        votes = open_votes.setdefault((a, b), [_log_odds(chance), 0.0])
        votes[1] += sign
        both = min(size[a], size[b]) > 1
        needed = _log_odds(GROUPS_BELIEVED if both else BELIEVED)
        if votes[1] > 0 and votes[0] + vote * votes[1] >= needed:
            _join(root, size, open_votes, a, b)
    return _believed(links, root, open_votes)


def _log_odds(chance: float) -> float:
    """Logarithm of the odds, kept from infinity."""
    chance = float(np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE))
    return float(np.log(chance / (1 - chance)))


def _join(
    root: Array, size: Array, votes: dict[tuple[int, int], list[float]], a: int, b: int
) -> None:
    """Put component b into a, with all that was said of it."""
    root[root == b] = a
    size[a] += size[b]
    for pair in [pair for pair in votes if b in pair]:
        other = pair[0] if pair[1] == b else pair[1]
        old = votes.pop(pair)
        if other != a:
            kept = votes.setdefault((min(a, other), max(a, other)), [old[0], 0.0])
            kept[1] += old[1]


def _believed(links: Links, root: Array, votes: dict[tuple[int, int], list[float]]) -> Links:
    """Stated pairs that agree with the components and with most votes between them."""
    ends = root[links.pairs]
    within = ends[:, 0] == ends[:, 1]
    against = np.array(
        [votes.get((min(a, b), max(a, b)), [0.0, 0.0])[1] < 0 for a, b in ends.tolist()], dtype=bool
    )
    kept = np.where(within, links.signs >= 0, (links.signs <= 0) & (against | (links.signs == 0)))
    # Members whose own pairs are outvoted are tied to their component all the same.
    firsts = np.unique(root, return_index=True)[1]
    first = firsts[np.searchsorted(root[firsts], root)] if len(root) else firsts
    tied = np.flatnonzero(first != np.arange(len(root)))
    ties = Links.from_pairs(np.stack([first[tied], tied], axis=1), n_samples=len(links))
    return _some(links, kept.astype(bool)) | ties


def second_question(now: Understanding, last: Answered, stated: Links) -> Query | None:
    """The last sample once more, against another member, if what was said of it is hard to believe.

    Parameters
    ----------
    now : Understanding
        Of the answers that are believed.
    last : Answered
    stated : Links
        All answers.
    """
    x, errors = last.j, now.errors
    inside = now.known.component == now.known.component[x]
    group = next((own for own in now.groups if last.i in own), None)
    if SIGNS[last.answer] == 0 or group is None or (inside.sum() > 1 and not inside[last.i]):
        return None
    about = (stated.pairs == x).any(axis=1) & (stated.signs != 0)
    others = np.where(stated.pairs == x, -1, stated.pairs).max(axis=1)
    here = about & np.isin(others, group)
    odds = _log_odds(last.chance) + int(stated.signs[here].sum()) * np.log((1 - errors) / errors)
    # The answer is right with this probability.
    belief = 1 / (1 + np.exp(-SIGNS[last.answer] * odds))
    fresh = np.setdiff1d(group, np.append(others[here], x))
    if belief >= BELIEVED or here.sum() >= MOST_ASKED or not len(fresh):
        return None
    return Query(now.ground.core(fresh), x, "the last answer is a surprise", 1 - belief)
