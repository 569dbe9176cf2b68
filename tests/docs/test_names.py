"""Every public name says what it takes and gives, and shows how it is used."""

from __future__ import annotations

import inspect
import sys
from itertools import pairwise
from typing import Any

import pytest

from tests.docs.pages import DOCS

sys.path.append(str(DOCS / "_ext"))
PUBLIC = __import__("public").public()


def sections(value: Any) -> set[str]:
    """Headings of a docstring: lines that are underlined."""
    lines = (inspect.getdoc(value) or "").splitlines()
    return {line.strip() for line, under in pairwise(lines) if set(under.strip()) == {"-"}}


def takes_something(value: Any) -> bool:
    """Whether a call has arguments."""
    return bool(inspect.signature(value).parameters)


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isfunction(v)])
def test_functions_tell_what_they_take_and_give(name: str) -> None:
    function = PUBLIC[name]
    wanted = {"Examples", "Returns"} | ({"Parameters"} if takes_something(function) else set())
    assert wanted <= sections(function)


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isclass(v)])
def test_classes_tell_what_they_are_made_of(name: str) -> None:
    found = sections(PUBLIC[name])
    # Values that functions return are shown where they come from, and list what they hold.
    assert "Examples" in found or "Attributes" in found
    assert (
        found & {"Parameters", "Attributes"}
        or "arameters" in PUBLIC[name].__doc__
        or (not takes_something(PUBLIC[name]))
    )


def test_all_that_the_front_door_has_is_public() -> None:
    import cocluster

    assert {f"cocluster.{name}" for name in cocluster.__all__} <= set(PUBLIC)
