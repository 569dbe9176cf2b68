"""The pages that `make docs` wrote, in a real browser; skipped where they are not built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS

pytestmark = pytest.mark.browser
SITE = DOCS / "_build" / "html"
PAGES = (
    "index",
    "start/what-for",
    "start/five-minutes",
    "start/live",
    "gallery/index",
    "gallery/plot_01_texts",
    "how-to/other-libraries",
    "explanation/choosing",
    "explanation/factorisation",
    "reference/names",
    "reference/api/cocluster.CoCluster",
    "reference/command-line",
    "results/index",
    "trust",
    "checklists",
    "results/benchmarks/leaderboard/README",
)
# The theme names a file that it does not have; nothing is missing without it.
UNUSED = "basic.css"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nobody_fits_a_phone_and_axe_finds_nothing(
    browser: Any, axe: Path, name: str
) -> None:
    file = SITE / f"{name}.html"
    if not file.exists():
        pytest.skip("make docs has not been run")
    context = browser.new_context(viewport={"width": 390, "height": 800})
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(file.as_uri())
    page.add_script_tag(path=str(axe))
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    inside = ("data:", SITE.as_uri())
    assert [url for url in asked if not url.startswith(inside) and UNUSED not in url] == []
    context.close()
