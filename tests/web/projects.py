"""A small project to work on, and a client that is let in."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import numpy as np

from cocluster import CoCluster
from cocluster.io.dataset import Dataset
from cocluster.projects import Project, open_project
from cocluster.projects.making import Fitted, begun, keep
from cocluster.projects.project import new_project
from cocluster.web.app import application
from cocluster.web.desk import Desk
from cocluster.web.guard import Keys
from cocluster.web.jobs import Job
from cocluster.web.tasks import TASKS

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
# A text that would do harm if it were markup.
HARM = "<img src=x onerror=\"document.title='taken over'\"> goal"
SUBJECTS = (
    "ball goal team score coach match league",
    "vote law senate party bill court mayor",
    "cell gene protein blood tissue enzyme virus",
    "piano violin opera song chord tempo choir",
)


def dataset(n: int = 60, seed: int = 0) -> Dataset:
    """Texts on four subjects, two of which share words, with titles, metadata and classes."""
    rng = np.random.default_rng(seed)
    vocabulary = [word for subject in SUBJECTS for word in subject.split()]
    # A fifth of all words is drawn from anywhere, so that there is something to ask.
    texts = []
    for i in range(n):
        own = rng.choice(SUBJECTS[i % 4].split(), 12)
        texts.append(" ".join(np.where(rng.random(12) < 0.3, rng.choice(vocabulary, 12), own)))
    texts[0] = f"{HARM} {texts[0]}"
    X = np.array([[text.split().count(word) for word in vocabulary] for text in texts], float)
    return Dataset(
        "news",
        {"words": X},
        labels=np.arange(n) % 4,
        class_names=np.array(["sport", "politics", "biology", "music"]),
        sample_names=np.array([f"doc{i:03d}" for i in range(n)], dtype=object),
        feature_names={"words": np.array(vocabulary, dtype=object)},
        texts=np.array(texts, dtype=object),
        titles=np.array([f"Title {i} {HARM}" for i in range(n)], dtype=object),
        metadata={"place": np.array([f"city {i % 5}" for i in range(n)], dtype=object)},
        feature_metadata={
            "words": {"letters": np.array([str(len(word)) for word in vocabulary], dtype=object)}
        },
    )


def made(folder: Path, n: int = 60, k: int = 4) -> Project:
    """A project with one run."""
    return kept(folder, dataset(n), k)


def kept(folder: Path, data: Dataset, k: int = 4, source: str = "news.csv") -> Project:
    """A project of a data set."""
    model = CoCluster(k, random_state=0).fit(data.data)
    with new_project(folder) as place:
        keep(begun(place, data, {"source": source}), Fitted(model, data, seconds=0.5))
    return open_project(folder)


def guarded(desk: Desk) -> tuple[Any, Keys]:
    """The application and its keys."""
    keys = Keys()
    return application(desk, keys, (HOST, "localhost:8765")), keys


@dataclass(frozen=True)
class Answer:
    """What was answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


Headers = dict[str, str] | list[tuple[str, str]]


def answered(
    app: Any, method: str, path: str, headers: Headers, pieces: tuple[bytes, ...] = (b"",)
) -> Answer:
    """What an application answers; headers without a value are left out."""
    address, _, query = path.partition("?")
    listed = headers.items() if isinstance(headers, dict) else headers
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(address),
        "raw_path": address.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", 8765),
        "client": ("127.0.0.1", 1),
        "headers": [(k.encode(), v.encode()) for k, v in listed if v],
    }
    waiting, sent = list(pieces), list[Any]()

    async def receive() -> dict[str, Any]:
        if not waiting:
            return {"type": "http.disconnect"}
        body = waiting.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], told, b"".join(m.get("body", b"") for m in sent[1:]))


@dataclass(frozen=True)
class Client:
    """A browser that was let in."""

    app: Any
    keys: Keys

    @property
    def headers(self) -> dict[str, str]:
        """What it sends with each request."""
        cookie = f"{self.app.cookie_name}={self.keys.cookie}"
        return {"host": HOST, "origin": ORIGIN, "cookie": cookie}

    def get(self, path: str, **query: Any) -> Answer:
        asked = f"?{urlencode(query)}" if query else ""
        return answered(self.app, "GET", f"/api/v1{path}{asked}", self.headers)

    def delete(self, path: str) -> Answer:
        return answered(self.app, "DELETE", f"/api/v1{path}", self.headers)

    def post(self, path: str, **given: Any) -> Answer:
        headers = {**self.headers, "content-type": "application/json"}
        body = json.dumps(given).encode()
        return answered(self.app, "POST", f"/api/v1{path}", headers, (body,))


def awaited(client: Client, answer: Answer, state: str = "done") -> dict[str, Any]:
    """A job when it is over."""
    assert answer.status == 200, answer.body
    number = answer.json()["job"]["id"]
    for _ in range(1200):
        job: dict[str, Any] = client.get(f"/jobs/{number}").json()["job"]
        if job["state"] not in ("waiting", "running"):
            assert job["state"] == state, job["error"]
            return job
        time.sleep(0.05)
    raise AssertionError("the job does not end")


class IdleJobs:
    """Jobs of which none is ever begun, but for questions, which are asked at once."""

    busy = None

    def submit(self, task: str, about: str, **given: Any) -> Job:
        """A job that waits."""
        return Job(1, task, given, about)

    def call(self, task: str, **given: Any) -> Any:
        """What a task gives, in this process."""
        return TASKS[task](lambda **news: None, **given)

    def all(self) -> list[Job]:
        """None is remembered."""
        return []

    def get(self, number: int) -> Job | None:
        """None is found."""
        return None

    def cancel(self, number: int) -> bool:
        """None is there to be ended."""
        return False

    def close(self) -> None:
        """There is no process to end."""
