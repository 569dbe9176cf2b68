"""One matrix written in every format that is read block by block."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import scipy.sparse as sp
import zarr

from cocluster.blocks.disk.write import write_blocks
from cocluster.linalg.types import Array, Matrix

SHAPE = (60, 40)
ROWS = [f"s{i}" for i in range(SHAPE[0])]
COLUMNS = [f"f{j}" for j in range(SHAPE[1])]


def matrix(kind: str, dtype: type, seed: int = 0) -> Matrix:
    """A matrix in which two fifths of the entries are not zero, at least one in each row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=SHAPE) * (rng.random(SHAPE) < 0.4)
    X[np.arange(SHAPE[0]), rng.integers(SHAPE[1], size=SHAPE[0])] = 1.5
    return X.astype(dtype) if kind == "dense" else sp.csr_array(X.astype(dtype))


def n_bytes(X: Matrix) -> int:
    """Bytes of a matrix in memory."""
    if sp.issparse(X):
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return X.nbytes


def dense(X: Matrix) -> Array:
    """Array of any matrix."""
    return X.toarray() if sp.issparse(X) else X


def blocks(X: Matrix, folder: Path) -> Path:
    """Blocks of unequal sizes, one of them a single row."""
    return write_blocks((X[rows] for rows in np.split(np.arange(SHAPE[0]), [25, 26])), folder / "x")


def npz(X: Matrix, folder: Path) -> Path:
    """Compressed files, whose names sort other than their numbers."""
    (folder / "x").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(SHAPE[0]), 12)):
        save = sp.save_npz if sp.issparse(X) else np.savez_compressed
        save(folder / "x" / f"part-{number}.npz", X[rows])
    return folder / "x"


def npy(X: Matrix, folder: Path) -> Path:
    """One dense file."""
    np.save(folder / "x.npy", X)
    return folder / "x.npy"


def zarr_store(X: Matrix, folder: Path, layout: str = "csr", **attributes: object) -> Path:
    """An array or a group, in small chunks."""
    path = folder / "x.zarr"
    if not sp.issparse(X):
        zarr.create_array(path, data=X, chunks=(7, 8))
        return path
    group = zarr.create_group(path, attributes=attributes or {"shape": list(X.shape)})
    for part in ("data", "indices", "indptr"):
        group.create_array(part, data=getattr(X, part), chunks=(100,))
    return path


def annotated(X: Matrix) -> anndata.AnnData:
    """AnnData with names."""
    return anndata.AnnData(X, obs=pd.DataFrame(index=ROWS), var=pd.DataFrame(index=COLUMNS))


def zarr_annotated(X: Matrix, folder: Path) -> Path:
    """AnnData as a zarr store."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # announcements of coming versions
        annotated(X).write_zarr(folder / "x.zarr", chunks=(7, 40) if not sp.issparse(X) else None)
    return folder / "x.zarr"


def h5ad(X: Matrix, folder: Path, **options: str) -> Path:
    """AnnData as a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        annotated(X).write_h5ad(folder / "x.h5ad", **options)
    return folder / "x.h5ad"


def long_table(X: Matrix, seed: int = 1) -> pa.Table:
    """Entries in any order."""
    entries = sp.coo_array(X)
    order = np.random.default_rng(seed).permutation(entries.nnz)
    row, column = (places[order] for places in entries.coords)
    return pa.table(
        {
            "Sample": [ROWS[i] for i in row],
            "feature": [COLUMNS[j] for j in column],
            "value": entries.data[order],
        }
    )


def parquet(X: Matrix, folder: Path) -> Path:
    """One file in long format."""
    pyarrow.parquet.write_table(long_table(X), folder / "x.parquet", row_group_size=50)
    return folder / "x.parquet"


def parquet_folder(X: Matrix, folder: Path) -> Path:
    """Two files in long format, the first with categories."""
    table = long_table(X)
    (folder / "x").mkdir()
    half = table.num_rows // 2
    first = table.slice(0, half)
    categories = first.column("feature").dictionary_encode()
    first = first.set_column(1, "feature", categories)
    pyarrow.parquet.write_table(first, folder / "x" / "1.parquet")
    pyarrow.parquet.write_table(table.slice(half), folder / "x" / "2.parquet")
    return folder / "x"


Writer = Callable[[Matrix, Path], Path]
BOTH: list[Writer] = [blocks, npz, zarr_store, zarr_annotated, h5ad]
FORMATS = [
    *((writer, kind) for writer in BOTH for kind in ("dense", "sparse")),
    (npy, "dense"),
    (parquet, "sparse"),
    (parquet_folder, "sparse"),
]
NAMED = (zarr_annotated, h5ad, parquet, parquet_folder)
