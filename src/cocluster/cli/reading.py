"""Data of a command: files, folders and projects, read with the options that were typed."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from cocluster.cli.progress import Progress
from cocluster.cli.terminal import printable
from cocluster.io import read
from cocluster.io.dataset import Dataset
from cocluster.preprocessing import WordCounter
from cocluster.projects import Project, open_project
from cocluster.projects.project import ABOUT

ROLES = (
    "id",
    "title",
    "label",
    "sheet",
    "text",
    "features",
    "categories",
    "drop",
    "long",
    "dates",
    "header",
)
COUNTING = ("min_df", "max_df", "min_letters", "bigrams", "headers", "boilerplate")


def is_project(path: str) -> bool:
    """Return whether a path is a project folder."""
    return (Path(path) / ABOUT).exists()


def opened(path: str) -> Project:
    """Open a project."""
    return open_project(path)


def options_of(args: Namespace) -> dict[str, Any]:
    """Return the options of `read` that were typed."""
    roles = {name: getattr(args, name) for name in ROLES}
    return {name: value for name, value in roles.items() if value is not None}


def read_data(args: Namespace, progress: Progress) -> Dataset:
    """Read the data of a command and show on standard error how they were read."""
    if is_project(args.path):
        return opened(args.path).dataset
    dataset = read(args.path, vectorizer=_counter(args), view=views_of(args), **options_of(args))
    sizes = [f"{len(dataset):,} samples"]
    sizes += [f"{X.shape[1]:,} {printable(view)}" for view, X in dataset.views.items()]
    lines = [", ".join(sizes), dataset.reading.summary(), dataset.reading.counting]
    # Zero is right for absent counts, but wrong for absent ratings, so the user is told.
    if args.command == "fit" and len(dataset.reading.entries) > 2 and "--missing" not in args.rest:
        lines.append("entries that are not in the file count as 0 (--missing unobserved: unknown)")
    for line in lines:
        if line:
            progress.note(f"  {printable(line)}")
    tell_notes(dataset, progress)
    return dataset


def tell_notes(dataset: Dataset, progress: Progress) -> None:
    """Show the notes of a data set on standard error."""
    for note in dataset.notes:
        progress.note(f"  note: {printable(note)}")


def views_of(args: Namespace) -> dict[str, str]:
    """Return the files of further views by view name."""
    views = {}
    for option in args.view or ():
        name, sign, file = option.partition("=")
        if not (name and sign and file):
            raise ValueError(f"--view {option} names no file; write --view embeddings=emb.npy.")
        views[name] = file
    return views


def _counter(args: Namespace) -> WordCounter | None:
    """Return the word counter of the options, or None to use the default of the reader."""
    values = {name: getattr(args, name) for name in COUNTING}
    options = {name: value for name, value in values.items() if value not in (None, False)}
    if args.stop_words is not None:
        options["stop_words"] = _stop_words(args.stop_words)
    return WordCounter(**options) if options else None


def _stop_words(text: str) -> Any:
    """Return the stop words: languages by name, the words of a file, or None."""
    if text.lower() == "none":
        return None
    file = Path(text)
    return file.read_text(encoding="utf-8-sig").split() if file.is_file() else text
