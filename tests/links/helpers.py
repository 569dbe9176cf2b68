"""Random links and the slow obvious twin of their closure."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.random import default_rng

from cocluster.links import Links

# The time of a single example says nothing on a busy machine.
unhurried = settings(deadline=None, max_examples=50)

ALPHABET = st.characters(exclude_categories=["Cs"])
TEXT = st.text(ALPHABET, max_size=5)


def known_relations(links: Links) -> np.ndarray:
    """n x n matrix of +1, -1, 0 by listing all stated pairs and repeating both rules."""
    n = len(links)
    same, apart = np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool)
    for i, j in links.must_link:
        same[i, j] = same[j, i] = True
    for i, j in links.cannot_link:
        apart[i, j] = apart[j, i] = True
    for _ in range(n):
        same = same @ same
        apart = same @ apart @ same
    return same.astype(int) - apart


def random_labels(n, k, seed, unknown=0.0):
    """Labels of n samples in k classes, some of them unknown (-1)."""
    rng = default_rng(seed)
    return np.where(rng.random(n) < unknown, -1, rng.integers(k, size=n))


@st.composite
def consistent_links(draw, max_samples=9):
    """Links that agree with hidden labels: pairs, a partial labelling and groups."""
    n = draw(st.integers(2, max_samples))
    truth = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    pairs = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=8))
    pairs = np.array([p for p in pairs if p[0] != p[1]], dtype=np.int64).reshape(-1, 2)
    signs = np.where(truth[pairs[:, 0]] == truth[pairs[:, 1]], 1, -1)
    signs[draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))] = 0
    weights = draw(st.lists(st.floats(0.01, 100), min_size=len(pairs), max_size=len(pairs)))
    column = st.lists(TEXT, min_size=len(pairs), max_size=len(pairs))
    details = draw(st.dictionaries(st.sampled_from(["source", "time", "note"]), column))
    links = Links(n, pairs, signs, np.array(weights), details=details)
    for _ in range(draw(st.integers(0, 2))):
        known = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
        links |= Links.from_labels(np.where(known, truth, -1))
    if draw(st.booleans()):
        groups = [np.flatnonzero(truth == t)[:2].tolist() for t in range(2)]
        links |= Links.from_groups(groups, n_samples=n)
    return links


def assert_same_links(one: Links, other: Links) -> None:
    """Every field is equal."""
    assert one.n_samples == other.n_samples
    np.testing.assert_array_equal(one.pairs, other.pairs)
    np.testing.assert_array_equal(one.signs, other.signs)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert one.details == other.details
    assert len(one.labellings) == len(other.labellings)
    for a, b in zip(one.labellings, other.labellings, strict=True):
        assert a.distinct == b.distinct
        np.testing.assert_array_equal(a.codes, b.codes)
