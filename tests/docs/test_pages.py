"""All that pages show works: code runs, commands run, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from cocluster.cli.parser import parsed
from tests.cli.run import done
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, with_samples

# Beside code that is run (`python`, `sh`): what is printed (`text`), our own directives, and code
# of libraries that are not installed here (`py`).
LANGUAGES = {"python", "sh", "text", "py", ""}
# Commands of other tools: they are read, not run.
FOREIGN = (
    "git clone",
    "cd ",
    "cp docs/samples/",
    ". .venv/",
    "DOCS_PYODIDE=",
    "dask ",
    "ssh ",
    "OMP_NUM_THREADS=1 dask ",
)
WRITTEN_PAGES = ("reference/account.md", "reference/command-line.md", "reference/http.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def in_order(page: str) -> list[tuple[str, str]]:
    """Code and commands of a page, from top to bottom."""
    return [(block.language, block.text) for block in blocks(page, "python", "sh")]


@pytest.mark.parametrize("page", [page for page in PAGES if in_order(page)])
def test_code_and_commands_of_a_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(with_samples(tmp_path))
    names: dict[str, object] = {"__name__": page}
    for language, text in in_order(page):
        if language == "python":
            exec(compile(text, page, "exec"), names)
        else:
            for line in text.splitlines():
                run(line.split(" # ")[0].strip(), tmp_path)


def run(command: str, folder: Path) -> None:
    """Run a command of ours; look at others without running them."""
    if not command or command.startswith(FOREIGN):
        return
    program, *words = shlex.split(command)
    if program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.M), command
    elif program.startswith("python"):
        looked_at(words)
    elif words[0] == "serve":
        assert parsed(words).rest == [], command  # it would not end
    else:
        assert Path(program).name == "cocluster", f"nobody knows how to test {command!r}"
        # A page may show the same fit twice, or one after another page did.
        again = ["--force"] if words[0] == "fit" and "--force" not in words else []
        done(*words, *again, cwd=folder)


def looked_at(words: list[str]) -> None:
    """A call of Python: installations name extras that exist, modules and files are there."""
    if words[:2] == ["-m", "pip"]:
        (asked,) = re.findall(r"\[([\w,]+)\]", words[-1]) or [""]
        known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert set(filter(None, asked.split(","))) <= set(known["optional-dependencies"])
    elif words[:1] == ["-m"]:
        place = ROOT / words[1].replace(".", "/")
        assert (
            words[1] in ("venv", "http.server")
            or place.is_dir()
            or place.with_suffix(".py").exists()
        ), words
    else:
        assert (ROOT / words[0]).exists(), words


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_of_a_kind_that_is_tested_or_only_read(page: str) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES
        if block.language == "py":
            compile(block.text, page, "exec")


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_links_lead_somewhere(page: str) -> None:
    place = ROOT / page
    for target in LINK.findall(place.read_text(encoding="utf-8")):
        address, _, anchor = target.partition("#")
        if "://" in address:
            continue
        pointed = (place.parent / address).resolve() if address else place
        # Pages that `make docs` writes are checked there: a link that leads nowhere is an error.
        if DOCS in pointed.parents and not pointed.exists():
            assert is_written(pointed), target
        else:
            assert pointed.exists(), target
            if anchor:
                assert anchor in anchors(pointed), target


def is_written(path: Path) -> bool:
    """Whether `make docs` writes a page."""
    inside = path.relative_to(DOCS)
    copied = {
        "results": ROOT / Path(*inside.parts[1:]),
        "project": ROOT / inside.name,
        "gallery": ROOT / "examples" / "gallery" / f"{inside.name}.py",
    }
    listing = inside.parts[0] == "gallery" and inside.name == "index"
    by_library = str(inside) in WRITTEN_PAGES
    original = copied.get(inside.parts[0])
    return listing or by_library or (original is not None and original.exists())


def anchors(path: Path) -> set[str]:
    """Headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-") for each in headings}


def test_samples_are_what_their_script_writes(tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "samples"}
    exec((DOCS / "samples" / "make.py").read_text(encoding="utf-8"), names)
    names["main"](tmp_path)  # type: ignore[operator]
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_text() for path in (DOCS / "samples").glob("*.csv")}


def test_programs_are_told_of_every_page() -> None:
    listed = set(LINK.findall((DOCS / "llms.txt").read_text(encoding="utf-8")))
    told = {str(PAGES[page].relative_to(DOCS)) for page in PAGES if page.startswith("docs/")}
    assert {each for each in told if each.endswith(".md") and "index" not in each} <= listed
