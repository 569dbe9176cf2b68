"""save() and load(): a fitted model as a folder, and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import relational
from cocluster.io.dataset import Dataset
from cocluster.io.dataset_folder import dataset_from_relations
from cocluster.projects.making import Fitted, begun, keep, names_by_type
from cocluster.projects.project import new_project, open_project, run_folder, write_about
from cocluster.projects.runs import NewRun, write_run


def save(
    model: Any, folder: str | os.PathLike[str], data: Any = None, *, force: bool = False
) -> Path:
    """Write a fitted model to a new folder, all of it or nothing; `load` gives it back.

    Plain files that any tool reads (JSON, CSV, arrays of numpy), never pickle.

    Parameters
    ----------
    model : fitted estimator of this library
    folder : path
        An existing one is refused.
    data : Dataset, or whatever the model was fitted to, optional
        Kept beside the model: names, texts, and the counting of words, by which new texts are
        counted in the same way; with the account and the report of the fit.
    force : bool
        Whether an existing folder is replaced.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> import tempfile, numpy as np, cocluster
    >>> X = np.kron([[5, 0], [1, 5]], np.ones((3, 4)))
    >>> model = cocluster.CoCluster(2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     again = cocluster.load(model.save(f"{place}/blocks"))
    >>> (again.predict(X) == model.predict(X)).all()
    np.True_
    """
    check_is_fitted(model)
    with new_project(folder, force=force) as unfinished:
        if data is None:
            write_about(unfinished, {"name": Path(folder).name})
            place = run_folder(unfinished, 1)
            place.mkdir(parents=True)
            write_run(place, NewRun(model, names_by_type(model, None)))
        else:
            dataset = _dataset(data)
            keep(begun(unfinished, dataset, {}), Fitted(model, dataset))
    return Path(folder)


def load(folder: str | os.PathLike[str]) -> Any:
    """The fitted model of a folder that `save` or ``cocluster fit`` wrote: that of the last run.

    It predicts as it did, to the bit. `open_project` gives the data, the links and the account,
    too.

    Parameters
    ----------
    folder : path

    Returns
    -------
    The fitted estimator.

    Examples
    --------
    >>> import tempfile, numpy as np, cocluster
    >>> X = np.kron([[5, 0], [1, 5]], np.ones((3, 4)))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = cocluster.CoCluster(2, random_state=0).fit(X).save(f"{place}/blocks")
    ...     cocluster.load(folder).predict(X).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    return open_project(folder).model


def _dataset(data: Any) -> Dataset:
    """Data of any kind as a data set."""
    return data if isinstance(data, Dataset) else dataset_from_relations(relational(data))
