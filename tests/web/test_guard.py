"""Nobody is let in without the cookie, from another page, or by another name of this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.routing import Mount

from cocluster.web.desk import Desk
from cocluster.web.guard import HEADERS, Guard, Keys
from tests.web.projects import HOST, ORIGIN, Client, answered, guarded

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY")
# What each attack changes in a request that would be let in: headers, and the query.
ATTACKS: dict[str, tuple[dict[str, str], str]] = {
    "no token": ({"cookie": ""}, ""),
    "wrong token": ({"cookie": "cocluster-8765=guessed"}, "?token=guessed"),
    "foreign host": ({"host": "evil.example:8765"}, ""),
    "host without port": ({"host": "127.0.0.1"}, ""),
    "foreign origin": ({"origin": "http://evil.example"}, ""),
    "another port": ({"origin": "http://127.0.0.1:9999"}, ""),
    "null origin": ({"origin": "null"}, ""),
    "no-cors": ({"origin": "", "sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site"}, ""),
    "no-cors, no site": ({"origin": "", "sec-fetch-mode": "no-cors"}, ""),
    "same site": ({"sec-fetch-site": "same-site"}, ""),
    "cross site": ({"sec-fetch-site": "cross-site"}, ""),
}


@pytest.fixture(scope="module")
def door() -> tuple[Guard, Keys]:
    """The application around a desk that must not be asked anything."""
    project: Any = SimpleNamespace(folder=Path("nowhere"), runs=[])
    return guarded(Desk(project))


def paths(app: Guard) -> list[str]:
    """An address for every route."""
    found = []
    for route in app.app.routes:  # type: ignore[attr-defined]
        inside = f"{route.path}/app.js" if isinstance(route, Mount) else route.path
        found.append(inside.replace("{", "").replace("}", ""))
    return [*found, "/nothing/here"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_every_route_and_method_refuses(door: tuple[Guard, Keys], attack: str):
    app, keys = door
    changed, query = ATTACKS[attack]
    good = {"host": HOST, "origin": ORIGIN, "cookie": f"{app.cookie_name}={keys.cookie}"}
    assert len(paths(app)) > 30
    for path in paths(app):
        for method in METHODS:
            found = answered(app, method, path + query, {**good, **changed})
            assert found.status in (401, 403, 421), (attack, method, path)
            # Not a word for other pages.
            assert not [name for name in found.headers if name.startswith("access-control")]
            assert "set-cookie" not in found.headers


def test_requests_that_change_something_say_where_they_come_from(door: tuple[Guard, Keys]):
    app, keys = door
    known = {"host": HOST, "cookie": f"{app.cookie_name}={keys.cookie}"}
    for method in METHODS:
        expected = 404 if method in ("GET", "HEAD") else 403
        assert answered(app, method, "/nothing", known).status == expected
    own = {**known, "sec-fetch-site": "same-origin"}
    assert answered(app, "POST", "/nothing", own).status == 404
    # Typed into the browser: it can look, and nothing else.
    typed = {**known, "sec-fetch-site": "none"}
    assert answered(app, "GET", "/nothing", typed).status == 404
    assert answered(app, "POST", "/nothing", typed).status == 403


@pytest.mark.parametrize("path", ["/", "/api/v1/events", "/anything"])
def test_websockets_are_refused_with_and_without_the_cookie(door: tuple[Guard, Keys], path: str):
    app, keys = door
    for cookie in ("", f"{app.cookie_name}={keys.cookie}"):
        headers = [(b"host", HOST.encode()), (b"cookie", cookie.encode())]
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        asyncio.run(app({"type": "websocket", "path": path, "headers": headers}, receive, send))
        assert [message["type"] for message in sent] == ["websocket.close"]


def test_the_token_is_good_for_one_use_and_only_at_the_front_door():
    app, keys = guarded(Desk(SimpleNamespace(folder=Path("nowhere"), runs=[])))  # type: ignore[arg-type]
    host = {"host": HOST}
    for method, path in (("POST", "/"), ("GET", "/api/v1/project"), ("HEAD", "/")):
        found = answered(app, method, f"{path}?token={keys.token}", host)
        assert found.status in (401, 403)
        assert "set-cookie" not in found.headers
    found = answered(app, "GET", f"/?token={keys.token}", host)
    assert found.status == 200
    assert b'http-equiv="refresh" content="0;url=/"' in found.body
    cookie = found.headers["set-cookie"]
    assert keys.cookie in cookie
    assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert answered(app, "GET", f"/?token={keys.token}", host).status == 401
    assert answered(app, "GET", "/", {**host, "cookie": cookie.partition(";")[0]}).status == 200


def test_every_answer_says_what_a_page_may_do(door: tuple[Guard, Keys]):
    app, keys = door
    for path in ("/", "/nothing", "/static/nothing", "/api/v1/openapi.json"):
        told = answered(app, "GET", path, Client(app, keys).headers).headers
        assert HEADERS.items() <= told.items(), path
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_headers_that_are_there_twice_and_large_requests_are_refused(door: tuple[Guard, Keys]):
    app, keys = door
    good = Client(app, keys).headers
    for name in ("host", "origin", "cookie"):
        assert answered(app, "GET", "/", [*good.items(), (name, "evil")]).status == 400
    too_much = (b"x" * app.largest, b"x")
    assert answered(app, "POST", "/api/v1/undo", good, too_much).status == 413
    for said in ("-1", "many", str(app.largest + 1)):
        assert answered(app, "POST", "/", {**good, "content-length": said}).status == 413


def test_files_beside_the_page_are_not_served(door: tuple[Guard, Keys]):
    app, keys = door
    for path in ("/static/../guard.py", "/static/%2e%2e/guard.py", "/static//etc/passwd"):
        assert answered(app, "GET", path, Client(app, keys).headers).status == 404
