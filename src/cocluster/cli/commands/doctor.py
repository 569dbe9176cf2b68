"""``cocluster doctor``: installed packages, and missing optional ones."""

from __future__ import annotations

import os
import platform
import sys
from argparse import Namespace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cocluster.cli.terminal import show, table
from cocluster.utils.files import cache_folder
from cocluster.utils.optional import install_command
from cocluster.utils.text import as_json

# Packages by extra, and what they are for.
EXTRAS = {
    "fast": ("numba", "compiled sums for large sparse data"),
    "plot": ("matplotlib", "pictures"),
    "ann": ("faiss-cpu", "neighbours of very many samples"),
    "parquet": ("pyarrow", "parquet files"),
    "excel": ("openpyxl", "Excel files"),
    "frames": ("pandas", "results as frames"),
    "omics": ("anndata", "AnnData and MuData"),
    "zarr": ("zarr", "zarr stores"),
    "dask": ("distributed", "data on a Dask cluster"),
    "data": ("pooch", "fetching data sets"),
    "image": ("scikit-image", "folders of pictures"),
    "web": ("starlette", "the workbench"),
}
CORE = ("cocluster", "numpy", "scipy", "scikit-learn", "threadpoolctl")


def run(args: Namespace) -> int:
    """Show the installed packages; return 1 if a required one is missing."""
    versions = {
        "python": f"{platform.python_version()} ({sys.executable})",
        **{name: _version(name) for name in CORE},
        "cores": os.cpu_count(),
        "output": f"{sys.stdout.encoding}, {'terminal' if sys.stdout.isatty() else 'pipe'}",
        "cache": _cache(),
    }
    extras = [
        [
            extra,
            package,
            _version(package) or "missing",
            purpose,
            "" if _version(package) else install_command(extra),
        ]
        for extra, (package, purpose) in EXTRAS.items()
    ]
    if args.json:
        heads = ("extra", "package", "version", "for", "install")
        show(
            as_json({**versions, "extras": [dict(zip(heads, row, strict=True)) for row in extras]})
        )
    else:
        show(table(["", "found"], [[name, str(value)] for name, value in versions.items()]))
        show("\n" + table(["extra", "package", "version", "for", "to install"], extras))
    return 0 if all(versions[name] for name in CORE) else 1


def _version(package: str) -> Any:
    """Return the version of a package; empty if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _cache() -> str:
    """Return the folder of downloads and whether it is writable."""
    try:
        folder = cache_folder()
    except FileNotFoundError as error:
        return str(error)
    above: Path = folder
    while not above.exists():
        above = above.parent
    return f"{folder}{'' if os.access(above, os.W_OK) else ' (cannot be written)'}"
