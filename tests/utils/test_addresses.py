"""Old addresses of modules lead to the modules of today."""

from __future__ import annotations

import importlib
import sys

import pytest

import cocluster
from cocluster.utils.addresses import MOVED, OldAddresses, register
from tests.processes import printed_by

# One name that users took from each of the old addresses; of some, what now bears another name.
NAMES = {
    "information": "itcc",
    "kernels": "kernel_kmeans",
    "plots": "plot_reordering",
    "readers": "read",
    "relations": "RelationalData",
    "spectral": "ncut",
    "threads": "limit",
}


def test_every_old_address_has_a_name_to_try() -> None:
    assert set(NAMES) == set(MOVED)


@pytest.mark.parametrize("old", MOVED)
def test_the_module_is_that_of_today(old: str) -> None:
    today = importlib.import_module(f"cocluster.{MOVED[old]}")
    assert importlib.import_module(f"cocluster.{old}") is today
    assert getattr(cocluster, old) is today
    assert today.__name__ == f"cocluster.{MOVED[old]}"
    assert today.__spec__ is not None
    assert today.__spec__.name == today.__name__


WAYS = (
    "import cocluster.{old}; print(cocluster.{old}.__name__)",
    "import cocluster; print(cocluster.{old}.__name__)",
    "from cocluster import {old}; print({old}.__name__)",
    "from cocluster.{old} import {name}; import cocluster.{old} as m; print(m.__name__)",
)


# Each in a process of its own: all ways for one address, and one way for each of the others.
@pytest.mark.parametrize(
    ("old", "program"),
    [("readers", way) for way in WAYS]
    + [(old, WAYS[i % len(WAYS)]) for i, old in enumerate(MOVED) if old != "readers"],
)
def test_every_way_to_import_it_works_first(old: str, program: str) -> None:
    printed = printed_by(program.format(old=old, name=NAMES[old])).strip()
    assert printed == f"cocluster.{MOVED[old]}"


def test_modules_below_an_old_address_are_not_loaded_twice() -> None:
    assert importlib.import_module("cocluster.readers.cluto") is importlib.import_module(
        "cocluster.io.readers.cluto"
    )


def test_other_names_are_refused_as_ever() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"cocluster\.nowhere"):
        importlib.import_module("cocluster.nowhere")
    with pytest.raises(ModuleNotFoundError, match=r"cocluster\.io\.readers\.nowhere"):
        importlib.import_module("cocluster.readers.nowhere")
    with pytest.raises(AttributeError, match="nowhere"):
        cocluster.nowhere  # noqa: B018


def test_the_hook_is_registered_once_and_loads_nothing() -> None:
    register("cocluster")
    assert sum(isinstance(finder, OldAddresses) for finder in sys.meta_path) == 1
    program = "import sys, cocluster; print(*(m for m in sys.modules if m.startswith('cocluster')))"
    loaded = set(printed_by(program).split())
    assert loaded == {"cocluster", "cocluster.utils", "cocluster.utils.addresses"}
