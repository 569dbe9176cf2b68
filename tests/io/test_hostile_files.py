"""Files that lie, crash compiled code, or were read as something else."""

from __future__ import annotations

import gzip
import json
import random
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from cocluster.io import read
from cocluster.io.dataset import _numeric_order, encode_labels
from tests.io import writers
from tests.processes import printed_by

DENSE = np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 4], [5, 0, 6]])
LAYOUTS = ["csr", "csc", "coo", "bsr", "dia"]
MARKET = b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 "


def read_in_child(path: Path) -> str:
    """What reading a file ends with, in a process of its own that may crash."""
    program = f"""
from cocluster.io import read
try:
    dataset = read({str(path)!r})
    dataset.X @ __import__("numpy").ones(dataset.X.shape[1])
except ValueError as error:
    print(error)
"""
    return printed_by(program)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_save_npz_is_read_as_the_same_matrix(layout, tmp_path):
    sp.save_npz(tmp_path / "toy.npz", sp.csr_array(DENSE).asformat(layout))
    dataset = read(tmp_path / "toy.npz")
    assert list(dataset.views) == ["X"]
    assert np.array_equal(dataset.X.toarray(), DENSE)


def test_sparse_files_that_lack_a_part_or_are_of_an_unknown_layout_are_refused(tmp_path):
    np.savez(tmp_path / "toy.npz", data=np.ones((2, 3)), shape=(3, 3), format=b"dia")
    with pytest.raises(ValueError, match=r"toy\.npz cannot be read \(.*lacks offsets"):
        read(tmp_path / "toy.npz")
    np.savez(tmp_path / "toy.npz", data=np.ones((2, 3)), shape=(3, 3), format=b"new")
    with pytest.raises(ValueError, match=r"toy\.npz cannot be read \(.*'new'"):
        read(tmp_path / "toy.npz")


def test_other_members_of_an_archive_are_left_out(tmp_path):
    np.savez(tmp_path / "toy.npz", X=DENSE)
    with zipfile.ZipFile(tmp_path / "toy.npz", "a") as archive:
        archive.writestr("readme.txt", "These are numbers.")
    assert np.array_equal(read(tmp_path / "toy.npz").X, DENSE)


def test_complex_values_are_refused(tmp_path):
    sp.save_npz(tmp_path / "toy.npz", sp.csr_array(DENSE * (1 + 1j)))
    with pytest.raises(ValueError, match=r"toy\.npz cannot be read \(.*complex128"):
        read(tmp_path / "toy.npz")
    scipy.io.mmwrite(tmp_path / "toy.mtx", sp.coo_array(DENSE * (1 + 1j)))
    with pytest.raises(ValueError, match=r"toy\.mtx holds complex numbers"):
        read(tmp_path / "toy.mtx")


def with_bad_index(X: sp.csr_array) -> sp.csr_array:
    """A matrix one of whose entries lies far outside of it."""
    X.indices[1] = 2_000_000_000
    return X


@pytest.mark.parametrize("layout", ["csr", "csc", "bsr"])
def test_bad_indices_in_npz_are_refused(layout, tmp_path):
    X = with_bad_index(sp.csr_array(DENSE).asformat(layout))
    sp.save_npz(tmp_path / "toy.npz", X)
    assert "toy.npz cannot be read" in read_in_child(tmp_path / "toy.npz")


def test_bad_indices_in_mat_are_refused(tmp_path):
    path = tmp_path / "toy.mat"
    scipy.io.savemat(path, {"X": sp.csc_array(DENSE)}, do_compression=False)
    rows = sp.csc_array(DENSE).indices.astype(np.int32)
    raw = path.read_bytes()
    assert raw.count(rows.tobytes()) == 1
    rows_wrong = np.where(np.arange(len(rows)) == 1, 2_000_000_000, rows).astype(np.int32)
    path.write_bytes(raw.replace(rows.tobytes(), rows_wrong.tobytes()))
    assert "toy.mat cannot be read" in read_in_child(path)


def test_bad_indices_in_h5ad_are_refused(tmp_path):
    anndata, h5py = pytest.importorskip("anndata"), pytest.importorskip("h5py")
    anndata.AnnData(sp.csr_matrix(DENSE)).write_h5ad(tmp_path / "toy.h5ad")
    with h5py.File(tmp_path / "toy.h5ad", "a") as file:
        file["X/indices"][1] = 2_000_000_000
    assert "toy.h5ad cannot be read" in read_in_child(tmp_path / "toy.h5ad")


@pytest.mark.parametrize("end", [b"3", b"3 junk", b"3\0", b"3 \0 4\n", b"3x"])
def test_market_files_end_in_an_answer_whatever_their_last_line(end, tmp_path):
    (tmp_path / "toy.mtx").write_bytes(MARKET + end)
    assert ("NUL byte" in read_in_child(tmp_path / "toy.mtx")) == (b"\0" in end)


def test_a_market_file_cannot_ask_for_more_memory_than_it_fills(tmp_path):
    (tmp_path / "toy.mtx").write_bytes(MARKET.replace(b"2 2 2", b"2 2 99999999999") + b"3\n")
    with pytest.raises(ValueError, match=r"toy\.mtx announces 99999999999 entries"):
        read(tmp_path / "toy.mtx")


@pytest.mark.parametrize("name", ["toy.CSV.GZ", "toy.TSV.GZ", "toy.MTX.GZ", "toy.JSONL.GZ"])
def test_endings_in_capitals_are_unpacked(name, tmp_path):
    contents = {
        "CSV": b"a,b\n1,2\n",
        "TSV": b"a\tb\n1\t2\n",
        "MTX": MARKET + b"3\n",
        "JSONL": b'{"text": "two words"}\n',
    }
    (tmp_path / name).write_bytes(gzip.compress(contents[name.split(".")[1]]))
    assert next(iter(read(tmp_path / name).views.values())).shape[1] == 2


def test_a_class_called_nan_does_not_shuffle_the_others():
    names = ["10", "nan", "9", "b", "a", "8", "inf", "7"]
    codes, classes = encode_labels(names)
    assert codes.tolist() == [3, 7, 2, 5, 4, 1, 6, 0]
    # A set hands them out in an order that changes from process to process.
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert sorted(rng.permutation(names), key=_numeric_order) == classes.tolist()


def test_line_separators_inside_texts_do_not_end_a_line(tmp_path):
    texts = ["one\u2028two", "three\u0085four", "five\x0csix"]
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "toy.jsonl").write_bytes(end.join(lines).encode())
        assert read(tmp_path / "toy.jsonl").X.shape == (3, 6)
    (tmp_path / "toy.mat").write_text("1 2\n1 2\n")
    (tmp_path / "toy.mat.clabel").write_text("one\u2028two\nthree\n", encoding="utf-8")
    names = read(tmp_path / "toy.mat").feature_names["X"]
    assert names.tolist() == ["one\u2028two", "three"]


def test_null_names_are_not_called_none(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    from pyarrow import table

    (tmp_path / "toy.jsonl").write_text('{"text": "a word", "id": null}\n{"text": "word"}\n')
    assert read(tmp_path / "toy.jsonl").sample_names.tolist() == ["1", "2"]
    path = tmp_path / "toy.parquet"
    pyarrow.write_table(table({"id": ["x", None], "a": [1.0, 2.0]}), path)
    assert read(path).sample_names.tolist() == ["x", ""]
    long = {"sample": ["x", None], "feature": ["a", "a"], "value": [1.0, 2.0]}
    pyarrow.write_table(table(long), path)
    with pytest.raises(ValueError, match=r"toy\.parquet, row 2: there is no sample"):
        read(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("toy.csv", "a,b\n1,2\n1_0,3\n"),
        ("toy.mat", "2 2\n1 2\n1_0 3\n"),
        ("toy.arff", "@attribute a numeric\n@data\n1\n1_0\n"),
    ],
)
def test_an_underscore_makes_no_number(name, content, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=rf"{name}, line \d: .*1_0"):
        read(tmp_path / name)


def test_errors_of_other_libraries_name_the_file(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    from pyarrow import table

    (tmp_path / "toy.jsonl").write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"toy\.jsonl, line 1"):
        read(tmp_path / "toy.jsonl")
    (tmp_path / "toy.mat").write_text(f"1 {10**30} 1\n1 1\n")
    with pytest.raises(ValueError, match=r"toy\.mat announces .* columns"):
        read(tmp_path / "toy.mat")
    pyarrow.write_table(table({}), tmp_path / "toy.parquet")
    with pytest.raises(ValueError, match=r"toy\.parquet has no columns"):
        read(tmp_path / "toy.parquet")


def test_unknown_encodings_of_annotated_data_name_the_file(tmp_path):
    anndata, h5py = pytest.importorskip("anndata"), pytest.importorskip("h5py")
    anndata.AnnData(DENSE).write_h5ad(tmp_path / "toy.h5ad")
    with h5py.File(tmp_path / "toy.h5ad", "a") as file:
        file["X"].attrs["encoding-type"] = "unheard-of"
    with pytest.raises(ValueError, match=r"toy\.h5ad cannot be read"):
        read(tmp_path / "toy.h5ad")


def test_long_lines_take_time_in_proportion(tmp_path):
    names = [str(j) for j in range(60_000)]
    (tmp_path / "toy.csv").write_text(
        ",".join(["a", *names, names[-1]]) + "\n" + "1," * 60_001 + "1\n"
    )
    blanks = f"@attribute a numeric\n@data\n1{' ' * 60_000}2\n"
    (tmp_path / "toy.arff").write_text(blanks)
    begun = time.process_time()
    for name in ("toy.csv", "toy.arff"):
        with pytest.raises(ValueError, match=name):
            read(tmp_path / name)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("shape", ["(4, 3", "(4, 3))", "4 3", "(4,\n 3", "'", "(" * 300])
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_headers_of_arrays_that_are_no_python(shape, ending, tmp_path):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(96)
    file = tmp_path / f"toy.{ending}"
    file.write_bytes(array)
    if ending == "npz":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("X.npy", array)
    with pytest.raises(ValueError, match=rf"toy\.{ending} cannot be read"):
        read(file)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("toy.csv", "a,b\n1,2\n3,{long}x\n5,6\n7,8\n9,1\n"),
        ("toy.arff", "@attribute a numeric\n@data\n1\n{long}x\n"),
        ("toy.arff", "@attribute a numeric\n@data\n{{{long} 1}}\n"),
        ("toy.arff", "@attribute a numeric\n@data\n{{\u00b2 1}}\n"),
        ("toy.mat", "1 2\n1 {long}x\n"),
    ],
)
def test_sentences_quote_the_beginning_of_long_cells(name, content, tmp_path):
    (tmp_path / name).write_text(content.format(long="9" * 5000), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{name}, (line|row) \d") as caught:
        read(tmp_path / name)
    assert len(str(caught.value)) < 400


TABLES = [
    writers.csv_wide, writers.csv_decimal, writers.csv_wide_letters, writers.csv_long,
    writers.txt_table, writers.zipped, writers.parquet_gz, writers.excel, writers.json_records,
    writers.json_lines, writers.json_lines_records, writers.csv_semicolon,
]  # fmt: skip
# Bytes that mean something to one reader or another.
PIECES = [
    b"\0", b'"', b",", b";", b"\n", b"\r", b"\xff\xfe", b"{", b"]", b"null", b"1e999", b"nan",
    b"9" * 30, b"2024-13-45", b"31/31/2024", b"1.234,5", b"\\ud800", b"\xe2\x80\xa8", b"_", b"id",
]  # fmt: skip


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """A file with bytes changed, put in, taken out or cut off."""
    for _ in range(rng.randint(1, 3)):
        place, end = sorted(rng.choices(range(len(raw) + 1), k=2))
        piece = rng.choice([*PIECES, rng.randbytes(1), raw[place:end]])
        kept = rng.choice([place, min(place + len(piece), len(raw)), end, len(raw)])
        raw = raw[:place] + piece + raw[kept:]
    return raw


def answer(file: Path) -> str:
    """The name of what was read, or the sentence that refuses it."""
    try:
        return read(file).name
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("writer", TABLES, ids=lambda writer: writer.__name__)
def test_damaged_files_are_read_or_refused_in_one_sentence(writer, tmp_path):
    file = writer(tmp_path)
    raw, rng = file.read_bytes(), random.Random(writer.__name__)
    for _ in range(60):
        file.write_bytes(damaged(raw, rng))
        said = answer(file)
        assert "toy" in said
        assert "\n" not in said
