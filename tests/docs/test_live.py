"""The Python side of the live page: run as in a browser, without threads and without numba."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS

# What a browser lacks is taken away before anything is imported.
BARE = """
import sys, threading
class Lacking:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in ("numba", "faiss", "pandas", "matplotlib"):
            return self.finder.find_spec(name, path, target)
sys.meta_path[:] = map(Lacking, sys.meta_path)
def refused(self):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refused
exec(compile(open(sys.argv[1]).read(), "run.py", "exec"))
"""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code after that of the page, in a bare process."""
    words = [sys.executable, "-c", BARE + code, str(DOCS / "live" / "run.py"), *arguments]
    return subprocess.run(words, capture_output=True, text=True)


@pytest.mark.parametrize("clusters", ["None", "4"])
def test_a_file_becomes_a_report(clusters: str) -> None:
    code = f"print(report_from_file('letters.csv', open(sys.argv[2], 'rb').read(), {clusters}))"
    done = run(code, str(DOCS / "samples" / "letters.csv"))
    assert done.returncode == 0, done.stderr
    for word in ("parcel", "invoice", "jacket", "password"):
        assert word in done.stdout
    assert "<html" in done.stdout


def test_pasted_texts_become_a_report() -> None:
    code = "print(report_from_texts('\\n'.join(['cats and dogs', 'moon and stars'] * 10), 2))"
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert "moon" in done.stdout


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("report_from_texts('one\\ntwo')", "Paste at least 4 texts"),
        ("report_from_file('big.csv', bytes(MAX_BYTES + 1))", "too much for a browser"),
    ],
)
def test_what_cannot_be_done_is_said_in_the_last_line(code: str, sentence: str) -> None:
    done = run(code)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]


def test_a_name_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    away = tmp_path / "away.txt"
    run(f"report_from_file({str(away)!r}, b'a b\\nc d\\na b\\nc d', 2)")
    assert not away.exists()


def test_the_page_calls_functions_that_exist() -> None:
    page = (DOCS / "_static" / "live.js").read_text(encoding="utf-8")
    done = run("print(callable(report_from_file), callable(report_from_texts))")
    assert done.stdout == "True True\n"
    assert 'get("report_from_file")' in page
    assert 'get("report_from_texts")' in page
