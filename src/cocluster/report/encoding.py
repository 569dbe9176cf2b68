"""Dataclasses of plain values: to dicts, back again, and as a JSON schema.

All three are read from the types of the fields, so that they cannot disagree. A field may be a
bool, int, float, str or None, a tuple of one kind of value, a dict with texts as keys, another
such dataclass, or one of several of these.
"""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from cocluster.report.tables import plain

# Names of JSON for the simplest values.
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def encoded(value: Any) -> Any:
    """A dataclass (or what its fields hold) as dicts, lists, texts and numbers."""
    if is_dataclass(value):
        return {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): encoded(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [encoded(part) for part in value]
    return plain(value)


def decoded(kind: Any, value: Any) -> Any:
    """The inverse of `encoded` for a value of this kind, which may come from JSON.

    >>> decoded(tuple[float | None, ...], [0.5, None])
    (0.5, None)
    """
    if is_dataclass(kind):
        hints, make = get_type_hints(kind), cast(type[Any], kind)
        unknown = set(value) - set(hints)
        if unknown:
            raise ValueError(f"{make.__name__} has no {sorted(unknown)[0]!r}.")
        return make(**{name: decoded(hints[name], part) for name, part in value.items()})
    if get_origin(kind) is tuple:
        return tuple(decoded(get_args(kind)[0], part) for part in value)
    if get_origin(kind) is dict:
        return {key: decoded(get_args(kind)[1], part) for key, part in value.items()}
    if _is_union(kind):
        return None if value is None else decoded(_present(kind), value)
    return value


def schema(kind: Any, title: str) -> dict[str, Any]:
    """JSON schema of a dataclass: every field is there, and there are no others."""
    known: dict[str, Any] = {}
    top = _schema(kind, known)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **top,
        "$defs": dict(sorted(known.items())),
    }


def _schema(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Schema of one kind of value; dataclasses are written to `known` once, by their name."""
    if is_dataclass(kind):
        name = getattr(kind, "__name__", "")
        if name not in known:
            known[name] = {}
            hints = get_type_hints(kind)
            known[name] |= {
                "description": (kind.__doc__ or "").strip().splitlines()[0],
                "type": "object",
                "properties": {key: _schema(part, known) for key, part in hints.items()},
                "required": list(hints),
                "additionalProperties": False,
            }
        return {"$ref": f"#/$defs/{name}"}
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _schema(get_args(kind)[0], known)}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _schema(get_args(kind)[1], known)}
    if _is_union(kind):
        return {"anyOf": [_schema(part, known) for part in get_args(kind)]}
    return {"type": KINDS[kind]}


def _is_union(kind: Any) -> bool:
    """Whether a value may be of several kinds."""
    return get_origin(kind) in (Union, types.UnionType)


def _present(kind: Any) -> Any:
    """The kind of a value that is there: of several simple ones any, as they stay as they are."""
    return next(part for part in get_args(kind) if part is not type(None))
