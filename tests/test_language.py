"""Names, docstrings and lines that a reader can follow: the shares that style rules allow.

The counts are a thermometer. If one of these tests fails, name the thing the variable, function or
docstring is about; replacing one vague word by another does not help the reader.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import cocluster

PACKAGE = Path(cocluster.__file__).parent
PROJECT = Path(__file__).parents[1]
# ruff: noqa: SIM905 - lists of words read best as a text
VAGUE = frozenset(
    "found own told given asked known chosen shown kept held made said left rest others other one "
    "ones some many few begun wanted looked heard what how who which where place places much parts "
    "part whole".split()
)
IRREGULAR_PARTICIPLES = frozenset("told found made held shown kept begun said left".split())
FILLERS = frozenset(
    "what that which who whom it its them they those these this so such as than all any one ones "
    "some other others where there here is are be was were been has have had do does did not no "
    "nor none their own say says said told tell goes go went come comes much many more most few "
    "like".split()
)
MAX_VAGUE, MAX_PARTICIPLES, MAX_FILLERS = 0.01, 0.04, 0.01
MAX_OF_FUNCTIONS = 5
# A docstring counts as filler if this share of its first paragraph consists of `FILLERS`.
FILLER_SHARE = 0.4
MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_FRONT_END_COLUMNS = 600, 45, 120

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def nodes() -> Iterator[tuple[Path, ast.AST]]:
    """Yield every syntax node of the package with its file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def bound_names() -> Counter[str]:
    """Count the names that are assigned or taken as arguments."""
    names: Counter[str] = Counter()
    for _, node in nodes():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] += 1
        elif isinstance(node, ast.arg):
            names[node.arg] += 1
    return names


def function_names() -> list[str]:
    """Return the names of all functions and methods."""
    return [node.name for _, node in nodes() if isinstance(node, ast.FunctionDef)]


def docstring_leads() -> Iterator[tuple[str, float]]:
    """Yield the first paragraph of every docstring with its share of filler words."""
    for path, node in nodes():
        if isinstance(node, Definition) and (docstring := ast.get_docstring(node)):
            lead = docstring.split("\n\n")[0]
            words = re.findall(r"[A-Za-z`_]+", lead)
            if len(words) >= 4:
                share = sum(word.lower() in FILLERS for word in words) / len(words)
                yield f"{path.relative_to(PACKAGE)}:{node.lineno} {lead}", share


def test_variables_are_named_by_what_they_hold() -> None:
    names = bound_names()
    vague = {word: names[word] for word in VAGUE if names[word]}
    assert sum(vague.values()) <= MAX_VAGUE * names.total(), vague


def test_functions_are_verbs_or_nouns() -> None:
    names = function_names()
    participles = [
        name
        for name in names
        if name.strip("_").split("_")[-1].endswith(("ed", "en"))
        or name.strip("_") in IRREGULAR_PARTICIPLES
    ]
    assert len(participles) <= MAX_PARTICIPLES * len(names), sorted(participles)


def test_few_functions_are_called_x_of() -> None:
    assert len(names := [n for n in function_names() if n.endswith("_of")]) <= MAX_OF_FUNCTIONS, (
        names
    )


def test_docstrings_name_their_subject() -> None:
    leads = list(docstring_leads())
    fillers = [lead for lead, share in leads if share >= FILLER_SHARE]
    assert len(fillers) <= MAX_FILLERS * len(leads), fillers


def test_files_and_functions_are_short() -> None:
    long = [
        f"{path} has {lines} lines"
        for path in sorted(PACKAGE.rglob("*.py"))
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_FILE_LINES
    ]
    for path, node in nodes():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            lines = (node.end_lineno or 0) - node.lineno + 1
            lines -= len(docstring.splitlines()) + 1 if docstring else 0
            if lines > MAX_FUNCTION_LINES:
                long.append(f"{path}:{node.lineno} {node.name} has {lines} lines")
    assert not long


@pytest.mark.parametrize("ending", ["js", "css"])
def test_front_end_lines_fit_the_editor(ending: str) -> None:
    files = [
        path
        for folder in (PACKAGE, PROJECT / "docs" / "_static")
        for path in sorted(folder.rglob(f"*.{ending}"))
        if "vendor" not in path.parts
    ]
    assert files
    long = [
        f"{path}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MAX_FRONT_END_COLUMNS
    ]
    assert not long
