"""Runs: those that there are, new ones, and how many clusters there should be."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import msgspec

from cocluster.methods.catalogue import METHODS
from cocluster.projects.models import check_method, model_of, options_of
from cocluster.web.api import Asked, Endpoint, Nothing
from cocluster.web.desk import Desk, NotThere
from cocluster.web.history import how
from cocluster.web.routes.project import Number

# More clusters than anybody can look at, and than are fitted in a day.
MOST = 1_000
Clusters = Annotated[int, msgspec.Meta(ge=1, le=MOST)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]


class NewFit(Asked):
    """A fit: without ``clusters`` their number is chosen."""

    method: str = "auto"
    clusters: Clusters | None = None
    column_clusters: Clusters | None = None
    seed: Seed = 0
    options: dict[str, bool | int | float | str | None] = msgspec.field(default_factory=dict)


class NewChoice(Asked):
    """How many clusters there are, up to ``most``."""

    most: Annotated[int, msgspec.Meta(ge=2, le=MOST)] | None = None
    seed: Seed = 0


class OneJob(Asked):
    """A job by its number."""

    job: Number


def get_runs(desk: Desk, asked: Nothing) -> Any:
    """All runs, the last one first."""
    return {"runs": [_shown(desk, number) for number in reversed(desk.project.runs)]}


def _shown(desk: Desk, number: int) -> dict[str, Any]:
    """A run in a line."""
    about = desk.project.run(number).about
    parameters = about.get("parameters", {})
    return {
        "run": number,
        "time": about.get("time"),
        "method": about.get("method"),
        "asked": parameters.get("method", about.get("method")),
        "clusters": parameters.get("n_clusters"),
        "objective": about.get("objective"),
        "sweeps": about.get("sweeps"),
        "converged": about.get("converged"),
        "seconds": about.get("seconds"),
        "what": how(about),
    }


def get_methods(desk: Desk, asked: Nothing) -> Any:
    """All methods with their options, as their signatures have them."""
    titles = {"auto": "Choose the method by the data"} | {n: m.title for n, m in METHODS.items()}
    return {
        "methods": [
            {
                "name": name,
                "title": title,
                "options": [
                    {"name": key, "default": parameter.default}
                    for key, parameter in options_of(name).items()
                    if isinstance(parameter.default, bool | int | float | str)
                ],
            }
            for name, title in titles.items()
        ]
    }


def post_fit(desk: Desk, asked: NewFit) -> Any:
    """Begin a fit."""
    check_method(asked.method)
    # What cannot be fitted is refused here, not after a while.
    model_of(asked.method, asked.clusters or 2, asked.column_clusters, asked.seed, asked.options)
    n = len(desk.project.ids)
    if asked.clusters is not None and asked.clusters > n:
        raise ValueError(f"There are {n} samples, which cannot be in {asked.clusters} clusters.")
    given = msgspec.structs.asdict(asked)
    k = f" into {asked.clusters}" if asked.clusters else ""
    job = desk.jobs.submit(
        "fit", f"fit {asked.method}{k}", folder=desk.folder, command=_command(desk, asked), **given
    )
    return {"job": job.shown()}


def _command(desk: Desk, asked: NewFit) -> str:
    """The command that does the same."""
    words = ["cocluster", "fit", desk.folder, "--method", asked.method, "--seed", str(asked.seed)]
    if asked.clusters is not None:
        words += ["-k", str(asked.clusters)]
    if asked.column_clusters is not None:
        words += ["--column-clusters", str(asked.column_clusters)]
    for name, value in asked.options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def post_choice(desk: Desk, asked: NewChoice) -> Any:
    """Begin to look how many clusters there are."""
    given = msgspec.structs.asdict(asked)
    job = desk.jobs.submit("choose", "choose the number of clusters", folder=desk.folder, **given)
    return {"job": job.shown()}


def get_jobs(desk: Desk, asked: Nothing) -> Any:
    """What is going on, and what has ended lately."""
    return {"jobs": [job.shown() for job in desk.jobs.all()]}


def get_job(desk: Desk, asked: OneJob) -> Any:
    """How a job is going on."""
    job = desk.jobs.get(asked.job)
    if job is None:
        raise NotThere(f"There is no job {asked.job}.")
    return {"job": job.shown()}


def delete_job(desk: Desk, asked: OneJob) -> Any:
    """Cancel a job; what was fitted so far is lost, and all else stays as it was."""
    job = desk.jobs.get(asked.job)
    if job is None:
        raise NotThere(f"There is no job {asked.job}.")
    desk.jobs.cancel(asked.job)
    return {"job": job.shown()}


ENDPOINTS = [
    Endpoint("GET", "/runs", get_runs, "All runs."),
    Endpoint("GET", "/methods", get_methods, "All methods and their options."),
    Endpoint("POST", "/fits", post_fit, "Begin a fit.", NewFit),
    Endpoint("POST", "/choices", post_choice, "Choose the number of clusters.", NewChoice),
    Endpoint("GET", "/jobs", get_jobs, "What is going on."),
    Endpoint("GET", "/jobs/{job}", get_job, "How a job is going on.", OneJob),
    Endpoint("DELETE", "/jobs/{job}", delete_job, "Cancel a job.", OneJob),
]
