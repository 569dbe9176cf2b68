"""The whole application: routes, the page, news as they come, and the guard around all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from cocluster.web.api import PREFIX, openapi, routes_of
from cocluster.web.desk import Desk
from cocluster.web.guard import Guard, Keys
from cocluster.web.routes import ENDPOINTS

STATIC = files("cocluster.web") / "static"
# The page looks as the report does.
STYLE = files("cocluster.report") / "static" / "style.css"
# Seconds after which a page is told that the server is still there.
ALIVE = 15.0


def application(desk: Desk, keys: Keys, hosts: tuple[str, ...]) -> Guard:
    """Everything, behind the guard.

    Parameters
    ----------
    desk : Desk
    keys : Keys
    hosts : tuple of str
        What the server is called, with its port.
    """

    async def document(request: Request) -> Response:
        return Response(msgspec.json.encode(openapi(ENDPOINTS)), media_type="application/json")

    async def events(request: Request) -> Response:
        return StreamingResponse(_events(desk), media_type="text/event-stream")

    async def style(request: Request) -> Response:
        return Response(STYLE.read_text(encoding="utf-8"), media_type="text/css")

    async def page(request: Request) -> Response:
        text = (STATIC / "index.html").read_text(encoding="utf-8")
        return Response(text, media_type="text/html")

    @asynccontextmanager
    async def living(app: Any) -> AsyncIterator[None]:
        watching = asyncio.create_task(desk.watch())
        try:
            yield
        finally:
            watching.cancel()
            desk.close()

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/report.css", style),
            Route(f"{PREFIX}/openapi.json", document),
            Route(f"{PREFIX}/events", events),
            *routes_of(ENDPOINTS, desk),
            Mount("/static", StaticFiles(directory=str(STATIC))),
        ],
        lifespan=living,
    )
    # An address with a slash too many is another one, and not there.
    app.router.redirect_slashes = False
    return Guard(app, keys, hosts)


async def _events(desk: Desk) -> AsyncIterator[bytes]:
    """All news, as server-sent events."""
    queue = desk.follow()
    try:
        yield _event({"kind": "changed", "stamp": desk.stamp()})
        while True:
            try:
                news = await asyncio.wait_for(queue.get(), ALIVE)
            except TimeoutError:
                # A comment: it keeps the line open, and shows that the page is still there.
                yield b": still here\n\n"
                continue
            yield _event(news)
    finally:
        desk.leave(queue)


def _event(news: dict[str, Any]) -> bytes:
    """One event."""
    return b"data: " + msgspec.json.encode(news) + b"\n\n"
