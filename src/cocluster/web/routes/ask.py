"""Questions to a person, answers, and a fit that knows them."""

from __future__ import annotations

from typing import Any, Literal

from cocluster.interview.knowledge import SIGNS
from cocluster.links import Links
from cocluster.web.api import Asked, Endpoint, Nothing
from cocluster.web.desk import Desk
from cocluster.web.routes.matrix import Place
from cocluster.web.samples import shown_sample

# How the ledger calls answers, as the command `cocluster ask` does.
SOURCE = "ask"


class Kind(Asked):
    """Two samples, or a sample and its cluster."""

    kind: Literal["pair", "place"] = "pair"


class Answer(Asked):
    """An answer to "do these belong together?"."""

    i: Place
    j: Place
    answer: Literal["same", "different", "unsure"]


class PlaceAnswer(Asked):
    """An answer to "where does this belong?"; without ``cluster`` nobody knows."""

    i: Place
    cluster: Place | None = None


def get_question(desk: Desk, asked: Kind) -> Any:
    """The next question, with its samples; ``question`` is None if nothing is open."""
    # Before anything is asked: without a run there is nothing to ask about.
    labels = desk.labels()
    found = desk.asking.call("question", folder=desk.folder, kind=asked.kind)
    question = found["question"]
    if question is None:
        return found
    positions = [question[key] for key in ("i", "j") if key in question]
    samples = [{**shown_sample(desk.project, i), "cluster": int(labels[i])} for i in positions]
    return {**found, "samples": samples}


def post_answer(desk: Desk, asked: Answer) -> Any:
    """Write an answer down; a contradiction is refused with its chain."""
    i, j = desk.position(asked.i), desk.position(asked.j)
    ids = desk.project.ids
    links = Links.from_signed([(i, j)], [SIGNS[asked.answer]], len(ids))
    return _answered(desk, links, f"{asked.answer}: {ids[i]} and {ids[j]}")


def post_place(desk: Desk, asked: PlaceAnswer) -> Any:
    """Write down where a sample belongs: with the most typical one of a cluster."""
    i, told = desk.position(asked.i), desk.account(desk.last)
    own = int(desk.labels()[i])
    typical = {c.id: c.representative[0].position for c in told.samples if c.representative}
    if asked.cluster is None:
        pairs, signs = [(i, typical[own])], [0]
    elif asked.cluster not in typical:
        raise ValueError(f"There is no cluster {asked.cluster}.")
    else:
        pairs, signs = [(i, typical[asked.cluster])], [1]
        if asked.cluster != own:
            pairs, signs = [*pairs, (i, typical[own])], [*signs, -1]
    kept = [(pair, sign) for pair, sign in zip(pairs, signs, strict=True) if len(set(pair)) == 2]
    if not kept:
        raise ValueError("This sample is itself what stands for the cluster; ask another question.")
    links = Links.from_signed([p for p, _ in kept], [s for _, s in kept], len(desk.project.ids))
    where = "unsure" if asked.cluster is None else f"in cluster {asked.cluster}"
    return _answered(desk, links, f"{desk.project.ids[i]} {where}")


def _answered(desk: Desk, links: Links, what: str) -> dict[str, Any]:
    """Write an answer, and say what it was worth."""
    before = _implied(desk)
    step = desk.say(links, SOURCE, what)
    after = _implied(desk)
    return {"step": step, "implied": after - before, "known": after}


def _implied(desk: Desk) -> int:
    """Pairs of samples of which it is known whether they belong together."""
    links = desk.project.links
    return 0 if links is None else links.n_implied


def post_refit(desk: Desk, asked: Nothing) -> Any:
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
