"""Calibration errors are counted right, and the page says what holds."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import sureness


def test_a_sample_is_right_in_the_cluster_of_its_class():
    classes, labels = np.array([0, 0, 1, 1, 1]), np.array([5, 5, 7, 7, 5])
    assert sureness.right(classes, labels).tolist() == [True, True, True, True, False]
    # A cluster too many stands for no class.
    assert sureness.right(np.array([0, 0, 0]), np.array([1, 1, 2])).tolist() == [True, True, False]


def test_the_error_is_the_mean_gap_between_certainty_and_truth():
    certainty = np.array([0.95, 0.95, 0.55, 0.55])
    correct = np.array([True, True, True, False])
    gap = 0.5 * abs(0.95 - 1) + 0.5 * abs(0.55 - 0.5)
    assert sureness.calibration_error(certainty, correct) == pytest.approx(gap)
    assert sureness.calibration_error(np.ones(3), np.ones(3, dtype=bool)) == 0


def test_the_page_counts_where_borderline_samples_are_wrong():
    row = {
        "data": "toy",
        "kind": "planted",
        "clusters": 2,
        "accuracy": 0.9,
        "certainty": 0.9,
        "agreement": 1.0,
        "ece": 0.01,
        "borderline": 0.1,
        "wrong_borderline": 0.6,
        "wrong_others": 0.1,
        "outliers": 0,
    }
    none = {**row, "kind": "real", "wrong_borderline": None}
    page = sureness.report([row, none])
    assert "on 1 planted sets: 0.010" in page
    assert "on 1 of 1 planted and 0 of 0 real sets" in page
    assert "| toy | 0.900 | 0.900 | 1.000 | 0.010 | 0.100 | - | 0.100 | 0 |" in page
