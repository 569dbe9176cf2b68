"""Clusters: their members, and what a person changes in them."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.links import Links
from cocluster.web.api import Asked, Endpoint, File
from cocluster.web.desk import Desk, NotThere
from cocluster.web.routes.matrix import Place
from cocluster.web.samples import shown_sample, titled

# Samples that a page lists at a time, and that it moves at once.
Few = Annotated[int, msgspec.Meta(ge=1, le=200)]
Some = Annotated[list[Place], msgspec.Meta(min_length=1, max_length=5_000)]
Parts = Annotated[int, msgspec.Meta(ge=2, le=50)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
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
    parts: Parts = 2


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


def get_members(desk: Desk, request: Members) -> Any:
    """Return members of a cluster with their titles and probabilities."""
    run = desk.last
    members = np.flatnonzero(desk.labels() == request.cluster)
    sure = desk.certainty(run)
    order = members if sure is None else members[np.argsort(sure[members], kind="stable")]
    listed = order[request.start : request.start + request.count]
    return {
        "total": len(members),
        "members": [
            {
                **titled(desk.project, int(i)),
                "probability": None if sure is None else round(float(sure[i]), 4),
            }
            for i in listed
        ],
    }


def get_sample(desk: Desk, request: Sample) -> Any:
    """Return the values, texts and cluster of a sample for its page."""
    i = desk.position(request.position)
    return {**shown_sample(desk.project, i), "cluster": int(desk.labels()[i])}


def get_picture(desk: Desk, request: Sample) -> Any:
    """Return the picture of a sample, drawn anew."""
    i = desk.position(request.position)
    picture = None if desk.pictures is None else desk.pictures(i)
    if picture is None:
        raise NotThere(f"Sample {desk.project.ids[i]} has no picture, or its file has moved.")
    return File(*picture)


def post_rename(desk: Desk, request: Rename) -> Any:
    """Give a cluster a name."""
    return begun_edit(
        desk, "rename", f"rename {request.cluster}", cluster=request.cluster, name=request.name
    )


def post_merge(desk: Desk, request: Merge) -> Any:
    """Make clusters one, and fit again."""
    about = f"merge {' '.join(map(str, request.clusters))}"
    return begun_edit(desk, "merge", about, clusters=request.clusters)


def post_split(desk: Desk, request: Split) -> Any:
    """Part a cluster, and fit again."""
    about = f"split {request.cluster} {request.parts}"
    return begun_edit(desk, "split", about, cluster=request.cluster, parts=request.parts)


def post_move(desk: Desk, request: Move) -> Any:
    """Put samples into a cluster, and fit again."""
    called = [str(desk.project.ids[desk.position(i)]) for i in request.samples]
    about = f"move {len(called)} to {request.cluster}"
    return begun_edit(
        desk, "move", about, samples=request.samples, cluster=request.cluster, called=called[:20]
    )


def begun_edit(desk: Desk, edit: str, about: str, **arguments: Any) -> dict[str, Any]:
    """Submit a job that edits clusters; refuse if one is running or a cluster is missing."""
    if desk.jobs.busy is not None:
        raise BlockingIOError(f"Wait for what is going on ({desk.jobs.busy.about}), or cancel it.")
    clusters = set(np.unique(desk.labels()).tolist())
    requested = [arguments[key] for key in ("cluster",) if key in arguments] + list(
        arguments.get("clusters", ())
    )
    missing = [i for i in requested if i not in clusters]
    if missing:
        raise ValueError(f"There is no cluster {missing[0]}.")
    job = desk.jobs.submit("edit", about, folder=desk.folder, what=edit, **arguments)
    return {"job": job.shown()}


def post_not_here(desk: Desk, request: NotHere) -> Any:
    """Say that samples do not belong to their cluster: cannot-links with its core."""
    account = desk.account(desk.last)
    labels = desk.labels()
    cores = {
        cluster.id: [m.position for m in cluster.representative[:CORES]]
        for cluster in account.samples
    }
    samples = [desk.position(i) for i in request.samples]
    pairs = [(i, core) for i in samples for core in cores.get(int(labels[i]), []) if core != i]
    links = Links.from_signed(pairs, [-1] * len(pairs), len(labels))
    step = desk.say(links, "workbench: not here", f"not here: {len(samples)} samples")
    return {"step": step, "links": len(pairs)}


def post_together(desk: Desk, request: Together) -> Any:
    """Say that samples belong together: a must-link from each to the next."""
    samples = [desk.position(i) for i in dict.fromkeys(request.samples)]
    pairs = list(pairwise(samples))
    sign = 1 if request.relation == "same" else -1
    links = Links.from_signed(pairs, [sign] * len(pairs), len(desk.project.ids))
    description = f"{request.relation}: {len(samples)} samples"
    return {"step": desk.say(links, "workbench: map", description), "links": len(pairs)}


ENDPOINTS = [
    Endpoint("GET", "/clusters/{cluster}/members", get_members, "Members of a cluster.", Members),
    Endpoint("GET", "/samples/{position}", get_sample, "One sample.", Sample),
    Endpoint("GET", "/samples/{position}/picture", get_picture, "Its picture.", Sample, "image/*"),
    Endpoint("POST", "/clusters/rename", post_rename, "Name a cluster.", Rename),
    Endpoint("POST", "/clusters/merge", post_merge, "Merge clusters.", Merge),
    Endpoint("POST", "/clusters/split", post_split, "Split a cluster.", Split),
    Endpoint("POST", "/clusters/move", post_move, "Move samples.", Move),
    Endpoint("POST", "/clusters/not-here", post_not_here, "Not in this cluster.", NotHere),
    Endpoint("POST", "/clusters/together", post_together, "These belong together.", Together),
]
