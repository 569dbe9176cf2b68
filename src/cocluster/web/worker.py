"""The process that does long work for the workbench; `cocluster.web.jobs` starts it."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

Tell = Callable[..., None]


def main() -> None:
    """Do what standard input asks for, line by line, until it ends."""
    # Libraries print what they like: the way back to the server is kept from them.
    back = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    asked: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin, asked), daemon=True).start()
    # While the first request is awaited: this takes seconds.
    from cocluster.web.tasks import TASKS, sentence

    while True:
        message = asked.get()
        number = message["job"]

        def tell(number: int = number, **news: Any) -> None:
            back.write(json.dumps({"job": number, **news}) + "\n")

        try:
            tell(result=TASKS[message["task"]](tell, **message["given"]))
        except (ValueError, TypeError, OSError, MemoryError, ImportError, ArithmeticError) as error:
            tell(error=sentence(error))


def _read(stream: TextIO, asked: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Pass requests on; when the server has ended, so does this process, whatever it does."""
    for line in stream:
        asked.put(json.loads(line))
    os._exit(0)


if __name__ == "__main__":
    main()
