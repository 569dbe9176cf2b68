"""The map of the samples, and sub-clusters of selected samples."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np

from cocluster.web.api import Asked, Endpoint, Nothing
from cocluster.web.desk import Desk
from cocluster.web.map import read_map
from cocluster.web.routes.clusters import Parts, begun_edit
from cocluster.web.routes.matrix import Place
from cocluster.web.routes.project import OfRun

# Number of points that are drawn: more cannot be told apart on a screen.
POINTS = 20_000


class Inside(Asked):
    """Samples to divide into sub-clusters, and the number of these."""

    samples: Annotated[list[Place], msgspec.Meta(min_length=2, max_length=POINTS)]
    parts: Parts = 2


def get_map(desk: Desk, request: OfRun) -> Any:
    """Return the coordinates of the samples, their clusters and metadata for colours."""
    coordinates = read_map(desk.project)
    if coordinates is None:
        return {"ready": False}
    run = desk.number(request.run)
    n = len(coordinates)
    points = np.arange(n)
    if n > POINTS:
        # A fixed seed, so that every request draws the same points.
        points = np.sort(np.random.default_rng(0).choice(n, POINTS, replace=False))
    sure = desk.certainty(run)
    metadata = {name: desk.coded(name) for name in desk.columns}
    return {
        "ready": True,
        "total": n,
        "positions": points.tolist(),
        "x": [round(float(x), 4) for x in coordinates[points, 0]],
        "y": [round(float(y), 4) for y in coordinates[points, 1]],
        "clusters": desk.labels(run)[points].tolist(),
        "sure": None if sure is None else [round(float(p), 3) for p in sure[points]],
        "metadata": {
            name: {"values": values, "codes": codes[points].tolist()}
            for name, (values, codes) in metadata.items()
        },
    }


def post_map(desk: Desk, request: Nothing) -> Any:
    """Submit a job that draws the map, unless the map exists."""
    if read_map(desk.project) is not None:
        return {"job": None}
    waiting = [job for job in desk.asking.all() if job.task == "map" and not job.over.is_set()]
    job = waiting[0] if waiting else desk.asking.submit("map", "draw the map", folder=desk.folder)
    return {"job": job.shown()}


def post_inside(desk: Desk, request: Inside) -> Any:
    """Return the sub-clusters of selected samples, without changing the project."""
    _check(desk, request)
    arguments = msgspec.structs.asdict(request)
    return desk.asking.call("inside", folder=desk.folder, **arguments)


def post_part(desk: Desk, request: Inside) -> Any:
    """Make the sub-clusters of selected samples clusters, and fit again."""
    _check(desk, request)
    about = f"part {len(request.samples)} samples in {request.parts}"
    return begun_edit(desk, "part", about, samples=request.samples, parts=request.parts)


def _check(desk: Desk, request: Inside) -> None:
    """Refuse samples that do not exist, and too few of them."""
    desk.number(None)
    samples = {desk.position(i) for i in request.samples}
    if len(samples) < request.parts:
        raise ValueError(
            f"{len(samples)} samples cannot be parted in {request.parts}; choose more."
        )


ENDPOINTS = [
    Endpoint("GET", "/map", get_map, "The samples in the plane.", OfRun),
    Endpoint("POST", "/map", post_map, "Draw the map."),
    Endpoint("POST", "/inside", post_inside, "What some samples part into.", Inside),
    Endpoint("POST", "/clusters/part", post_part, "Make samples clusters of their own.", Inside),
]
