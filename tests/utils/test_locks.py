"""One writer at a time, in this process and in others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from cocluster.utils.locks import sole_writer


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path):
    target = tmp_path / "new"
    with sole_writer(target):
        with pytest.raises(BlockingIOError, match=rf"number {os.getpid()}"), sole_writer(target):
            pass
        with sole_writer(tmp_path / "other"):
            pass
    with sole_writer(target):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_the_lock_of_a_killed_process_is_free(tmp_path):
    program = f"""
import pathlib, time
from cocluster.utils.locks import sole_writer
with sole_writer(pathlib.Path({str(tmp_path / "new")!r})):
    print("locked", flush=True)
    time.sleep(60)
"""
    held = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert held.stdout is not None
    assert held.stdout.readline() == "locked\n"
    with pytest.raises(BlockingIOError, match=rf"number {held.pid}"), sole_writer(tmp_path / "new"):
        pass
    held.send_signal(signal.SIGKILL)
    held.communicate()
    with sole_writer(tmp_path / "new"):
        pass
