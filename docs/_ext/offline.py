"""Check that no generated page loads a resource from another server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.util import logging

logger = logging.getLogger(__name__)
# Resources that a browser loads without a click. Links that a reader may follow are allowed.
EXTERNAL_RESOURCE = re.compile(
    r"""<(?:script|img|iframe|source|embed)\b[^>]*\bsrc=["'](?:https?:)?//[^"']+"""
    r"""|<link\b(?![^>]*rel=["'](?:canonical|license)["'])[^>]*\bhref=["'](?:https?:)?//[^"']+"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^"')]+""",
    re.IGNORECASE,
)


def check_pages(app: Any, exception: Exception | None) -> None:
    """Warn of every page that loads a resource from another server."""
    if exception is not None or app.builder.name != "html":
        return
    for path in sorted(Path(app.outdir).rglob("*")):
        if path.suffix in (".html", ".css") and "pyodide" not in path.parts:
            for match in EXTERNAL_RESOURCE.findall(path.read_text(encoding="utf-8")):
                logger.warning("%s loads an external resource: %s", path.name, match)


def setup(app: Any) -> dict[str, bool]:
    """Register the check for the end of a build."""
    app.connect("build-finished", check_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
