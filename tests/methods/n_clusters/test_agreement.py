"""Agreement is all there can be for equal labels, and nothing for independent ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from cocluster.methods.n_clusters.stability import agreement


def test_equal_clusters_agree_in_all_they_say(rng: np.random.Generator) -> None:
    labels = rng.permutation(np.arange(60) % 4)
    found = agreement(labels, 3 - labels)
    assert found.rand == pytest.approx(1)
    assert found.information == pytest.approx(found.possible)


def test_shares_are_adjusted_mutual_information(rng: np.random.Generator) -> None:
    first, second = rng.integers(0, 3, size=(2, 80))
    second = np.where(rng.random(80) < 0.5, first, second)
    found = agreement(first, second)
    assert found.information / found.possible == pytest.approx(
        adjusted_mutual_info_score(first, second)
    )
    assert found.rand == pytest.approx(adjusted_rand_score(first, second))


@pytest.mark.parametrize("k", [2, 6])
def test_independent_labels_agree_within_what_chance_says(k: int, rng: np.random.Generator) -> None:
    draws = [agreement(*rng.integers(0, k, size=(2, 500))) for _ in range(200)]
    scores = np.array([draw.information / draw.chance for draw in draws])
    # The mean of 200 draws of standard deviation 1, and that deviation itself, to five sigmas.
    assert abs(scores.mean()) < 5 / np.sqrt(200)
    assert scores.std() == pytest.approx(1, abs=5 * np.sqrt(_excess(k) / 4 / 200))


def _excess(k: int) -> float:
    """Fourth moment of a standardised chi-square variable, less 1."""
    return 2 + 12 / (k - 1) ** 2


def test_one_cluster_says_nothing() -> None:
    found = agreement(np.zeros(5, dtype=int), np.arange(5))
    assert found.information == pytest.approx(0)
    assert found.possible >= 0
