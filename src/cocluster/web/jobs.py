"""Long work in a process of its own: one thing after the other, cancelled by ending the process.

The process is `cocluster.web.worker`. Both talk in lines of JSON through its standard input and
output. It stays, with the data in its memory, so that a small change does not wait for a start; it
ends with the server, however that ends, because its input ends then.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
OVER = (DONE, FAILED, CANCELLED)
# Number of finished jobs that are remembered, because a page may still ask for them.
REMEMBERED = 50


@dataclass(eq=False)
class Job:
    """A task for the worker process, with its state and result.

    Attributes
    ----------
    id : int
    task : str
        One of `cocluster.web.tasks.TASKS`.
    given : mapping
        Its arguments.
    about : str
        What it is, in words.
    state : str
    history : list of (sweep, objective)
    stage : str
        What is being done now.
    result : Any
    error : str
        Why it failed, in a sentence.
    over : Event
        Set when it has ended.
    noted : bool
        Whether it was taken into the history of the project.
    """

    id: int
    task: str
    given: Mapping[str, Any]
    about: str
    state: str = WAITING
    history: list[tuple[int, float]] = field(default_factory=list)
    stage: str = ""
    result: Any = None
    error: str = ""
    begun: float = field(default_factory=time.monotonic)
    seconds: float | None = None
    over: threading.Event = field(default_factory=threading.Event)
    noted: bool = False

    def shown(self) -> dict[str, Any]:
        """Return the state of the job as JSON values for a page."""
        spent = self.seconds if self.state in OVER else time.monotonic() - self.begun
        return {
            "id": self.id,
            "task": self.task,
            "about": self.about,
            "state": self.state,
            "stage": self.stage,
            "history": self.history,
            "error": self.error,
            "result": self.result,
            "seconds": None if spent is None else round(spent, 2),
        }


class Jobs:
    """A queue of jobs, and the process that does them.

    Parameters
    ----------
    tell : callable of Job
        Called whenever something is new about a job, from any thread.
    """

    def __init__(self, tell: Callable[[Job], None] = lambda job: None) -> None:
        self._tell = tell
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)
        self._known: dict[int, Job] = {}
        self._queue: list[Job] = []
        self._running: Job | None = None
        self._process: subprocess.Popen[str] | None = None
        self._listening: threading.Thread | None = None

    def warm(self) -> None:
        """Start the process ahead of the first job: loading libraries takes seconds."""
        with self._lock:
            self._ensure_process()

    def submit(self, task: str, about: str, **arguments: Any) -> Job:
        """Append a job to the queue and return it."""
        with self._lock:
            job = Job(next(self._numbers), task, arguments, about)
            self._known[job.id] = job
            for expired in [i for i, earlier in self._known.items() if earlier.state in OVER][
                :-REMEMBERED
            ]:
                del self._known[expired]
            self._queue.append(job)
            self._next()
        self._tell(job)
        return job

    def call(self, task: str, **arguments: Any) -> Any:
        """Run a job, wait for it and return its result; raise if it failed."""
        job = self.submit(task, task, **arguments)
        job.over.wait()
        if job.state != DONE:
            raise ValueError(job.error or f"{task} was cancelled.")
        return job.result

    def get(self, number: int) -> Job | None:
        """Return a job by its number; None if it is not remembered."""
        return self._known.get(number)

    def all(self) -> list[Job]:
        """Return all remembered jobs, oldest first."""
        with self._lock:
            return list(self._known.values())

    @property
    def busy(self) -> Job | None:
        """The running job; None if there is none."""
        return self._running

    def cancel(self, number: int) -> bool:
        """End a job; False if it was over already."""
        with self._lock:
            job = self._known.get(number)
            if job is None or job.state in OVER:
                return False
            if job in self._queue:
                self._queue.remove(job)
            elif self._process is not None:
                # A fit checks for cancellation only after each sweep; a kill acts at once. A file
                # it was writing is complete or absent (`utils.files`).
                process, self._process, self._running = self._process, None, None
                process.kill()
            self._over(job, CANCELLED)
            self._next()
        self._tell(job)
        return True

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._queue.clear()
            process, self._process = self._process, None
            listening, self._listening = self._listening, None
        if process is not None and listening is not None:
            process.kill()
            listening.join()

    def _next(self) -> None:
        """Begin the next job, if none is running."""
        if self._running is not None or not self._queue:
            return
        job = self._running = self._queue.pop(0)
        job.state, job.begun = RUNNING, time.monotonic()
        process = self._ensure_process()
        assert process.stdin is not None
        line = json.dumps({"job": job.id, "task": job.task, "given": dict(job.given)})
        process.stdin.write(f"{line}\n")
        process.stdin.flush()

    def _ensure_process(self) -> subprocess.Popen[str]:
        """Return the worker process, started if there is none."""
        if self._process is None:
            # -P: nothing is imported from the current folder, which may be anyone's.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "cocluster.web.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            self._listening = threading.Thread(
                target=self._listen, args=(self._process,), daemon=True
            )
            self._listening.start()
        return self._process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        """Read the messages of a worker process until it ends."""
        # The pipes are closed at the end, whoever has ended the process.
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                self._receive(json.loads(line))
        with self._lock:
            if process is not self._process:
                return  # it was ended on purpose
            self._process, job, self._running = None, self._running, None
            if job is not None:
                job.error = (
                    f"The process that worked on it has ended (code {process.returncode}), "
                    "perhaps for want of memory."
                )
                self._over(job, FAILED)
            self._next()
        if job is not None:
            self._tell(job)

    def _receive(self, message: dict[str, Any]) -> None:
        """Update the running job from a message of the worker process."""
        with self._lock:
            job = self._known.get(message["job"])
            if job is None or job is not self._running:
                return
            if "stage" in message:
                job.stage = message["stage"]
            if "sweep" in message:
                if job.history and message["sweep"] <= job.history[-1][0]:
                    job.history = []  # another start
                job.history.append((message["sweep"], message["objective"]))
            if "result" in message or "error" in message:
                job.result, job.error = message.get("result"), message.get("error", "")
                self._running = None
                self._over(job, FAILED if job.error else DONE)
                self._next()
        self._tell(job)

    def _over(self, job: Job, state: str) -> None:
        """Mark a job as ended and wake those who wait for it."""
        job.state, job.seconds = state, time.monotonic() - job.begun
        job.over.set()
