"""The pages of the documentation, and what is shown on them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Written by `make docs` from the code or from other pages, and so not known to git.
WRITTEN = ("_build", "_written", "gallery", "project", "api", "benchmarks")
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in (ROOT / "README.md", DOCS / "llms.txt", *sorted(DOCS.rglob("*.md")))
    if not set(path.relative_to(ROOT).parts) & set(WRITTEN)
    and path.name not in ("command-line.md", "account.md", "http.md")
}
FENCE = re.compile(r"^(?P<marks>```+)(?P<language>\w*)\n(?P<text>.*?)^(?P=marks)$", re.M | re.S)


class Block(NamedTuple):
    """A block of code on a page."""

    language: str
    text: str


def blocks(page: str, *languages: str) -> list[Block]:
    """Blocks of a page in some languages; all without any."""
    found = [
        Block(match["language"], match["text"])
        for match in FENCE.finditer(PAGES[page].read_text(encoding="utf-8"))
    ]
    return [block for block in found if not languages or block.language in languages]


def with_samples(folder: Path) -> Path:
    """A folder with the files that pages read."""
    # As in a clone of the repository, and as someone has them who downloaded them.
    for place in (folder / "docs" / "samples", folder):
        place.mkdir(parents=True, exist_ok=True)
        for path in (DOCS / "samples").glob("*.csv"):
            shutil.copy(path, place)
    return folder
