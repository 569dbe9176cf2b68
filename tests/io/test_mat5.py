"""MATLAB files that scipy would crash on, or make room for, are refused before it sees them."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from cocluster.io import read
from cocluster.io.formats.matlab import list_variables

X = np.arange(12.0).reshape(4, 3) + 0.5
MANY = 10**9


def cells(*values: Any) -> np.ndarray:
    """A cell array."""
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held


def written(path: Path, values: dict[str, Any], compressed: bool = False) -> bytes:
    """A file, and its bytes."""
    scipy.io.savemat(path, values, do_compression=compressed)
    return path.read_bytes()


def inside(raw: bytes, old: bytes, new: bytes, compressed: bool) -> bytes:
    """A file of one variable with bytes of the variable replaced where they first occur."""
    if not compressed:
        assert old in raw
        return raw.replace(old, new, 1)
    _, size = struct.unpack("<II", raw[128:136])
    plain = zlib.decompress(raw[136 : 136 + size])
    assert old in plain
    packed = zlib.compress(plain.replace(old, new, 1))
    return raw[:128] + struct.pack("<II", 15, len(packed)) + packed


def doubles(n: int) -> bytes:
    """The tag of n numbers."""
    return struct.pack("<II", 9, 8 * n)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (doubles(12), struct.pack("<II", 99, 96), "kind 99"),
        (doubles(12), struct.pack("<II", 9, 2**31 - 8), "announced|unpacks to more"),
        (struct.pack("<iiii", 5, 8, 4, 3), struct.pack("<iiii", 5, 8, -4, 3), "dimensions"),
        (struct.pack("<iiii", 5, 8, 4, 3), struct.pack("<iiii", 7, 8, 4, 3), "no dimensions"),
    ],
)
@pytest.mark.parametrize("held", [X, cells(X, X)], ids=["matrix", "cells"])
def test_damage_is_found_before_scipy_reads(tmp_path, held, old, new, said, compressed):
    file = tmp_path / "toy.mat"
    raw = written(file, {"X": held}, compressed)
    file.write_bytes(inside(raw, old, new, compressed))
    with pytest.raises(ValueError, match=rf"toy\.mat .*({said})"):
        read(file)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("wrap", [lambda x: x, cells], ids=["matrix", "cells"])
def test_empty_rows_cannot_ask_for_the_memory(tmp_path, wrap, compressed):
    file = tmp_path / "toy.mat"
    written(file, {"X": wrap(sp.csc_array((MANY, 3)))}, compressed)
    with pytest.raises(ValueError, match=r"toy\.mat unpacks to more than .*max_bytes="):
        read(file)


def test_many_cells_of_zeros_count_together(tmp_path):
    file = tmp_path / "toy.mat"
    written(file, {"X": cells(*[np.zeros((1000, 1000))] * 9)}, compressed=True)
    assert file.stat().st_size < 300_000
    with pytest.raises(ValueError, match=r"toy\.mat unpacks to more than .*max_bytes="):
        read(file)


@pytest.mark.parametrize("compressed", [False, True])
def test_what_is_no_data_is_left_alone(tmp_path, compressed):
    file = tmp_path / "toy.mat"
    beside = {"about": {"by": "hand", "deep": {"er": 1}}, "note": "abc", "odd": cells({"a": 1}, X)}
    written(file, {**beside, "fea": X, "gnd": [[1], [1], [2], [2]]}, compressed)
    dataset = read(file)
    assert np.array_equal(dataset.X, X)
    assert dataset.labels.tolist() == [0, 0, 1, 1]
    written(file, beside, compressed)
    with pytest.raises(ValueError, match=r"it holds 'about', 'note', 'odd', rename"):
        read(file)


@pytest.mark.parametrize("held", [{"a": 1}, cells({"a": 1}), cells(cells(X))])
def test_structures_are_no_matrices(tmp_path, held):
    file = tmp_path / "toy.mat"
    written(file, {"X": held})
    with pytest.raises(ValueError, match=r"Variable X of toy\.mat is not a matrix of numbers"):
        read(file)


# Where the rows, the columns and the length of the name stand.
@pytest.mark.parametrize("place", [4, 8, 16])
def test_the_oldest_version_cannot_ask_for_the_memory_either(tmp_path, place):
    file = tmp_path / "toy.mat"
    scipy.io.savemat(file, {"X": X}, format="4")
    raw = file.read_bytes()
    file.write_bytes(raw[:place] + struct.pack("<i", 2**31 - 8) + raw[place + 4 :])
    with pytest.raises(ValueError, match=r"toy\.mat (announces more|cannot be read)"):
        read(file)


@pytest.mark.parametrize("compressed", [False, True])
def test_sizes_are_those_of_the_variables(compressed):
    stream = io.BytesIO()
    values = {"a": X, "b": sp.csc_array(X), "c": cells(X, "abc"), "d": {"x": X}, "e": X * 1j}
    scipy.io.savemat(stream, values, do_compression=compressed)
    stream.seek(0)
    found = {one.name: one for one in list_variables(stream, lambda taken: None)}
    assert list(found) == list(values)
    assert found["a"].n_values == X.size
    # Row numbers, column pointers and values.
    assert found["b"].n_values == 2 * X.size + X.shape[1] + 1
    assert found["c"].n_values == 2 + X.size + 3
    assert found["e"].n_values == 2 * X.size
    assert [name for name, one in found.items() if not one.is_plain] == ["d"]
