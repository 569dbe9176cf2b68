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
# Below this every whole number is a number of eight bytes of its own.
EXACT = 2.0**53


class Asked(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a request says; subclasses have the fields."""


class Nothing(Asked):
    """A request that says nothing."""


@dataclass(frozen=True)
class File:
    """An answer that is no JSON."""

    content: bytes
    kind: str = "application/octet-stream"
    name: str = ""


@dataclass(frozen=True)
class Endpoint:
    """One thing that can be asked for.

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
    """Routes of a server: one for each path, so that it knows all methods of it."""
    paths: dict[str, dict[str, Endpoint]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method] = one
    return [
        Route(PREFIX + path, _handler(own, desk), methods=list(own)) for path, own in paths.items()
    ]


def _handler(own: Mapping[str, Endpoint], desk: Desk) -> Any:
    """What a server calls for a path."""

    async def handle(request: Request) -> Response:
        # The framework answers HEAD where there is GET.
        return await _answered(
            own["GET" if request.method == "HEAD" else request.method], desk, request
        )

    return handle


async def _answered(one: Endpoint, desk: Desk, request: Request) -> Response:
    """What an endpoint answers; what is wrong becomes a sentence."""
    try:
        asked = await _asked(one, request)
        # In a thread: others are answered meanwhile.
        found = await run_in_threadpool(one.run, desk, asked)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return said(422, str(error))
    except NotThere as error:
        return said(404, str(error))
    except (ValueError, TypeError, BlockingIOError) as error:
        return said(409, " ".join(str(error).split()))
    if isinstance(found, File):
        more = {"content-disposition": f'attachment; filename="{found.name}"'}
        headers = more if found.name else {}
        return Response(found.content, media_type=found.kind, headers=headers)
    return Response(msgspec.json.encode(found), media_type="application/json")


async def _asked(one: Endpoint, request: Request) -> Asked:
    """What a request says, checked."""
    if one.method == "POST":
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise msgspec.ValidationError("Send JSON, with the content type application/json.")
        return _decoded(await request.body(), one.asked)
    given = {**dict(request.query_params), **request.path_params}
    # Texts of an address become numbers where numbers are asked for.
    return msgspec.convert(given, one.asked, strict=False)


def _decoded(body: bytes, kind: type[Asked]) -> Asked:
    """What a JSON body says."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:
        # JSON makes no difference between 3 and 3.0, nor do languages that have but one kind of
        # number; the decoder does.
        return msgspec.convert(_with_whole_numbers(msgspec.json.decode(body)), kind)


def _with_whole_numbers(value: Any) -> Any:
    """A JSON value whose numbers without a fraction are whole ones."""
    if isinstance(value, list):
        return [_with_whole_numbers(one) for one in value]
    if isinstance(value, dict):
        return {key: _with_whole_numbers(one) for key, one in value.items()}
    exact = isinstance(value, float) and abs(value) < EXACT and value.is_integer()
    return int(value) if exact else value


def said(status: int, sentence: str) -> Response:
    """A refusal with its reason."""
    body = msgspec.json.encode({"error": sentence})
    return Response(body, status, media_type="application/json")


def openapi(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The OpenAPI document of a table of endpoints."""
    kinds = list(dict.fromkeys(one.asked for one in endpoints))
    _, parts = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for one in endpoints:
        schema = parts[one.asked.__name__]
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schema)
    parts["Refused"] = {
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
        "components": {"schemas": parts},
    }


def _operation(one: Endpoint, schema: dict[str, Any]) -> dict[str, Any]:
    """One endpoint, as OpenAPI describes it."""
    answer: dict[str, Any] = {"description": "Done.", "content": {one.gives: {"schema": {}}}}
    refused = {"$ref": "#/components/schemas/Refused"}
    found: dict[str, Any] = {
        "operationId": one.run.__name__,
        "summary": one.about,
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
    if one.method == "POST":
        reference = {"$ref": f"#/components/schemas/{one.asked.__name__}"}
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": reference}},
        }
        return found
    needed = schema.get("required", [])
    found["parameters"] = [
        {
            "name": name,
            "in": "path" if f"{{{name}}}" in one.path else "query",
            "required": name in needed or f"{{{name}}}" in one.path,
            "schema": kind,
        }
        for name, kind in schema.get("properties", {}).items()
    ]
    return found
