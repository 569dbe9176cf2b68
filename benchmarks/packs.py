"""Raw runs: one small compressed file in git, plain lines while something runs.

A folder of results has a *pack*, ``runs.tar.xz``: all its tables of runs as CSV files, which
``tar xf`` opens. What a row was made with (its ``versions``) is the same text in thousands of rows;
in the pack a row has the number of a line of ``versions.txt`` instead, counted from 0.

While runs are added, the tables are plain files in the *working folder*, ``working/``, which git
ignores. Every finished run is one line at the end of a file, so a process that is killed loses no
more than the run it was at. A working folder that is there is newer than the pack: it is what is
read, and what becomes the next pack.
"""

from __future__ import annotations

import csv
import fcntl
import io
import lzma
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

PACK = "runs.tar.xz"
WORKING = "working"
VERSIONS = "versions.txt"
# What exists for moments only, or for the lock; git ignores the names that begin so.
PASSING = ".working"


def read_text(folder: Path, name: str) -> str:
    """A table of a folder as text, without a last line that was cut off; "" if there is none."""
    working = folder / WORKING
    if not working.is_dir():
        return _tables(folder / PACK).get(name, "")
    file = working / name
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return text[: text.rfind("\n") + 1]


def read_rows(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table; none if there is no such table."""
    return list(csv.DictReader(io.StringIO(read_text(folder, name), newline="")))


def append_row(folder: Path, name: str, row: Mapping[str, Any], fields: Sequence[str]) -> None:
    """Add one line to a table of the working folder; a new table begins with its head."""
    file = unpack(folder) / name
    _mend(file)
    new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, fields, restval="", lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def write_rows(
    folder: Path, name: str, rows: Sequence[Mapping[str, Any]], fields: Sequence[str]
) -> None:
    """Put these rows in the place of a table of the working folder."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fields, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(folder, name, text.getvalue())


def write_text(folder: Path, name: str, text: str) -> None:
    """Put this text in the place of a table of the working folder, whole or not at all."""
    _replace(unpack(folder) / name, text.encode())


@contextmanager
def packed_afterwards(folder: Path) -> Iterator[None]:
    """Pack the working folder at the end, also at an error or an interruption.

    Several processes may add runs to one folder; the last of them packs. Two that end at the same
    moment may both leave it to the other: the working folder then stays until the next time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{PASSING}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            yield
        finally:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            else:
                pack(folder)


def unpack(folder: Path) -> Path:
    """The working folder, made from the pack if it is not there."""
    working = folder / WORKING
    if working.is_dir():
        return working
    new = _passing_folder(folder)
    for name, text in _tables(folder / PACK).items():
        (new / name).write_text(text, encoding="utf-8")
    try:
        # Filled elsewhere and then renamed: a working folder counts as whole as soon as it exists.
        new.rename(working)
    except OSError:
        # Another process was quicker, and may have added runs to its copy already.
        shutil.rmtree(new)
        if not working.is_dir():
            raise
    return working


def pack(folder: Path) -> None:
    """Write the pack from the working folder, if there is one, and remove the working folder."""
    working = folder / WORKING
    if working.is_dir():
        names = sorted(file.name for file in working.glob("*.csv"))
        _replace(folder / PACK, _packed({name: read_text(folder, name) for name in names}))
        # Renamed before it is removed: a kill in the middle must leave no half of a working folder.
        working.rename(_passing_folder(folder))
    # Also what a process has left that was killed right here.
    for left in folder.glob(f"{PASSING}-*"):
        shutil.rmtree(left)
    (folder / f"{PASSING}.part").unlink(missing_ok=True)


def _passing_folder(folder: Path) -> Path:
    """A new empty folder beside the working folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{PASSING}-", dir=folder))


def _replace(file: Path, content: bytes) -> None:
    """Write a file that is complete as soon as it has its name."""
    new = file.with_name(f"{PASSING}.part")
    new.write_bytes(content)
    new.replace(file)


def _mend(file: Path) -> None:
    """Take out a last line that was cut off, so that the next one begins at its beginning."""
    if not file.exists():
        return
    with file.open("rb+") as opened:
        content = opened.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            opened.truncate(whole)


def _packed(tables: Mapping[str, str]) -> bytes:
    """The content of a pack; the same tables give the same bytes."""
    numbers: dict[str, str] = {}

    def number(made_with: str) -> str:
        return numbers.setdefault(made_with, str(len(numbers)))

    members = {name: _with_versions(text, number) for name, text in tables.items()}
    members[VERSIONS] = "".join(f"{made_with}\n" for made_with in numbers)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz", preset=9) as archive:
        for name, text in members.items():
            # A new TarInfo has no owner and the time 0, which would change from pack to pack.
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


def _tables(pack: Path) -> Mapping[str, str]:
    """The tables of a pack by name; none if there is no pack."""
    if not pack.exists():
        return {}
    found = pack.stat()
    return _tables_of(pack, found.st_mtime_ns, found.st_size)


# A page reads its tables many times; time and size say whether the pack is still the same file.
@lru_cache(maxsize=8)
def _tables_of(pack: Path, changed: int, size: int) -> Mapping[str, str]:
    """As `_tables`, unpacked once."""
    try:
        # As a whole, so that its checksum is looked at.
        content = lzma.decompress(pack.read_bytes())
    except lzma.LZMAError as error:
        raise ValueError(f"{pack} is damaged ({error}); restore it from git.") from error
    members = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            opened = archive.extractfile(member)
            assert opened is not None
            members[member.name] = opened.read().decode()
    versions = members.pop(VERSIONS).splitlines()
    return {
        name: _with_versions(text, lambda number: versions[int(number)])
        for name, text in members.items()
    }


def _with_versions(text: str, change: Callable[[str], str]) -> str:
    """A table with its column of versions changed, entry by entry; without the column as it is."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if not rows or "versions" not in rows[0]:
        return text
    place = rows[0].index("versions")
    for row in rows[1:]:
        row[place] = change(row[place])
    changed = io.StringIO(newline="")
    csv.writer(changed, lineterminator="\n").writerows(rows)
    return changed.getvalue()
