"""From measurements to numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from cocluster.methods.n_clusters.result import (
    SAME,
    SIGMAS,
    Line,
    Side,
    decide_numbers,
    explain_numbers,
    stable_number,
)


def table(shares: Mapping[int, float], null: float = 1e-4) -> list[Line]:
    """Lines of which these shares of log k nats are found again."""
    return [
        Line(k, share, share * np.log(k), float(np.log(k)), null) for k, share in shares.items()
    ]


def test_what_is_found_again_by_chance_is_no_grouping() -> None:
    at_the_bound = [Line(k, 0.0, SIGMAS * 0.01, float(np.log(k)), 0.01) for k in range(2, 9)]
    side = decide_numbers("samples", 100, at_the_bound, 5, 9)
    assert (side.coarse, side.stable, side.fine) == (1, 1, 1)
    assert "no stable grouping" in explain_numbers(side, 9)


@pytest.mark.parametrize("level", [1.0, 0.4, 0.05])
@pytest.mark.parametrize("peak", [2, 5, 9])
def test_a_peak_is_found_however_low(peak: int, level: float) -> None:
    # Merged and split clusters both lose: what is found again is the same, or less.
    shares = {k: level * min(np.log(peak) / np.log(k), k / peak) for k in range(2, 13)}
    assert stable_number(table(shares)) == peak


def test_the_smallest_of_equal_numbers_is_taken() -> None:
    # All labels are found again up to 6, and no more beyond: more clusters gain nothing.
    shares = {k: min(1.0, np.log(6) / np.log(k)) for k in range(2, 20)}
    assert stable_number(table(shares)) <= 6


def test_coarse_is_at_most_stable_and_stable_at_most_fine() -> None:
    shares = {2: 0.9, 3: 0.85, 4: 0.8, 5: 0.75, 6: 0.5}
    side = decide_numbers("samples", 100, table(shares), 2, 6)
    assert side.coarse == 2
    assert side.coarse <= side.stable <= side.fine


def test_the_whole_knows_better_than_halves_of_it() -> None:
    shares = {k: 0.3 * min(np.log(8) / np.log(k), k / 8) for k in range(2, 13)}
    near, far = int(8 * SAME), int(8 * SAME) + 1
    assert decide_numbers("samples", 100, table(shares), near, 12).stable == near
    assert decide_numbers("samples", 100, table(shares), far, 12).stable == 8
    # A best number at the end of the range is none.
    assert decide_numbers("samples", 100, table(shares), near, near).stable == 8


def test_words_say_the_numbers() -> None:
    side = Side("samples", 100, 2, 4, 9, tuple(table({2: 0.9, 4: 0.8})))
    text = explain_numbers(side, 9)
    assert all(word in text for word in ("4 clusters of samples", "80%", "90%", "at least 9"))
    assert "at least" not in explain_numbers(side, 10)
    assert "too few" in explain_numbers(Side("features", 3, 1, 1, 1), 9)
