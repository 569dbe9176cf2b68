"""The desk: a project that is worked on, the processes that do long work, and who follows it.

Routes ask the desk and nothing else. It holds no state that is not in the project folder, but for
what can be made again: models, accounts and sorted matrices that were read lately.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.base import Coclusterer
from cocluster.projects import Project
from cocluster.report.contrast import Scale
from cocluster.report.encoding import encoded
from cocluster.report.grid import Grid, Tile
from cocluster.report.sorting import Sorted, sorted_view
from cocluster.web.history import Action, read_history, write_history
from cocluster.web.jobs import DONE, Job, Jobs
from cocluster.web.pictures import Show, pictures_of
from cocluster.web.samples import classes_of, coded
from cocluster.web.shelf import held, say_again

# Seconds between two looks at the folder, for what other programs do to it.
LOOK = 1.0
# How the taking back of a line is called.
TAKEN = "take back "
# What the classes that came with the data are called among the columns: they are shown, never used.
CLASSES = "known classes"
# What a job leaves to be undone.
EDITING = ("fit", "refit", "edit")


class NotThere(ValueError):
    """What was asked for does not exist."""


class Desk:
    """A project on the desk.

    Parameters
    ----------
    project : Project
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = str(project.folder.resolve())
        self.jobs = Jobs(self._news)
        self.asking = Jobs()
        self._lock = threading.RLock()
        # Two that undo at the same time would take the same thing back. A lock of its own, because
        # it is held while a job is awaited, whose end needs the other one.
        self._going_back = threading.Lock()
        if project.runs:
            with held(project):
                write_history(project, read_history(project))
        self._followers: list[tuple[asyncio.AbstractEventLoop, asyncio.Queue[dict[str, Any]]]] = []
        self.model = lru_cache(maxsize=4)(self._model)
        self.account = lru_cache(maxsize=8)(self._account)
        self.account_json = lru_cache(maxsize=8)(self._account_json)
        self._sorter = ThreadPoolExecutor(1)
        self._sorted_lately = lru_cache(maxsize=4)(self._begin_to_sort)
        self._grids = lru_cache(maxsize=4)(self._kept_grids)
        self.certainty = lru_cache(maxsize=4)(self._certainty)
        self.coded = lru_cache(maxsize=16)(self._coded)
        self.coded_features = lru_cache(maxsize=16)(self._coded_features)

    def close(self) -> None:
        """End what is going on."""
        self._sorter.shutdown(wait=False, cancel_futures=True)
        self.jobs.close()
        self.asking.close()

    # What is known

    @property
    def last(self) -> int:
        """The number of the last run."""
        runs = self.project.runs
        if not runs:
            raise NotThere("There is no run yet; fit first.")
        return runs[-1]

    def number(self, run: int | None) -> int:
        """A run that exists; the last by default."""
        if run is None:
            return self.last
        if run not in self.project.runs:
            raise NotThere(f"There is no run {run}.")
        return run

    def labels(self, run: int | None = None) -> Array:
        """Clusters of the samples."""
        found: Array = self.model(self.number(run)).labels_
        return found

    def position(self, i: int) -> int:
        """A sample that exists."""
        if not 0 <= i < len(self.project.ids):
            raise NotThere(f"There is no sample {i}.")
        return i

    def relation(self, view: str | None) -> str:
        """The name of a view; the first by default."""
        names = list(self.project.dataset.views)
        if view is None:
            return names[0]
        if view not in names:
            raise NotThere(f"There is no view {view!r}; there are {', '.join(names)}.")
        return view

    @property
    def columns(self) -> list[str]:
        """What is known of the samples beside the data: metadata, and classes to compare with."""
        dataset = self.project.dataset
        known = [] if dataset.labels is None or CLASSES in dataset.metadata else [CLASSES]
        return [*dataset.metadata, *known]

    def _coded(self, name: str) -> tuple[list[str], Array]:
        """One of these columns as numbers; see `coded`."""
        if name not in self.columns:
            raise NotThere(f"There is no column {name!r}; there are {', '.join(self.columns)}.")
        dataset = self.project.dataset
        return coded(dataset.metadata[name] if name in dataset.metadata else classes_of(dataset))

    def _coded_features(self, view: str, name: str) -> tuple[list[str], Array]:
        """The same of what is known of the features of a view."""
        known = self.project.dataset.feature_metadata.get(view, {})
        if name not in known:
            listed = ", ".join(known) or "none"
            raise NotThere(f"There is no column {name!r} of the {view}; there are {listed}.")
        return coded(known[name])

    @cached_property
    def pictures(self) -> Show | None:
        """What shows the samples as pictures; None where they are none."""
        return pictures_of(self.project)

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """Mean and spread of all features, by view."""
        return {view: Scale.of(X) for view, X in self.project.dataset.views.items()}

    def _model(self, run: int) -> Coclusterer:
        found: Coclusterer = self.project.run(run).model
        return found

    def _account(self, run: int) -> Any:
        told = self.project.run(run).account
        if told is None:
            raise NotThere(f"Run {run} has no account; fit again.")
        return told

    def _account_json(self, run: int) -> bytes:
        # As it was written: to read all values and to write them again takes seconds.
        file = self.project.run(run).folder / "account.json"
        if not file.exists():
            raise NotThere(f"Run {run} has no account; fit again.")
        return file.read_bytes()

    def warm(self) -> None:
        """Make ready what the first view shows, before anyone asks."""
        self.jobs.warm()
        if self.project.runs:
            self.sorted(self.last, self.relation(None))

    def sorted(self, run: int, view: str) -> Sorted:
        """A sorted matrix; of many who ask at the same time one sorts and the others wait."""
        return self._sorting(run, view).result()

    def _sorting(self, run: int, view: str) -> Future[Sorted]:
        """A matrix that is being sorted, or that is."""
        with self._lock:
            return self._sorted_lately(run, view)

    def _begin_to_sort(self, run: int, view: str) -> Future[Sorted]:
        return self._sorter.submit(self._sort, run, view)

    def _sort(self, run: int, view: str) -> Sorted:
        found = sorted_view(self.model(run), self.project.dataset, view)
        # With the sums that large parts are drawn from: whoever zooms first would wait for them, at
        # 20 million entries most of a second. Until then they get a coarse picture.
        found.whole()
        return found

    def picture(self, run: int, view: str) -> Grid | Sorted:
        """What the whole of a view is drawn from: sums that the fit has kept, or the matrix."""
        return self._grids(run).get(view) or self.sorted(run, view)

    def tile(
        self, run: int, view: str, part: tuple[int, int, int, int, int, int]
    ) -> tuple[Tile, bool]:
        """A part of a view (see `Grid.tile`), and whether it is rough.

        Sums that the fit has kept are there at once, and are enough for a part of some size. While
        the matrix is being sorted, smaller parts are drawn from them, too.
        """
        kept = self._grids(run).get(view)
        if kept is not None and kept.is_fine_enough(*part):
            return kept.tile(*part), False
        sorting = self._sorting(run, view)
        if kept is not None and not sorting.done():
            return kept.tile(*part), True
        return sorting.result().tile(*part), False

    def _kept_grids(self, run: int) -> dict[str, Grid]:
        return self.project.run(run).grids

    def _certainty(self, run: int) -> Array | None:
        """How probable the cluster of each sample is; None where the method does not say."""
        model: Any = self.model(run)
        if not hasattr(model, "predict_proba"):
            return None
        shares = model.predict_proba(self.project.dataset.data)
        return np.asarray(shares[np.arange(len(shares)), model.labels_])

    # What is done

    def say(self, links: Links, source: str, what: str) -> int:
        """Write links to the ledger, unless they contradict what is there; returns the step."""
        with self._lock, held(self.project) as project:
            before = project.links
            (links if before is None else before | links).check()
            history = read_history(project)
            step = project.ledger.add(links, source)
            noted = replace(history.with_action(Action(what, said=step)), heard=step)
            write_history(project, noted)
        self.changed()
        return step

    def unsay(self, step: int) -> None:
        """Take back any step of the ledger."""
        with self._lock, held(self.project) as project:
            steps = project.ledger.steps()
            if step not in steps:
                raise NotThere(f"There is no step {step} to undo.")
            history = read_history(project)
            project.ledger.undo(step, "workbench")
            kept = replace(history, done=tuple(a for a in history.done if a.said != step))
            said = next((a.what for a in history.done if a.said == step), steps[step])
            action = Action(f"{TAKEN}{said}", unsaid=step)
            write_history(project, kept.with_action(action))
        self.changed()

    def undo(self) -> dict[str, Any]:
        """Take the last action back."""
        with self._going_back:
            history = read_history(self.project)
            if not history.done:
                raise ValueError("There is nothing to undo.")
            action = history.done[-1]
            if action.run is not None and action.before is not None:
                return self._restoring("undo", action, run=action.before, unsay=action.said)
            return self._resaying("undo", action, unsay=action.said, say=action.unsaid)

    def redo(self) -> dict[str, Any]:
        """Do the last undone action again."""
        with self._going_back:
            history = read_history(self.project)
            if not history.undone:
                raise ValueError("There is nothing to do again.")
            action = history.undone[-1]
            if action.run is not None:
                return self._restoring("redo", action, run=action.run, again=True, say=action.said)
            return self._resaying("redo", action, say=action.said, unsay=action.unsaid)

    def _resaying(
        self, way: str, action: Action, say: int | None, unsay: int | None
    ) -> dict[str, Any]:
        """Undo or redo what is in the ledger only."""
        with self._lock, held(self.project) as project:
            history = read_history(project)
            changed: dict[str, int] = {}
            if unsay is not None:
                project.ledger.undo(unsay, way)
            if say is not None:
                step = say_again(project, say)
                changed["said" if way == "redo" else "unsaid"] = step
                history = replace(history, heard=step)
            after = (history.after_undo if way == "undo" else history.after_redo)(**changed)
            if "unsaid" in changed:
                # What was taken back is there again, and can be undone as before.
                again = Action(action.what.removeprefix(TAKEN), said=changed["unsaid"])
                after = replace(after, done=(*after.done, again))
            write_history(project, after)
        self.changed()
        return {way: action.what}

    def _restoring(self, way: str, action: Action, **given: Any) -> dict[str, Any]:
        """Undo or redo what made a run."""
        if self.jobs.busy is not None:
            raise BlockingIOError(f"Wait for what is going on ({self.jobs.busy.about}).")
        job = self.jobs.submit("restore", f"{way}: {action.what}", folder=self.folder, **given)
        job.over.wait()
        if job.state != DONE:
            raise ValueError(job.error or "It was cancelled.")
        with self._lock, held(self.project) as project:
            history = read_history(project)
            if way == "undo":
                after = history.after_undo()
            else:
                made = {key: job.result[key] for key in ("run", "said", "before")}
                after = history.after_redo(**made)
                after = replace(after, heard=made["said"] or after.heard)
            write_history(project, after)
        self.changed()
        return {way: action.what, "run": job.result["run"]}

    # Who follows

    def follow(self) -> asyncio.Queue[dict[str, Any]]:
        """A queue of all news, for a page."""
        waiting: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._followers.append((asyncio.get_running_loop(), waiting))
        return waiting

    def leave(self, waiting: asyncio.Queue[dict[str, Any]]) -> None:
        """Follow no longer."""
        self._followers = [entry for entry in self._followers if entry[1] is not waiting]

    def tell(self, news: dict[str, Any]) -> None:
        """Tell all pages something, from any thread."""
        for loop, waiting in list(self._followers):
            loop.call_soon_threadsafe(waiting.put_nowait, news)

    def changed(self) -> None:
        """Tell all pages that the project has changed."""
        self.tell({"kind": "changed", "stamp": self.stamp()})

    def stamp(self) -> str:
        """What tells two states of the folder apart."""
        parts = [str(self.project.runs[-1:])]
        for name in ("links.csv", "names.csv", "history.json", "map.npy"):
            file = self.project.folder / name
            parts.append(str(file.stat().st_mtime_ns) if file.exists() else "")
        return "/".join(parts)

    async def watch(self) -> None:
        """Notice what other programs do to the folder, for ever."""
        seen = self.stamp()
        while True:
            await asyncio.sleep(LOOK)
            now = self.stamp()
            if now != seen:
                seen = now
                self.changed()

    def _news(self, job: Job) -> None:
        """Something is new about a job."""
        if job.state == DONE and job.task in EDITING and not job.noted:
            job.noted = True
            with self._lock, held(self.project) as project:
                # The new run is found there.
                write_history(project, read_history(project))
        self.tell({"kind": "job", "job": encoded(job.shown())})
        if job.state == DONE:
            self.changed()
