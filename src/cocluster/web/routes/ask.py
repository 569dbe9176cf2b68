"""Questions to a person, answers, and a fit that knows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cocluster.interview.queries import SIGNS, default_kind
from cocluster.links import Links
from cocluster.projects.talk import SOURCE
from cocluster.report.samples import contrast
from cocluster.web.api import Asked, Endpoint, Nothing
from cocluster.web.desk import Desk
from cocluster.web.routes.matrix import Place
from cocluster.web.samples import shown_sample, titled


class Kind(Asked):
    """Two samples, or a sample and its group; by default whichever serves best (`default_kind`)."""

    kind: Literal["pair", "place"] | None = None


class Answer(Asked):
    """An answer to "do these belong together?"."""

    i: Place
    j: Place
    answer: Literal["same", "different", "unsure"]


class PlaceAnswer(Asked):
    """An answer to "in which of these groups is this sample, or in none?".

    Groups are given by their typical samples: ``among`` are those of the question, and ``group``
    is the one chosen. Without it the sample is in none of them or, if ``unsure``, nobody knows.
    """

    sample: Place
    among: Annotated[list[Place], msgspec.Meta(min_length=1, max_length=1_000)]
    group: Place | None = None
    unsure: bool = False


def get_question(desk: Desk, request: Kind) -> Any:
    """Return the next question, its kind and samples; ``question`` is None if none is open."""
    # First, because it raises if there is no run to ask about.
    labels = desk.labels()
    kind = request.kind or default_kind(len(np.unique(labels)))
    answer = desk.asking.call("question", folder=desk.folder, kind=kind) | {"kind": kind}
    question = answer["question"]
    if question is None:
        return answer
    positions = [question[key] for key in ("i", "j", "sample") if key in question]
    samples = [{**shown_sample(desk.project, i), "cluster": int(labels[i])} for i in positions]
    options = [
        {**titled(desk.project, i), "cluster": int(labels[i])} for i in question.get("options", ())
    ]
    # Of texts, the page marks the words; of pictures, it shows them.
    dataset, values = desk.project.dataset, list[dict[str, Any]]()
    if dataset.texts is None and kind == "pair":
        values = contrast(dataset, question["i"], question["j"], desk.scales)
    return {**answer, "samples": samples, "options": options, "contrast": values}


def post_answer(desk: Desk, request: Answer) -> Any:
    """Write an answer down; a contradiction is refused with its chain."""
    i, j = desk.position(request.i), desk.position(request.j)
    ids = desk.project.ids
    links = Links.from_signed([(i, j)], [SIGNS[request.answer]], len(ids))
    return _write_answer(desk, links, f"{request.answer}: {ids[i]} and {ids[j]}")


def post_place(desk: Desk, request: PlaceAnswer) -> Any:
    """Write down where a sample belongs: with the typical one of a group, or with none of them."""
    sample = desk.position(request.sample)
    groups = [desk.position(i) for i in request.among if i != sample]
    if request.group is not None and request.group not in groups:
        raise ValueError("Choose one of the groups of the question.")
    if request.unsure:
        pairs, sign, verdict = [(groups[0], sample)] if groups else [], 0, "unsure"
    elif request.group is not None:
        verdict = f"with {desk.project.ids[request.group]}"
        pairs, sign = [(request.group, sample)], 1
    else:
        pairs, sign, verdict = [(group, sample) for group in groups], -1, "in none of these"
    links = Links.from_signed(pairs, [sign] * len(pairs), len(desk.project.ids))
    return _write_answer(desk, links, f"{desk.project.ids[sample]} {verdict}")


def _write_answer(desk: Desk, links: Links, description: str) -> dict[str, Any]:
    """Write an answer to the ledger; return its step and how many pairs it implied."""
    before = _count_implied(desk)
    step = desk.say(links, SOURCE, description)
    after = _count_implied(desk)
    return {"step": step, "implied": after - before, "known": after}


def _count_implied(desk: Desk) -> int:
    """Return the number of sample pairs whose relation the links imply."""
    links = desk.project.links
    return 0 if links is None else links.n_implied


def post_refit(desk: Desk, request: Nothing) -> Any:
    """Cluster again with all answers."""
    waiting = [j for j in desk.jobs.all() if j.task == "refit" and not j.over.is_set()]
    if waiting:
        return {"job": waiting[0].shown()}
    desk.number(None)
    return {"job": desk.jobs.submit("refit", "fit with the answers", folder=desk.folder).shown()}


ENDPOINTS = [
    Endpoint("GET", "/question", get_question, "The next question.", Kind),
    Endpoint("POST", "/answers", post_answer, "Same, different or unsure.", Answer),
    Endpoint("POST", "/answers/place", post_place, "Where a sample belongs.", PlaceAnswer),
    Endpoint("POST", "/refit", post_refit, "Cluster again with all answers."),
]
