"""No page may load anything from elsewhere: looked at in all that was written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.util import logging

logger = logging.getLogger(__name__)
# What a browser loads by itself. Links that a reader may follow are no harm.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|embed)\b[^>]*\bsrc=["'](?:https?:)?//[^"']+"""
    r"""|<link\b(?![^>]*rel=["'](?:canonical|license)["'])[^>]*\bhref=["'](?:https?:)?//[^"']+"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^"')]+""",
    re.IGNORECASE,
)


def look(app: Any, exception: Exception | None) -> None:
    """Warn of every page that would ask another server."""
    if exception is not None or app.builder.name != "html":
        return
    for path in sorted(Path(app.outdir).rglob("*")):
        if path.suffix in (".html", ".css") and "pyodide" not in path.parts:
            for match in LOADED.findall(path.read_text(encoding="utf-8")):
                logger.warning("%s loads from elsewhere: %s", path.name, match)


def setup(app: Any) -> dict[str, bool]:
    """Look at the end of a build."""
    app.connect("build-finished", look)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
