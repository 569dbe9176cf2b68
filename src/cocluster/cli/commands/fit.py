"""``cocluster fit``: from a file to clusters, a project and a report."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cocluster.cli.progress import Progress, Sweeps
from cocluster.cli.terminal import bold, printable, show


def run(args: Namespace) -> int:
    """Fit data and print the clusters, or with ``--json`` the account."""
    if args.rest or args.method != "auto":
        _check_method(args)
    if not Path(args.path).exists():
        raise FileNotFoundError(f"There is no file or folder {args.path}.")
    if args.rest:
        args.progress.begin(f"reading {printable(args.path)}")
    return _Fit(args, args.progress).run()


def _check_method(args: Namespace) -> None:
    """Refuse an unknown method or option."""
    from cocluster.cli import methods

    methods.check(args)


@dataclass(eq=False)
class _Fit:
    """Call of ``cocluster fit``: from the arguments to a saved run."""

    args: Namespace
    progress: Progress

    def run(self) -> int:
        """Fit a file or folder into a new project, or a project once more."""
        from cocluster.cli.reading import is_project

        return self._fit_existing() if is_project(self.args.path) else self._fit_new()

    def _fit_new(self) -> int:
        """Fit a file or folder into a new project."""
        from cocluster.cli.reading import options_of, read_data
        from cocluster.projects.making import begun, in_order
        from cocluster.projects.project import checksum, new_project

        args, source = self.args, Path(self.args.path)
        target = Path(args.out or f"{source.resolve().name.split('.')[0]}-cocluster")
        with new_project(target, force=args.force) as folder:
            dataset = in_order(read_data(args, self.progress))
            about = {
                "source": str(source.resolve()),
                "checksum": checksum(source),
                "options": options_of(args),
                "counting": dataset.reading.counting,
            }
            project = begun(folder, dataset, about)
            result = self._fit_and_save(project, dataset)
        return self._show_result(target, *result)

    def _fit_existing(self) -> int:
        """Fit a project again with its current links, as one more run."""
        from cocluster.cli.reading import opened

        if self.args.out is not None:
            raise ValueError(f"{self.args.path} is a project, which keeps its runs; drop --out.")
        project = opened(self.args.path)
        with project.writing():
            result = self._fit_and_save(project, project.dataset)
        return self._show_result(project.folder, *result)

    def _fit_and_save(self, project: Any, dataset: Any) -> tuple[Any, bool]:
        """Fit and save a run; return its account and whether the fit was stopped."""
        from cocluster.cli.methods import model_of, typed
        from cocluster.cli.reading import options_of, views_of
        from cocluster.projects.changing import carried_names
        from cocluster.projects.making import Fitted, keep

        args, progress = self.args, self.progress
        links = self._links(project)
        with progress.stoppable("what is found so far is kept"):
            choice: Any = None if args.clusters else self._choice(dataset)
            if choice is not None and not choice.sides:
                # Stopped before any number of clusters was evaluated: there is no result to save.
                raise KeyboardInterrupt
            k = args.clusters or choice.rows.stable
            model = model_of(args, k)
            before = _last(project)
            if before is not None and _continues(before, model, links):
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
            command=typed(args.words),
            source=args.path,
            options=options_of(args) | ({"view": views_of(args)} if args.view else {}),
        )
        _, account = keep(project, fitted)
        return account, progress.stopping

    def _links(self, project: Any) -> Any:
        """Return the links of the project, after adding those of ``--links``."""
        from cocluster.links import Links

        if self.args.links is not None:
            file = Path(self.args.links)
            if not file.exists():
                raise FileNotFoundError(f"There is no file {file}.")
            new_links = Links.read(file, ids=project.ids, n_samples=len(project.ids))
            new_links.check()
            # After a killed command is repeated, the same links must not be added twice.
            if not project.ledger.says(new_links):
                project.ledger.add(new_links, file.name)
        links = project.links
        if links is not None:
            links.check()
            self.progress.note(f"  {links.n_must:,} must-links, {links.n_cannot:,} cannot-links")
        return links

    def _choice(self, dataset: Any) -> Any:
        """Select the number of clusters and show the reason."""
        from cocluster import choose_n_clusters

        self.progress.begin("choosing the number of clusters")
        choice = choose_n_clusters(
            dataset.data,
            features=False,
            random_state=self.args.seed,
            callback=self.progress.share,
        )
        self.progress.note(f"  {printable(choice.reason)}")
        return choice

    def _show_result(self, folder: Path, account: Any, stopped: bool) -> int:
        """Show the clusters, the folder of the project and the next commands."""
        from cocluster.cli import STOPPED
        from cocluster.cli.shown import alerts, overview

        self.progress.end()
        for line in alerts(account):
            self.progress.note(f"  {line}")
        if self.args.json:
            show(account.to_json())
        else:
            show(overview(account))
        tell_next(folder, account, self.progress)
        return STOPPED if stopped else 0


def _last(project: Any) -> Any:
    """Return the model of the last run of a project; None before the first."""
    return project.model if project.runs else None


def _continues(before: Any, model: Any, links: Any) -> bool:
    """Return whether a fit repeats the last one with new links, and so starts from its labels."""
    last_params, new_params = (each.get_params(deep=False) for each in (before, model))
    # Links of a few samples should not change all clusters. A start that the user chose is kept.
    start = new_params.pop("init", None)
    last_params.pop("init", None)
    return links is not None and start == "spectral" and repr(last_params) == repr(new_params)


def tell_next(folder: Path, account: Any, progress: Progress) -> None:
    """Show the path of the report and the two commands that are useful next."""
    import shlex
    import sys

    seconds = account.run.seconds
    took = "" if seconds is None else f" in {seconds:.1f} s"
    quoted_folder = shlex.quote(str(folder))
    progress.note(f"{account.run.asked}{took}; report: {printable(folder / 'report.html')}")
    largest = account.samples[0].id if account.samples else 0
    # With a single cluster there is nothing to ask about.
    next_command = (
        f"ask {quoted_folder}" if len(account.samples) > 1 else f"fit {quoted_folder} -k 2"
    )
    progress.note(f"next: {bold(f'cocluster explain {quoted_folder} {largest}', sys.stderr)}")
    progress.note(f"      {bold(f'cocluster {next_command}', sys.stderr)}")
