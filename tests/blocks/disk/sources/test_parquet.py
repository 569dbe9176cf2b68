"""Long tables are sorted into row blocks as they would be in memory, and in little memory."""

from __future__ import annotations

import errno
import gc
import tempfile
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from cocluster.blocks.disk.sources import open_source
from cocluster.blocks.disk.sources.parquet import disk_room
from cocluster.io import read
from tests.blocks import files


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """The folder in which temporary folders are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def write(folder, *, name="x.parquet", **columns):
    """A table as a file."""
    path = folder / name
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def whole(source):
    """All blocks below each other."""
    return sp.vstack([source.read(number) for number in range(len(source.row_counts))])


def random_table(rng, n_lines, n_samples, n_features):
    """Columns of a long table in any order, with repeated entries and names that are numbers."""
    return {
        "sample": rng.integers(n_samples, size=n_lines),
        "feature": [f"feature {j}" for j in rng.integers(n_features, size=n_lines)],
        "value": rng.integers(1, 9, size=n_lines).astype(float),
    }


@pytest.mark.parametrize("seed", range(3))
def test_blocks_are_what_the_reader_in_memory_reads(seed, tmp_path):
    columns = random_table(np.random.default_rng(seed), 5000, 80, 30)
    path = write(tmp_path, **columns)
    source, dataset = open_source(path, 60_000), read(path)
    assert len(source.row_counts) > 1
    assert source.row_names.tolist() == dataset.sample_names.tolist()
    (names,) = dataset.feature_names.values()
    assert source.column_names.tolist() == names.tolist()
    # Sums of whole numbers are exact in any order.
    assert np.array_equal(whole(source).toarray(), dataset.X.toarray())


@pytest.mark.parametrize(
    "names",
    [[3, 1, 3], [0.5, 2.0, 0.5], [True, False, True], pa.array(["b", "a", "b"], "large_string")],
    ids=["integers", "floats", "truths", "large texts"],
)
def test_names_are_spelled_as_in_memory(names, tmp_path):
    path = write(tmp_path, sample=names, feature=names, value=[1.0, 2.0, 3.0])
    source, dataset = open_source(path, 10**6), read(path)
    assert source.row_names.tolist() == dataset.sample_names.tolist()
    assert np.array_equal(whole(source).toarray(), dataset.X.toarray())


def test_order_of_lines_changes_only_the_order_of_names(tmp_path):
    rng = np.random.default_rng(0)
    columns = random_table(rng, 3000, 50, 20)
    order = rng.permutation(3000)
    shuffled = {name: np.array(column)[order] for name, column in columns.items()}
    found = []
    for number, table in enumerate((columns, shuffled)):
        source = open_source(write(tmp_path, name=f"{number}.parquet", **table), 60_000)
        rows, names = np.argsort(source.row_names), np.argsort(source.column_names)
        found.append(whole(source).toarray()[np.ix_(rows, names)])
    assert np.array_equal(*found)


def test_the_temporary_folder_goes_with_the_source(scratch, tmp_path):
    source = open_source(files.parquet(files.matrix("sparse", np.float64), tmp_path), 10**6)
    (folder,) = scratch.iterdir()
    assert {file.suffix for file in folder.iterdir()} == {".npz"}
    source.read(0)
    del source
    gc.collect()
    assert not list(scratch.iterdir())


def test_memory_is_bounded(tmp_path):
    # So much that garbage, which Python 3.14 collects late, takes no large share of it.
    n_lines, memory = 80_000, 450_000
    rng = np.random.default_rng(0)
    path = write(
        tmp_path,
        sample=[f"s{i}" for i in rng.integers(300, size=n_lines)],
        feature=[f"f{j}" for j in rng.integers(200, size=n_lines)],
        value=np.ones(n_lines),
    )
    open_source(path, 10**8)  # what is loaded and kept once does not count
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        source = open_source(path, memory)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)
    assert peak + pool.max_memory() < memory < 12 * n_lines
    assert whole(source).sum() == n_lines


def test_names_that_do_not_fit_are_refused(scratch, tmp_path):
    path = write(
        tmp_path, sample=np.arange(5000), feature=["f"] * 5000, value=np.ones(5000, np.float32)
    )
    with pytest.raises(ValueError, match=r"names of \d+ samples and 1 features take .*allow"):
        open_source(path, 100_000)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sample": ["a"], "value": [1.0]}, "x.parquet has no columns sample, feature, value"),
        (
            {"sample": ["a"], "feature": ["b"], "value": [1.0], "modality": ["c"]},
            "'modality'; write one modality",
        ),
        ({"sample": ["a"], "feature": ["b"], "value": ["c"]}, "'value' holds string"),
        ({"sample": ["a", None], "feature": ["b", "c"], "value": [1.0, 2.0]}, "misses 1 of 2"),
        ({"sample": ["a", "b"], "feature": ["b", "c"], "value": [1.0, None]}, "misses 1 of 2"),
        ({"sample": ["a"], "feature": ["b"], "value": [np.nan]}, "rows 0:1 of x.parquet.*NaN"),
        (
            {"sample": pa.array([], "str"), "feature": pa.array([], "str"), "value": np.zeros(0)},
            "x.parquet has no lines",
        ),
    ],
)
def test_bad_tables_are_refused_and_leave_nothing(columns, message, scratch, tmp_path):
    path = write(tmp_path, **columns)
    with pytest.raises(ValueError, match=message):
        open_source(path, 10**6)
    assert not list(scratch.iterdir())


def test_a_disk_that_is_too_small_is_refused_before_the_work(scratch, tmp_path, monkeypatch):
    path = files.parquet(files.matrix("sparse", np.float64), tmp_path)
    usage = type("usage", (), {"free": 10})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    with pytest.raises(OSError, match=r"x.parquet into row blocks needs .* kB.*TMPDIR"):
        open_source(path, 10**6)
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_becomes_full_is_named(number, scratch):
    with pytest.raises(OSError, match="TMPDIR") as caught, disk_room(scratch, 1, scratch):
        raise OSError(number, "full")
    assert caught.value.errno == errno.ENOSPC


def test_other_troubles_of_the_disk_stay(scratch):
    with pytest.raises(OSError, match="broken"), disk_room(scratch, 1, scratch):
        raise OSError(errno.EIO, "broken")
