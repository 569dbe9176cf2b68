"""The same estimators on a real Dask cluster of two processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import cocluster
from cocluster.blocks.dask.rows import ClusterLost
from cocluster.datasets import make_blocks
from cocluster.linalg.types import Matrix
from cocluster.links import Links
from cocluster.methods.default import subsample
from tests.blocks.every_method import CASES, REFUSING, TAKING, fitted

# Of Dask itself: sockets it leaves to be closed, ports that are in use.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:.*:UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def started(n_workers: int = 2) -> LocalCluster:
    """A cluster of processes with one thread each."""
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with started() as found:
        yield found


@pytest.fixture
def client(cluster: Any) -> Iterator[Client]:
    with Client(cluster) as found:
        yield found


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(400, 120, 3, 3, random_state=0)


def chunked(X: Matrix, rows: int = 150) -> da.Array:
    """A Dask array with sparse chunks."""
    parts = [X[i : i + rows] for i in range(0, X.shape[0], rows)]
    delayed = [
        da.from_delayed(dask.delayed(part, pure=False), shape=part.shape, dtype=part.dtype)
        for part in parts
    ]
    return da.concatenate(delayed)


def estimator(name: str, **parameters: Any) -> Any:
    """A method with few sweeps."""
    return getattr(cocluster, name)(3, max_iter=8, random_state=0, **parameters)


@pytest.mark.parametrize("case", TAKING)
def test_labels_are_those_of_the_fit_in_memory(case: str, planted: Any, client: Client) -> None:
    X = chunked(planted.X)
    here, there = fitted(case, planted.X, planted.X), fitted(case, X, planted.X)
    for name, labels in here.labels_by_type_.items():
        np.testing.assert_array_equal(there.labels_by_type_[name], labels)
    np.testing.assert_allclose(there.objective_, here.objective_, rtol=1e-9)
    np.testing.assert_array_equal(there.predict(X), here.predict(planted.X))
    if hasattr(here, "transform"):
        np.testing.assert_allclose(there.transform(X), here.transform(planted.X), atol=1e-6)
    if hasattr(here, "membership_"):
        np.testing.assert_allclose(there.membership_, here.membership_, atol=1e-6)


@pytest.mark.parametrize("name", ["ITCC", "FNMTF"])
def test_a_start_on_a_sample_of_the_rows(
    name: str, planted: Any, client: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr(subsample, "LEAST_ROWS", 50)
    monkeypatch.setattr(subsample, "ROWS_PER_CLUSTER", 10)
    X, measured = make_blocks(2_000, 40, 3, random_state=0).X, []
    needed = subsample.required_rows
    monkeypatch.setattr(subsample, "required_rows", lambda *a: measured.append(0) or needed(*a))
    here, there = estimator(name).fit(X), estimator(name).fit(chunked(X, 600))
    assert len(measured) > 1
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_allclose(there.objective_, here.objective_, rtol=1e-9)


@pytest.mark.parametrize("case", REFUSING)
def test_methods_that_take_no_blocks_say_which_do(case: str, planted: Any, client: Client) -> None:
    name, parameters = CASES[case]
    with pytest.raises(ValueError, match=f"{name} needs the data in memory; CoCluster, FNMTF"):
        getattr(cocluster, name)(3, **parameters).fit(chunked(planted.X))


@pytest.mark.parametrize("case", TAKING)
def test_links(case: str, planted: Any, client: Client) -> None:
    links = Links.from_labels(planted.row_labels, fraction=0.001, random_state=0)
    here = fitted(case, planted.X, planted.X, links=links)
    there = fitted(case, chunked(planted.X), planted.X, links=links)
    np.testing.assert_array_equal(there.labels_, here.labels_)


@pytest.mark.parametrize("name", ["FNMTF", "ITCC", "CMRF"])
def test_links_spread_where_the_rows_are(name: str, planted: Any, client: Client) -> None:
    links = Links.from_labels(planted.row_labels, fraction=0.001, random_state=0)
    here = estimator(name, spread=True).fit(planted.X, links=links)
    there = estimator(name, spread=True).fit(chunked(planted.X), links=links)
    np.testing.assert_array_equal(there.labels_, here.labels_)


def test_neighbours_are_looked_for_in_blocks(planted: Any, client: Client) -> None:
    # Fewer rows than are compared with every block: the graph is that of all rows.
    given = {"features": np.zeros((120, 120))}
    here = cocluster.LPFNMTF(3, random_state=0).fit(planted.X, graphs=given)
    there = cocluster.LPFNMTF(3, random_state=0).fit(chunked(planted.X), graphs=given)
    np.testing.assert_allclose(there.objective_, here.objective_, rtol=0.01)


def test_soft_factor_is_fetched_when_asked_for(planted: Any, client: Client) -> None:
    here, there = estimator("NMTF").fit(planted.X), estimator("NMTF").fit(chunked(planted.X))
    np.testing.assert_allclose(there.row_factor_, here.row_factor_, rtol=1e-6)
    np.testing.assert_allclose(there.membership_, here.membership_, rtol=1e-6)
    np.testing.assert_allclose(there.transform(chunked(planted.X)), here.transform(planted.X))


def test_empty_clusters_are_filled(planted: Any, client: Client) -> None:
    start = (np.zeros(400, int), np.arange(120) % 3)
    here = estimator("FNMTF", init=start).fit(planted.X)
    there = estimator("FNMTF", init=start).fit(chunked(planted.X))
    np.testing.assert_array_equal(there.labels_, here.labels_)


def test_dataframe(planted: Any, client: Client) -> None:
    frame = pd.DataFrame(planted.X.toarray(), columns=[f"w{j}" for j in range(120)])
    here = estimator("FNMTF").fit(planted.X.toarray())
    there = estimator("FNMTF").fit(dd.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(there.labels_, here.labels_)


def test_dense_chunks_in_both_directions(planted: Any, client: Client) -> None:
    X = planted.X.toarray()
    there = estimator("FNMTF").fit(da.from_array(X, chunks=(130, 50)))
    np.testing.assert_array_equal(there.labels_, estimator("FNMTF").fit(X).labels_)


def test_killed_worker_changes_nothing(planted: Any) -> None:
    with started() as own, Client(own) as client:
        expected = estimator("NMTF").fit(planted.X)
        pids = list(client.run(os.getpid).values())

        def kill(progress: Any) -> None:
            if progress.sweep == 3:
                os.kill(pids[0], signal.SIGKILL)

        found = estimator("NMTF").fit(chunked(planted.X), callback=kill)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_allclose(found.objective_history_, expected.objective_history_)


def test_lost_cluster_keeps_what_was_found(planted: Any) -> None:
    model = estimator("FNMTF", init=(np.arange(400) % 3, np.arange(120) % 3))
    with started(1) as own, Client(own):

        def lose(progress: Any) -> None:
            if progress.sweep == 2:
                own.close()

        with pytest.raises(ClusterLost, match="columns found until then are kept"):
            model.fit(chunked(planted.X), callback=lose)
    assert len(model.objective_history_) == 2
    assert model.column_labels_.shape == (120,)
    assert model.predict(planted.X).shape == (400,)


def test_without_a_client(planted: Any) -> None:
    with pytest.raises(ValueError, match="there is no Dask client; start one"):
        cocluster.FNMTF(3).fit(chunked(planted.X))


def test_negative_memberships_of_a_start_are_refused(planted: Any, client: Client) -> None:
    start = (np.full((400, 3), -1.0), np.arange(120) % 3)
    with pytest.raises(ValueError, match="init has negative memberships"):
        estimator("NMTF", init=start).fit(chunked(planted.X))


def test_unknown_chunk_sizes(planted: Any, client: Client) -> None:
    X = da.from_array(planted.X.toarray(), chunks=(100, 120))
    with pytest.raises(ValueError, match="unknown sizes; call X"):
        cocluster.FNMTF(3).fit(X[X.sum(axis=1) > 0])


def test_missing_values_and_wrong_shapes_name_the_block(planted: Any, client: Client) -> None:
    X = planted.X.toarray()
    X[390, 0] = np.nan
    with pytest.raises(ValueError, match="block 3 of X contains NaN"):
        cocluster.FNMTF(3).fit(da.from_array(X, chunks=(100, 120)))
    wrong = da.from_delayed(dask.delayed(np.ones)((5, 120)), shape=(7, 120), dtype=float)
    with pytest.raises(ValueError, match=r"block 0 of X has shape \(5, 120\) where \(7, 120\)"):
        cocluster.FNMTF(3).fit(wrong)
