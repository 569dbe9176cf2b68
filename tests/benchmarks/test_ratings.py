"""The benchmark of ratings: folds, the choice of clusters from training ratings, and the page."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import ratings
from benchmarks.ratings import Ratings


@pytest.fixture
def some(rng):
    """A third of the ratings of 40 people; the last has given one only."""
    rows, columns = np.nonzero(rng.random((40, 12)) < 0.3)
    keep = rows < 39
    rows, columns = np.append(rows[keep], 39), np.append(columns[keep], 0)
    return Ratings(rows, columns, rng.integers(1, 6, len(rows)).astype(float), (40, 12))


def test_every_rating_is_tested_once():
    parts = list(ratings.folds(23))
    assert len(parts) == ratings.FOLDS
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(23))
    for train, test in parts:
        assert sorted(np.concatenate([train, test])) == list(range(23))


def test_the_number_of_clusters_is_chosen_within_the_training_ratings(some):
    seen = []

    def make(k: int) -> ratings.Method:
        def predicted(train: Ratings, test: Ratings) -> np.ndarray:
            seen.append((train, test))
            return test.values + k

        return predicted

    assert ratings.best_number(make, (3, 1, 2), some) == 1
    for train, test in seen:
        assert len(train.values) + len(test.values) == len(some.values)
        both = [set(zip(own.rows, own.columns, strict=True)) for own in (train, test)]
        assert not both[0] & both[1]


@pytest.mark.parametrize("name", ratings.CHOSEN)
def test_predictions_for_what_was_never_seen(name, some):
    """The person whose only rating is tested gets the mean."""
    train, test = some[np.arange(len(some.values) - 1)], some[np.array([-1, 0])]
    predicted = ratings.CHOSEN[name][0](2)(train, test)
    assert predicted[0] == pytest.approx(train.values.mean())
    assert 1 <= predicted[1] <= 5


def test_the_page_says_what_is_missing(some, monkeypatch):
    fixed = {"biases": ratings.biases}
    monkeypatch.setattr(ratings, "FIXED", fixed)
    monkeypatch.setattr(ratings, "CHOSEN", {"FNMTF": (ratings.ours(ratings.FNMTF), (2, 3))})
    rows = list(ratings.rows_of(some, "toys"))
    assert {row["clusters"] for row in rows if row["method"] == "FNMTF"} <= {2, 3}
    page = ratings.report(rows)
    assert "| biases | " in page
    assert "Surprise is not installed" in page


def test_ratings_are_read_from_lines(tmp_path):
    file = tmp_path / "u.data"
    file.write_text("7\t10\t3\t0\n9\t10\t5\t0\n7\t2\t1\t0\n")
    found = ratings.movielens(file)
    assert found.shape == (2, 2)
    assert found.matrix().toarray().tolist() == [[1, 3], [0, 5]]
