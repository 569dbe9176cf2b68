"""KernelKMeans: the numerics through the door of an estimator."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import rbf_kernel

from cocluster.methods.kernel_kmeans.estimator import KernelKMeans
from cocluster.methods.spectral.ncut import NCut
from cocluster.metrics import accuracy

SEEDS = (0,)

K = 3


def test_linear_kernel_predicts_as_kmeans(planted, rng):
    model = KernelKMeans(K, kernel="linear", random_state=0).fit(planted.X)
    twin = KMeans(K, n_init=10, random_state=0).fit(planted.X)
    new = rng.poisson(3.0, size=(50, 25)).astype(float)
    assert accuracy(twin.labels_, model.labels_) == 1
    assert accuracy(twin.predict(new), model.predict(new)) == 1
    assert model.objective_ == pytest.approx(twin.inertia_)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "cosine", "linear", rbf_kernel])
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_planted_clusters_and_new_samples(kernel, hold, planted):
    X = planted.X / 20
    model = KernelKMeans(K, kernel=kernel, random_state=0).fit(hold(X[:30]))
    assert accuracy(planted.row_labels[:30], model.labels_) == 1
    assert_array_equal(model.predict(hold(X[:30])), model.labels_)
    assert accuracy(planted.row_labels, model.predict(hold(X))) == 1


def test_precomputed_is_the_named_kernel(planted):
    named = KernelKMeans(K, gamma=0.01, random_state=0).fit(planted.X)
    given = KernelKMeans(K, kernel="precomputed", random_state=0)
    given.fit(rbf_kernel(planted.X, gamma=0.01))
    assert_array_equal(given.labels_, named.labels_)
    new = planted.X[::2] + 1
    assert_array_equal(given.predict(rbf_kernel(new, planted.X, gamma=0.01)), named.predict(new))


def test_links_are_obeyed(planted, rng):
    y = np.where(np.arange(40) < 15, rng.integers(K, size=40), -1)
    model = KernelKMeans(K, link_weight=100.0, random_state=0).fit(planted.X, y)
    assert model.links_report_["samples"].n_violated == 0


def test_no_links_is_the_unsupervised_method_exactly(planted):
    one, other = (
        KernelKMeans(K, random_state=0).fit(planted.X, links=links)
        for links in (None, (np.empty((0, 2), int), np.empty((0, 2), int)))
    )
    assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == other.objective_


@pytest.mark.parametrize("init", ["random", "spectral", "kmeans", "labels"])
def test_starts(init, planted):
    start = planted.row_labels if init == "labels" else init
    model = KernelKMeans(K, init=start, random_state=0).fit(planted.X)
    assert accuracy(planted.row_labels, model.labels_) == 1


def test_callback_ends_the_run(planted):
    seen = []
    model = KernelKMeans(K, init=np.arange(40) % K, random_state=0)
    model.fit(planted.X, callback=lambda progress: seen.append(progress.objective) or True)
    assert not model.converged_
    assert seen == [model.objective_]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "sigmoid"}, "kernel must be one of"),
        ({"gamma": -1.0}, "gamma"),
        ({"link_weight": -1.0}, "link_weight"),
        ({"n_column_clusters": 2}, "leave n_column_clusters=None"),
        ({"kernel": "precomputed"}, "must have shape"),
    ],
)
def test_bad_parameters(parameters, message, planted):
    with pytest.raises(ValueError, match=message):
        KernelKMeans(K, **parameters).fit(planted.X)


def test_many_types_are_refused(planted):
    with pytest.raises(ValueError, match=r"takes one matrix.*StarSSNMF"):
        KernelKMeans(K).fit({"words": planted.X, "tags": planted.X})


@pytest.mark.parametrize("method", [KernelKMeans, NCut])
def test_occurrences_are_weighted_and_other_data_left_as_they_are(method, rng):
    counts = rng.poisson(0.3, size=(40, 30)).astype(float)
    counts[:, 0] += 1
    kernel = counts @ counts.T
    given = {"kernel": "precomputed"} if method is KernelKMeans else {"affinity": "precomputed"}
    sparse_kernel = np.where(np.eye(40), kernel, 0) + 1e-3 * (kernel > 5)
    for X, form, expected in (
        (counts, {}, "tfidf"),
        (sp.csr_array(counts), {}, "tfidf"),
        (counts + 1, {}, None),
        (counts - 0.1 * (counts > 0) * 20, {}, None),
        (sparse_kernel, given, None),
    ):
        auto, plain = (
            method(3, random_state=0, normalize=how, **form).fit(X) for how in ("auto", expected)
        )
        assert auto.objective_ == plain.objective_
