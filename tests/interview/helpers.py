"""Interviews on small planted data, and someone who knows the answers."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cocluster import CoCluster
from cocluster.interview import Interview, Query
from cocluster.interview.strategies import STRATEGIES
from cocluster.linalg.types import Array
from tests.conftest import plant
from tests.links.helpers import known_relations

ALL = tuple(STRATEGIES)
K = 3


def begin(strategy: str, seed: int, n: int = 15, links: object = None) -> tuple[Interview, Array]:
    """An interview on loose blocks, and the classes."""
    rng = np.random.default_rng([seed, 2])
    blocks = plant(rng, rng.permutation(np.arange(n) % K), 12, K, contrast=2.0)
    estimator = CoCluster(K, random_state=seed)
    return Interview(blocks.X, estimator, strategy, links, seed), blocks.row_labels


def true_answer(truth: Array, query: Query) -> str:
    """What a perfect answerer says."""
    return "same" if truth[query.i] == truth[query.j] else "different"


def reply(interview: Interview, truth: Array, n: int) -> None:
    """Ask and answer up to n questions."""
    for _ in range(n):
        for query in interview.next_queries():
            interview.answer(query.i, query.j, true_answer(truth, query))


def open_pairs(interview: Interview) -> set[tuple[int, int]]:
    """Pairs neither implied nor answered, by the slow twin of the closure."""
    known = known_relations(interview.links)
    unsure = {tuple(sorted((a.i, a.j))) for a in interview.answers if a.answer == "unsure"}
    pairs = combinations(range(len(known)), 2)
    return {pair for pair in pairs if known[pair] == 0 and pair not in unsure}
