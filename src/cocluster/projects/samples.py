"""New samples for a saved model: read and counted as those of the fit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from cocluster.io import read
from cocluster.io.dataset import Dataset, list_names
from cocluster.linalg.matrices import as_sparse
from cocluster.linalg.types import Array
from cocluster.preprocessing import WordCounter
from cocluster.projects.project import Project


class SavedCounter(WordCounter):
    """A counter that learns nothing from new texts: it counts the words that it knows."""

    def __sklearn_clone__(self) -> Self:
        # Readers fit a copy; this one is to stay as it was saved.
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None, **params: Any) -> sp.csr_array:
        """Count the known words."""
        return self.transform(texts)


def read_like(
    project: Project, path: str | os.PathLike[str], view: Mapping[str, Any] | None = None
) -> Dataset:
    """Read a file or folder of new samples as that of the project was read.

    Columns have the roles that they had, words are counted as they were, and of long files and
    categories what is new is left out and what is absent is zero; notes say so.

    Parameters
    ----------
    project : Project
    path : path
        File or folder of any kind; texts need not come in the form they had.
    view : mapping of name to path, optional
        Further views, where the project has some.

    Returns
    -------
    Dataset
        With the columns of the project's data.

    Examples
    --------
    >>> import tempfile, cocluster
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as place:
    ...     file = Path(place) / "fruit.csv"
    ...     _ = file.write_text("name,apples,pears\\nA,1,0\\nB,0,2\\nC,3,1\\n")
    ...     fruit = cocluster.io.read(file)
    ...     model = cocluster.CoCluster(2, random_state=0).fit(fruit.data)
    ...     project = cocluster.open_project(model.save(f"{place}/fruit", data=fruit))
    ...     _ = file.write_text("name,pears,apples\\nD,0,4\\n")
    ...     read_like(project, file).X.tolist()
    [[4.0, 0.0]]
    """
    fitted = project.dataset
    vectorizer = _vectorizer(project, fitted)
    options = {k: v for k, v in project.about.get("options", {}).items() if v and k != "label"}
    try:
        found = read(path, vectorizer=vectorizer, **(_roles(fitted) | options))
    except ValueError as error:
        # The file need not have the columns of the first one, if what they were for can be seen.
        if "has no column" not in str(error) and "no columns to choose" not in str(error):
            raise
        kept = {key: value for key, value in options.items() if key in ("long", "header", "sheet")}
        found = read(path, vectorizer=vectorizer, **kept)
    for name, given in (view or {}).items():
        found = found.with_view(name, read(given))
    missing = [name for name in fitted.views if name not in found.views]
    if missing and len(found.views) == len(fitted.views) == 1:
        found = _renamed(found, missing[0])
    elif missing:
        raise ValueError(
            f"{os.fspath(path)} lacks the view {missing[0]!r} of the fit; give it with "
            f"--view {missing[0]}=FILE."
        )
    return _aligned(found, fitted)


def _vectorizer(project: Project, fitted: Dataset) -> Any:
    """What counts words as in the fit; None if there were no texts."""
    if fitted.counter is None:
        if fitted.texts is not None:
            raise ValueError(
                f"{project.folder}: how its words were counted could not be saved, so new texts "
                "cannot be counted; count them yourself and use the model (cocluster.load)."
            )
        return None
    return SavedCounter.from_json(fitted.counter.to_json())


def _roles(fitted: Dataset) -> dict[str, Any]:
    """What columns were for, as `read` takes it; classes need not be known of new samples."""
    reading = fitted.reading
    if reading.entries:
        return {"long": ",".join(reading.entries[:3])}
    roles = {
        "id": reading.id,
        "text": list(reading.text),
        "title": reading.title,
        "features": [*reading.numbers, *reading.categories],
        "categories": list(reading.categories),
    }
    return {key: value for key, value in roles.items() if value}


def _renamed(found: Dataset, view: str) -> Dataset:
    """The only view under the name that it had."""
    ((own, X),) = found.views.items()
    names = {view: found.feature_names[own]} if own in found.feature_names else {}
    present = {view: found.present[own]} if own in found.present else {}
    # What is known of features is shown beside those of the fit only.
    return replace(
        found, views={view: X}, feature_names=names, present=present, feature_metadata={}
    )


def _aligned(found: Dataset, fitted: Dataset) -> Dataset:
    """The data set with the columns of the fit, where new ones may differ."""
    for view, known in fitted.feature_names.items():
        given = found.feature_names.get(view)
        if given is None or view not in found.views or set(given) == set(known):
            continue
        open_ones = {name for name in (*known, *given) if _may_lack(str(name), fitted)}
        differing = set(known) ^ set(given)
        if differing <= open_ones:
            found = _with_columns(found, view, given, known)
    return found


def _may_lack(feature: str, fitted: Dataset) -> bool:
    """Whether a feature that is absent is simply zero: an entry, or the value of a category."""
    reading = fitted.reading
    return bool(reading.entries) or any(feature.startswith(f"{c}=") for c in reading.categories)


def _with_columns(found: Dataset, view: str, given: Array, known: Array) -> Dataset:
    """Columns in the order of the fit: zero where there is none, and none that it did not have."""
    place = {name: j for j, name in enumerate(given)}
    there = np.array([j for j, name in enumerate(known) if name in place], dtype=np.intp)
    source = np.array([place[known[j]] for j in there], dtype=np.intp)
    X = as_sparse(found.views[view])
    ones = np.ones(len(there))
    chosen = sp.csr_array((ones, (source, there)), shape=(len(given), len(known)))
    unknown = [str(name) for name in given if name not in set(known)]
    notes = found.notes
    if unknown:
        notes = (*notes, f"New in {view} and not used: {list_names(unknown)}.")
    return replace(
        found,
        views={**found.views, view: sp.csr_array(X @ chosen)},
        feature_names={**found.feature_names, view: known},
        feature_metadata={},
        notes=notes,
    )
