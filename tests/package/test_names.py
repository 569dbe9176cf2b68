"""The public names: one list, and nothing is loaded before it is used."""

from __future__ import annotations

import sys

import pytest

import cocluster
from tests.processes import printed_by


def test_every_public_name_can_be_imported():
    for name in cocluster.__all__:
        assert getattr(cocluster, name).__name__ == name
    assert set(cocluster.__all__) <= set(dir(cocluster))


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="nowhere"):
        cocluster.nowhere  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match=r"cocluster\.nowhere"):
        __import__("cocluster.nowhere")


def test_importing_the_package_loads_no_module_of_it_and_installs_no_import_hook():
    program = """
import sys
before = list(sys.meta_path)
import cocluster
assert sys.meta_path == before
print(*(m for m in sys.modules if m.startswith("cocluster")))
"""
    assert printed_by(program).split() == ["cocluster"]
    assert not any(type(finder).__module__.startswith("cocluster") for finder in sys.meta_path)
