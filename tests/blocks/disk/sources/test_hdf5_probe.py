"""A damaged HDF5 file ends or stops another process, not this one."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("h5py")

import h5py

from cocluster.blocks.disk.sources import hdf5_probe
from cocluster.blocks.disk.sources.arrays import open_h5ad
from cocluster.blocks.disk.sources.hdf5_probe import probe
from cocluster.io import read

# Programs that answer like the trial, but for files called "bad".
HARM = {
    "crash": "os.kill(os.getpid(), 11)",
    "hang": "signal.setitimer(signal.ITIMER_PROF, asked['seconds'])\n        while True: pass",
    "sleep": "time.sleep(1000)",
}
PROGRAM = """
import json, os, signal, sys, time
print(flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "bad" in asked["path"]:
        {harm}
    print(os.getpid(), flush=True)
"""


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """A file with a matrix in chunks, texts, and nothing else."""
    path = tmp_path / "toy.h5ad"
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=np.eye(30), chunks=(7, 30), compression="gzip")
        file["names"] = ["a", "b"]
        file["nothing"] = h5py.Empty("f")
        file["one"] = 1.5
        file.attrs["of"] = "numbers"
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize("kind", HARM)
def test_harm_to_the_other_process_is_said_in_a_sentence(kind, tmp_path, monkeypatch, matrix):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(harm=HARM[kind]))
    monkeypatch.setattr(hdf5_probe, "SECONDS", 0.2)
    monkeypatch.setattr(hdf5_probe, "PATIENCE", 5.0)
    monkeypatch.setattr(hdf5_probe, "PROGRAM", program)
    trial = hdf5_probe._Probe()
    bad = tmp_path / "bad.h5ad"
    bad.write_bytes(b"x")
    first = trial.ask(matrix, 0.2)
    assert trial.ask(matrix, 0.2) == first
    assert trial.ask(bad, 0.2) is None
    # Another process has taken its place.
    assert int(trial.ask(matrix, 0.2)) not in (int(first), os.getpid())
    trial.close()
    monkeypatch.setattr(hdf5_probe, "_probe", trial)
    with pytest.raises(
        ValueError, match=r"bad\.h5ad cannot be read \(the library for HDF5 crashes"
    ):
        open_h5ad(bad, 10**6)
    trial.close()


def test_a_file_on_which_the_library_runs_without_end(tmp_path, monkeypatch):
    # AnnData of a few rows, in which some bytes were changed.
    path = tmp_path / "endless.h5ad"
    path.write_bytes(gzip.decompress(Path(__file__).with_name("endless.h5ad.gz").read_bytes()))
    monkeypatch.setattr(hdf5_probe, "SECONDS", 1.0)
    for reading in (lambda: open_h5ad(path, 10**6), lambda: read(path)):
        with pytest.raises(ValueError, match=r"endless\.h5ad cannot be read \(.*end in 1 seconds"):
            reading()


def test_sound_files_are_read_to_their_end(matrix):
    hdf5_probe.refuse_damaged(matrix)
    for most in (0, 10**6):
        probe(str(matrix), most)


def test_damage_in_values_is_found_in_small_files_only(matrix):
    with h5py.File(matrix) as file:
        places = [file["X"].id.get_chunk_info(i).byte_offset for i in range(5)]
    raw = bytearray(matrix.read_bytes())
    raw[places[2] : places[2] + 8] = bytes(8)
    matrix.write_bytes(raw)
    with pytest.raises(ValueError, match=r"filter|inflate|read"):
        hdf5_probe.refuse_damaged(matrix)


def test_a_trial_may_not_take_all_memory(tmp_path, monkeypatch):
    if not Path("/proc/self/statm").exists():
        pytest.skip("limits are those of Linux")
    path = tmp_path / "toy.h5ad"
    with h5py.File(path, "w") as file:
        # One row of this takes more than is allowed below.
        file.create_dataset("X", (2, 60_000_000), "f8")
    monkeypatch.setattr(hdf5_probe, "MOST_MEMORY", 10**8)
    with pytest.raises(ValueError, match=r"memory|allocate"):
        hdf5_probe.refuse_damaged(path)


def test_without_processes_files_are_taken_as_they_are(matrix, monkeypatch):
    def none(*_args, **_options):
        raise OSError("no processes here")

    monkeypatch.setattr(hdf5_probe, "_probe", hdf5_probe._Probe())
    monkeypatch.setattr(subprocess, "Popen", none)
    hdf5_probe.refuse_damaged(matrix)
