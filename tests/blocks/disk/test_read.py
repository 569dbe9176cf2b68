"""Estimators on data on disk: what they find in memory, within the memory they are given."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

import cocluster
from cocluster import LPFNMTF, SSNMF, CoCluster, open_blocks, write_blocks
from cocluster.datasets import make_blocks
from cocluster.graphs import blockwise, knn_graph
from cocluster.graphs.blockwise import sample_graph
from cocluster.linalg.matrices import (
    column_counts,
    column_degrees,
    row_squares,
    squared_norm,
    times,
)
from cocluster.links import Links
from cocluster.methods.default.pipeline import ShiftedITCC
from cocluster.metrics import accuracy
from tests.blocks import files
from tests.blocks.every_method import CASES, REFUSING, TAKING, fitted


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(600, 150, 3, 3, random_state=0)


@pytest.fixture(scope="module")
def folder(planted: Any, tmp_path_factory: Any) -> Path:
    cuts = np.split(np.arange(600), [250, 251])
    return write_blocks((planted.X[rows] for rows in cuts), tmp_path_factory.mktemp("x") / "x")


def estimator(name: str, **parameters: Any) -> Any:
    """A method with a fixed seed."""
    return getattr(cocluster, name)(3, random_state=0, **parameters)


@pytest.mark.parametrize("case", TAKING)
def test_labels_are_those_of_the_fit_in_memory(case: str, planted: Any, folder: Path) -> None:
    here = fitted(case, planted.X, planted.X)
    there = fitted(case, open_blocks(folder), planted.X)
    for name, labels in here.labels_by_type_.items():
        np.testing.assert_array_equal(there.labels_by_type_[name], labels)
    np.testing.assert_allclose(there.objective_, here.objective_, rtol=1e-9)
    np.testing.assert_array_equal(there.predict(open_blocks(folder)), here.predict(planted.X))
    if hasattr(here, "transform"):
        blocks = there.transform(open_blocks(folder))
        np.testing.assert_allclose(blocks, here.transform(planted.X), atol=1e-6)


@pytest.mark.parametrize("case", REFUSING)
def test_methods_that_take_no_blocks_say_which_do(
    case: str, planted: Any, folder: Path, monkeypatch: Any
) -> None:
    name, parameters = CASES[case]
    model = getattr(cocluster, name)(3, **parameters)
    # At the door, before any work with the data.
    monkeypatch.setattr(type(model), "_learned_form", None)
    with pytest.raises(ValueError, match=f"{name} needs the data in memory; CoCluster, FNMTF"):
        model.fit(open_blocks(folder))


@pytest.mark.parametrize("how", [None, "l2", "tfidf", "degree"])
@pytest.mark.parametrize("name", ["FNMTF", "NMTF"])
def test_every_normalisation(name: str, how: str | None, planted: Any, folder: Path) -> None:
    here = estimator(name, normalize=how).fit(planted.X)
    there = estimator(name, normalize=how).fit(open_blocks(folder))
    np.testing.assert_array_equal(there.labels_, here.labels_)


@pytest.mark.parametrize("case", TAKING)
def test_links(case: str, planted: Any, folder: Path) -> None:
    links = Links.from_labels(planted.row_labels, fraction=0.001, random_state=0)
    here = fitted(case, planted.X, planted.X, links=links)
    there = fitted(case, open_blocks(folder), planted.X, links=links)
    np.testing.assert_array_equal(there.labels_, here.labels_)


@pytest.mark.parametrize("init", ["random", "labels"])
def test_other_starts(init: str, planted: Any, folder: Path) -> None:
    start = init if init == "random" else np.arange(600) % 3
    here = estimator("FNMTF", init=start).fit(planted.X)
    there = estimator("FNMTF", init=start).fit(open_blocks(folder))
    np.testing.assert_array_equal(there.labels_, here.labels_)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_graph_of_few_rows_is_exact(metric: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(90, 5))
    data = open_blocks(write_blocks(X, tmp_path / "x", rows_per_block=40))
    expected = knn_graph(X, 4, metric=metric)
    assert abs(sample_graph(data, 4, metric) - expected).max() == 0


def test_graph_of_many_rows_is_not_cut_at_the_blocks(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(blockwise, "REFERENCES", 20)
    X = np.random.default_rng(0).normal(size=(90, 5))
    data = open_blocks(write_blocks(X, tmp_path / "x", rows_per_block=30))
    assert connected_components(sample_graph(data, 4, "euclidean"))[0] == 1


def test_neighbours_are_looked_for_in_blocks(planted: Any, folder: Path) -> None:
    model = LPFNMTF(3, random_state=0).fit(open_blocks(folder))
    assert accuracy(planted.row_labels, model.labels_) > 0.9


@pytest.mark.parametrize("form", ["zarr", "h5ad", "parquet"])
def test_formats(form: str, tmp_path: Path) -> None:
    X = abs(files.matrix("sparse", np.float64))
    path = {"zarr": files.zarr_store, "h5ad": files.h5ad, "parquet": files.parquet}[form](
        X, tmp_path
    )
    data = open_blocks(path)
    here = estimator("FNMTF").fit(data[np.arange(60)])
    np.testing.assert_array_equal(estimator("FNMTF").fit(data).labels_, here.labels_)


def test_operations_are_those_of_the_matrix(planted: Any, folder: Path) -> None:
    X, B, rng = planted.X, open_blocks(folder), np.random.default_rng(0)
    F, G = rng.random((150, 4)), rng.random((600, 4))
    np.testing.assert_allclose(times(B, F), X @ F)
    np.testing.assert_allclose(times(B.T, G), X.T @ G)
    np.testing.assert_allclose(squared_norm(B), squared_norm(X))
    np.testing.assert_allclose(row_squares(B), row_squares(X))
    np.testing.assert_allclose(column_degrees(B), column_degrees(X))
    np.testing.assert_array_equal(B.profile.present, column_counts(X))
    chosen = np.array([599, 3, 250, 3])
    np.testing.assert_array_equal(B[chosen].toarray(), X[chosen].toarray())


def test_single_precision_stays(planted: Any, tmp_path: Path) -> None:
    X = planted.X.astype(np.float32)
    model = estimator("NMTF").fit(open_blocks(write_blocks(X, tmp_path / "x")))
    assert model.row_factor_.dtype == np.float32


def test_memory_stays_below_the_limit(tmp_path: Path) -> None:
    rng, n, m = np.random.default_rng(0), 40_000, 2_000
    blocks = (
        sp.random_array((2_000, m), density=0.04, random_state=rng, format="csr")
        for _ in range(n // 2_000)
    )
    folder, limit = write_blocks(blocks, tmp_path / "x", rows_per_block=1_000), 10_000_000
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert size > 3 * limit
    data = open_blocks(folder, memory=limit)
    model = cocluster.FNMTF(2, init="random", max_iter=2, random_state=0)
    # Once before: libraries that a fit loads are part of the interpreter, not of the data.
    model.fit(data)
    tracemalloc.start()
    try:
        model.fit(data)
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def test_too_little_memory_is_told_before_work(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"too small for 100 clusters.*memory='"):
        cocluster.FNMTF(100).fit(open_blocks(folder, memory=1_400_000))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SSNMF(3, affinity="rbf"), "affinity='rbf' needs the data in memory"),
        (cocluster.FNMTF(3, init="kmeans"), "init='kmeans' needs the data in memory"),
    ],
)
def test_methods_that_need_all_data_say_so(model: Any, message: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(open_blocks(folder))


def test_negative_values_are_refused_where_they_cannot_be(tmp_path: Path) -> None:
    X = files.matrix("sparse", np.float64)
    data = open_blocks(write_blocks(X, tmp_path / "x"))
    with pytest.raises(ValueError, match="Negative values in data passed to NMTF"):
        cocluster.NMTF(2).fit(data)
    assert CoCluster(2, random_state=0).fit(data).model_.__class__ is ShiftedITCC


def test_blocks_are_not_views(folder: Path) -> None:
    with pytest.raises(ValueError, match="fitted alone, not as views"):
        cocluster.FNMTF(3).fit({"a": open_blocks(folder), "b": np.ones((600, 4))})


def test_damaged_block_is_named(planted: Any, tmp_path: Path) -> None:
    folder = write_blocks((planted.X[:300], planted.X[300:]), tmp_path / "x")
    data = open_blocks(folder)
    (folder / "part-000001.npz").write_bytes(b"nothing")
    with pytest.raises((ValueError, OSError), match="part-000001"):
        cocluster.FNMTF(3).fit(data)
