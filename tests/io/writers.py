"""One small data set written in every format that readers know."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

X = np.array([[1.0, 0, 2.5], [0, 3, 0], [4, 0, 0.25], [0, 0, 1]])
LABELS = ["b", "a", "b", "a"]
CODES = [1, 0, 1, 0]
NAMES = ["s1", "s2", "s3", "s4"]
FEATURES = ["f one", "f2", "f3"]


def npz(folder: Path) -> Path:
    """Dense arrays."""
    np.savez(folder / "toy.npz", X=X, labels=LABELS, feature_names=FEATURES)
    return folder / "toy.npz"


def sparse_npz(folder: Path) -> Path:
    """As scipy writes sparse matrices, by columns."""
    sp.save_npz(folder / "toy.npz", sp.csc_array(X))
    return folder / "toy.npz"


def npy(folder: Path) -> Path:
    """One array."""
    np.save(folder / "toy.npy", X)
    return folder / "toy.npy"


def mat_fea(folder: Path) -> Path:
    """The fea/gnd convention, classes counted from 1."""
    scipy.io.savemat(
        folder / "toy.mat", {"fea": sp.csc_array(X), "gnd": np.array([[2, 1, 2, 1]]).T}
    )
    return folder / "toy.mat"


def mat_turned(folder: Path) -> Path:
    """The X/Y convention with samples as columns, compressed."""
    scipy.io.savemat(folder / "toy.mat", {"X": X.T, "Y": [2, 1, 2, 1]}, do_compression=True)
    return folder / "toy.mat"


def cluto_sparse(folder: Path) -> Path:
    """CLUTO's sparse text, with names."""
    file = folder / "toy.mat"
    rows = [" ".join(f"{j + 1} {row[j]}" for j in np.flatnonzero(row)) for row in X]
    file.write_text("\n".join([f"4 3 {np.count_nonzero(X)}", *rows]) + "\n")
    for ending, names in ((".rlabel", NAMES), (".clabel", FEATURES), (".rclass", LABELS)):
        file.with_name(file.name + ending).write_text("\n".join(names) + "\n")
    return file


def cluto_dense(folder: Path) -> Path:
    """CLUTO's dense text."""
    file = folder / "toy.mat"
    file.write_text("\n".join(["4 3", *(" ".join(map(str, row)) for row in X)]))
    return file


def market(folder: Path) -> Path:
    """Matrix Market."""
    scipy.io.mmwrite(folder / "toy.mtx", sp.coo_array(X))
    return folder / "toy.mtx"


def market_gz(folder: Path) -> Path:
    """Matrix Market, packed."""
    file = folder / "toy.mtx.gz"
    file.write_bytes(gzip.compress(market(folder).read_bytes()))
    return file


def _table(delimiter: str) -> str:
    """A wide table with ids and classes."""
    head = delimiter.join(["id", *FEATURES, "Label"])
    cells = zip(NAMES, X.tolist(), LABELS, strict=True)
    body = [delimiter.join([n, *map(str, row), c]) for n, row, c in cells]
    return "\n".join([head, *body]) + "\n"


def csv_wide(folder: Path) -> Path:
    """Wide CSV."""
    (folder / "toy.csv").write_text(_table(","))
    return folder / "toy.csv"


def csv_semicolon(folder: Path) -> Path:
    """Wide CSV of a continental spreadsheet, packed, with a byte order mark."""
    (folder / "toy.csv.gz").write_bytes(gzip.compress(_table(";").encode("utf-8-sig")))
    return folder / "toy.csv.gz"


def tsv(folder: Path) -> Path:
    """Wide TSV."""
    (folder / "toy.tsv").write_text(_table("\t"))
    return folder / "toy.tsv"


def csv_bare(folder: Path) -> Path:
    """Numbers only."""
    (folder / "toy.csv").write_text("\n".join(",".join(map(str, row)) for row in X))
    return folder / "toy.csv"


def csv_long(folder: Path) -> Path:
    """Long CSV; zeros are written too, so that every feature appears in order."""
    rows = [f"{NAMES[i]},{FEATURES[j]},{X[i, j]}" for i in range(4) for j in range(3)]
    (folder / "toy.csv").write_text("\n".join(["sample,feature,value", *rows]))
    return folder / "toy.csv"


def parquet(folder: Path) -> Path:
    """Wide parquet."""
    import pyarrow
    import pyarrow.parquet

    columns = {"id": NAMES, **dict(zip(FEATURES, X.T.tolist(), strict=True)), "class": LABELS}
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "toy.parquet")
    return folder / "toy.parquet"


HEADER = """% a comment
@RELATION toy
@attribute 'f one' numeric
@attribute f2 REAL
@attribute f3 integer
@attribute kind {a, 'b'}
@data
"""


def arff_dense(folder: Path) -> Path:
    """Dense ARFF."""
    rows = [f"{','.join(map(str, row))},{c}" for row, c in zip(X, LABELS, strict=True)]
    (folder / "toy.arff").write_text(HEADER + "\n".join(rows) + "\n")
    return folder / "toy.arff"


def arff_sparse(folder: Path) -> Path:
    """Sparse ARFF, which leaves out the first class as it leaves out zeros."""
    rows = []
    for row, c in zip(X, LABELS, strict=True):
        cells = [f"{j} {row[j]}" for j in np.flatnonzero(row)]
        rows.append("{" + ", ".join(cells + (["3 'b'"] if c == "b" else [])) + "}")
    (folder / "toy.arff").write_text(HEADER + "\n".join(rows) + "\n")
    return folder / "toy.arff"


def csv_decimal(folder: Path) -> Path:
    """Wide CSV of a continental spreadsheet: semicolons, decimal commas, Windows line ends."""
    text = _table(";").replace(".", ",").replace("\n", "\r\n")
    (folder / "toy.csv").write_bytes(text.encode("cp1252"))
    return folder / "toy.csv"


def csv_wide_letters(folder: Path) -> Path:
    """Wide CSV in two bytes a letter, as Excel saves "Unicode text"."""
    (folder / "toy.csv").write_bytes(_table("\t").encode("utf-16"))
    return folder / "toy.csv"


def txt_table(folder: Path) -> Path:
    """A table that is called a text."""
    (folder / "toy.txt").write_text(_table("\t"))
    return folder / "toy.txt"


def zipped(folder: Path) -> Path:
    """A table and a word about it in an archive."""
    with zipfile.ZipFile(folder / "toy.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/toy.csv", _table(","))
        archive.writestr("data/README.txt", "These are numbers.")
    return folder / "toy.zip"


def parquet_gz(folder: Path) -> Path:
    """Parquet, packed."""
    (folder / "toy.parquet.gz").write_bytes(gzip.compress(parquet(folder).read_bytes()))
    return folder / "toy.parquet.gz"


def excel(folder: Path) -> Path:
    """A sheet of Excel below a title, and another sheet."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["A small table"])
    sheet.append([])
    sheet.append(["id", *FEATURES, "Label"])
    for name, row, label in zip(NAMES, X.tolist(), LABELS, strict=True):
        sheet.append([name, *row, label])
    book.create_sheet("notes").append(["nothing"])
    book.save(folder / "toy.xlsx")
    return folder / "toy.xlsx"


def _records() -> list[dict[str, object]]:
    """Records with ids and classes."""
    rows = zip(NAMES, X.tolist(), LABELS, strict=True)
    return [
        {"id": n, **dict(zip(FEATURES, row, strict=True)), "label": label} for n, row, label in rows
    ]


def json_records(folder: Path) -> Path:
    """A list of records."""
    (folder / "toy.json").write_text(json.dumps(_records(), indent=1))
    return folder / "toy.json"


def json_lines_records(folder: Path) -> Path:
    """A record on each line, in a file whose ending does not say so."""
    (folder / "toy.json").write_text("\n".join(map(json.dumps, _records())))
    return folder / "toy.json"


def h5ad(folder: Path) -> Path:
    """AnnData."""
    import anndata
    import pandas

    obs = pandas.DataFrame({"label": LABELS}, index=NAMES)
    data = anndata.AnnData(sp.csr_matrix(X), obs, pandas.DataFrame(index=FEATURES))
    data.write_h5ad(folder / "toy.h5ad")
    return folder / "toy.h5ad"


def json_lines(folder: Path) -> Path:
    """Texts."""
    lines = [json.dumps({"text": t, "id": n}) for t, n in zip(LABELS, NAMES, strict=True)]
    (folder / "toy.jsonl").write_text("\n".join(lines))
    return folder / "toy.jsonl"


Writer = Callable[[Path], Path]
MATRICES: list[Writer] = [
    npz, sparse_npz, npy, mat_fea, mat_turned, cluto_sparse, cluto_dense, market, market_gz,
    csv_wide, csv_semicolon, tsv, csv_bare, csv_long, parquet, arff_dense, arff_sparse, h5ad,
    csv_decimal, csv_wide_letters, txt_table, zipped, parquet_gz, excel, json_records,
    json_lines_records,
]  # fmt: skip
LABELLED: list[Writer] = [
    npz, mat_fea, mat_turned, cluto_sparse, csv_wide, csv_semicolon, tsv, parquet, arff_dense,
    arff_sparse, h5ad, csv_decimal, csv_wide_letters, txt_table, zipped, parquet_gz, excel,
    json_records, json_lines_records,
]  # fmt: skip
NAMED: list[Writer] = [
    npz, cluto_sparse, csv_wide, csv_semicolon, tsv, csv_long, parquet, arff_dense, h5ad,
    csv_decimal, csv_wide_letters, txt_table, zipped, parquet_gz, excel, json_records,
    json_lines_records,
]  # fmt: skip
BINARY: list[Writer] = [
    npz, sparse_npz, npy, mat_fea, mat_turned, market_gz, csv_semicolon, parquet, h5ad, zipped,
    parquet_gz, excel,
]  # fmt: skip
# Texts that show when they are cut off, or are something else.
STRICT: list[Writer] = [json_records, json_lines_records]
