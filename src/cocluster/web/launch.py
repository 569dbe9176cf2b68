"""Open a browser at the address of the workbench without showing its token to other users."""

from __future__ import annotations

import atexit
import html
import os
import shutil
import tempfile
import threading
import webbrowser
from pathlib import Path

# Seconds after which the redirect file is removed: the slowest browsers have read it by then, and
# the token in it has long been used.
LIFETIME = 60.0


def open_browser(address: str) -> None:
    """Open an address with a secret in it, in a thread of its own.

    Every user of a machine can read the arguments of all processes, so the browser gets the name
    of a file that only its owner can read, and the file leads to the address. A browser that runs
    in the foreground blocks the thread and nothing else.
    """
    threading.Thread(target=_launch, args=(address,), daemon=True).start()


def _launch(address: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="cocluster-"))
    # A server that is stopped before the time is up removes it, too.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    removal = threading.Timer(LIFETIME, shutil.rmtree, (folder,), {"ignore_errors": True})
    removal.daemon = True
    removal.start()
    webbrowser.open(write_redirect(folder, address).as_uri())


def write_redirect(folder: Path, address: str) -> Path:
    """Write a page that leads to an address, readable by its owner alone; return its path."""
    file = folder / "open.html"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    target = html.escape(address, quote=True)
    with open(descriptor, "w", encoding="utf-8") as page:
        page.write(
            '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0;url={target}"><title>cocluster</title>'
            f'<p><a href="{target}">Open the workbench</a></p>\n'
        )
    return file
