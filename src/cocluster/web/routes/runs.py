"""Runs: their list, new fits, and the choice of the number of clusters."""

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

# Largest number of clusters that can be requested; more would take more than a day.
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


def get_runs(desk: Desk, request: Nothing) -> Any:
    """Return all runs, the last one first."""
    return {"runs": [_run_summary(desk, number) for number in reversed(desk.project.runs)]}


def _run_summary(desk: Desk, number: int) -> dict[str, Any]:
    """Return a summary of a run for the list of runs."""
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


def get_methods(desk: Desk, request: Nothing) -> Any:
    """Return all methods with their options, as their signatures have them."""
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


def post_fit(desk: Desk, request: NewFit) -> Any:
    """Begin a fit."""
    check_method(request.method)
    # Build the model here, so that bad options are refused at once and not in the job.
    model_of(
        request.method,
        request.clusters or 2,
        request.column_clusters,
        request.seed,
        request.options,
    )
    n = len(desk.project.ids)
    if request.clusters is not None and request.clusters > n:
        raise ValueError(f"There are {n} samples, which cannot be in {request.clusters} clusters.")
    arguments = msgspec.structs.asdict(request)
    k = f" into {request.clusters}" if request.clusters else ""
    job = desk.jobs.submit(
        "fit",
        f"fit {request.method}{k}",
        folder=desk.folder,
        command=_command(desk, request),
        **arguments,
    )
    return {"job": job.shown()}


def _command(desk: Desk, request: NewFit) -> str:
    """Return the shell command of the same fit."""
    words = [
        "cocluster",
        "fit",
        desk.folder,
        "--method",
        request.method,
        "--seed",
        str(request.seed),
    ]
    if request.clusters is not None:
        words += ["-k", str(request.clusters)]
    if request.column_clusters is not None:
        words += ["--column-clusters", str(request.column_clusters)]
    for name, value in request.options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def post_choice(desk: Desk, request: NewChoice) -> Any:
    """Submit a job that chooses the number of clusters."""
    arguments = msgspec.structs.asdict(request)
    job = desk.jobs.submit(
        "choose", "choose the number of clusters", folder=desk.folder, **arguments
    )
    return {"job": job.shown()}


def get_jobs(desk: Desk, request: Nothing) -> Any:
    """Return the waiting, running and recently ended jobs."""
    return {"jobs": [job.shown() for job in desk.jobs.all()]}


def get_job(desk: Desk, request: OneJob) -> Any:
    """Return the state of a job."""
    job = desk.jobs.get(request.job)
    if job is None:
        raise NotThere(f"There is no job {request.job}.")
    return {"job": job.shown()}


def delete_job(desk: Desk, request: OneJob) -> Any:
    """Cancel a job; its unfinished fit is lost, and the project stays unchanged."""
    job = desk.jobs.get(request.job)
    if job is None:
        raise NotThere(f"There is no job {request.job}.")
    desk.jobs.cancel(request.job)
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
