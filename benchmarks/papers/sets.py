"""The data sets of the papers by the names they have there, prepared as the papers say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.papers.prepare import drop_unused_words, prepared_views, select_words
from cocluster.datasets.fetch import fetch
from cocluster.datasets.registry import nearest
from cocluster.io.dataset import Dataset
from cocluster.linalg.types import Array
from cocluster.utils.checks import RandomState, generator


@dataclass(frozen=True)
class PaperSet:
    """How a data set of a paper is made.

    Attributes
    ----------
    paper, name : str
    parts : tuple of {"set": name[, "classes": names]}
        Data sets and classes it is put together from; in high-order sets each is a category.
    samples : int or None
        Number of samples that the paper prints.
    rows : str or None
        Mask of samples.
    corpus : mapping
        Selection of words on the whole data set, before classes are chosen.
    draw : mapping
        Random choice of classes, and of samples in each.
    prepare : mapping
        Preparation of the chosen samples.
    note : str
        Where it differs from the paper's.
    missing : str or None
        Why it cannot be made.
    """

    paper: str
    name: str
    parts: tuple[Mapping[str, Any], ...] = ()
    samples: int | None = None
    rows: str | None = None
    corpus: Mapping[str, Any] = field(default_factory=dict)
    draw: Mapping[str, Any] = field(default_factory=dict)
    prepare: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    missing: str | None = None


def list_paper_sets(paper: str | None = None) -> tuple[PaperSet, ...]:
    """Data sets of all papers, or of one.

    Examples
    --------
    >>> [entry.name for entry in list_paper_sets("li2012")]
    ['NGroups5', 'RCV1-5', 'AlphaDigit', 'UMIST', 'Leukemia2', 'LungCancer']
    """
    if paper is not None:
        return tuple(_papers_sets(paper).values())
    return tuple(entry for entries in _table().values() for entry in entries.values())


def paper_set(
    paper: str,
    name: str,
    *,
    prepared: bool = True,
    random_state: RandomState = 0,
    mirror: str | None = None,
) -> Dataset:
    """A data set of a paper.

    Parameters
    ----------
    paper : {"chen2010", "chen2008", "zhang2012", "wang2011", "li2012"}
    name : str
        As in `list_paper_sets`: for example "CT2", "Graft-Phos", "NG4", "CSTR", "UMIST".
    prepared : bool
        Whether to select words or genes, add categories and scale as the paper says. Some papers
        select words by the labels of the documents, as is then done here.
    random_state : None, int, RandomState or Generator
        For sets that the paper draws at random.
    mirror : str, optional
        As of `fetch`.

    Returns
    -------
    Dataset
        Words that do not occur are left out. ``notes`` begins with the differences from the
        paper's data, if there are any; ``extras["categories"]`` is the category of each document
        in high-order text sets.
    """
    entry = _entry(paper, name)
    rng = generator(random_state)
    loaded = {part["set"]: fetch(part["set"], mirror=mirror) for part in entry.parts}
    loaded = {key: _whole(part, entry, prepared) for key, part in loaded.items()}
    parts = [_chosen(loaded[part["set"]], part.get("classes")) for part in entry.parts]
    merged = reduce(_side_by_side, parts)
    categories = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    dataset = replace(
        merged,
        name=f"{paper}/{name}",
        notes=tuple(note for note in (entry.note, *merged.notes) if note),
        extras={**merged.extras, "categories": categories} if len(parts) > 1 else merged.extras,
    )
    if entry.draw:
        dataset = _drawn(dataset, rng, **entry.draw)
    dataset = drop_unused_words(dataset)
    return prepared_views(dataset, entry.prepare) if prepared else dataset


def _whole(dataset: Dataset, entry: PaperSet, prepared: bool) -> Dataset:
    """A data set with the rows and the words that the paper takes of it before all else."""
    if entry.rows is not None:
        dataset = dataset.select(dataset.masks[entry.rows])
    if not entry.corpus or not prepared:
        return dataset
    dataset = select_words(dataset, **entry.corpus)
    return dataset.select(np.asarray(dataset.X.sum(axis=1)).ravel() > 0)


def _chosen(dataset: Dataset, classes: Sequence[str] | None) -> Dataset:
    """The samples of some classes, or all."""
    return dataset if classes is None else dataset.of_classes(classes)


def _side_by_side(first: Dataset, second: Dataset) -> Dataset:
    """Documents of two sets under each other; words are matched by name if the sets differ."""
    if first.labels is None or second.labels is None:
        raise ValueError("Only data sets with classes can be put together.")
    same = first.X.shape[1] == second.X.shape[1] and first.info == second.info
    rows, names = _stacked(first, second) if same else _matched(first, second)
    labels = np.concatenate([first.labels, second.labels + first.n_classes])
    return Dataset(
        f"{first.name}+{second.name}",
        {"words": sp.csr_array(sp.vstack(rows))},
        labels=labels,
        class_names=np.concatenate([first.class_names, second.class_names]),
        feature_names=names,
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
        info=first.info,
    )


def _stacked(first: Dataset, second: Dataset) -> tuple[list[sp.csr_array], dict[str, Array]]:
    """Rows of two parts of one data set, and the words."""
    return [first.X, second.X], dict(first.feature_names)


def _matched(first: Dataset, second: Dataset) -> tuple[list[sp.csr_array], dict[str, Array]]:
    """Rows of both sets over the union of their words, and the words."""
    named = [part.feature_names["words"] for part in (first, second)]
    words = np.unique(np.concatenate(named))
    rows = []
    for part, own in zip((first, second), named, strict=True):
        X = part.X.tocoo()
        place = np.searchsorted(words, own)[X.col]
        rows.append(sp.csr_array((X.data, (X.row, place)), (len(part), len(words))))
    return rows, {"words": words}


def _drawn(
    dataset: Dataset,
    rng: np.random.Generator,
    classes: int | None = None,
    per_class: int = 1,
    share: float | None = None,
) -> Dataset:
    """Random classes that are large enough, and random samples of each, in their order."""
    assert dataset.labels is not None
    assert dataset.class_names is not None
    if classes is not None:
        large = np.flatnonzero(np.bincount(dataset.labels) >= per_class)
        picked = np.sort(rng.choice(large, classes, replace=False))
        dataset = dataset.of_classes([str(dataset.class_names[code]) for code in picked])
    chosen = []
    for code in range(dataset.n_classes):
        members = np.flatnonzero(dataset.labels == code)
        count = per_class if share is None else round(share * len(members))
        chosen.append(rng.choice(members, count, replace=False))
    return dataset.select(np.sort(np.concatenate(chosen)))


def _entry(paper: str, name: str) -> PaperSet:
    """Entry of a paper's data set that can be made."""
    known = _papers_sets(paper)
    if name not in known:
        near = " or ".join(nearest(name, tuple(known))) or ", ".join(known)
        raise ValueError(f"{paper} has no data set {name!r}; did you mean {near}?")
    entry = known[name]
    if entry.missing:
        raise ValueError(f"{name} of {paper} cannot be made: {entry.missing}.")
    return entry


def _papers_sets(paper: str) -> dict[str, PaperSet]:
    """Entries of one paper."""
    if paper not in _table():
        raise ValueError(f"There is no paper {paper!r}; the papers are {', '.join(_table())}.")
    return _table()[paper]


@cache
def _table() -> dict[str, dict[str, PaperSet]]:
    """Entries by paper and name, read once."""
    text = Path(__file__).with_name("sets.toml").read_text(encoding="utf-8")
    return {
        paper: {
            name: PaperSet(paper, name, tuple(entry.pop("parts", ())), **entry)
            for name, entry in entries.items()
        }
        for paper, entries in tomllib.loads(text).items()
    }
