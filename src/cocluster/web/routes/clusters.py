"""Clusters: their members, and what a person changes in them; and the map of the samples."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.links import Links
from cocluster.web.api import Asked, Endpoint, Nothing
from cocluster.web.desk import Desk
from cocluster.web.map import read_map
from cocluster.web.routes.matrix import Place
from cocluster.web.routes.project import OfRun
from cocluster.web.samples import shown_sample, titled

# Samples that a page lists at a time, and that it moves at once.
Few = Annotated[int, msgspec.Meta(ge=1, le=200)]
Some = Annotated[list[Place], msgspec.Meta(min_length=1, max_length=5_000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
# Points that are drawn: more cannot be told apart.
POINTS = 20_000
# Values of a metadata column that have colours of their own.
VALUES = 15
# Members that stand for a cluster that a sample is said not to belong to.
CORES = 3


class Members(Asked):
    """Members of a cluster, the least sure first."""

    cluster: Place
    start: Place = 0
    count: Few = 20


class Sample(Asked):
    """One sample."""

    position: Place


class Rename(Asked):
    """A name for a cluster."""

    cluster: Place
    name: Name


class Merge(Asked):
    """Clusters that are one."""

    clusters: Annotated[list[Place], msgspec.Meta(min_length=2, max_length=100)]


class Split(Asked):
    """A cluster that is several."""

    cluster: Place
    parts: Annotated[int, msgspec.Meta(ge=2, le=50)] = 2


class Move(Asked):
    """Samples that belong to a cluster."""

    samples: Some
    cluster: Place


class NotHere(Asked):
    """Samples that do not belong to the cluster they are in."""

    samples: Some


class Together(Asked):
    """Samples that belong together, or apart from each other."""

    samples: Annotated[list[Place], msgspec.Meta(min_length=2, max_length=5_000)]
    relation: Literal["same", "different"] = "same"


def get_members(desk: Desk, asked: Members) -> Any:
    """Members of a cluster with their titles and how sure they are."""
    run = desk.last
    members = np.flatnonzero(desk.labels() == asked.cluster)
    sure = desk.certainty(run)
    order = members if sure is None else members[np.argsort(sure[members], kind="stable")]
    chosen = order[asked.start : asked.start + asked.count]
    return {
        "total": len(members),
        "members": [
            {
                **titled(desk.project, int(i)),
                "probability": None if sure is None else round(float(sure[i]), 4),
            }
            for i in chosen
        ],
    }


def get_sample(desk: Desk, asked: Sample) -> Any:
    """All that is to be shown of a sample."""
    i = desk.position(asked.position)
    return {**shown_sample(desk.project, i), "cluster": int(desk.labels()[i])}


def post_rename(desk: Desk, asked: Rename) -> Any:
    """Give a cluster a name."""
    return _edit(desk, "rename", f"rename {asked.cluster}", cluster=asked.cluster, name=asked.name)


def post_merge(desk: Desk, asked: Merge) -> Any:
    """Make clusters one, and fit again."""
    about = f"merge {' '.join(map(str, asked.clusters))}"
    return _edit(desk, "merge", about, clusters=asked.clusters)


def post_split(desk: Desk, asked: Split) -> Any:
    """Part a cluster, and fit again."""
    about = f"split {asked.cluster} {asked.parts}"
    return _edit(desk, "split", about, cluster=asked.cluster, parts=asked.parts)


def post_move(desk: Desk, asked: Move) -> Any:
    """Put samples into a cluster, and fit again."""
    called = [str(desk.project.ids[desk.position(i)]) for i in asked.samples]
    about = f"move {len(called)} to {asked.cluster}"
    return _edit(
        desk, "move", about, samples=asked.samples, cluster=asked.cluster, called=called[:20]
    )


def _edit(desk: Desk, what: str, about: str, **given: Any) -> dict[str, Any]:
    """Begin an edit."""
    if desk.jobs.busy is not None:
        raise BlockingIOError(f"Wait for what is going on ({desk.jobs.busy.about}), or cancel it.")
    known = set(np.unique(desk.labels()).tolist())
    wanted = [given[key] for key in ("cluster",) if key in given] + list(given.get("clusters", ()))
    missing = [i for i in wanted if i not in known]
    if missing:
        raise ValueError(f"There is no cluster {missing[0]}.")
    job = desk.jobs.submit("edit", about, folder=desk.folder, what=what, **given)
    return {"job": job.shown()}


def post_not_here(desk: Desk, asked: NotHere) -> Any:
    """Say that samples do not belong to their cluster: cannot-links with its core."""
    told = desk.account(desk.last)
    labels = desk.labels()
    cores = {own.id: [m.position for m in own.representative[:CORES]] for own in told.samples}
    samples = [desk.position(i) for i in asked.samples]
    pairs = [(i, core) for i in samples for core in cores.get(int(labels[i]), []) if core != i]
    links = Links.from_signed(pairs, [-1] * len(pairs), len(labels))
    step = desk.say(links, "workbench: not here", f"not here: {len(samples)} samples")
    return {"step": step, "links": len(pairs)}


def post_together(desk: Desk, asked: Together) -> Any:
    """Say that samples belong together: a must-link from each to the next."""
    chosen = [desk.position(i) for i in dict.fromkeys(asked.samples)]
    pairs = list(pairwise(chosen))
    sign = 1 if asked.relation == "same" else -1
    links = Links.from_signed(pairs, [sign] * len(pairs), len(desk.project.ids))
    what = f"{asked.relation}: {len(chosen)} samples"
    return {"step": desk.say(links, "workbench: map", what), "links": len(pairs)}


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
    return {
        "ready": True,
        "total": n,
        "positions": shown.tolist(),
        "x": [round(float(x), 4) for x in places[shown, 0]],
        "y": [round(float(y), 4) for y in places[shown, 1]],
        "clusters": desk.labels(run)[shown].tolist(),
        "sure": None if sure is None else [round(float(p), 3) for p in sure[shown]],
        "metadata": {
            name: _coded(column, shown) for name, column in desk.project.dataset.metadata.items()
        },
    }


def _coded(column: Any, shown: Any) -> dict[str, Any]:
    """A column of metadata as numbers: the commonest values, and one for all others."""
    texts = ["" if _is_missing(value) else str(value) for value in column]
    names, counts = np.unique(texts, return_counts=True)
    common = [str(name) for name in names[np.argsort(-counts, kind="stable")][:VALUES]]
    place = {name: i for i, name in enumerate(common)}
    return {"values": common, "codes": [place.get(texts[i], -1) for i in shown]}


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def post_map(desk: Desk, asked: Nothing) -> Any:
    """Draw the map, if nobody has."""
    if read_map(desk.project) is not None:
        return {"job": None}
    waiting = [job for job in desk.asking.all() if job.task == "map" and not job.over.is_set()]
    job = waiting[0] if waiting else desk.asking.submit("map", "draw the map", folder=desk.folder)
    return {"job": job.shown()}


ENDPOINTS = [
    Endpoint("GET", "/clusters/{cluster}/members", get_members, "Members of a cluster.", Members),
    Endpoint("GET", "/samples/{position}", get_sample, "One sample.", Sample),
    Endpoint("POST", "/clusters/rename", post_rename, "Name a cluster.", Rename),
    Endpoint("POST", "/clusters/merge", post_merge, "Merge clusters.", Merge),
    Endpoint("POST", "/clusters/split", post_split, "Split a cluster.", Split),
    Endpoint("POST", "/clusters/move", post_move, "Move samples.", Move),
    Endpoint("POST", "/clusters/not-here", post_not_here, "Not in this cluster.", NotHere),
    Endpoint("POST", "/clusters/together", post_together, "These belong together.", Together),
    Endpoint("GET", "/map", get_map, "The samples in the plane.", OfRun),
    Endpoint("POST", "/map", post_map, "Draw the map."),
]
