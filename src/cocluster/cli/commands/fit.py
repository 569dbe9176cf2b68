"""``cocluster fit``: from a file to clusters, a project and a report."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cocluster.cli.progress import Progress, Sweeps
from cocluster.cli.terminal import bold, printable, show


def run(asked: Namespace) -> int:
    """Fit; standard output has the clusters, or with ``--json`` the account."""
    if asked.rest or asked.method != "auto":
        _check_method(asked)
    if not Path(asked.path).exists():
        raise FileNotFoundError(f"There is no file or folder {asked.path}.")
    if asked.rest:
        asked.progress.begin(f"reading {printable(asked.path)}")
    return _Fit(asked, asked.progress).run()


def _check_method(asked: Namespace) -> None:
    """Refuse a method or an option that there is not."""
    from cocluster.cli import methods

    methods.check(asked)


@dataclass(eq=False)
class _Fit:
    """One call of the command."""

    asked: Namespace
    progress: Progress

    def run(self) -> int:
        """Fit a file or folder into a new project, or a project once more."""
        from cocluster.cli.reading import is_project

        return self._again() if is_project(self.asked.path) else self._first()

    def _first(self) -> int:
        """A new project."""
        from cocluster.cli.reading import options_of, read_data
        from cocluster.projects.making import begun, in_order
        from cocluster.projects.project import checksum, new_project

        asked, source = self.asked, Path(self.asked.path)
        target = Path(asked.out or f"{source.resolve().name.split('.')[0]}-cocluster")
        with new_project(target, force=asked.force) as place:
            dataset = in_order(read_data(asked, self.progress))
            about = {
                "source": str(source.resolve()),
                "checksum": checksum(source),
                "options": options_of(asked),
                "counting": dataset.reading.counting,
            }
            project = begun(place, dataset, about)
            found = self._fitted(project, dataset)
        return self._told(target, *found)

    def _again(self) -> int:
        """One more run of a project, with all that is known by now."""
        from cocluster.cli.reading import opened

        if self.asked.out is not None:
            raise ValueError(f"{self.asked.path} is a project, which keeps its runs; drop --out.")
        project = opened(self.asked.path)
        with project.writing():
            found = self._fitted(project, project.dataset)
        return self._told(project.folder, *found)

    def _fitted(self, project: Any, dataset: Any) -> tuple[Any, bool]:
        """Fit and keep; returns the account, and whether the fit was stopped."""
        from cocluster.cli.methods import model_of, typed
        from cocluster.cli.reading import options_of, views_of
        from cocluster.projects.changing import carried_names
        from cocluster.projects.making import Fitted, keep

        asked, progress = self.asked, self.progress
        links = self._links(project)
        with progress.stoppable("what is found so far is kept"):
            choice: Any = None if asked.clusters else self._choice(dataset)
            if choice is not None and not choice.sides:
                # Stopped before anything was known of the number: there is nothing to keep.
                raise KeyboardInterrupt
            k = asked.clusters or choice.rows.stable
            model = model_of(asked, k)
            before = _last(project)
            if before is not None and _goes_on(before, model, links):
                model.set_params(init=before.labels_)
            progress.begin(f"clustering {len(dataset):,} samples into {k}")
            begin = time.perf_counter()
            model.fit(dataset.data, links=links, callback=Sweeps(progress))
            seconds = time.perf_counter() - begin
        progress.begin("writing the report")
        fitted = Fitted(
            model,
            dataset,
            links,
            choice=choice,
            seconds=seconds,
            names={} if before is None else carried_names(project, before, model),
            command=typed(asked.words),
            source=asked.path,
            options=options_of(asked) | ({"view": views_of(asked)} if asked.view else {}),
        )
        _, account = keep(project, fitted)
        return account, progress.stopping

    def _links(self, project: Any) -> Any:
        """Links of the project and of the file that was named."""
        from cocluster.links import Links

        if self.asked.links is not None:
            file = Path(self.asked.links)
            if not file.exists():
                raise FileNotFoundError(f"There is no file {file}.")
            given = Links.read(file, ids=project.ids, n_samples=len(project.ids))
            given.check()
            # Someone may give a command again that was killed: nothing is said twice.
            if not project.ledger.says(given):
                project.ledger.add(given, file.name)
        links = project.links
        if links is not None:
            links.check()
            self.progress.note(f"  {links.n_must:,} must-links, {links.n_cannot:,} cannot-links")
        return links

    def _choice(self, dataset: Any) -> Any:
        """How many clusters, and why."""
        from cocluster import choose_n_clusters

        self.progress.begin("choosing the number of clusters")
        choice = choose_n_clusters(
            dataset.data,
            features=False,
            random_state=self.asked.seed,
            callback=self.progress.share,
        )
        self.progress.note(f"  {printable(choice.reason)}")
        return choice

    def _told(self, folder: Path, account: Any, stopped: bool) -> int:
        """The result, where it is, and what to do next."""
        from cocluster.cli import STOPPED
        from cocluster.cli.shown import alerts, overview

        self.progress.end()
        for line in alerts(account):
            self.progress.note(f"  {line}")
        if self.asked.json:
            show(account.to_json())
        else:
            show(overview(account))
        tell_next(folder, account, self.progress)
        return STOPPED if stopped else 0


def _last(project: Any) -> Any:
    """The model of the last run of a project; None before the first."""
    return project.model if project.runs else None


def _goes_on(before: Any, model: Any, links: Any) -> bool:
    """Whether a fit is the last one with more links: it begins there, and numbers are kept."""
    own, other = (each.get_params(deep=False) for each in (before, model))
    # What someone said of a few samples should not turn everything around. A start that was asked
    # for is not replaced.
    start = other.pop("init", None)
    own.pop("init", None)
    return links is not None and start == "spectral" and repr(own) == repr(other)


def tell_next(folder: Path, account: Any, progress: Progress) -> None:
    """Where the result is, and the two commands that one would want next."""
    import shlex
    import sys

    seconds = account.run.seconds
    took = "" if seconds is None else f" in {seconds:.1f} s"
    place = shlex.quote(str(folder))
    progress.note(f"{account.run.asked}{took}; report: {printable(folder / 'report.html')}")
    largest = account.samples[0].id if account.samples else 0
    # Where everything is one cluster, there is nothing to ask about.
    other = f"ask {place}" if len(account.samples) > 1 else f"fit {place} -k 2"
    progress.note(f"next: {bold(f'cocluster explain {place} {largest}', sys.stderr)}")
    progress.note(f"      {bold(f'cocluster {other}', sys.stderr)}")
