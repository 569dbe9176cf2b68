"""Wrong answers: contradictions and their weakest link, and answers worth a second question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cocluster.interview.beliefs import Beliefs, KnownPairs
from cocluster.interview.queries import SIGNS, Answered, Query
from cocluster.linalg.types import Array
from cocluster.links import Links

# An answer that is right with a smaller probability is asked again, with another group member.
MIN_BELIEF = 0.9
# Two groups are merged only if that is right with this probability.
MIN_MERGE_BELIEF = 0.95
# The same question is asked at most this many times, the first time included.
MAX_REPEATS = 3
# Probabilities are clipped away from 0 and 1: the posterior rests on few samples.
MIN_CHANCE = 0.02

# Log odds of "same" before any vote and the sum of the votes, for each pair of components.
Votes = dict[tuple[int, int], list[float]]


def drop_contradictions(links: Links, beliefs: Beliefs) -> tuple[Links, Array]:
    """Drop the weakest link of each contradiction; also return the positions of dropped links.

    The weakest is the pair with the least support from the other answers, propagated over the
    neighbours. Labellings stay as they are.
    """
    mask = np.ones(len(links.pairs), dtype=bool)
    while (conflict := next(iter(_select(links, mask).conflicts()), None)) is not None:
        chain = {frozenset(pair) for pair in (conflict.pair, *conflict.chain)}
        involved = np.array(
            [p for p in np.flatnonzero(mask) if frozenset(links.pairs[p].tolist()) in chain]
        )
        if not len(involved):
            break  # labellings contradict each other
        # The pairs in question are judged by all other answers.
        judges = mask.copy()
        judges[involved] = False
        others = replace(beliefs, known_pairs=KnownPairs(_select(links, judges)), current=None)
        mask[involved[pair_support(others, links)[involved].argmin()]] = False
    return _select(links, mask), np.flatnonzero(~mask)


def _select(links: Links, mask: Array) -> Links:
    """Return the stated pairs of a mask, with the labellings."""
    details = {
        name: tuple(text for text, keep in zip(values, mask, strict=True) if keep)
        for name, values in links.details.items()
    }
    return replace(
        links,
        pairs=links.pairs[mask],
        signs=links.signs[mask],
        weights=links.weights[mask],
        details=details,
    )


def pair_support(beliefs: Beliefs, links: Links) -> Array:
    """Return the probability of each stated pair under the posterior."""
    groups = beliefs.groups
    codes = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    P = beliefs.embedding.posterior(beliefs.grouped_samples, np.eye(len(groups))[codes])
    same = np.einsum("ij,ij->i", P[links.pairs[:, 0]], P[links.pairs[:, 1]])
    return np.asarray(np.where(links.signs > 0, same, 1 - same))


def credible_links(links: Links, chances: Array, errors: float) -> Links:
    """Return the links that are credible: votes for "same" must outweigh a low prior probability.

    Answers are votes, each worth the logarithm of (1 - errors) / errors. A sample joins a group
    when that is right with 90 %, a group another group with 95 %, because a wrong merge costs most.
    If most votes say "different", two groups are apart. Answers within a group are outvoted.

    Parameters
    ----------
    links : Links
        Stated pairs in order.
    chances : array, one for each pair
        Predicted probability of "same"; 1 for pairs that are certain.
    errors : float
    """
    root = np.arange(len(links))
    size = np.ones(len(links), dtype=np.intp)
    vote = np.log((1 - errors) / errors)
    votes: Votes = {}
    for (i, j), sign, chance in zip(
        links.pairs.tolist(), links.signs.tolist(), chances.tolist(), strict=True
    ):
        a, b = sorted((int(root[i]), int(root[j])))
        if a == b or sign == 0:
            continue
        ballot = votes.setdefault((a, b), [_log_odds(chance), 0.0])
        ballot[1] += sign
        both_groups = min(size[a], size[b]) > 1
        threshold = _log_odds(MIN_MERGE_BELIEF if both_groups else MIN_BELIEF)
        if ballot[1] > 0 and ballot[0] + vote * ballot[1] >= threshold:
            _merge_components(root, size, votes, a, b)
    return _majority_links(links, root, votes)


def _log_odds(chance: float) -> float:
    """Return the log odds of a probability, clipped to stay finite."""
    chance = float(np.clip(chance, MIN_CHANCE, 1 - MIN_CHANCE))
    return float(np.log(chance / (1 - chance)))


def _merge_components(root: Array, size: Array, votes: Votes, a: int, b: int) -> None:
    """Merge component b into a, and add its votes to those of a."""
    root[root == b] = a
    size[a] += size[b]
    for pair in [pair for pair in votes if b in pair]:
        neighbour = pair[0] if pair[1] == b else pair[1]
        prior, balance = votes.pop(pair)
        if neighbour != a:
            votes.setdefault((min(a, neighbour), max(a, neighbour)), [prior, 0.0])[1] += balance


def _majority_links(links: Links, root: Array, votes: Votes) -> Links:
    """Return the stated pairs that agree with the components and with most votes between them."""
    ends = root[links.pairs]
    within = ends[:, 0] == ends[:, 1]
    outvoted = np.array(
        [votes.get((min(a, b), max(a, b)), [0.0, 0.0])[1] < 0 for a, b in ends.tolist()], dtype=bool
    )
    unsure = links.signs == 0
    mask = np.where(within, links.signs >= 0, (links.signs <= 0) & (outvoted | unsure))
    # A member whose own pairs are outvoted still needs a link to its component.
    _, first_members, component = np.unique(root, return_index=True, return_inverse=True)
    first = first_members[component]
    members = np.flatnonzero(first != np.arange(len(root)))
    ties = Links.from_pairs(np.stack([first[members], members], axis=1), n_samples=len(links))
    return _select(links, mask.astype(bool)) | ties


def repeat_query(beliefs: Beliefs, last: Answered, stated: Links) -> Query | None:
    """Ask about the last sample again, with another group member, if its answer is improbable.

    Parameters
    ----------
    beliefs : Beliefs
        From the credible answers.
    last : Answered
    stated : Links
        All answers.
    """
    x, errors = last.j, beliefs.errors
    component = beliefs.known_pairs.component
    same_component = component == component[x]
    group = next((group for group in beliefs.groups if last.i in group), None)
    joined_another = same_component.sum() > 1 and not same_component[last.i]
    if SIGNS[last.answer] == 0 or group is None or joined_another:
        return None
    about_x = (stated.pairs == x).any(axis=1) & (stated.signs != 0)
    partners = np.where(stated.pairs == x, -1, stated.pairs).max(axis=1)
    votes = about_x & np.isin(partners, group)
    vote = np.log((1 - errors) / errors)
    log_odds = _log_odds(last.chance) + int(stated.signs[votes].sum()) * vote
    # Probability that the answer is right.
    belief = 1 / (1 + np.exp(-SIGNS[last.answer] * log_odds))
    new_members = np.setdiff1d(group, np.append(partners[votes], x))
    if belief >= MIN_BELIEF or votes.sum() >= MAX_REPEATS or not len(new_members):
        return None
    core = beliefs.embedding.core(new_members)
    return Query(core, x, "the last answer is a surprise", 1 - belief)
