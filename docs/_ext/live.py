"""What the live page loads: the package as a wheel, ``live/run.py``, and Pyodide if given."""

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
    """Put everything below ``_static`` of the pages, after they are written."""
    if exception is not None or app.builder.name != "html":
        return
    place = Path(app.outdir) / "_static" / "live"
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "docs" / "live" / "run.py", place)
    _wheel(place)
    runtime = os.environ.get("DOCS_PYODIDE")
    if runtime:
        shutil.copytree(runtime, place.parent / "pyodide", dirs_exist_ok=True)


def _wheel(place: Path) -> None:
    """Pack the package, unless the wheel is newer than every file of it."""
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml"]
    newest = max(path.stat().st_mtime for path in sources)
    if any(wheel.stat().st_mtime > newest for wheel in place.glob("*.whl")):
        return
    for old in place.glob("*.whl"):
        old.unlink()
    # Nothing is fetched: what builds the wheel is part of the extra `docs`.
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(place), str(ROOT)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        logger.warning("The package could not be packed for the live page: %s", done.stderr)
        return
    (wheel,) = place.glob("*.whl")
    (place / "live.json").write_text(json.dumps({"wheel": wheel.name}), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Pack at the end of a build."""
    app.connect("build-finished", pack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
