"""Behaviour that estimators share: fitted attributes, the table in a notebook, row blocks."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import relational
from cocluster.linalg.partitions import gathered
from cocluster.linalg.types import Array, Matrix, is_blocked, is_distributed
from cocluster.utils.html import Html, markup, small_table, tag

# Clusters listed in a notebook's table: more would push away the cells around it.
LISTED = 20


class FittedMixin:
    """Attributes and methods that follow from fitted labels, factors and associations."""

    labels_: Array
    associations_: tuple[Array, ...]
    fit: Callable[..., Any]

    @property
    def factors_(self) -> dict[str, Array]:
        """Factor of every type, samples first."""
        raise NotImplementedError

    def _repr_html_inner(self) -> str:
        table = fitted_table(self)
        return BaseEstimator._repr_html_inner(self) if table is None else str(table)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = BaseEstimator._repr_mimebundle_(self, **options)
        table = fitted_table(self)
        # Where diagrams are turned off, so is this.
        if table is not None and "text/html" in bundle:
            bundle["text/html"] = str(table)
        return bundle

    def fit_predict(self, X: Any, y: Any = None, **fitting: Any) -> Array:
        """The labels of `fit`, which takes the same arguments."""
        # scikit-learn's own would leave out y, which here says what is known of some samples.
        labels: Array = self.fit(X, y, **fitting).labels_
        return labels

    def save(
        self, folder: str | os.PathLike[str], data: Any = None, *, force: bool = False
    ) -> Path:
        """Write the fitted model to a new folder, from which `cocluster.load` gives it back.

        ``data``, what it was fitted to, is kept beside it; see `cocluster.projects.save`.
        """
        # Imported by name: `cocluster.projects` lies above the methods in the package.
        project_folder: Path = import_module("cocluster").save(self, folder, data, force=force)
        return project_folder

    @property
    def association_(self) -> Array:
        """S of the only relation."""
        check_is_fitted(self)
        if not self.associations_:
            raise AttributeError(f"{type(self).__name__} clusters one type and has no association.")
        return self.associations_[0]

    @property
    def row_factor_(self) -> Array:
        """Factor of the samples."""
        return next(iter(self.factors_.values()))

    @property
    def column_factor_(self) -> Array:
        """Factor of the features of the only view."""
        _, *others = self.factors_.values()
        if not others:
            raise AttributeError(f"{type(self).__name__} has no factor of the features.")
        return others[0]


def fitted_table(model: Any) -> Html | None:
    """Return the cluster sizes and the facts of a fit as a table; None before the fit."""
    labels = vars(model).get("labels_by_type_")
    if not labels:
        return None
    center, sample_labels = next(iter(labels.items()))
    n = len(sample_labels)
    ids, sizes = np.unique(np.asarray(sample_labels), return_counts=True)
    rows = [
        [cluster, f"{size:,}", f"{size / n:.0%}"]
        for cluster, size in zip(ids[:LISTED].tolist(), sizes[:LISTED].tolist(), strict=True)
    ]
    if len(ids) > LISTED:
        n_unlisted = int(sizes[LISTED:].sum())
        rows.append([f"{len(ids) - LISTED} more", f"{n_unlisted:,}", f"{n_unlisted / n:.0%}"])
    sizes_by_type = [
        f"{len(values):,} {name} in {len(np.unique(values))} clusters"
        for name, values in labels.items()
    ]
    facts = [*sizes_by_type, *_fit_facts(model)]
    table = small_table(f"{type(model).__name__}, fitted", ["cluster", center, "share"], rows)
    return markup(table, tag("p", "; ".join(facts), "."))


def _fit_facts(model: Any) -> list[str]:
    """Return sentences on the method, the number of sweeps and the links of a fit."""
    fitted = getattr(model, "model_", model)
    facts = [f"method {type(fitted).__name__}"] if fitted is not model else []
    sweeps = getattr(fitted, "n_iter_", None)
    if sweeps is not None:
        end = "" if getattr(fitted, "converged_", True) else ", cut off"
        facts.append(f"{sweeps} sweeps{end}")
    for name, report in (getattr(model, "links_report_", None) or {}).items():
        facts.append(f"links on {name}: {report.n_satisfied:,} kept, {report.n_violated:,} broken")
    return facts


def by_blocks(method: Callable[[Any, Any], Array]) -> Callable[[Any, Any], Array]:
    """Decorate a method of (estimator, X): if X is in row blocks, call it block by block."""

    @wraps(method)
    def method_by_blocks(self: Any, X: Any) -> Array:
        if not (is_blocked(X) or hasattr(X, "__dask_graph__")):
            return method(self, X)
        check_is_fitted(self)
        blocks: Any = self._matched(relational(X)).relations[0].matrix
        return gathered(blocks.rows(_call_method, _for_blocks(self), method.__name__))

    return method_by_blocks


def _call_method(X: Matrix, estimator: Any, method: str) -> Array:
    """Call a method of the estimator on one block."""
    return getattr(estimator, method)(X)


def _for_blocks(estimator: Any) -> Any:
    """Copy an estimator for blocks without names and for workers that lack the fitted rows."""
    slim = copy.copy(estimator)
    # The blocks have been matched by name as a whole.
    slim._form, slim._sample_names = replace(estimator._form, names={}), None
    for name in vars(estimator).keys() - in_memory(vars(estimator)).keys():
        setattr(slim, name, None)
    slim._factors = in_memory(estimator._factors)
    return slim


def in_memory(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values whose rows are not distributed over Dask workers."""
    return {name: value for name, value in values.items() if not is_distributed(value)}
