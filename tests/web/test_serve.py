"""The command: what is served, where, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette")

from cocluster.projects import open_project
from cocluster.web import serve as server
from cocluster.web.serve import is_loopback
from tests.cli.files import write_jsonl
from tests.cli.run import called
from tests.web.projects import made


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """What would be served, without a server."""
    found: list[dict] = []

    def note(project, **given) -> None:
        given.pop("ready")("http://127.0.0.1:1/?token=x")
        found.append({"project": project.folder, **given})

    monkeypatch.setattr(server, "serve", note)
    return found


def test_addresses_that_others_reach_need_a_word(tmp_path: Path):
    made(tmp_path / "news")
    for host in ("0.0.0.0", "192.168.1.2", "example.org", "::"):
        assert not is_loopback(host)
        refused = called("serve", "news", "--no-open", "--host", host, cwd=tmp_path)
        assert refused.code == 1
        assert "--expose" in refused.err
    assert all(map(is_loopback, ("127.0.0.1", "127.0.0.2", "localhost", "::1", "[::1]")))


def test_a_file_is_fitted_first_and_once(tmp_path: Path, served: list[dict]):
    write_jsonl(tmp_path)
    for _ in range(2):
        found = called("serve", "docs.jsonl", "--no-open", cwd=tmp_path)
        assert found.code == 0, found.err
        assert "http://127.0.0.1:1/?token=x" in found.out
    assert [str(one["project"]) for one in served] == ["docs-cocluster"] * 2
    assert open_project(tmp_path / "docs-cocluster").runs == [1]


def test_the_only_project_of_a_folder_needs_no_name(tmp_path: Path, served: list[dict]):
    none = called("serve", "--no-open", cwd=tmp_path)
    assert none.code == 1
    assert "no project" in none.err
    made(tmp_path / "one")
    assert called("serve", "--no-open", cwd=tmp_path).code == 0
    made(tmp_path / "two")
    several = called("serve", "--no-open", cwd=tmp_path)
    assert several.code == 1
    assert "one, two" in several.err


def test_a_port_that_is_taken_is_named(tmp_path: Path):
    made(tmp_path / "news")
    with server._listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        refused = called("serve", "news", "--no-open", "--port", port, cwd=tmp_path)
    assert refused.code == 1
    assert port in refused.err
