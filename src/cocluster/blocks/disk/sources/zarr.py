"""zarr stores: a dense array, a CSR group, or AnnData."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cocluster.blocks.disk.sources.arrays import Stored, open_stored
from cocluster.utils.optional import library
from cocluster.utils.text import json_object, shorten

# Files that make a folder a store, of both versions of the format.
MARKS = ("zarr.json", ".zarray", ".zgroup")
# Files that name the codecs of arrays, for one array or for all of a store.
METADATA = ("zarr.json", ".zarray", ".zmetadata")


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The store as an array or a group."""
    zarr = library("zarr", "zarr stores", "zarr")
    with warnings.catch_warnings():
        # It warns of descriptions that it mends, such as chunks of no size; `arrays` checks them.
        warnings.simplefilter("ignore", UserWarning)
        store = zarr.open(path, mode="r")
    yield store


def open_zarr(path: Path, memory: int) -> Stored:
    """Source of a 2-D array, of a group with data, indices, indptr and shape, or of ``X``."""
    _refuse_pickle(path)
    return open_stored(path, opened, memory)


def _refuse_pickle(folder: Path) -> None:
    """Refuse a store whose values are pickled: to read them is to run whatever code they name.

    Older versions of numcodecs do so without a question.
    """
    for file in _metadata(folder):
        text = file.read_text(encoding="utf-8", errors="replace")
        name = shorten(str(file.relative_to(folder)))
        if "pickle" in _codecs(json_object(text, f"{folder.name}, {name}")):
            raise ValueError(
                f"{folder.name} holds pickled values ({name}), which could run "
                "any code when they are read; store numbers, without an object codec."
            )


def _metadata(folder: Path) -> Iterator[Path]:
    """Files of a store that name codecs, also behind links, which zarr follows."""
    seen = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        if (real := os.path.realpath(place)) in seen:
            folders.clear()  # a link back: to go on would have no end
        seen.add(real)
        yield from (Path(place) / name for name in METADATA if name in names)


def _codecs(described: Any) -> set[str]:
    """Names of the codecs in a description of arrays, without the package they are from."""
    if isinstance(described, dict):
        own = (described.get("id"), described.get("name"))
        found = {str(name).split(".")[-1].lower() for name in own}
        return found.union(*map(_codecs, described.values()))
    return set().union(*map(_codecs, described)) if isinstance(described, list) else set()


def is_store(folder: Path) -> bool:
    """Whether a folder is a zarr store."""
    return any((folder / mark).exists() for mark in MARKS)
