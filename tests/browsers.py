"""A real browser, and axe, for the tests of pages; both are skipped where they cannot be had."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Nothing in the background: a request would be counted as one of the page. No sandbox, because
# tests may run as root, and the page is our own.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium of the system, or the one that playwright has."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with driver.sync_playwright() as started:
        try:
            opened = started.chromium.launch(executable_path=program, args=list(FLAGS))
        except driver.Error as error:
            pytest.skip(f"no browser can be started: {str(error).splitlines()[0]}")
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def axe() -> Path:
    """The script that looks for what people with disabilities cannot use."""
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-playwright-python is not installed")
    return Path(spec.origin).parent / "axe.min.js"
