"""Copy pages from other folders of the repository into the documentation.

The benchmarks write their pages and figures beside their code. This extension copies them to
``results/``, and the project's own pages to ``project/``. It keeps links between pages and turns
links to code into plain text.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from written import put

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
PROJECT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def pages() -> dict[Path, Path]:
    """Return the path of each copy by the path of its original."""
    results = {
        path: DOCS / "results" / path.relative_to(ROOT)
        for path in sorted((ROOT / "benchmarks").rglob("*.md"))
        if not any(part.startswith(".") or part == "working" for part in path.parts)
    }
    return results | {ROOT / name: DOCS / "project" / name for name in PROJECT_PAGES}


def copy(app: Any) -> None:
    """Copy all pages with their figures, and remove copies whose originals no longer exist."""
    copies = pages()
    for folder in (DOCS / "results" / "benchmarks", DOCS / "project"):
        for old in set(folder.rglob("*.md")) - set(copies.values()):
            old.unlink()
    for source, target in copies.items():
        put(target, relink(source, copies))
        for picture in source.parent.glob("*.png"):
            _copy_picture(picture, target.parent / picture.name)


def relink(source: Path, copies: dict[Path, Path]) -> str:
    """Return the text of a page with links that are valid at the place of its copy."""
    target = copies[source]

    def link(match: re.Match[str]) -> str:
        image_mark, words, address, anchor = match.groups()
        if "://" in address:
            return match[0]
        original = (source.parent / address).resolve()
        if image_mark:
            return match[0]
        path = copies.get(original, original)
        if DOCS not in path.parents or (original not in copies and not path.exists()):
            return words
        return f"[{words}]({os.path.relpath(path, target.parent)}{anchor or ''})"

    text = LINK.sub(link, source.read_text(encoding="utf-8"))
    # Sections of a longer page start with a second-level heading; as pages they need a title.
    return re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE) if text.startswith("## ") else text


def _copy_picture(source: Path, target: Path) -> None:
    """Copy an image unless the copy is up to date."""
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def setup(app: Any) -> dict[str, bool]:
    """Register `copy` to run before Sphinx reads the pages."""
    app.connect("builder-inited", copy, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
