"""LDCC as an estimator: equivalences, freedom of scale, the figures of its paper."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from cocluster import LDCC
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.metrics import accuracy
from tests.conftest import Blocks
from tests.reference import slow_patch_laplacian


def degree_scaled_vectors(X: np.ndarray, k: int) -> np.ndarray:
    """Unit rows of the leading singular vectors of D_r^-1/2 X D_c^-1/2, samples then features."""
    U, _, Vt = np.linalg.svd(X / np.sqrt(np.outer(X.sum(axis=1), X.sum(axis=0))))
    Z = np.vstack([U[:, :k], Vt[:k].T])
    return Z / np.linalg.norm(Z, axis=1, keepdims=True)


def test_without_strengths_it_is_spectral_clustering_of_the_degree_scaled_data(
    planted: Blocks,
) -> None:
    model = LDCC(3, row_strength=0.0, column_strength=0.0, random_state=0).fit(planted.X)
    expected = degree_scaled_vectors(planted.X, 3)
    Z = np.vstack(list(model.embedding_.values()))
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-6)
    found = np.append(model.labels_, model.column_labels_)
    assert adjusted_rand_score(kmeans_labels(expected, 3, 0), found) == 1.0
    np.testing.assert_array_equal(model.predict(planted.X), model.labels_)


@pytest.mark.parametrize("patch_scale", ["given", "unit"])
def test_it_is_the_equations_of_the_paper_with_patches_as_asked(
    patch_scale: str, planted: Blocks
) -> None:
    """Eq. 10, 12, 16 and 20 to 22 in full matrices; the paper takes patches as they are given."""
    X, alpha, beta, r = planted.X, 0.3, 0.7, 4
    strengths = {"row_strength": alpha, "column_strength": beta}
    form = {"n_neighbors": 3, "n_components": r, "patch_scale": patch_scale, "normalize": None}
    model = LDCC(3, random_state=0, **strengths, **form).fit(X)
    sides = [X, X.T]
    if patch_scale == "unit":
        sides = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides]
    rows, columns = (slow_patch_laplacian(side, 3, 1.0) for side in sides)
    scaled = X / np.sqrt(np.outer(X.sum(axis=1), X.sum(axis=0)))
    L = np.block([[alpha * rows, -scaled], [-scaled.T, beta * columns]])
    Z = np.linalg.eigh(L)[1][:, :r]
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    found = np.vstack(list(model.embedding_.values()))
    found = found / np.linalg.norm(found, axis=1, keepdims=True)
    np.testing.assert_allclose(found @ found.T, Z @ Z.T, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-4, 1e4])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_strengths_are_free_of_scale(scale: float, container: Any, planted: Blocks) -> None:
    one = LDCC(3, random_state=0).fit(planted.X)
    other = LDCC(3, random_state=0).fit(container(scale * planted.X))
    for name, Z in one.embedding_.items():
        W = other.embedding_[name]
        np.testing.assert_allclose(Z @ Z.T, W @ W.T, atol=1e-6)


def test_strength_brings_the_samples_of_a_patch_together(planted: Blocks) -> None:
    spread = []
    for strength in (0.0, 1.0, 100.0):
        model = LDCC(3, row_strength=strength, random_state=0).fit(planted.X)
        Z = model.embedding_["samples"]
        own = [Z[planted.row_labels == c] for c in range(3)]
        spread.append(sum(((P - P.mean(axis=0)) ** 2).sum() for P in own))
    assert spread[0] > spread[1] > spread[2]


def test_samples_of_the_fit_mostly_keep_their_labels_when_projected(planted: Blocks) -> None:
    model = LDCC(3, n_components=4, random_state=0).fit(planted.X)
    assert model.embedding_["samples"].shape == (40, 4)
    assert np.mean(model.predict(planted.X) == model.labels_) > 0.9


def real(path: str) -> Any:
    """A file of the real data sets."""
    if "COCLUSTER_DATA" not in os.environ:
        pytest.skip("COCLUSTER_DATA does not name the folder of the real data sets.")
    return np.load(Path(os.environ["COCLUSTER_DATA"]) / path, allow_pickle=False)


@pytest.mark.slow
def test_published_accuracy_on_leukemia() -> None:
    file = real("gene/all_aml_brunet_38.npz")
    X, y = file["X"][:, file["keep1999"]].astype(float), file["labels"]
    model = LDCC(2, n_neighbors=10, random_state=0).fit(X)
    assert accuracy(y, model.labels_) >= 0.947 - 1e-3


@pytest.mark.slow
def test_accuracy_on_cstr() -> None:
    file = real("text/cstr_475x1000.npz")
    X = sp.csr_array((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
    model = LDCC(4, random_state=0).fit(X.astype(float))
    assert accuracy(file["labels"], model.labels_) >= 0.907 - 1e-3
