"""The tests' own processes show what happens in them."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool

import pytest

from tests.processes import printed_by


def test_each_call_has_a_process_of_its_own_and_imports_the_package_first() -> None:
    program = "import sys; print('cocluster' in sys.modules); import cocluster"
    assert [printed_by(program) for _ in range(2)] == ["False\n", "False\n"]


def test_errors_and_crashes_are_not_lost() -> None:
    with pytest.raises(ZeroDivisionError):
        printed_by("1 / 0")
    with pytest.raises(BrokenProcessPool):
        printed_by("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
