"""Provide the files of the live page: the package as a wheel, ``live/run.py``, and Pyodide."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.util import logging

ROOT = Path(__file__).parents[2]
logger = logging.getLogger(__name__)


def pack(app: Any, exception: Exception | None) -> None:
    """Copy the files of the live page to ``_static`` when the pages are written."""
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / "_static" / "live"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "docs" / "live" / "run.py", folder)
    _build_wheel(folder)
    runtime = os.environ.get("DOCS_PYODIDE")
    if runtime:
        shutil.copytree(runtime, folder.parent / "pyodide", dirs_exist_ok=True)


def _build_wheel(folder: Path) -> None:
    """Build the wheel of the package, unless it is newer than every source file."""
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml"]
    newest = max(path.stat().st_mtime for path in sources)
    if any(wheel.stat().st_mtime > newest for wheel in folder.glob("*.whl")):
        return
    for old in folder.glob("*.whl"):
        old.unlink()
    # The extra `docs` contains everything that builds the wheel, so nothing is downloaded.
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    process = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
    )
    if process.returncode:
        logger.warning("The wheel for the live page could not be built: %s", process.stderr)
        return
    (wheel,) = folder.glob("*.whl")
    (folder / "live.json").write_text(json.dumps({"wheel": wheel.name}), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register `pack` for the end of a build."""
    app.connect("build-finished", pack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
