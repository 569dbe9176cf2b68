"""Archives and packed files: unpacked anywhere, within bounds, and gone afterwards."""

from __future__ import annotations

import gzip
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from cocluster.blocks.disk.sources import open_source
from cocluster.io import read


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which files are unpacked."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def zipped(file: Path, members: dict[str, str]) -> Path:
    """An archive of texts."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file


TEXTS = {"pets/1.txt": "cat dog cat", "farm/2": "cow pig", "farm/3": "a cow"}


@pytest.mark.parametrize("top", ["", "corpus/"])
def test_an_archive_of_texts_is_a_folder(tmp_path: Path, scratch: Path, top: str) -> None:
    members = {f"{top}{name}": text for name, text in TEXTS.items()}
    dataset = read(zipped(tmp_path / "toy.zip", members | {"__MACOSX/._1": "x", ".hidden": "y"}))
    for name, text in TEXTS.items():
        (tmp_path / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / name).write_text(text)
    same = read(tmp_path / "toy")
    assert dataset.sample_names.tolist() == same.sample_names.tolist()
    assert dataset.X.toarray().tolist() == same.X.toarray().tolist()
    assert (dataset.name, dataset.reading) == ("toy", same.reading)
    assert not list(scratch.iterdir())


def test_an_archive_of_one_file_is_that_file(tmp_path: Path) -> None:
    inner = gzip.compress(b"a,b\n1,2\n")
    with zipfile.ZipFile(tmp_path / "toy.zip", "w") as archive:
        archive.writestr("inside.csv.gz", inner)
    assert read(tmp_path / "toy.zip").X.tolist() == [[1, 2]]
    lines = zipped(tmp_path / "toy.zip", {"lines.txt": "cat dog\ncow cat\n"})
    assert len(read(lines)) == 2


def test_several_files_of_data_are_refused_by_name(tmp_path: Path) -> None:
    members = {"a.csv": "x\n1\n", "b.csv": "x\n2\n"}
    with pytest.raises(ValueError, match=r"several files of data \(a\.csv, b\.csv\); read one"):
        read(zipped(tmp_path / "toy.zip", members))


@pytest.mark.parametrize("name", ["../out.csv", "/out.csv", "..\\out.csv"])
def test_nothing_is_written_outside(tmp_path: Path, scratch: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"toy\.zip holds .*, a place outside of it"):
        read(zipped(tmp_path / "toy.zip", {name: "a,b\n1,2\n"}))
    assert not list(tmp_path.rglob("out.csv"))


def test_a_small_file_cannot_unpack_to_a_large_one(tmp_path: Path, scratch: Path) -> None:
    table = b"a,b\n" + b"1,2\n" * 20_000_000
    (tmp_path / "toy.csv.gz").write_bytes(gzip.compress(table, 1))
    with zipfile.ZipFile(tmp_path / "toy.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
        z.writestr("toy.csv", table)
    for name in ("toy.csv.gz", "toy.zip"):
        with pytest.raises(ValueError, match=rf"{name} unpacks to more than .*max_bytes='8 GB'"):
            read(tmp_path / name)
    assert not list(scratch.iterdir())


def test_the_bound_can_be_moved(tmp_path: Path) -> None:
    (tmp_path / "toy.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    assert len(read(tmp_path / "toy.csv.gz", max_bytes="4004 B")) == 1000
    with pytest.raises(ValueError, match=r"unpacks to more than 4\.01 kB|more than 4\.00 kB"):
        read(tmp_path / "toy.csv.gz", max_bytes=4003)


@pytest.mark.parametrize("name", ["toy.mtx", "toy.mat"])
def test_a_header_cannot_ask_for_the_memory(tmp_path: Path, name: str) -> None:
    content = {
        "toy.mtx": "%%MatrixMarket matrix coordinate real general\n300000000 1 1\n1 1 1.5\n",
        "toy.mat": "1 300000000 1\n1 1.5\n",
    }
    (tmp_path / name).write_text(content[name])
    with pytest.raises(ValueError, match=rf"{name} announces 300,000,00\d .*2\.4.* GB.*max_bytes="):
        read(tmp_path / name)


def test_locked_and_broken_archives_are_named(tmp_path: Path) -> None:
    file = zipped(tmp_path / "toy.zip", {"toy.csv": "a,b\n1,2\n"})
    raw = file.read_bytes()
    flags = bytearray(raw)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        flags[raw.index(mark) + offset] |= 1  # says that a password is needed
    method = raw.replace(b"\x08\x00", b"\x63\x00")
    for broken in (bytes(flags), method, raw[:-30], b"PK\x05\x06" + bytes(18), b"nothing"):
        file.write_bytes(broken)
        with pytest.raises(ValueError, match=r"toy"):
            read(file)


def zeros_npz(path: Path) -> None:
    np.savez_compressed(path, X=np.zeros((3000, 3000)))


def long_coo(path: Path) -> None:
    one = np.zeros(1, dtype=int)
    np.savez(path, data=np.ones(1), row=one, col=one, shape=[10**9, 10], format=b"coo")


def zeros_mat(path: Path) -> None:
    scipy.io.savemat(path, {"X": np.zeros((3000, 3000))}, do_compression=True)


def zeros_parquet(path: Path) -> None:
    table = pytest.importorskip("pyarrow").table({"a": np.zeros(9_000_000)})
    pytest.importorskip("pyarrow.parquet").write_table(table, path)


def zeros_h5ad(path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (3000, 3000), "f8", chunks=(1000, 1000), compression="gzip")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("toy.npz", zeros_npz), ("toy.npz", long_coo), ("toy.mat", zeros_mat),
        ("toy.parquet", zeros_parquet), ("toy.h5ad", zeros_h5ad), ("toy.h5mu", zeros_h5ad),
    ],
)  # fmt: skip
def test_what_a_small_file_becomes_is_known_before_it_is_unpacked(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 300_000
    tracemalloc.start()
    with pytest.raises(ValueError, match=rf"{name} (unpacks|announces).*max_bytes="):
        read(tmp_path / name)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_header_of_numpy_cannot_ask_for_the_memory(tmp_path: Path) -> None:
    form = {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**7)}
    with (tmp_path / "toy.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, form)
        file.write(bytes(80))
    with zipfile.ZipFile(tmp_path / "toy.npz", "w") as archive:
        archive.write(tmp_path / "toy.npy", "X.npy")
    for name in ("toy.npy", "toy.npz"):
        with pytest.raises(ValueError, match=rf"{name} cannot be read .*announced as"):
            read(tmp_path / name)


def linked(h5py: Any, file: Any, other: Path) -> None:
    file["X"] = h5py.ExternalLink(str(other), "X")


def stored_elsewhere(h5py: Any, file: Any, other: Path) -> None:
    file.create_dataset("X", (3, 3), "f8", external=[(str(other), 0, 72)])


def virtual(h5py: Any, file: Any, other: Path) -> None:
    layout = h5py.VirtualLayout((3, 3), "f8")
    layout[:] = h5py.VirtualSource(str(other), "X", (3, 3))
    file.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("point", [linked, stored_elsewhere, virtual])
@pytest.mark.parametrize("name", ["toy.h5ad", "toy.h5mu"])
def test_annotated_data_cannot_point_to_other_files(
    tmp_path: Path, name: str, point: Callable[..., None]
) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other", "w") as other:
        other["X"] = np.ones((3, 3))
    with h5py.File(tmp_path / name, "w") as file:
        point(h5py, file, tmp_path / "other")
    with pytest.raises(ValueError, match=rf"{name} points to other files"):
        read(tmp_path / name)
    if name == "toy.h5ad":
        with pytest.raises(ValueError, match=rf"{name} points to other files"):
            open_source(tmp_path / name, 10**9)


@pytest.mark.parametrize(
    "names", [["n" * 300 + ".csv"], ["a", "a/b.csv"], ["/".join(["deep"] * 2000) + "/x.csv"]]
)
def test_names_that_no_file_can_have_are_refused(tmp_path: Path, names: list[str]) -> None:
    file = zipped(tmp_path / "toy.zip", dict.fromkeys(names, "a,b\n1,2\n"))
    with pytest.raises(ValueError, match=r"toy\.zip cannot be read \(no file can be called"):
        read(file)


def test_what_is_wrong_inside_of_an_archive_names_the_archive(tmp_path: Path) -> None:
    file = zipped(tmp_path / "toy.zip", {"inner.csv": "a,b\n1,2,3\n4\n"})
    with pytest.raises(ValueError, match=r"^toy\.zip: inner\.csv, line"):
        read(file)


def test_names_with_line_ends_do_not_break_messages(tmp_path: Path) -> None:
    file = zipped(tmp_path / "toy.zip", {"toy\n.csv\r": "a,b\n1,2\n"})
    with pytest.raises(ValueError, match=r"toy.*files that end so are not read") as told:
        read(file)
    assert "\n" not in str(told.value)
