"""k-means as a start: also for thousands of clusters."""

from __future__ import annotations

import numpy as np

from cocluster.linalg import kmeans
from cocluster.linalg.kmeans import kmeans_labels
from tests.methods.every_method import same_partition


def test_much_work_is_cut_down_and_clear_clusters_are_still_found(rng, monkeypatch):
    labels = rng.permutation(np.arange(400) % 8)
    Z = 50 * rng.normal(size=(8, 300))[labels] + rng.normal(size=(400, 300))
    assert same_partition(kmeans_labels(Z, 8, 0), labels)
    widths = []
    plain = kmeans.KMeans.fit
    monkeypatch.setattr(kmeans, "MOST_WORK", 400 * 8 * 70)
    monkeypatch.setattr(kmeans, "MANY_DISTANCES", 400)
    monkeypatch.setattr(
        kmeans.KMeans, "fit", lambda self, X: widths.append(X.shape[1]) or plain(self, X)
    )
    found = kmeans_labels(Z, 8, 0)
    assert widths == [70]
    # One start with one candidate for each centroid may put two into one cluster.
    assert len(set(zip(found, labels, strict=True))) <= 10
