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

import msgspec
import numpy as np

from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.base import Coclusterer
from cocluster.projects import Project
from cocluster.report.samples import Scale
from cocluster.report.sorted_matrix import Grid, SortedMatrix, Tile, sort_view
from cocluster.report.tables import plain
from cocluster.web.history import Action, read_history, write_history
from cocluster.web.jobs import DONE, Job, Jobs
from cocluster.web.pictures import Show, pictures_of
from cocluster.web.samples import classes_of, coded
from cocluster.web.shelf import held, say_again

# Seconds between two checks whether another program has changed the folder.
LOOK = 1.0
# Prefix of the description of an action that takes back a step of the ledger.
TAKEN = "take back "
# Column name of the classes that came with the data; they are shown, never used in a fit.
CLASSES = "known classes"
# Tasks whose jobs can be undone.
EDITING = ("fit", "refit", "edit")


class NotThere(ValueError):
    """The requested run, view, column, sample or step does not exist."""


class Desk:
    """Session of the workbench with one project.

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
        # Two requests that undo at the same time would undo the same action. Not `_lock`, because
        # it is held while a job is awaited, and the end of that job needs `_lock`.
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
        self._grids = lru_cache(maxsize=4)(self._read_grids)
        self.certainty = lru_cache(maxsize=4)(self._certainty)
        self.coded = lru_cache(maxsize=16)(self._coded)
        self.coded_features = lru_cache(maxsize=16)(self._coded_features)

    def close(self) -> None:
        """Stop the sorting thread and the worker processes."""
        self._sorter.shutdown(wait=False, cancel_futures=True)
        self.jobs.close()
        self.asking.close()

    # Data and results

    @property
    def last(self) -> int:
        """Number of the last run."""
        runs = self.project.runs
        if not runs:
            raise NotThere("There is no run yet; fit first.")
        return runs[-1]

    def number(self, run: int | None) -> int:
        """Return the number of a run, the last by default; raise if it does not exist."""
        if run is None:
            return self.last
        if run not in self.project.runs:
            raise NotThere(f"There is no run {run}.")
        return run

    def labels(self, run: int | None = None) -> Array:
        """Return the clusters of the samples in a run."""
        labels: Array = self.model(self.number(run)).labels_
        return labels

    def position(self, i: int) -> int:
        """Return the index of a sample; raise if it does not exist."""
        if not 0 <= i < len(self.project.ids):
            raise NotThere(f"There is no sample {i}.")
        return i

    def relation(self, view: str | None) -> str:
        """Return the name of a view, the first by default; raise if it does not exist."""
        names = list(self.project.dataset.views)
        if view is None:
            return names[0]
        if view not in names:
            raise NotThere(f"There is no view {view!r}; there are {', '.join(names)}.")
        return view

    @property
    def columns(self) -> list[str]:
        """Names of the metadata columns of the samples, with the known classes if there are any."""
        dataset = self.project.dataset
        classes = [] if dataset.labels is None or CLASSES in dataset.metadata else [CLASSES]
        return [*dataset.metadata, *classes]

    def _coded(self, name: str) -> tuple[list[str], Array]:
        """Return a metadata column of the samples as codes; see `coded`."""
        if name not in self.columns:
            raise NotThere(f"There is no column {name!r}; there are {', '.join(self.columns)}.")
        dataset = self.project.dataset
        return coded(dataset.metadata[name] if name in dataset.metadata else classes_of(dataset))

    def _coded_features(self, view: str, name: str) -> tuple[list[str], Array]:
        """Return a metadata column of the features of a view as codes; see `coded`."""
        columns = self.project.dataset.feature_metadata.get(view, {})
        if name not in columns:
            listed = ", ".join(columns) or "none"
            raise NotThere(f"There is no column {name!r} of the {view}; there are {listed}.")
        return coded(columns[name])

    @cached_property
    def pictures(self) -> Show | None:
        """Function that draws samples as pictures; None if they are no pictures."""
        return pictures_of(self.project)

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """Mean and spread of all features, by view."""
        return {view: Scale.of(X) for view, X in self.project.dataset.views.items()}

    def _model(self, run: int) -> Coclusterer:
        model: Coclusterer = self.project.run(run).model
        return model

    def _account(self, run: int) -> Any:
        account = self.project.run(run).account
        if account is None:
            raise NotThere(f"Run {run} has no account; fit again.")
        return account

    def _account_json(self, run: int) -> bytes:
        # The bytes of the file: parsing all values and encoding them again takes seconds.
        file = self.project.run(run).folder / "account.json"
        if not file.exists():
            raise NotThere(f"Run {run} has no account; fit again.")
        return file.read_bytes()

    def warm(self) -> None:
        """Start the worker process and sort the first matrix before a page asks for it."""
        self.jobs.warm()
        if self.project.runs:
            self.sorted(self.last, self.relation(None))

    def sorted(self, run: int, view: str) -> SortedMatrix:
        """Return the sorted matrix of a view; concurrent requests share one sort."""
        return self._sorting(run, view).result()

    def _sorting(self, run: int, view: str) -> Future[SortedMatrix]:
        """Return the future of the sorted matrix of a view, started if necessary."""
        with self._lock:
            return self._sorted_lately(run, view)

    def _begin_to_sort(self, run: int, view: str) -> Future[SortedMatrix]:
        return self._sorter.submit(self._sort, run, view)

    def _sort(self, run: int, view: str) -> SortedMatrix:
        matrix = sort_view(self.model(run), self.project.dataset, view)
        # Compute the sums of large tiles ahead: the first zoom would wait for them, at
        # 20 million entries most of a second. Until then pages get a coarse picture.
        matrix.whole()
        return matrix

    def picture(self, run: int, view: str) -> Grid | SortedMatrix:
        """Return the source of the overview picture: the stored grid, or the sorted matrix."""
        return self._grids(run).get(view) or self.sorted(run, view)

    def tile(
        self, run: int, view: str, part: tuple[int, int, int, int, int, int]
    ) -> tuple[Tile, bool]:
        """Return a tile of a view (see `Grid.tile`), and whether it is rough.

        The stored grid is available at once, and is fine enough for large tiles. While
        the matrix is being sorted, smaller tiles are drawn from the grid, too.
        """
        grid = self._grids(run).get(view)
        if grid is not None and grid.is_fine_enough(*part):
            return grid.tile(*part), False
        sorting = self._sorting(run, view)
        if grid is not None and not sorting.done():
            return grid.tile(*part), True
        return sorting.result().tile(*part), False

    def _read_grids(self, run: int) -> dict[str, Grid]:
        return self.project.run(run).grids

    def _certainty(self, run: int) -> Array | None:
        """Return the probability of each sample's cluster; None if the method has none."""
        model: Any = self.model(run)
        if not hasattr(model, "predict_proba"):
            return None
        shares = model.predict_proba(self.project.dataset.data)
        return np.asarray(shares[np.arange(len(shares)), model.labels_])

    # Actions

    def say(self, links: Links, source: str, what: str) -> int:
        """Write links to the ledger, unless they contradict what is there; returns the step."""
        with self._lock, held(self.project) as project:
            before = project.links
            (links if before is None else before | links).check()
            history = read_history(project)
            step = project.ledger.add(links, source)
            updated = replace(history.with_action(Action(what, said=step)), heard=step)
            write_history(project, updated)
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
            remaining = replace(history, done=tuple(a for a in history.done if a.said != step))
            description = next((a.what for a in history.done if a.said == step), steps[step])
            action = Action(f"{TAKEN}{description}", unsaid=step)
            write_history(project, remaining.with_action(action))
        self.changed()

    def undo(self) -> dict[str, Any]:
        """Take the last action back."""
        with self._going_back:
            history = read_history(self.project)
            if not history.done:
                raise ValueError("There is nothing to undo.")
            action = history.done[-1]
            if action.run is not None and action.before is not None:
                return self._replay_run("undo", action, run=action.before, unsay=action.said)
            return self._replay_ledger("undo", action, unsay=action.said, say=action.unsaid)

    def redo(self) -> dict[str, Any]:
        """Do the last undone action again."""
        with self._going_back:
            history = read_history(self.project)
            if not history.undone:
                raise ValueError("There is nothing to do again.")
            action = history.undone[-1]
            if action.run is not None:
                return self._replay_run("redo", action, run=action.run, again=True, say=action.said)
            return self._replay_ledger("redo", action, say=action.said, unsay=action.unsaid)

    def _replay_ledger(
        self, way: str, action: Action, say: int | None, unsay: int | None
    ) -> dict[str, Any]:
        """Undo or redo an action that changed the ledger only."""
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
                # The step that was taken back is in force again, and can be undone as before.
                again = Action(action.what.removeprefix(TAKEN), said=changed["unsaid"])
                after = replace(after, done=(*after.done, again))
            write_history(project, after)
        self.changed()
        return {way: action.what}

    def _replay_run(self, way: str, action: Action, **arguments: Any) -> dict[str, Any]:
        """Undo or redo an action that made a run."""
        if self.jobs.busy is not None:
            raise BlockingIOError(f"Wait for what is going on ({self.jobs.busy.about}).")
        job = self.jobs.submit("restore", f"{way}: {action.what}", folder=self.folder, **arguments)
        job.over.wait()
        if job.state != DONE:
            raise ValueError(job.error or "It was cancelled.")
        with self._lock, held(self.project) as project:
            history = read_history(project)
            if way == "undo":
                after = history.after_undo()
            else:
                changes = {key: job.result[key] for key in ("run", "said", "before")}
                after = history.after_redo(**changes)
                after = replace(after, heard=changes["said"] or after.heard)
            write_history(project, after)
        self.changed()
        return {way: action.what, "run": job.result["run"]}

    # Subscribers

    def follow(self) -> asyncio.Queue[dict[str, Any]]:
        """Subscribe a page: return a queue that receives all news."""
        news: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._followers.append((asyncio.get_running_loop(), news))
        return news

    def leave(self, news: asyncio.Queue[dict[str, Any]]) -> None:
        """Unsubscribe a page, given its queue."""
        self._followers = [entry for entry in self._followers if entry[1] is not news]

    def tell(self, news: dict[str, Any]) -> None:
        """Send news to all subscribed pages, from any thread."""
        for loop, queue in list(self._followers):
            loop.call_soon_threadsafe(queue.put_nowait, news)

    def changed(self) -> None:
        """Send all subscribed pages the news that the project has changed."""
        self.tell({"kind": "changed", "stamp": self.stamp()})

    def stamp(self) -> str:
        """Return a text that differs between two states of the project folder."""
        stamps = [str(self.project.runs[-1:])]
        for name in ("links.csv", "names.csv", "history.json", "map.npy"):
            file = self.project.folder / name
            stamps.append(str(file.stat().st_mtime_ns) if file.exists() else "")
        return "/".join(stamps)

    async def watch(self) -> None:
        """Poll the folder for changes by other programs, and announce them, until cancelled."""
        seen = self.stamp()
        while True:
            await asyncio.sleep(LOOK)
            now = self.stamp()
            if now != seen:
                seen = now
                self.changed()

    def _news(self, job: Job) -> None:
        """Record a finished job in the history and send its state to all pages."""
        if job.state == DONE and job.task in EDITING and not job.noted:
            job.noted = True
            with self._lock, held(self.project) as project:
                # Reading the history adds the new run to it.
                write_history(project, read_history(project))
        values = msgspec.to_builtins(job.shown(), str_keys=True, enc_hook=plain)
        self.tell({"kind": "job", "job": plain(values)})
        if job.state == DONE:
            self.changed()
