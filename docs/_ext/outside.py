"""Pages that live elsewhere in the tree, beside what writes them, as pages of the documentation.

Figures and tables stand where the benchmarks put them. Here they are copied to ``results/`` and
``project/``; links between them are kept, and links to code become plain words.
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
IN_PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def pages() -> dict[Path, Path]:
    """Where each page is, and where its copy goes."""
    results = {
        path: DOCS / "results" / path.relative_to(ROOT)
        for path in sorted((ROOT / "benchmarks").rglob("*.md"))
        if not any(part.startswith(".") or part == "working" for part in path.parts)
    }
    return results | {ROOT / name: DOCS / "project" / name for name in IN_PROJECT}


def copy(app: Any) -> None:
    """Copy all pages, with the pictures beside them; copies of pages that are gone go, too."""
    found = pages()
    for folder in (DOCS / "results" / "benchmarks", DOCS / "project"):
        for old in set(folder.rglob("*.md")) - set(found.values()):
            old.unlink()
    for source, target in found.items():
        put(target, linked(source, found))
        for picture in source.parent.glob("*.png"):
            _copy_picture(picture, target.parent / picture.name)


def linked(source: Path, found: dict[Path, Path]) -> str:
    """The text of a page with links that hold at its new place."""
    target = found[source]

    def link(match: re.Match[str]) -> str:
        mark, words, address, anchor = match.groups()
        if "://" in address:
            return match[0]
        pointed = (source.parent / address).resolve()
        if mark:
            return match[0]
        place = found.get(pointed, pointed)
        if DOCS not in place.parents or (pointed not in found and not place.exists()):
            return words
        return f"[{words}]({os.path.relpath(place, target.parent)}{anchor or ''})"

    text = LINK.sub(link, source.read_text(encoding="utf-8"))
    # Parts of a longer page begin with a smaller heading; as pages they need a title.
    return re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE) if text.startswith("## ") else text


def _copy_picture(source: Path, target: Path) -> None:
    """Copy a picture unless it is there."""
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def setup(app: Any) -> dict[str, bool]:
    """Copy before the pages are read."""
    app.connect("builder-inited", copy, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
