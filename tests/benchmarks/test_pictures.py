"""Pictures of points in the papers' figures: runs resume, clusters and cuts are the best ones."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.packs import WORKING
from benchmarks.papers.figures.pictures import Picture, matched, points, scatter, whole_panels
from benchmarks.papers.zhang2012.figures import best_cut

CLASSES = np.repeat([0, 1], 6)


@pytest.fixture
def picture() -> Picture:
    rows = points("point", CLASSES, np.arange(24.0).reshape(12, 2), 1 - CLASSES)
    return Picture(
        paper="wang2011",
        number="8",
        title="points",
        shows="points.",
        panels={"first": lambda: rows, "second": lambda: rows[:6]},
        paint=scatter,
        claims=(),
    )


def test_a_picture_continues_with_the_panels_that_are_not_whole(
    picture: Picture, tmp_path: Path
) -> None:
    picture.run(tmp_path, False, lambda what, done, total: None)
    file = tmp_path / WORKING / picture.runs
    whole = file.read_text()
    file.write_text(whole[: whole.rfind("second,made")])
    assert set(whole_panels(tmp_path, picture.runs)) == {"first"}
    picture.run(tmp_path, False, lambda what, done, total: None)
    assert file.read_text() == whole
    assert picture.draw(tmp_path).exists()


def test_clusters_are_matched_to_classes_as_the_best_permutation_does() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        classes, clusters = rng.integers(0, 3, (2, 15))
        rows = points("point", classes, np.zeros((15, 2)), clusters)
        held = sum(matched(rows)[row["value"]] == row["group"] for row in rows)
        best = max((np.array(p)[clusters] == classes).sum() for p in permutations(range(3)))
        assert held == best


def test_the_best_cut_is_the_best_of_all_thresholds() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        places, labels = rng.normal(size=9), np.r_[0, 1, rng.integers(0, 2, 7)]
        sides = [(places > t) == labels for t in (-np.inf, *places)]
        shares = [side.mean() for side in sides] + [1 - side.mean() for side in sides]
        assert best_cut(places, labels) == pytest.approx(max(shares))
