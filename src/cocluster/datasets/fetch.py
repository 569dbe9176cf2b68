"""Data sets by name: from a folder, from the user's cache, or downloaded and checked."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.datasets.registry import DatasetInfo, dataset_info
from cocluster.io.dataset import Dataset
from cocluster.linalg.npz import load_arrays, matrices_in
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import cache_folder, new_file
from cocluster.utils.optional import library

# Environment variables: a folder with data sets, and an address to download them from.
FOLDER = "COCLUSTER_DATA"
MIRROR = "COCLUSTER_MIRROR"
# Seconds without any data after which a server counts as silent, and how often it is asked.
TIMEOUT = 30.0
ATTEMPTS = 3


def fetch(name: str, *, mirror: str | None = None, timeout: float = TIMEOUT) -> Dataset:
    """Load a data set by name.

    Its file is looked for in the folder ``$COCLUSTER_DATA`` (and below it), then in the user's
    cache, and is else downloaded into the cache. The files are made from public ones, which are
    named in ``list_datasets()``; they have no public address of their own, so a download needs
    the address of a mirror. A file is used only if its checksum is right.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    mirror : str, default: the environment variable COCLUSTER_MIRROR
        Address under which the files lie as in ``DatasetInfo.file``.
    timeout : float
        Seconds without any data after which a server counts as silent.

    Returns
    -------
    Dataset
        Give ``dataset.data`` to ``fit``; ``dataset.labels`` are the known classes.

    Raises
    ------
    ValueError
        If the name is unknown (the nearest are suggested) or the checksum wrong.
    FileNotFoundError
        If the file is nowhere and there is no mirror.
    ConnectionError
        If the download failed.

    Examples
    --------
    >>> dataset = fetch("re0")  # doctest: +SKIP
    >>> dataset.data  # doctest: +SKIP
    """
    info = dataset_info(name)
    return _load(info, locate(info, mirror=mirror, timeout=timeout))


def locate(info: DatasetInfo, *, mirror: str | None = None, timeout: float = TIMEOUT) -> Path:
    """Find the checked file of a data set or download it; parameters as for `fetch`."""
    user_file = _in_folder(info)
    if user_file is not None:
        # The user chose this folder: a wrong file in it is an error, and no other is looked for.
        _require_checksum(info, user_file)
        return user_file
    cached = cache_folder() / info.file
    if cached.exists() and _sha256(cached) == info.sha256:
        return cached
    if cached.exists():
        _keep_aside(cached, cached)
    base = mirror or os.environ.get(MIRROR)
    if not base:
        raise FileNotFoundError(f"Data set {info.name!r} is not here. {_remedy(info)}")
    return _download(f"{base.rstrip('/')}/{info.file}", cached, info, timeout)


def _in_folder(info: DatasetInfo) -> Path | None:
    """Find the file in the user's data folder: at its path, or anywhere below."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise FileNotFoundError(f"{FOLDER} names {folder!r}, which is no folder; correct it.")
    expected = Path(folder) / info.file
    if expected.exists():
        return expected
    # Of several files of that name always the same one, whatever order the disk lists them in.
    return min(Path(folder).rglob(expected.name), default=None)


def _require_checksum(info: DatasetInfo, file: Path) -> None:
    """Raise ValueError if the checksum of the user's file is wrong; leave the file untouched."""
    if _sha256(file) != info.sha256:
        raise ValueError(
            f"{file} is not the file of data set {info.name!r}: its checksum (sha256) is "
            f"{_sha256(file)} instead of {info.sha256}. Replace or rename it."
        )


def _download(url: str, target: Path, info: DatasetInfo, timeout: float) -> Path:
    """Download into the target's folder; the file appears under its name only if it is right."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with new_file(target) as unfinished:
        _receive(url, unfinished, info, timeout)
        if _sha256(unfinished) != info.sha256:
            aside = _keep_aside(unfinished, target)
            raise ValueError(
                f"{url} is not the file of data set {info.name!r}: its checksum (sha256) is wrong. "
                f"It was kept as {aside}. {_remedy(info)}"
            )
    return target


def _receive(url: str, file: Path, info: DatasetInfo, timeout: float) -> None:
    """Download an address into a file, with a progress bar on a terminal."""
    requests, download = _downloader(timeout)
    for retries in reversed(range(ATTEMPTS)):
        try:
            download(url, str(file), None)
            return
        except requests.RequestException as error:
            # A lost line may come back; an answer such as "not found" stays.
            if not retries or isinstance(error, requests.HTTPError):
                raise ConnectionError(
                    f"{url} could not be downloaded ({error}). {_remedy(info)}"
                ) from error


def _downloader(timeout: float) -> tuple[Any, Any]:
    """Import requests and pooch; return requests and a downloader."""
    pooch, requests = (library(name, "downloads", "data") for name in ("pooch", "requests"))
    return requests, pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=timeout)


def _remedy(info: DatasetInfo) -> str:
    """Explain the origin of the file and the folder to put it in."""
    return (
        f"Put {Path(info.file).name} (made from: {info.origin}) into the folder that {FOLDER} "
        f"names, or to {cache_folder() / info.file}, or set {MIRROR} to an address that has it."
    )


def _keep_aside(file: Path, target: Path) -> Path:
    """Rename a file with a wrong checksum, which is then neither used nor lost."""
    return file.replace(target.with_name(f"{target.name}.rejected"))


def _sha256(file: Path) -> str:
    """Checksum of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _load(info: DatasetInfo, file: Path) -> Dataset:
    """Load the data set from its checked file."""
    arrays = load_arrays(file)
    matrices, remaining = matrices_in(arrays)
    keys = {view: info.keys.get(view, view) for view in info.shapes}
    feature_names = {
        view: _names(remaining, key, single=len(keys) == 1) for view, key in keys.items()
    }
    labels = remaining.pop("labels", None)
    sample_names = next(
        (remaining.pop(k) for k in ("sample_names", "doc_ids") if k in remaining), None
    )
    views: dict[str, InMemory] = {view: matrices.pop(key) for view, key in keys.items()}
    return Dataset(
        info.name,
        views,
        labels=None if labels is None else labels.astype(np.int64),
        class_names=remaining.pop("class_names", None),
        sample_names=sample_names,
        feature_names={view: names for view, names in feature_names.items() if names is not None},
        masks={k: v for k, v in remaining.items() if v.dtype == bool},
        extras=matrices | {k: v for k, v in remaining.items() if v.dtype != bool},
        notes=(info.notes,),
        info={"kind": info.kind, "origin": info.origin, "licence": info.licence},
    )


def _names(remaining: dict[str, Array], key: str, *, single: bool) -> Array | None:
    """Pop the feature names of a view from the remaining arrays."""
    # Files with several views call them VIEW_names, so that it is clear whose they are.
    words = ("terms", "feature_names") if single else (f"{key}_names",)
    return next((remaining.pop(word) for word in words if word in remaining), None)
