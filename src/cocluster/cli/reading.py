"""From the options of a command to data: files, folders and projects alike."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from cocluster.cli.progress import Progress
from cocluster.cli.terminal import printable
from cocluster.io.dataset import Dataset
from cocluster.io.readers import read
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
    """Whether a path is that of a project, not of data."""
    return (Path(path) / ABOUT).exists()


def opened(path: str) -> Project:
    """A project."""
    return open_project(path)


def options_of(asked: Namespace) -> dict[str, Any]:
    """How a file is to be read, as far as it was said."""
    given = {name: getattr(asked, name) for name in ROLES}
    return {name: value for name, value in given.items() if value is not None}


def read_data(asked: Namespace, progress: Progress) -> Dataset:
    """The data of a command, and on standard error how they were read."""
    if is_project(asked.path):
        return opened(asked.path).dataset
    dataset = read(
        asked.path, vectorizer=_counter(asked), view=views_of(asked), **options_of(asked)
    )
    sizes = [f"{len(dataset):,} samples"]
    sizes += [f"{X.shape[1]:,} {printable(view)}" for view, X in dataset.views.items()]
    told = [", ".join(sizes), dataset.reading.told(), dataset.reading.counting]
    # Of ratings that is not what one wants; of counts it is.
    if (
        asked.command == "fit"
        and len(dataset.reading.entries) > 2
        and "--missing" not in asked.rest
    ):
        told.append("entries that are not in the file count as 0 (--missing unobserved: unknown)")
    for line in told:
        if line:
            progress.note(f"  {printable(line)}")
    tell_notes(dataset, progress)
    return dataset


def tell_notes(dataset: Dataset, progress: Progress) -> None:
    """What was odd about a file."""
    for note in dataset.notes:
        progress.note(f"  note: {printable(note)}")


def views_of(asked: Namespace) -> dict[str, str]:
    """Further views by name."""
    found = {}
    for given in asked.view or ():
        name, sign, file = given.partition("=")
        if not (name and sign and file):
            raise ValueError(f"--view {given} names no file; write --view embeddings=emb.npy.")
        found[name] = file
    return found


def _counter(asked: Namespace) -> WordCounter | None:
    """How words are counted; None leaves it to the reader."""
    given = {name: getattr(asked, name) for name in COUNTING}
    options = {name: value for name, value in given.items() if value not in (None, False)}
    if asked.stop_words is not None:
        options["stop_words"] = _stop_words(asked.stop_words)
    return WordCounter(**options) if options else None


def _stop_words(given: str) -> Any:
    """Languages by name, words of a file, or none."""
    if given.lower() == "none":
        return None
    file = Path(given)
    return file.read_text(encoding="utf-8-sig").split() if file.is_file() else given
