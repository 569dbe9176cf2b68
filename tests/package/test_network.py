"""No command asks the network for anything, unless it was asked to fetch."""

from __future__ import annotations

import socket

import pytest

from tests.cli.files import write_jsonl
from tests.cli.run import called, done

# Every command but those that serve, and that print for shells.
COMMANDS = (
    ("explain", "docs-cocluster"),
    ("report", "docs-cocluster"),
    ("report", "docs-cocluster", "--format", "md"),
    ("choose-k", "docs.jsonl", "--max", "4"),
    ("predict", "docs-cocluster", "docs.jsonl"),
    ("edit", "docs-cocluster", "rename", "0", "first"),
    ("compare", "docs-cocluster:1", "docs-cocluster"),
    ("convert", "docs.jsonl", "docs.npz"),
    ("doctor",),
    ("methods",),
    ("methods", "itcc"),
    ("data",),
    ("fit", "docs-cocluster", "-k", "2"),
)


@pytest.fixture
def closed(monkeypatch):
    """A machine without a network; collects who asked for it all the same."""
    asked = []

    def refuse(*given, **named):
        asked.append(given)
        raise OSError("the network is closed")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    return asked


def test_no_command_touches_the_network(closed, tmp_path):
    write_jsonl(tmp_path)
    done("fit", "docs.jsonl", "-k", "3", cwd=tmp_path)
    done("ask", "docs-cocluster", "-n", "2", cwd=tmp_path, typed="s\nd\n")
    for words in COMMANDS:
        done(*words, cwd=tmp_path)
    assert closed == []


def test_the_test_would_notice(closed):
    with pytest.raises(OSError, match="closed"):
        socket.create_connection(("127.0.0.1", 9))
    assert closed


def test_a_set_that_is_not_there_is_fetched_only_by_fetch(closed, tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    from cocluster.datasets import fetch, list_datasets

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("COCLUSTER_MIRROR", "http://127.0.0.1:9")
    monkeypatch.delenv("COCLUSTER_DATA", raising=False)
    with pytest.raises(ConnectionError, match="could not be downloaded"):
        fetch(list_datasets()[0].name)
    assert closed
    assert called("data", cwd=tmp_path).code == 0
