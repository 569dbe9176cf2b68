"""Authentication of the workbench: an ASGI wrapper that refuses requests without the cookie.

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

# The answer to the first visit: it sets the cookie, and then opens the page.
GO_ON = (
    b'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">'
    b'<title>cocluster</title><p><a href="/">Open the workbench</a></p>\n'
)


@dataclass(eq=False)
class Keys:
    """The launch token, good for one use, and the cookie that it is exchanged for."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    used: bool = False

    def is_token(self, token: str) -> bool:
        """Return whether a token is the right one and was not used before."""
        return not self.used and hmac.compare_digest(token.encode(), self.token.encode())

    def redeem(self, token: str) -> bool:
        """Use up the token; return whether it was the right one and had not been used before."""
        accepted = self.is_token(token)
        self.used |= accepted
        return accepted

    def is_cookie(self, cookie: str) -> bool:
        """Return whether a cookie is the right one."""
        return hmac.compare_digest(cookie.encode(), self.cookie.encode())


class Refused(Exception):
    """Reason why a request is refused: a status and a sentence."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


@dataclass(eq=False)
class Guard:
    """ASGI application that authenticates requests before another one answers them.

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
            if not self._has_cookie(headers):
                await self._first_visit(scope, send)
                return
            body = await self._body(headers, receive)
            await self.app(scope, _replay_body(body, receive), _with_headers(send))
        except Refused as refused:
            await _refuse(send, refused)

    def _check_origin(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuse requests from another origin, or to another host name of this machine."""
        if headers.get("host", "").lower() not in self.hosts:
            raise Refused(421, "This address is not served here.")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
            raise Refused(403, "Requests of other pages are refused.")
        if self._is_launch(scope, headers):
            return
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

    def _is_launch(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Return whether a browser opens the printed address as a page of its own.

        The file that leads the browser here (`web.launch`) counts as another site, so that the
        token is all that shows who sent the browser.
        """
        return (
            headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
            and self.keys.is_token(_token(scope))
        )

    def _has_cookie(self, headers: dict[str, str]) -> bool:
        """Return whether a request carries the cookie of this server."""
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return False
        return cookie is not None and self.keys.is_cookie(cookie.value)

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes:
        """Read the body of a request; refuse it if it exceeds ``largest`` bytes."""
        length = headers.get("content-length", "0")
        chunks, bytes_left, more = [], self.largest, True
        if not length.isdecimal() or int(length) > bytes_left:
            raise Refused(413, f"A request may bring {bytes_left:,} bytes at most.")
        while more:
            message = await receive()
            chunks.append(message.get("body", b""))
            bytes_left, more = bytes_left - len(chunks[-1]), message.get("more_body", False)
            if bytes_left < 0:
                raise Refused(413, f"A request may bring {self.largest:,} bytes at most.")
        return b"".join(chunks)

    @property
    def cookie_name(self) -> str:
        """Name of the cookie; it has the port, because browsers share cookies between ports."""
        return f"cocluster-{self.hosts[0].rpartition(':')[2]}"

    async def _first_visit(self, scope: Scope, send: Send) -> None:
        """Exchange the token of the first address for a cookie, or refuse."""
        if not (_is_front_page(scope) and self.keys.redeem(_token(scope))):
            raise Refused(
                401,
                "Open the address that `cocluster serve` printed; it is good for one use, after "
                "which this browser is known until the server ends.",
            )
        cookie = f"{self.cookie_name}={self.keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
        # A page that goes on by itself instead of a redirect: browsers count a redirect as part
        # of the visit that led to it, and would not send a strict cookie with it.
        kind = {"content-type": "text/html; charset=utf-8", "set-cookie": cookie}
        await _answer(send, 200, kind, GO_ON)


def _is_front_page(scope: Scope) -> bool:
    """Return whether a request asks for the page itself."""
    return (scope["method"], scope["path"]) == ("GET", "/")


def _token(scope: Scope) -> str:
    """Return the token in the address of the front page; empty if there is none."""
    if not _is_front_page(scope):
        return ""
    query: str = scope.get("query_string", b"").decode("latin-1")
    return parse_qs(query).get("token", [""])[0]


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that yields the body already read, then later messages."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving


def _is_safe(scope: Scope) -> bool:
    """Return whether the method of a request changes nothing."""
    return scope["method"] in SAFE


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers by name; refuse a duplicate of one that security depends on."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in headers and key in ("host", "origin", "cookie", "content-length"):
            raise Refused(400, f"The header {key} is there twice.")
        headers[key] = value.decode("latin-1")
    return headers


def _with_headers(send: Send) -> Send:
    """Return a sender that adds the security headers to every response."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", ())}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in names]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


async def _refuse(send: Send, refused: Refused) -> None:
    """Send the status and the reason of a refusal."""
    kind = {"content-type": "text/plain; charset=utf-8"}
    await _answer(send, refused.status, kind, f"{refused.why}\n".encode())


async def _answer(send: Send, status: int, headers: dict[str, str], body: bytes = b"") -> None:
    """Send a complete response: status, headers and body."""
    sent = {**HEADERS, **headers, "content-length": str(len(body))}
    listed = [(name.encode(), value.encode()) for name, value in sent.items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
