"""The browser is opened without a secret in its arguments, and is let in all the same."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from types import SimpleNamespace

from cocluster.web import launch
from cocluster.web.desk import Desk
from tests.web.projects import HOST, answered, guarded

ADDRESS = 'http://127.0.0.1:8765/?token=se"cr&et'


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_the_redirect_file_belongs_to_its_owner_alone(tmp_path: Path):
    file = launch.write_redirect(tmp_path, ADDRESS)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "url=http://127.0.0.1:8765/?token=se&quot;cr&amp;et" in file.read_text()


def test_a_browser_in_the_foreground_blocks_nobody_and_sees_no_token(monkeypatch):
    opened: list[str] = []
    called, closed = threading.Event(), threading.Event()

    def foreground(address: str) -> None:
        opened.append(address)
        called.set()
        closed.wait(60)

    monkeypatch.setattr(launch.webbrowser, "open", foreground)
    launch.open_browser(ADDRESS)  # returns while the browser is still open
    assert called.wait(60)
    assert opened[0].startswith("file:")
    assert "token" not in opened[0]
    closed.set()


def test_a_visit_from_the_redirect_file_needs_the_token():
    app, keys = guarded(Desk(SimpleNamespace(folder=Path("nowhere"), runs=[])))  # type: ignore[arg-type]
    page = {"host": HOST, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    document = {**page, "sec-fetch-dest": "document"}
    assert answered(app, "GET", "/?token=guessed", document).status == 403
    assert (
        answered(app, "GET", f"/?token={keys.token}", {**page, "sec-fetch-dest": "iframe"}).status
        == 403
    )
    assert answered(app, "GET", f"/api/v1/project?token={keys.token}", document).status == 403
    assert "set-cookie" in answered(app, "GET", f"/?token={keys.token}", document).headers
    assert answered(app, "GET", f"/?token={keys.token}", document).status == 403
