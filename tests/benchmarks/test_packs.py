"""Packs of raw runs: nothing is lost, whatever is killed and whenever."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from benchmarks import packs
from benchmarks.packs import (
    PACK,
    PASSING,
    VERSIONS,
    WORKING,
    append_row,
    pack,
    packed_afterwards,
    read_rows,
    read_text,
    unpack,
    write_rows,
    write_text,
)

FIELDS = ("set", "seed", "said", "versions")
NEW, OLD = "numpy=2.4 scipy=1.17", "numpy=1.0 scipy=1.0"
ROWS = [
    {"set": "a", "seed": "0", "said": '{"α": 1, "b": null}', "versions": NEW},
    {"set": "b", "seed": "1", "said": "two\nlines", "versions": OLD},
    {"set": "c", "seed": "2", "said": "", "versions": NEW},
]
PLAIN = "panel,kind\nfirst,point\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tables in a pack, of which one has versions."""
    for row in ROWS:
        append_row(tmp_path, "runs.csv", row, FIELDS)
    write_text(tmp_path, "figure1.csv", PLAIN)
    pack(tmp_path)
    return tmp_path


def members(folder: Path) -> dict[str, str]:
    with tarfile.open(folder / PACK) as archive:
        return {m.name: archive.extractfile(m).read().decode() for m in archive}  # type: ignore[union-attr]


def test_rows_come_back_as_they_were_and_versions_are_stored_once(folder: Path) -> None:
    assert [file.name for file in folder.iterdir()] == [PACK]
    assert read_rows(folder, "runs.csv") == ROWS
    assert read_text(folder, "figure1.csv") == PLAIN
    assert read_rows(folder, "figure9.csv") == []
    packed = members(folder)
    assert packed[VERSIONS].splitlines() == [NEW, OLD]
    assert "numpy" not in packed["runs.csv"]


def test_unpacking_and_packing_change_no_byte(folder: Path) -> None:
    before = (folder / PACK).read_bytes()
    text = read_text(folder, "runs.csv")
    assert (unpack(folder) / "runs.csv").read_text() == text
    pack(folder)
    assert (folder / PACK).read_bytes() == before


def test_a_row_is_added_to_what_the_pack_has(folder: Path) -> None:
    append_row(folder, "runs.csv", {"set": "d", "versions": OLD}, FIELDS)
    added = {"set": "d", "seed": "", "said": "", "versions": OLD}
    assert read_rows(folder, "runs.csv") == [*ROWS, added]
    pack(folder)
    assert read_rows(folder, "runs.csv") == [*ROWS, added]
    assert read_text(folder, "figure1.csv") == PLAIN


def test_a_working_folder_is_newer_than_the_pack(folder: Path) -> None:
    write_rows(folder, "runs.csv", ROWS[:1], FIELDS)
    assert read_rows(folder, "runs.csv") == ROWS[:1]
    # As after a kill: the pack is the old one, and the next work begins with the working folder.
    with packed_afterwards(folder):
        append_row(folder, "runs.csv", ROWS[1], FIELDS)
    assert not (folder / WORKING).exists()
    assert read_rows(folder, "runs.csv") == ROWS[:2]


def test_a_line_that_was_cut_off_is_taken_out(folder: Path) -> None:
    file = unpack(folder) / "runs.csv"
    whole = file.read_text()
    file.write_text(whole + "d,3,cut off in the mid")
    assert read_rows(folder, "runs.csv") == ROWS
    append_row(folder, "runs.csv", ROWS[0], FIELDS)
    assert file.read_text().startswith(whole)
    assert read_rows(folder, "runs.csv") == [*ROWS, ROWS[0]]


@pytest.mark.parametrize("name", ["rename", "replace", "rmtree"])
def test_a_kill_at_any_step_of_packing_loses_nothing(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_row(folder, "runs.csv", ROWS[0], FIELDS)

    def killed(*_: object, **__: object) -> None:
        raise SystemExit

    owner = packs.shutil if name == "rmtree" else Path
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, killed)
        with pytest.raises(SystemExit):
            pack(folder)
    assert read_rows(folder, "runs.csv") == [*ROWS, ROWS[0]]
    append_row(folder, "runs.csv", ROWS[1], FIELDS)
    pack(folder)
    assert read_rows(folder, "runs.csv") == [*ROWS, ROWS[0], ROWS[1]]
    assert {file.name for file in folder.iterdir()} == {PACK}


def test_a_kill_while_unpacking_leaves_the_pack_in_force(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        with pytest.raises(SystemExit):
            unpack(folder)
    assert read_rows(folder, "runs.csv") == ROWS


def test_the_last_of_several_processes_packs(folder: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from benchmarks.packs import append_row, packed_afterwards

with packed_afterwards(Path({str(folder)!r})):
    append_row(Path({str(folder)!r}), "runs.csv", {ROWS[1]!r}, {FIELDS!r})
"""
    root = str(Path(__file__).parents[2])
    with packed_afterwards(folder):
        append_row(folder, "runs.csv", ROWS[0], FIELDS)
        subprocess.run([sys.executable, "-c", program], check=True, cwd=root)
        assert (folder / WORKING).is_dir()
        append_row(folder, "runs.csv", ROWS[2], FIELDS)
    assert not (folder / WORKING).exists()
    assert read_rows(folder, "runs.csv") == [*ROWS, *ROWS[:2], ROWS[2]]


def test_an_error_is_no_reason_not_to_pack(folder: Path) -> None:
    def interrupted() -> None:
        with packed_afterwards(folder):
            append_row(folder, "runs.csv", ROWS[0], FIELDS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not (folder / WORKING).exists()
    assert len(read_rows(folder, "runs.csv")) == len(ROWS) + 1


def test_a_damaged_pack_is_named_with_the_remedy(folder: Path) -> None:
    (folder / PACK).write_bytes((folder / PACK).read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"runs.tar.xz is damaged .* restore it from git"):
        read_rows(folder, "runs.csv")


def test_what_a_kill_has_left_goes_though_there_is_nothing_to_pack(folder: Path) -> None:
    before = {file.name for file in folder.iterdir()}
    (folder / f"{PASSING}-half").mkdir()
    (folder / f"{PASSING}.part").touch()
    with packed_afterwards(folder):
        pass
    assert {file.name for file in folder.iterdir()} == before | {f"{PASSING}.lock"}
