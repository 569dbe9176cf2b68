"""Fetching against a folder, a cache, and a server that may be slow, broken or wrong."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import numpy as np
import pytest

from cocluster.datasets import registry
from cocluster.datasets.fetch import ATTEMPTS, cache_folder, fetch
from cocluster.datasets.registry import DatasetInfo

LABELS = np.array([0, 1, 0])


def toy_bytes() -> bytes:
    """A small file as the real ones are."""
    buffer = BytesIO()
    arrays = {"X": np.arange(12.0).reshape(3, 4), "labels": LABELS, "keep": np.ones(4, bool)}
    np.savez(buffer, feature_names=np.array(list("abcd")), **arrays)
    return buffer.getvalue()


GOOD = toy_bytes()


class Handler(BaseHTTPRequestHandler):
    """Sends the file in the way the server's `manner` says, counting requests."""

    def do_GET(self) -> None:
        manner = self.server.manner
        self.server.asked += 1
        if manner == "missing":
            self.send_error(404)
            return
        body = b"<html>sorry</html>" if manner == "wrong" else GOOD
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        once = manner == "cuts off once" and self.server.asked == 1
        if manner == "cuts off" or once:
            self.wfile.write(body[: len(body) // 2])
            return
        if manner == "silent":
            self.server.stopped.wait(10)
            return
        for start in range(0, len(body), 256):
            self.wfile.write(body[start : start + 256])
            if manner == "slow":
                time.sleep(0.01)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """An empty cache, no folder, no mirror, and one known data set."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("COCLUSTER_DATA", raising=False)
    monkeypatch.delenv("COCLUSTER_MIRROR", raising=False)
    toy = DatasetInfo(
        "toy", "gene", "gene/toy.npz", hashlib.sha256(GOOD).hexdigest(), {"genes": (3, 4)}, 2,
        "a public place, toy.txt", "none", "Made up.", {"genes": "X"},
    )  # fmt: skip
    monkeypatch.setattr(registry, "_registry", lambda: {"toy": toy})


@pytest.fixture
def server():
    """A server on this machine; set its `manner`."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.manner, running.asked, running.stopped = "good", 0, threading.Event()
    running.url = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.stopped.set()
    running.shutdown()
    thread.join()
    running.server_close()


def left_in_cache() -> list[str]:
    """Names of all files in the cache."""
    return sorted(p.name for p in cache_folder().rglob("*") if p.is_file())


@pytest.mark.parametrize("manner", ["good", "slow", "cuts off once"])
def test_a_download_is_kept_and_not_repeated(server, manner):
    server.manner = manner
    dataset = fetch("toy", mirror=server.url)
    assert dataset.labels.tolist() == LABELS.tolist()
    assert dataset.feature_names["genes"].tolist() == list("abcd")
    assert list(dataset.masks) == ["keep"]
    assert left_in_cache() == ["toy.npz"]
    asked = server.asked
    assert np.array_equal(fetch("toy").X, dataset.X)
    assert server.asked == asked


def test_the_mirror_may_be_named_by_the_environment(server, monkeypatch):
    monkeypatch.setenv("COCLUSTER_MIRROR", f"{server.url}/")
    assert fetch("toy").X.shape == (3, 4)


def test_progress_is_shown_on_a_terminal(server, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    fetch("toy", mirror=server.url)
    assert "100%" in capsys.readouterr().err


@pytest.mark.parametrize("manner", ["cuts off", "silent", "missing"])
def test_a_failed_download_leaves_nothing_and_says_where_to_put_the_file(server, manner):
    server.manner = manner
    with pytest.raises(ConnectionError, match=r"(?s)toy\.npz.*a public place.*COCLUSTER_DATA"):
        fetch("toy", mirror=server.url, timeout=0.1)
    assert left_in_cache() == []
    assert server.asked == (1 if manner == "missing" else ATTEMPTS)


def test_no_network_says_where_to_put_the_file():
    with pytest.raises(ConnectionError, match=r"(?s)toy\.npz.*COCLUSTER_DATA"):
        fetch("toy", mirror="http://127.0.0.1:1", timeout=0.1)
    assert left_in_cache() == []


def test_a_wrong_file_is_kept_aside(server):
    server.manner = "wrong"
    with pytest.raises(ValueError, match=r"checksum.*kept as .*toy\.npz\.rejected"):
        fetch("toy", mirror=server.url)
    assert left_in_cache() == ["toy.npz.rejected"]


def test_a_broken_file_in_the_cache_is_kept_aside_and_replaced(server):
    place = cache_folder() / "gene" / "toy.npz"
    place.parent.mkdir(parents=True)
    place.write_bytes(GOOD[:100])
    fetch("toy", mirror=server.url)
    assert left_in_cache() == ["toy.npz", "toy.npz.rejected"]


@pytest.mark.parametrize("place", ["gene/toy.npz", "toy.npz", "some/where/else/toy.npz"])
def test_the_folder_comes_first_and_is_searched(tmp_path, monkeypatch, place):
    file = tmp_path / "mine" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(GOOD)
    monkeypatch.setenv("COCLUSTER_DATA", str(tmp_path / "mine"))
    assert fetch("toy").X.shape == (3, 4)
    assert left_in_cache() == []


def test_another_file_of_the_same_name_is_refused_and_left_alone(tmp_path, monkeypatch):
    (tmp_path / "toy.npz").write_bytes(b"mine")
    monkeypatch.setenv("COCLUSTER_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"toy\.npz is not the file.*checksum"):
        fetch("toy")
    assert (tmp_path / "toy.npz").read_bytes() == b"mine"


def test_a_folder_that_does_not_exist_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("COCLUSTER_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"COCLUSTER_DATA names .*nowhere"):
        fetch("toy")


def test_without_a_mirror_the_message_says_what_to_do():
    with pytest.raises(FileNotFoundError, match=r"a public place, toy\.txt.*COCLUSTER_MIRROR"):
        fetch("toy")


def test_unknown_names_are_refused_before_any_search():
    with pytest.raises(ValueError, match="no data set 'toi'; did you mean toy"):
        fetch("toi")


def test_without_pooch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(os.sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"\[data\]"):
        fetch("toy", mirror="http://127.0.0.1:1")
