"""The sorted matrix: cluster borders, tiles, the content of a cell, and search by name."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.linalg.types import Array
from cocluster.report.compute.pictures import STEPS
from cocluster.report.sorted_matrix import Border, SortedAxis, SortedMatrix, edges
from cocluster.web.api import Asked, Endpoint, File
from cocluster.web.desk import Desk
from cocluster.web.routes.project import Number

Place = Annotated[int, msgspec.Meta(ge=0)]
# Cells of a picture along a side, limited to the pixels of a large screen.
Cells = Annotated[int, msgspec.Meta(ge=1, le=4_000)]
# Number of names that a search returns.
FOUND = 12
# Number of objects of a cell that are named.
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
    """A cell: rows from r0 up to r1 and columns from c0 up to c1."""

    r0: Place
    r1: Number
    c0: Place
    c1: Number


class Beside(OfView, kw_only=True):
    """A metadata column of the samples, beside rows from r0 up to r1.

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


def _sorted(desk: Desk, request: OfView) -> SortedMatrix:
    """Return the sorted matrix of the requested run and view."""
    return desk.sorted(desk.number(request.run), desk.relation(request.view))


def get_matrix(desk: Desk, request: OfView) -> Any:
    """Return the size and cluster borders of a view."""
    run, view = desk.number(request.run), desk.relation(request.view)
    matrix = desk.picture(run, view)
    return {
        "view": view,
        "rows": _side(matrix.over),
        "columns": _side(matrix.across),
        "beside_columns": list(desk.project.dataset.feature_metadata.get(view, {})),
        "kind": "standard deviations" if matrix.signed else "log2 lift",
        "steps": STEPS,
    }


def _side(side: Border) -> dict[str, Any]:
    """Return the cluster borders of one side as JSON values."""
    return {"type": side.type, "size": side.size, "ids": side.ids, "cuts": side.cuts}


def get_tile(desk: Desk, request: Part) -> Any:
    """Return a line of JSON, then one signed byte for each cell, row by row.

    The line has the edges of the cells, the unit, and whether a finer picture will soon be there.
    """
    run, view = desk.number(request.run), desk.relation(request.view)
    _check_part(desk.picture(run, view).shape, request)
    bounds = (request.r0, request.r1, request.c0, request.c1, request.height, request.width)
    tile, rough = desk.tile(run, view, bounds)
    cell_edges = {"rows": tile.rows.tolist(), "columns": tile.columns.tolist()}
    head = {**cell_edges, "unit": tile.unit, "rough": rough}
    return File(json.dumps(head).encode() + b"\n" + tile.cells.tobytes())


def _check_part(shape: tuple[int, int], request: Part | Spot) -> None:
    """Refuse a part that is not inside the matrix, or empty."""
    n, m = shape
    if not (request.r0 < request.r1 <= n and request.c0 < request.c1 <= m):
        raise ValueError(f"Ask for a part of {n} rows and {m} columns that is not empty.")


def get_cell(desk: Desk, request: Spot) -> Any:
    """Return the names and clusters of a cell and, for a single entry, its value."""
    matrix = _sorted(desk, request)
    _check_part(matrix.shape, request)
    single = request.r1 - request.r0 == 1 and request.c1 - request.c0 == 1
    return {
        "row": _cell_names(desk, matrix, matrix.rows, request.r0, request.r1),
        "column": _cell_names(desk, matrix, matrix.columns, request.c0, request.c1),
        "value": matrix.value(request.r0, request.c0) if single else None,
    }


def _cell_names(
    desk: Desk, matrix: SortedMatrix, side: SortedAxis, start: int, end: int
) -> dict[str, Any]:
    """Return the names of the first objects in a range, and the cluster of the first."""
    names = _names(desk, matrix, side)
    names_shown = [str(names[i]) for i in side.order[start : min(end, start + NAMED)]]
    border = side.border
    at = int(np.searchsorted(border.cuts, start, side="right")) - 1
    return {
        "names": names_shown,
        "more": end - start - len(names_shown),
        "cluster": border.ids[at] if border.ids else None,
    }


def _names(desk: Desk, matrix: SortedMatrix, side: SortedAxis) -> Any:
    """Return the names of the objects along a side."""
    dataset = desk.project.dataset
    if side is matrix.rows:
        titles = dataset.titles
        ids = desk.project.ids
        names = ids if titles is None else [f"{a} {b}" for a, b in zip(ids, titles, strict=True)]
        return names if matrix.index is None else [names[i] for i in matrix.index]
    features = dataset.feature_names.get(side.border.type)
    return range(len(side.order)) if features is None else features


def get_strip(desk: Desk, request: Beside) -> Any:
    """Return the commonest metadata value per row of cells, and value counts per cluster."""
    matrix = _sorted(desk, request)
    side = matrix.rows if request.side == "rows" else matrix.columns
    n = side.border.size
    if not request.r0 < request.r1 <= n:
        raise ValueError(f"Ask for a part of {n} {request.side} that is not empty.")
    if request.side == "columns":
        values, codes = desk.coded_features(side.border.type, request.name)
    else:
        values, codes = desk.coded(request.name)
        codes = codes if matrix.index is None else codes[matrix.index]
    # Rare values share the last code, which has no colour.
    kinds = len(values) + 1
    sorted_codes = codes[side.order] % kinds
    rows = edges(request.r0, request.r1, request.height)
    counts = _count_codes(sorted_codes[request.r0 : request.r1], rows - request.r0, kinds)
    commonest = counts.argmax(axis=1)
    return {
        "name": request.name,
        "values": values,
        "rows": rows.tolist(),
        "cells": np.where(commonest < len(values), commonest, -1).tolist(),
        "type": side.border.type,
        "clusters": side.border.ids,
        "counts": _count_codes(sorted_codes, np.array(side.border.cuts), kinds).tolist(),
    }


def _count_codes(codes: Array, cuts: Array, kinds: int) -> Array:
    """Count how often each code occurs between two cuts."""
    interval = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    counts = np.bincount(interval * kinds + codes, minlength=(len(cuts) - 1) * kinds)
    return counts.reshape(-1, kinds)


def get_search(desk: Desk, request: Search) -> Any:
    """Return rows and columns whose name contains a text, names that begin with it first."""
    matrix = _sorted(desk, request)
    return {
        "rows": _search_names(_names(desk, matrix, matrix.rows), matrix.rows, request.text),
        "columns": _search_names(
            _names(desk, matrix, matrix.columns), matrix.columns, request.text
        ),
    }


def _search_names(names: Any, side: SortedAxis, text: str) -> list[dict[str, Any]]:
    """Return the names that contain a text, with their place in the sorted matrix."""
    needle = text.casefold()
    hits = [(str(name).casefold(), i) for i, name in enumerate(names)]
    hits = [(name, i) for name, i in hits if needle in name]
    hits.sort(key=lambda hit: (not hit[0].startswith(needle), len(hit[0]), hit[0]))
    return [{"name": str(names[i]), "place": int(side.place[i])} for _, i in hits[:FOUND]]


ENDPOINTS = [
    Endpoint("GET", "/matrix", get_matrix, "Size and borders of a sorted view.", OfView),
    Endpoint("GET", "/tile", get_tile, "A part in cells.", Part, "application/octet-stream"),
    Endpoint("GET", "/cell", get_cell, "What lies behind a cell.", Spot),
    Endpoint("GET", "/strip", get_strip, "What is known of the samples in rows.", Beside),
    Endpoint("GET", "/search", get_search, "Rows and columns by name.", Search),
]
