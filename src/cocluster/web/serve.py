"""Start the workbench: a server on this machine, for whoever has its address."""

from __future__ import annotations

import errno
import ipaddress
import socket
import threading
from collections.abc import Callable

import uvicorn

from cocluster.projects import Project
from cocluster.web.app import application
from cocluster.web.desk import Desk
from cocluster.web.guard import Keys

# Ports that are tried one after the other if none is named.
PORTS = range(8765, 8785)


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def serve(
    project: Project,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    exposed: bool = False,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve a project until the process is stopped.

    Parameters
    ----------
    project : Project
    host : str
        Another one than that of this machine needs ``exposed``.
    port : int, optional
        By default the first free one from 8765 on; 0 takes any.
    exposed : bool
        Whether others on the network may try to connect. They need the address with its token,
        and whoever can listen to the network can read it: there is no encryption.
    ready : callable of str
        Called with the address to open, when it can be opened.
    """
    if not is_loopback(host) and not exposed:
        raise ValueError(
            f"{host} can be reached from the network, where others may read all that is sent; add "
            "--expose if you mean it, or leave --host out."
        )
    listening = _listen(host, port)
    number = listening.getsockname()[1]
    keys, desk = Keys(), Desk(project)
    app = application(desk, keys, _names(host, number))
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws="none", lifespan="on"
    )
    # Two seconds for what is being answered; a page that follows the news would never end.
    config.timeout_graceful_shutdown = 2
    server = _Server(config, lambda: ready(f"http://{_url(host)}:{number}/?token={keys.token}"))
    # Beside the server, which answers meanwhile.
    threading.Thread(target=desk.warm, daemon=True).start()
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._ready()


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens on the port, or on the first free one."""
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    for number in PORTS if port is None else (port,):
        opened = socket.socket(family, socket.SOCK_STREAM)
        # A server that has just ended must not keep its port from the next one.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((bare, number))
        except OSError as error:
            opened.close()
            if error.errno != errno.EADDRINUSE or port is not None:
                raise OSError(
                    f"Port {number} of {host} cannot be used: {error.strerror}."
                ) from None
            continue
        opened.listen(128)
        return opened
    raise OSError(f"All ports from {PORTS[0]} to {PORTS[-1]} are in use; name one with --port.")


def _url(host: str) -> str:
    """A host as addresses write it."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _names(host: str, port: int) -> tuple[str, ...]:
    """What a browser on this machine may call the server; with a named host also by that."""
    names = [_url(host), "127.0.0.1", "localhost", "[::1]"]
    return tuple(dict.fromkeys(f"{name}:{port}".lower() for name in names))
