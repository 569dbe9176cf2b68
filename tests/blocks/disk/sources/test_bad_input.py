"""Files that are broken, inconsistent or unknown are named, with a remedy."""

from __future__ import annotations

import re
import sys
from contextlib import suppress

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
import zarr

from cocluster.blocks.disk.memory import parse_memory
from cocluster.blocks.disk.sources import open_source
from cocluster.blocks.disk.write import write_blocks
from tests.blocks import files
from tests.blocks.files import matrix

ENOUGH = 10**6
SPARSE = matrix("sparse", np.float64)
DENSE = matrix("dense", np.float64)


def read_all(path, memory=ENOUGH):
    """Open and read everything."""
    source = open_source(path, memory)
    for number in range(len(source.row_counts)):
        source.read(number)


def cut(file, kept=0.6):
    """Cut a file off."""
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * kept)])


def damage(file):
    """Change bytes in the middle of a file."""
    whole = bytearray(file.read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 40] = bytes(255 - byte for byte in whole[middle : middle + 40])
    file.write_bytes(whole)


def parts(X, **changed):
    """Arrays of a CSR matrix, some of them changed."""
    return {name: getattr(X, name) for name in ("data", "indices", "indptr")} | changed


OUT_OF_RANGE = np.where(np.arange(SPARSE.nnz) == 5, SPARSE.shape[1], SPARSE.indices)
NEGATIVE = np.where(np.arange(SPARSE.nnz) == 5, -1, SPARSE.indices)
FALLING = np.where(np.arange(len(SPARSE.indptr)) == 3, SPARSE.nnz, SPARSE.indptr)


@pytest.mark.parametrize("X", [SPARSE, DENSE], ids=["sparse", "dense"])
@pytest.mark.parametrize("spoil", [cut, damage])
def test_a_block_that_cannot_be_read_is_named(spoil, X, tmp_path):
    folder = files.npz(X, tmp_path)
    spoil(folder / "part-7.npz")
    with pytest.raises(ValueError, match=r"part-7\.npz cannot be read"):
        read_all(folder)


@pytest.mark.parametrize(
    "changed", [{"data": SPARSE.data[:, None]}, {"indices": SPARSE.indices[:, None]}]
)
def test_parts_of_a_block_with_other_axes_are_refused(changed, tmp_path):
    (tmp_path / "x").mkdir()
    file = tmp_path / "x" / "part-1.npz"
    np.savez(file, **parts(SPARSE, **changed), shape=SPARSE.shape, format=b"csr")
    with pytest.raises(ValueError, match=r"^x/part-1\.npz (has values|cannot be read)"):
        read_all(tmp_path / "x")


def test_the_list_of_blocks_may_be_damaged_too(tmp_path):
    folder = files.blocks(SPARSE, tmp_path)
    (folder / "blocks.json").write_bytes(b"\x80")
    with pytest.raises(ValueError, match=r"x/blocks\.json cannot be read"):
        open_source(folder, ENOUGH)


@pytest.mark.parametrize(
    "described", ["{}", "[]", "7", '{"zarr_format": 3, "node_type": "array"}', "\x80"]
)
def test_a_store_without_a_sound_description_is_named(described, tmp_path):
    path = files.zarr_store(DENSE, tmp_path)
    (path / "zarr.json").write_text(described, encoding="latin-1")
    with pytest.raises(ValueError, match=r"x\.zarr") as caught:
        open_source(path, ENOUGH)
    assert type(caught.value).__module__ in ("builtins", "cocluster.utils.files")


@pytest.mark.parametrize("kept", [0.01, 0.9])
def test_a_dense_file_that_is_cut_off_is_named(kept, tmp_path):
    path = files.npy(DENSE, tmp_path)
    cut(path, kept)
    with pytest.raises(ValueError, match=r"x\.npy (is cut off|cannot be read)"):
        open_source(path, ENOUGH)


@pytest.mark.parametrize("writer", [files.h5ad, files.parquet], ids=["h5ad", "parquet"])
@pytest.mark.parametrize("spoil", [cut, lambda file: file.write_bytes(b"<html>" * 99)])
def test_a_file_that_cannot_be_read_is_named(writer, spoil, tmp_path):
    path = writer(SPARSE, tmp_path)
    spoil(path)
    with pytest.raises(ValueError, match=rf"{path.name} cannot be read"):
        read_all(path)


@pytest.mark.parametrize("X", [SPARSE, DENSE], ids=["sparse", "dense"])
def test_rows_that_cannot_be_read_are_named(X, tmp_path):
    path = files.zarr_store(X, tmp_path)
    chunks = [file for file in path.rglob("c/*") if "indptr" not in file.parts]
    for chunk in chunks:
        for file in [chunk] if chunk.is_file() else chunk.iterdir():
            cut(file)
    source = open_source(path, ENOUGH)
    with pytest.raises(ValueError, match=r"rows 0:60 of x\.zarr cannot be read"):
        source.read(0)


@pytest.mark.parametrize("indices", [OUT_OF_RANGE, NEGATIVE], ids=["large", "negative"])
def test_indices_out_of_range_are_refused(indices, tmp_path):
    changed = parts(SPARSE, indices=indices)
    (tmp_path / "x").mkdir()
    np.savez(tmp_path / "x" / "part-1.npz", **changed, shape=SPARSE.shape, format=b"csr")
    with pytest.raises(ValueError, match=r"x/part-1\.npz cannot be read \(.*ind"):
        read_all(tmp_path / "x")
    zarr.create_group(tmp_path / "x.zarr", attributes={"shape": list(SPARSE.shape)})
    group = zarr.open_group(tmp_path / "x.zarr")
    for name, values in changed.items():
        group.create_array(name, data=values)
    with pytest.raises(ValueError, match=r"rows 0:60 of x\.zarr cannot be read \(.*ind"):
        read_all(tmp_path / "x.zarr")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indptr": FALLING}, "row pointers of rows 0:60 do not start at 0 and rise"),
        ({"indptr": SPARSE.indptr + 1}, "row pointers of rows 0:60 do not start at 0 and rise"),
        ({"indptr": np.minimum(SPARSE.indptr, 10)}, "row pointers end at 10, but there are"),
        ({"indptr": SPARSE.indptr[:-1]}, "60 rows have 60 row pointers instead of 61"),
        ({"data": SPARSE.data[:-1]}, "inconsistent"),
        ({"data": SPARSE.data.astype(complex)}, "holds complex128 values; store numbers"),
    ],
)
def test_inconsistent_stores_are_refused(changed, message, tmp_path):
    path = files.h5ad(SPARSE, tmp_path)
    with h5py.File(path, "r+") as file:
        for name, values in changed.items():
            del file["X"][name]
            file["X"][name] = values
    with pytest.raises(ValueError, match=rf"x\.h5ad .*{message}"):
        open_source(path, ENOUGH)


@pytest.mark.parametrize("missing", ["X", "X/data", "X/indptr"])
def test_stores_without_a_matrix_are_refused(missing, tmp_path):
    path = files.h5ad(SPARSE, tmp_path)
    with h5py.File(path, "r+") as file:
        del file[missing]
    with pytest.raises(ValueError, match=rf"x\.h5ad (has no matrix X|lacks {missing[2:]})"):
        open_source(path, ENOUGH)


def test_a_sparse_store_without_its_shape_is_refused(tmp_path):
    path = files.zarr_store(SPARSE, tmp_path, other=1)
    with pytest.raises(ValueError, match=r"x\.zarr lacks shape"):
        open_source(path, ENOUGH)
    zarr.open_group(path).create_array("shape", data=np.array(SPARSE.shape))
    assert open_source(path, ENOUGH).shape == SPARSE.shape


@pytest.mark.parametrize("writer", [files.h5ad, files.zarr_annotated], ids=["h5ad", "zarr"])
def test_matrices_by_columns_are_refused(writer, tmp_path):
    path = writer(sp.csc_array(SPARSE), tmp_path)
    with pytest.raises(ValueError, match=r"by columns \(CSC\).*tocsr"):
        open_source(path, ENOUGH)


@pytest.mark.parametrize("layout", ["csc", "coo"])
def test_blocks_of_another_layout_are_refused(layout, tmp_path):
    sp.save_npz(tmp_path / "part.npz", SPARSE.asformat(layout))
    with pytest.raises(ValueError, match=r"part\.npz (is stored as csc|holds .*save_npz)"):
        open_source(tmp_path, ENOUGH)


def test_a_dense_file_by_columns_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"by columns; save numpy\.ascontiguousarray"):
        open_source(files.npy(np.asfortranarray(DENSE), tmp_path), ENOUGH)


def test_blocks_with_other_columns_are_named(tmp_path):
    folder = files.npz(SPARSE, tmp_path)
    sp.save_npz(folder / "part-12.npz", SPARSE[:, :-1])
    with pytest.raises(ValueError, match=r"x/part-12\.npz has 39 columns, but x/part-0\.npz has"):
        open_source(folder, ENOUGH)
    with pytest.raises(ValueError, match="block 1 has 39 columns, but block 0 has 40"):
        write_blocks([SPARSE, SPARSE[:, :-1]], tmp_path / "y")
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.arange(5)}, "1 axes, not 2"),
        ({"X": DENSE, "y": DENSE}, "holds X, y; a block is one array"),
        ({"X": np.array([["a"]])}, "store numbers"),
        ({"X": np.zeros((0, 3))}, "no rows or no columns"),
    ],
)
def test_arrays_that_are_no_blocks_are_named(arrays, message, tmp_path):
    np.savez(tmp_path / "part.npz", **arrays)
    with pytest.raises(ValueError, match=rf"part\.npz .*{message}"):
        open_source(tmp_path, ENOUGH)


def test_blocks_that_change_are_noticed(tmp_path):
    folder = files.npz(SPARSE, tmp_path)
    source = open_source(folder, ENOUGH)
    sp.save_npz(folder / "part-3.npz", SPARSE)
    with pytest.raises(ValueError, match=r"part-3\.npz has 60 rows.*had 5.*do not change"):
        source.read(3)


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_block_that_is_lost_is_missed(lost, tmp_path):
    folder = write_blocks(SPARSE, tmp_path / "x", rows_per_block=20)
    (folder / f"part-{lost:06d}.npz").unlink()
    with pytest.raises(
        ValueError, match=rf"x does not hold the blocks.*part-{lost:06d}\.npz.*lost"
    ):
        open_source(folder, ENOUGH)
    (folder / "blocks.json").unlink()
    assert open_source(folder, ENOUGH).shape[0] == SPARSE.shape[0] - 20


def test_values_that_change_between_sweeps_are_noticed(tmp_path):
    folder = write_blocks(SPARSE, tmp_path / "x", rows_per_block=20)
    source = open_source(folder, ENOUGH)
    source.read(1)
    sp.save_npz(folder / "part-000001.npz", 2 * SPARSE[20:40], compressed=False)
    with pytest.raises(ValueError, match=r"part-000001\.npz was written again since it was opened"):
        source.read(1)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused_when_read(value, tmp_path):
    X = DENSE.copy()
    X[50, 3] = value
    source = open_source(files.npy(X, tmp_path), 8 * 20 * X[0].nbytes)
    source.read(0)
    with pytest.raises(ValueError, match=r"rows 40:60 of .*x\.npy contains"):
        source.read(2)


def test_folders_without_data_and_unknown_files_are_refused(tmp_path):
    understood = "folder of row blocks.*zarr.*parquet.*h5ad"
    with pytest.raises(ValueError, match=f"holds no data that are understood; give a {understood}"):
        open_source(tmp_path, ENOUGH)
    (tmp_path / "x.xlsx").write_bytes(b"1")
    with pytest.raises(ValueError, match=rf"x\.xlsx: .*give a {understood}"):
        open_source(tmp_path / "x.xlsx", ENOUGH)
    (tmp_path / "x.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"x\.npz is empty"):
        open_source(tmp_path / "x.npz", ENOUGH)
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        open_source(tmp_path / "nowhere", ENOUGH)


def test_folders_of_two_kinds_are_refused(tmp_path):
    files.npy(DENSE, tmp_path)
    files.parquet(SPARSE, tmp_path)
    with pytest.raises(ValueError, match="both blocks and parquet"):
        open_source(tmp_path, ENOUGH)


@pytest.mark.parametrize(
    ("writer", "X"),
    [
        (files.npz, SPARSE),
        (files.npz, DENSE),
        (files.h5ad, SPARSE),
        (files.h5ad, DENSE),
        (files.zarr_store, SPARSE),
        (files.zarr_store, DENSE),
        (files.npy, DENSE),
    ],
)
def test_too_little_memory_says_how_much_is_enough(writer, X, tmp_path):
    path = writer(X, tmp_path)
    memory = 100
    for _ in range(2):  # chunks first, then rows
        with pytest.raises(ValueError, match="allow at least") as refused:
            open_source(path, memory)
        memory = parse_memory(re.search(r"allow at least (\S+ k?B)", str(refused.value))[1])
        with suppress(ValueError):
            open_source(path, memory)
            break
    read_all(path, memory)


@pytest.mark.parametrize(
    ("writer", "module", "extra"),
    [
        (files.h5ad, "h5py", "omics"),
        (files.zarr_store, "zarr", "zarr"),
        (files.parquet, "pyarrow", "parquet"),
    ],
)
def test_missing_libraries_are_named_with_their_extra(writer, module, extra, tmp_path, monkeypatch):
    path = writer(SPARSE, tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"need {module}: pip install .*\[{extra}\]"):
        open_source(path, ENOUGH)


def test_nothing_to_write_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no blocks to write"):
        write_blocks([], tmp_path / "x")
    with pytest.raises(ValueError, match="rows_per_block must be at least 1"):
        write_blocks(SPARSE, tmp_path / "x", rows_per_block=0)
    with pytest.raises(ValueError, match="block 1 contains NaN"):
        write_blocks([DENSE, DENSE * np.nan], tmp_path / "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("version", [2, 3])
def test_pickled_zarr_stores_are_refused_before_they_are_opened(
    version, linked, tmp_path, monkeypatch
):
    """To unpickle is to run code: nothing of the store may be read."""
    path = tmp_path / "x.zarr"
    member = (tmp_path / "elsewhere") if linked else path / "X"
    member.mkdir(parents=True)
    if linked:
        path.mkdir()
        (path / "X").symlink_to(member)
        (path / "loop").symlink_to(path)
    if version == 2:
        (path / ".zgroup").write_text('{"zarr_format": 2}')
        (member / ".zarray").write_text('{"zarr_format": 2, "filters": [{"id": "pickle"}]}')
    else:
        (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        (member / "zarr.json").write_text('{"codecs": [{"name": "numcodecs.pickle"}]}')
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ValueError, match=r"x\.zarr holds pickled values \(X"):
        open_source(path, ENOUGH)
