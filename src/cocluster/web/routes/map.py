"""The map of the samples, and what is inside a part of it."""

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

# Points that are drawn: more cannot be told apart.
POINTS = 20_000


class Inside(Asked):
    """Samples that are looked into, or that are clusters of their own."""

    samples: Annotated[list[Place], msgspec.Meta(min_length=2, max_length=POINTS)]
    parts: Parts = 2


def get_map(desk: Desk, asked: OfRun) -> Any:
    """Places of the samples, their clusters and what else may colour them."""
    places = read_map(desk.project)
    if places is None:
        return {"ready": False}
    run = desk.number(asked.run)
    n = len(places)
    shown = np.arange(n)
    if n > POINTS:
        # A fixed seed: the same points whenever one looks.
        shown = np.sort(np.random.default_rng(0).choice(n, POINTS, replace=False))
    sure = desk.certainty(run)
    metadata = {name: desk.coded(name) for name in desk.columns}
    return {
        "ready": True,
        "total": n,
        "positions": shown.tolist(),
        "x": [round(float(x), 4) for x in places[shown, 0]],
        "y": [round(float(y), 4) for y in places[shown, 1]],
        "clusters": desk.labels(run)[shown].tolist(),
        "sure": None if sure is None else [round(float(p), 3) for p in sure[shown]],
        "metadata": {
            name: {"values": values, "codes": codes[shown].tolist()}
            for name, (values, codes) in metadata.items()
        },
    }


def post_map(desk: Desk, asked: Nothing) -> Any:
    """Draw the map, if nobody has."""
    if read_map(desk.project) is not None:
        return {"job": None}
    waiting = [job for job in desk.asking.all() if job.task == "map" and not job.over.is_set()]
    job = waiting[0] if waiting else desk.asking.submit("map", "draw the map", folder=desk.folder)
    return {"job": job.shown()}


def post_inside(desk: Desk, asked: Inside) -> Any:
    """Cluster some samples alone, and say what their parts are; nothing is changed."""
    _check(desk, asked)
    given = msgspec.structs.asdict(asked)
    return desk.asking.call("inside", folder=desk.folder, **given)


def post_part(desk: Desk, asked: Inside) -> Any:
    """Make the parts of some samples clusters, and fit again."""
    _check(desk, asked)
    about = f"part {len(asked.samples)} samples in {asked.parts}"
    return begun_edit(desk, "part", about, samples=asked.samples, parts=asked.parts)


def _check(desk: Desk, asked: Inside) -> None:
    """Refuse samples that do not exist, and too few of them."""
    desk.number(None)
    chosen = {desk.position(i) for i in asked.samples}
    if len(chosen) < asked.parts:
        raise ValueError(f"{len(chosen)} samples cannot be parted in {asked.parts}; choose more.")


ENDPOINTS = [
    Endpoint("GET", "/map", get_map, "The samples in the plane.", OfRun),
    Endpoint("POST", "/map", post_map, "Draw the map."),
    Endpoint("POST", "/inside", post_inside, "What some samples part into.", Inside),
    Endpoint("POST", "/clusters/part", post_part, "Make samples clusters of their own.", Inside),
]
