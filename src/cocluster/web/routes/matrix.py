"""The sorted matrix: its borders, parts of it as cells, what is at a place, and where a name is."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.linalg.types import Array
from cocluster.report.grid import STEPS, Border, edges
from cocluster.report.sorting import Side, Sorted
from cocluster.web.api import Asked, Endpoint, File
from cocluster.web.desk import Desk
from cocluster.web.routes.project import Number

Place = Annotated[int, msgspec.Meta(ge=0)]
# Cells of a picture along a side: more than a large screen has pixels serve nobody.
Cells = Annotated[int, msgspec.Meta(ge=1, le=4_000)]
# Names that a search gives.
FOUND = 12
# Objects of a cell that are named.
NAMED = 3


class OfView(Asked):
    """A view of a run; the first and the last by default."""

    view: str | None = None
    run: Number | None = None


class Part(OfView, kw_only=True):
    """Rows from r0 up to r1 and columns from c0 up to c1, in about height x width cells."""

    r0: Place
    r1: Number
    c0: Place
    c1: Number
    height: Cells
    width: Cells


class Spot(OfView, kw_only=True):
    """Places from which a cell reaches up to which others."""

    r0: Place
    r1: Number
    c0: Place
    c1: Number


class Beside(OfView, kw_only=True):
    """A column of what is known of the samples, beside rows from r0 up to r1.

    With ``side`` "columns" the same of the features: above columns from r0 up to r1.
    """

    name: str
    r0: Place
    r1: Number
    height: Cells
    side: Literal["rows", "columns"] = "rows"


class Search(OfView, kw_only=True):
    """A part of a name."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


def _sorted(desk: Desk, asked: OfView) -> Sorted:
    """The sorted matrix that is asked about."""
    return desk.sorted(desk.number(asked.run), desk.relation(asked.view))


def get_matrix(desk: Desk, asked: OfView) -> Any:
    """Size and borders of a view."""
    run, view = desk.number(asked.run), desk.relation(asked.view)
    found = desk.picture(run, view)
    return {
        "view": view,
        "rows": _side(found.over),
        "columns": _side(found.across),
        "beside_columns": list(desk.project.dataset.feature_metadata.get(view, {})),
        "kind": "standard deviations" if found.signed else "log2 lift",
        "steps": STEPS,
    }


def _side(side: Border) -> dict[str, Any]:
    """One side in plain values."""
    return {"type": side.type, "size": side.size, "ids": side.ids, "cuts": side.cuts}


def get_tile(desk: Desk, asked: Part) -> Any:
    """A line of JSON, then one signed byte for each cell, row by row.

    The line has the edges of the cells, the unit, and whether a finer picture will soon be there.
    """
    run, view = desk.number(asked.run), desk.relation(asked.view)
    _check_part(desk.picture(run, view).shape, asked)
    part = (asked.r0, asked.r1, asked.c0, asked.c1, asked.height, asked.width)
    tile, rough = desk.tile(run, view, part)
    edges_of = {"rows": tile.rows.tolist(), "columns": tile.columns.tolist()}
    head = {**edges_of, "unit": tile.unit, "rough": rough}
    return File(json.dumps(head).encode() + b"\n" + tile.cells.tobytes())


def _check_part(shape: tuple[int, int], asked: Part | Spot) -> None:
    """Refuse a part that is not inside the matrix, or empty."""
    n, m = shape
    if not (asked.r0 < asked.r1 <= n and asked.c0 < asked.c1 <= m):
        raise ValueError(f"Ask for a part of {n} rows and {m} columns that is not empty.")


def get_cell(desk: Desk, asked: Spot) -> Any:
    """What lies behind a cell: names, clusters and, of a single entry, its value."""
    found = _sorted(desk, asked)
    _check_part(found.shape, asked)
    single = asked.r1 - asked.r0 == 1 and asked.c1 - asked.c0 == 1
    return {
        "row": _named(desk, found, found.rows, asked.r0, asked.r1),
        "column": _named(desk, found, found.columns, asked.c0, asked.c1),
        "value": found.value(asked.r0, asked.c0) if single else None,
    }


def _named(desk: Desk, found: Sorted, side: Side, start: int, end: int) -> dict[str, Any]:
    """The first objects of some places, and the cluster of the first."""
    names = _names(desk, found, side)
    shown = [str(names[i]) for i in side.order[start : min(end, start + NAMED)]]
    own = side.border
    at = int(np.searchsorted(own.cuts, start, side="right")) - 1
    return {
        "names": shown,
        "more": end - start - len(shown),
        "cluster": own.ids[at] if own.ids else None,
    }


def _names(desk: Desk, found: Sorted, side: Side) -> Any:
    """What the objects along a side are called."""
    dataset = desk.project.dataset
    if side is found.rows:
        titles = dataset.titles
        ids = desk.project.ids
        names = ids if titles is None else [f"{a} {b}" for a, b in zip(ids, titles, strict=True)]
        return names if found.index is None else [names[i] for i in found.index]
    known = dataset.feature_names.get(side.border.type)
    return range(len(side.order)) if known is None else known


def get_strip(desk: Desk, asked: Beside) -> Any:
    """The commonest value in each row of cells, and how often each cluster has which."""
    found = _sorted(desk, asked)
    side = found.rows if asked.side == "rows" else found.columns
    n = side.border.size
    if not asked.r0 < asked.r1 <= n:
        raise ValueError(f"Ask for a part of {n} {asked.side} that is not empty.")
    if asked.side == "columns":
        values, codes = desk.coded_features(side.border.type, asked.name)
    else:
        values, codes = desk.coded(asked.name)
        codes = codes if found.index is None else codes[found.index]
    # Whatever is rare comes last, and has no colour.
    kinds = len(values) + 1
    own = codes[side.order] % kinds
    rows = edges(asked.r0, asked.r1, asked.height)
    counts = _counted(own[asked.r0 : asked.r1], rows - asked.r0, kinds)
    commonest = counts.argmax(axis=1)
    return {
        "name": asked.name,
        "values": values,
        "rows": rows.tolist(),
        "cells": np.where(commonest < len(values), commonest, -1).tolist(),
        "type": side.border.type,
        "clusters": side.border.ids,
        "counts": _counted(own, np.array(side.border.cuts), kinds).tolist(),
    }


def _counted(codes: Array, cuts: Array, kinds: int) -> Array:
    """How often each code occurs between two cuts."""
    part = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    counts = np.bincount(part * kinds + codes, minlength=(len(cuts) - 1) * kinds)
    return counts.reshape(-1, kinds)


def get_search(desk: Desk, asked: Search) -> Any:
    """Rows and columns whose name has some letters in it, those that begin with them first."""
    found = _sorted(desk, asked)
    return {
        "rows": _found(_names(desk, found, found.rows), found.rows, asked.text),
        "columns": _found(_names(desk, found, found.columns), found.columns, asked.text),
    }


def _found(names: Any, side: Side, text: str) -> list[dict[str, Any]]:
    """Objects with their places."""
    wanted = text.casefold()
    hits = [(str(name).casefold(), i) for i, name in enumerate(names)]
    hits = [(name, i) for name, i in hits if wanted in name]
    hits.sort(key=lambda hit: (not hit[0].startswith(wanted), len(hit[0]), hit[0]))
    return [{"name": str(names[i]), "place": int(side.place[i])} for _, i in hits[:FOUND]]


ENDPOINTS = [
    Endpoint("GET", "/matrix", get_matrix, "Size and borders of a sorted view.", OfView),
    Endpoint("GET", "/tile", get_tile, "A part in cells.", Part, "application/octet-stream"),
    Endpoint("GET", "/cell", get_cell, "What lies behind a cell.", Spot),
    Endpoint("GET", "/strip", get_strip, "What is known of the samples in rows.", Beside),
    Endpoint("GET", "/search", get_search, "Rows and columns by name.", Search),
]
