"""The door of the workbench: one wrapper around everything, which refuses unless all is well.

Nothing behind it has to think of who asks: every request of every method to every address, and
every websocket, comes through here first. `SECURITY.md` says against what this stands.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Bytes that a request may bring: files of links with 100,000 lines fit.
LARGEST = 8_000_000
# Methods that change nothing.
SAFE = ("GET", "HEAD")
# What every answer says to the browser: scripts and styles come from here alone, nobody may show
# the page inside another one or read what it was told, and nothing is kept on the disk.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(eq=False)
class Keys:
    """The launch token, good for one use, and the cookie that it is exchanged for."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    used: bool = False

    def redeem(self, given: str) -> bool:
        """Whether a token is the right one, and was not used before."""
        if self.used or not hmac.compare_digest(given.encode(), self.token.encode()):
            return False
        self.used = True
        return True

    def is_cookie(self, given: str) -> bool:
        """Whether a cookie is the right one."""
        return hmac.compare_digest(given.encode(), self.cookie.encode())


class Refused(Exception):
    """Why a request is not let in: a status and a sentence."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


@dataclass(eq=False)
class Guard:
    """An ASGI application around another one.

    Parameters
    ----------
    app : ASGI application
    keys : Keys
    hosts : tuple of str
        What the ``Host`` of a request may say, with the port: ``127.0.0.1:8765``.
    largest : int
        Bytes that a request may bring.
    """

    app: App
    keys: Keys
    hosts: tuple[str, ...]
    largest: int = LARGEST

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            # No request: the server tells that it begins and ends.
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            # There are no websockets here, nor whatever comes after them.
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "not offered"})
            return
        try:
            headers = _headers(scope)
            self._check_origin(scope, headers)
            if not self._knows(headers):
                await self._first_visit(scope, send)
                return
            body = await self._body(headers, receive)
            await self.app(scope, _replayed(body, receive), _with_headers(send))
        except Refused as refused:
            await _refuse(send, refused)

    def _check_origin(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuse what another page, or another name for this machine, has sent."""
        if headers.get("host", "").lower() not in self.hosts:
            raise Refused(421, "This address is not served here.")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
            raise Refused(403, "Requests of other pages are refused.")
        site = headers.get("sec-fetch-site")
        # "none" is what was typed or opened from a terminal, and can only look.
        if site not in (
            (None, "same-origin", "none") if _is_safe(scope) else (None, "same-origin")
        ):
            raise Refused(403, "Requests of other pages are refused.")
        if headers.get("sec-fetch-mode") == "no-cors" and site != "same-origin":
            raise Refused(403, "Requests without a known origin are refused.")
        if not _is_safe(scope) and origin is None and site is None:
            raise Refused(403, "Say where a request comes from: it needs the header Origin.")

    def _knows(self, headers: dict[str, str]) -> bool:
        """Whether the cookie is ours."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return False
        return found is not None and self.keys.is_cookie(found.value)

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes:
        """All that a request brings, unless it is too much; read here, so that it is once only."""
        said = headers.get("content-length", "0")
        parts, left, more = [], self.largest, True
        if not said.isdecimal() or int(said) > left:
            raise Refused(413, f"A request may bring {left:,} bytes at most.")
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            left, more = left - len(parts[-1]), message.get("more_body", False)
            if left < 0:
                raise Refused(413, f"A request may bring {self.largest:,} bytes at most.")
        return b"".join(parts)

    @property
    def cookie_name(self) -> str:
        """With the port, because browsers share cookies between all ports of a machine."""
        return f"cocluster-{self.hosts[0].rpartition(':')[2]}"

    async def _first_visit(self, scope: Scope, send: Send) -> None:
        """Exchange the token of the first address for a cookie, or refuse."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        there = (scope["method"], scope["path"]) == ("GET", "/")
        if not (there and given and self.keys.redeem(given)):
            raise Refused(
                401,
                "Open the address that `cocluster serve` printed; it is good for one use, after "
                "which this browser is known until the server ends.",
            )
        cookie = f"{self.cookie_name}={self.keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(send, 303, {"location": "/", "set-cookie": cookie})


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What was received already, and then whatever comes (that the browser has gone)."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving


def _is_safe(scope: Scope) -> bool:
    """Whether a request can only look."""
    return scope["method"] in SAFE


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by their name; one that is said twice is refused, lest two readers differ on it."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in found and key in ("host", "origin", "cookie", "content-length"):
            raise Refused(400, f"The header {key} is there twice.")
        found[key] = value.decode("latin-1")
    return found


def _with_headers(send: Send) -> Send:
    """Send every answer with our headers."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", ())}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in own]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


async def _refuse(send: Send, refused: Refused) -> None:
    """Say no, in a sentence."""
    kind = {"content-type": "text/plain; charset=utf-8"}
    await _answer(send, refused.status, kind, f"{refused.why}\n".encode())


async def _answer(send: Send, status: int, headers: dict[str, str], body: bytes = b"") -> None:
    """A whole answer."""
    sent = {**HEADERS, **headers, "content-length": str(len(body))}
    listed = [(name.encode(), value.encode()) for name, value in sent.items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
