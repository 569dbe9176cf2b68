"""Requests drawn from the OpenAPI document: answers are as it says, and never a broken server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("schemathesis")

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from cocluster.web.api import Endpoint, Nothing, openapi
from cocluster.web.desk import Desk
from cocluster.web.routes import ENDPOINTS
from tests.web.projects import Client, IdleJobs, guarded, made

# Of each endpoint and kind: some seventy of them take about ten seconds.
EXAMPLES = 6
drawn = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
CASES = [
    (one, mode)
    for one in ENDPOINTS
    # Where nothing can be said, nothing wrong can be said.
    for mode in (list(GenerationMode) if one.asked is not Nothing else [GenerationMode.POSITIVE])
]


def served(folder: Path) -> tuple[Client, Any]:
    """A client that is let in to a small project, and the document of its interface."""
    desk = Desk(made(folder, 12, 2))
    # Fits are tested elsewhere; here they would go on for minutes.
    desk.jobs = desk.asking = IdleJobs()  # type: ignore[assignment]
    # The application ends with every request of schemathesis; the desk is needed for the next.
    desk.close = lambda: None  # type: ignore[method-assign]
    client = Client(*guarded(desk))
    document = schemathesis.openapi.from_dict(openapi(ENDPOINTS))
    document.app = client.app
    return client, document


@pytest.fixture
def web(tmp_path: Path) -> tuple[Client, Any]:
    """A project for one test alone: what a draw finds does not depend on the draws of others."""
    return served(tmp_path / "news")


@pytest.mark.parametrize(
    ("endpoint", "mode"),
    CASES,
    ids=[f"{one.method} {one.path} {mode.value}" for one, mode in CASES],
)
def test_answers_are_as_the_document_says(
    endpoint: Endpoint, mode: GenerationMode, web: tuple[Client, Any]
):
    client, document = web

    @drawn
    @given(case=document[endpoint.path][endpoint.method].as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(headers=client.headers)

    ask()
