"""Requests drawn from the OpenAPI document: answers are as it says, and never a broken server."""

from __future__ import annotations

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


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    desk = Desk(made(tmp_path_factory.mktemp("web") / "news", 12, 2))
    # Fits are tested elsewhere; here they would go on for minutes.
    desk.jobs = desk.asking = IdleJobs()  # type: ignore[assignment]
    return Client(*guarded(desk))


@pytest.fixture(scope="module")
def schema(client: Client) -> Any:
    loaded = schemathesis.openapi.from_dict(openapi(ENDPOINTS))
    loaded.app = client.app
    return loaded


@pytest.mark.parametrize(
    ("endpoint", "mode"),
    CASES,
    ids=[f"{one.method} {one.path} {mode.value}" for one, mode in CASES],
)
def test_answers_are_as_the_document_says(
    endpoint: Endpoint, mode: GenerationMode, schema: Any, client: Client
):
    operation = schema[endpoint.path][endpoint.method]

    @drawn
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(headers=client.headers)

    ask()
