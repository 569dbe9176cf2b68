"""Whatever the format, blocks below each other are the matrix."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.blocks.disk.sources import open_source
from cocluster.blocks.disk.write import write_blocks
from tests.blocks import files
from tests.blocks.files import FORMATS, NAMED, dense, matrix, n_bytes


def name(value):
    """Test id."""
    return getattr(value, "__name__", str(value))


def read_all(source):
    """All blocks, each of which must be in the promised form."""
    read = [source.read(number) for number in range(len(source.row_counts))]
    for block, n_rows in zip(read, source.row_counts, strict=True):
        assert block.shape == (n_rows, source.shape[1])
        assert block.dtype == source.dtype
        if sp.issparse(block):
            assert isinstance(block, sp.csr_array)
            assert block.has_canonical_format
            assert block.indices.dtype == block.indptr.dtype == np.int32
        else:
            assert block.flags.c_contiguous
    return read


def expected(source, writer, X):
    """The matrix, in the order in which the source names rows and columns."""
    if writer not in NAMED:
        return dense(X)
    rows = [files.ROWS.index(row) for row in source.row_names]
    columns = [files.COLUMNS.index(column) for column in source.column_names]
    return dense(X)[np.ix_(rows, columns)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=name)
@pytest.mark.parametrize(("writer", "kind"), FORMATS, ids=name)
def test_blocks_are_the_matrix(writer, kind, dtype, tmp_path):
    X = matrix(kind, dtype)
    memory = 8 * int(0.8 * n_bytes(X))
    source = open_source(writer(X, tmp_path), memory)
    read = read_all(source)
    assert len(read) > 1
    assert all(n_bytes(block) <= memory // 8 for block in read)
    assert source.shape == X.shape
    assert source.dtype == dtype
    assert all(sp.issparse(block) == (kind == "sparse") for block in read)
    found = np.vstack([dense(block) for block in read])
    assert np.array_equal(found, expected(source, writer, X))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("writer", [files.blocks, files.zarr_store, files.h5ad], ids=name)
def test_counts_become_float64(writer, kind, tmp_path):
    X = matrix(kind, np.float64)
    counts = (X * 10).astype(np.int32)
    source = open_source(writer(counts, tmp_path), 10**6)
    assert source.dtype == np.float64
    found = np.vstack([dense(block) for block in read_all(source)])
    assert np.array_equal(found, dense(counts))


@pytest.mark.parametrize(("writer", "kind"), FORMATS, ids=name)
def test_names_are_those_of_the_file_or_none(writer, kind, tmp_path):
    source = open_source(writer(matrix(kind, np.float64), tmp_path), 10**6)
    if writer in NAMED:
        assert sorted(source.row_names) == sorted(files.ROWS)
        assert sorted(source.column_names) == sorted(files.COLUMNS)
        assert source.row_names.dtype == source.column_names.dtype == object
    else:
        assert source.row_names is None
        assert source.column_names is None


@pytest.mark.parametrize(("writer", "kind"), FORMATS, ids=name)
def test_blocks_are_read_in_any_order_by_threads_and_by_copies(writer, kind, tmp_path):
    X = matrix(kind, np.float64)
    source = open_source(writer(X, tmp_path), 8 * int(0.8 * n_bytes(X)))
    numbers = list(range(len(source.row_counts)))[::-1] * 3
    copy = pickle.loads(pickle.dumps(source))
    with ThreadPoolExecutor(4) as threads:
        read = list(threads.map(copy.read, numbers))
    for number, block in zip(numbers, read, strict=True):
        assert np.array_equal(dense(block), dense(source.read(number)))


@pytest.mark.parametrize("writer", [files.blocks, files.npz])
def test_a_second_reading_gives_the_same_and_is_checked_if_the_file_was_written_since(
    writer, tmp_path
):
    source = open_source(writer(matrix("sparse", np.float32), tmp_path), 10**9)
    first, again = source.read(0), source.read(0)
    assert np.array_equal(dense(again), dense(first))
    assert again.has_canonical_format
    assert again.dtype == first.dtype
    again.data[:] = 0
    assert np.array_equal(dense(source.read(0)), dense(first))
    broken = first.copy()
    broken.data[0] = np.nan
    sp.save_npz(source.pieces[0].file, broken, compressed=writer is files.npz)
    with pytest.raises(ValueError, match="NaN"):
        source.read(0)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_one_row_blocks(kind, tmp_path):
    X = matrix(kind, np.float32)
    folder = write_blocks(X, tmp_path / "x", rows_per_block=1)
    source = open_source(folder, 10**6)
    assert source.row_counts == (1,) * X.shape[0]
    assert np.array_equal(np.vstack([dense(block) for block in read_all(source)]), dense(X))


@pytest.mark.parametrize("writer", [files.npy, files.h5ad], ids=name)
def test_the_least_memory_reads_row_by_row(writer, tmp_path):
    X = matrix("dense", np.float64)
    path = writer(X, tmp_path)
    source = open_source(path, 8 * X[0].nbytes)
    assert source.row_counts == (1,) * X.shape[0]
    assert np.array_equal(np.vstack(read_all(source)), X)
    with pytest.raises(ValueError, match=r"at least 2\.56 kB"):
        open_source(path, 8 * X[0].nbytes - 1)


def test_blocks_describe_themselves(tmp_path):
    X = matrix("sparse", np.float64)
    assert open_source(files.npz(X, tmp_path), 10**6).describe(10) == "x/part-10.npz"
    source = open_source(files.h5ad(X, tmp_path), 8 * int(0.8 * n_bytes(X)))
    n = source.row_counts[0]
    assert source.describe(1) == f"rows {n}:{n + source.row_counts[1]} of x.h5ad"


def test_blocks_are_whole_chunks(tmp_path):
    X = matrix("dense", np.float64)
    source = open_source(files.zarr_store(X, tmp_path), 8 * 7 * X[0].nbytes)
    assert source.row_counts == (7,) * 8 + (4,)


def test_blocks_of_both_precisions_are_read_as_the_wider(tmp_path):
    X = matrix("sparse", np.float64)
    pieces = [X[:10].astype(np.float32), X[10:]]
    source = open_source(write_blocks(pieces, tmp_path / "x"), 10**6)
    assert source.dtype == np.float64
    assert read_all(source)[0].dtype == np.float64


def test_unsorted_and_repeated_indices_are_put_in_order(tmp_path):
    parts = (np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3]))
    block = sp.csr_array(parts, shape=(1, 3))
    (tmp_path / "x").mkdir()
    sp.save_npz(tmp_path / "x" / "part.npz", block)
    (found,) = read_all(open_source(tmp_path / "x", 10**6))
    assert found.toarray().tolist() == [[2.0, 0.0, 4.0]]


def test_the_whole_is_cut_into_blocks_of_a_moderate_size(tmp_path, monkeypatch):
    X = matrix("sparse", np.float64)
    monkeypatch.setattr("cocluster.blocks.disk.write.BLOCK_BYTES", n_bytes(X) // 3)
    source = open_source(write_blocks(X, tmp_path / "x"), 10**6)
    assert len(source.row_counts) > 2
    assert np.array_equal(np.vstack([dense(b) for b in read_all(source)]), dense(X))


def test_writing_is_all_or_nothing(tmp_path):
    def interrupted():
        yield matrix("sparse", np.float64)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_blocks(interrupted(), tmp_path / "x")
    assert not list(tmp_path.iterdir())
    (tmp_path / "x").mkdir()
    write_blocks(matrix("dense", np.float64), tmp_path / "x")
    with pytest.raises(FileExistsError, match="not empty"):
        write_blocks(matrix("dense", np.float64), tmp_path / "x")


def test_no_file_stays_open(tmp_path):
    path = files.h5ad(matrix("sparse", np.float64), tmp_path)
    open_source(path, 10**6).read(0)
    with h5py.File(path, "r+"):  # refused while it is open for reading
        pass
