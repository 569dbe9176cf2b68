"""From a request to a function and back: every endpoint is a line in a table.

An `Endpoint` names a function of the desk and of what was asked, which is a `msgspec.Struct`: its
fields come from the address (path and query) or, where something is changed, from a JSON body. The
same table gives the routes and the OpenAPI document, so that these cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cocluster import __version__
from cocluster.web.desk import Desk, NotThere

PREFIX = "/api/v1"
# Below this, a float of eight bytes represents every whole number exactly.
EXACT = 2.0**53


class Asked(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base class of request models; subclasses declare the fields."""


class Nothing(Asked):
    """A request without fields."""


@dataclass(frozen=True)
class File:
    """A response body that is a file instead of JSON."""

    content: bytes
    kind: str = "application/octet-stream"
    name: str = ""


@dataclass(frozen=True)
class Endpoint:
    """One endpoint of the API: its address, function and request model.

    Attributes
    ----------
    method, path : str
        The path below `PREFIX`.
    run : callable of Desk and Asked
        It returns plain values, or a `File`.
    about : str
        What it does, in a line.
    asked : type of Asked
    gives : str
        Media type of the answer.
    """

    method: str
    path: str
    run: Callable[[Desk, Any], Any]
    about: str
    asked: type[Asked] = Nothing
    gives: str = "application/json"


def routes_of(endpoints: Sequence[Endpoint], desk: Desk) -> list[Route]:
    """Return the routes of a server, one per path with all methods of that path."""
    paths: dict[str, dict[str, Endpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [
        Route(PREFIX + path, _handler(by_method, desk), methods=list(by_method))
        for path, by_method in paths.items()
    ]


def _handler(by_method: Mapping[str, Endpoint], desk: Desk) -> Any:
    """Return the request handler of a path, given its endpoints by HTTP method."""

    async def handle(request: Request) -> Response:
        # The framework answers HEAD where there is GET.
        return await _answer_request(
            by_method["GET" if request.method == "HEAD" else request.method], desk, request
        )

    return handle


async def _answer_request(endpoint: Endpoint, desk: Desk, request: Request) -> Response:
    """Return the response of an endpoint; errors become a status and a sentence."""
    try:
        request_fields = await _read_request(endpoint, request)
        # In a thread, so that the server answers other requests meanwhile.
        answer = await run_in_threadpool(endpoint.run, desk, request_fields)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return said(422, str(error))
    except NotThere as error:
        return said(404, str(error))
    except (ValueError, TypeError, BlockingIOError) as error:
        return said(409, " ".join(str(error).split()))
    if isinstance(answer, File):
        disposition = {"content-disposition": f'attachment; filename="{answer.name}"'}
        headers = disposition if answer.name else {}
        return Response(answer.content, media_type=answer.kind, headers=headers)
    return Response(msgspec.json.encode(answer), media_type="application/json")


async def _read_request(endpoint: Endpoint, request: Request) -> Asked:
    """Parse and validate a request into the endpoint's request model."""
    if endpoint.method == "POST":
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise msgspec.ValidationError("Send JSON, with the content type application/json.")
        return _decode_body(await request.body(), endpoint.asked)
    fields = {**dict(request.query_params), **request.path_params}
    # Not strict: texts of an address are converted where the request model has numbers.
    return msgspec.convert(fields, endpoint.asked, strict=False)


def _decode_body(body: bytes, kind: type[Asked]) -> Asked:
    """Parse and validate a JSON body into a request model."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:
        # JSON makes no difference between 3 and 3.0, nor do languages that have but one kind of
        # number; the decoder does.
        return msgspec.convert(_with_whole_numbers(msgspec.json.decode(body)), kind)


def _with_whole_numbers(value: Any) -> Any:
    """Convert floats without a fraction to integers, anywhere in a JSON value."""
    if isinstance(value, list):
        return [_with_whole_numbers(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _with_whole_numbers(entry) for key, entry in value.items()}
    exact = isinstance(value, float) and abs(value) < EXACT and value.is_integer()
    return int(value) if exact else value


def said(status: int, sentence: str) -> Response:
    """Return an error response with its status and reason."""
    body = msgspec.json.encode({"error": sentence})
    return Response(body, status, media_type="application/json")


def openapi(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI document of a table of endpoints."""
    kinds = list(dict.fromkeys(endpoint.asked for endpoint in endpoints))
    _, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        schema = schemas[endpoint.asked.__name__]
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schema)
    schemas["Refused"] = {
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "cocluster workbench",
            "version": __version__,
            "description": "Everything that the page does. Needs the cookie of the page.",
        },
        "servers": [{"url": PREFIX}],
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(endpoint: Endpoint, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI operation object of an endpoint."""
    answer: dict[str, Any] = {"description": "Done.", "content": {endpoint.gives: {"schema": {}}}}
    refused = {"$ref": "#/components/schemas/Refused"}
    operation: dict[str, Any] = {
        "operationId": endpoint.run.__name__,
        "summary": endpoint.about,
        "responses": {
            "200": answer,
            **{
                code: {"description": why, "content": {"application/json": {"schema": refused}}}
                for code, why in (
                    ("404", "What was asked for does not exist."),
                    ("409", "The project as it is does not allow it; the sentence says why."),
                    ("422", "The request is not as this document describes it."),
                )
            },
        },
    }
    if endpoint.method == "POST":
        reference = {"$ref": f"#/components/schemas/{endpoint.asked.__name__}"}
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": reference}},
        }
        return operation
    needed = schema.get("required", [])
    operation["parameters"] = [
        {
            "name": name,
            "in": "path" if f"{{{name}}}" in endpoint.path else "query",
            "required": name in needed or f"{{{name}}}" in endpoint.path,
            "schema": kind,
        }
        for name, kind in schema.get("properties", {}).items()
    ]
    return operation
