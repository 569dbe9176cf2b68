"""A folder as bytes and back, so that a case is always a sequence of bytes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path, PurePosixPath

Tree = dict[str, bytes]


def packed(tree: Tree) -> bytes:
    """Files by name as an archive; the same files give the same bytes."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for name, content in tree.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return kept.getvalue()


def unpacked(data: bytes) -> Tree:
    """Files by name; those that `packed` did not write are left out."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # whatever an archive that was damaged raises
        return {}


def read_tree(folder: Path) -> Tree:
    """The files below a folder, in the order of their names."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def write_tree(folder: Path, tree: Tree) -> None:
    """Write files below a folder; names that lead out of it, or cannot be, are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or not place.name:
            continue
        try:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(content)
        except (OSError, ValueError):
            continue  # a file and a folder of one name, or a name that no disk takes
