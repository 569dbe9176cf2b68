"""Two samples side by side: the features are those that brute force finds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.io.dataset import Dataset
from cocluster.report.images import grey, pixel_grid
from cocluster.report.samples import MAX_CONTRASTS, UNUSUAL, Scale, contrast


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_features_are_ordered_by_how_far_apart_or_how_far_out(rng, kind):
    X = rng.poisson(2.0, (30, 20)).astype(float)
    X[:, 3] = 1.0  # says nothing
    data = Dataset("toy", {"X": kind(X)})
    (own,) = contrast(data, 4, 9, {"X": Scale.of(data.X)})
    scores = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    apart = np.abs(scores[4] - scores[9])
    out = np.minimum(np.abs(scores[4]), np.abs(scores[9]))
    both = np.where((apart < out) & (out >= UNUSUAL), out, 0)
    apart[both > 0] = 0
    shown = [int(line["name"]) for line in own["differ"]]
    assert np.allclose(apart[shown], np.sort(apart)[::-1][: len(shown)])
    assert len(shown) == min(MAX_CONTRASTS, np.count_nonzero(apart))
    for line in own["differ"] + own["alike"]:
        f = int(line["name"])
        assert line["values"] == X[[4, 9], f].tolist()
        assert np.allclose(line["scores"], scores[[4, 9], f], atol=1e-3)
    alike = [int(line["name"]) for line in own["alike"]]
    assert np.allclose(both[alike], np.sort(both)[::-1][: len(alike)])
    assert len(alike) == min(MAX_CONTRASTS, np.count_nonzero(both))
    assert (scores[4] * scores[9])[alike].min(initial=1) > 0


def test_unknown_entries_and_views_that_lack_a_sample_say_nothing():
    X = np.array([[1.0, np.nan], [3.0, 5.0], [5.0, 7.0]])
    scale = Scale.of(X)
    assert np.allclose(scale.mean, np.nanmean(X, axis=0))
    assert np.allclose(scale.deviation, np.nanstd(X, axis=0))
    data = Dataset("toy", {"X": X, "Y": np.ones((2, 1))}, present={"Y": np.array([0, 1])})
    scales = {"X": scale, "Y": Scale.of(data.views["Y"])}
    (own,) = contrast(data, 0, 2, scales)
    assert own["view"] == "X"
    by_name = {line["name"]: line["values"] for line in own["differ"]}
    assert by_name["1"] == [None, 7.0]


def test_pixels_are_found_by_their_names():
    names = [f"pixel_{i}_{j}" for j in range(3) for i in range(2)]
    grid = pixel_grid(names)
    assert grid is not None
    assert [[names[f] for f in row] for row in grid] == [
        [f"pixel_{i}_{j}" for j in range(3)] for i in range(2)
    ]
    for other in (None, [], names[1:], [*names[1:], "weight"], [*names[1:], names[1]]):
        assert pixel_grid(other) is None
    assert grey(np.array([0.0, 8.0, 16.0, np.nan]), 0, 16).tolist() == [0, 127, 255, 0]
