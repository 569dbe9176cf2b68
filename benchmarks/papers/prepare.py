"""Preparation of the papers' data sets, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import minmax_scale

from cocluster.io.dataset import Dataset
from cocluster.linalg.matrices import column_counts
from cocluster.linalg.types import Array
from cocluster.preprocessing import (
    DocumentCategory,
    GeneScreen,
    TopByVariance,
    TopGenesByFirstComponent,
    TopWordsByMutualInformation,
)


def prepared_views(dataset: Dataset, how: Mapping[str, Any]) -> Dataset:
    """Data set after the steps of a paper; categories are learned from all words."""
    steps: dict[str, Callable[[Dataset, Any], Dataset]] = {
        "words": lambda d, n: select_words(d, n, how.get("by", "labels")),
        "categories": lambda d, n: _with_categories(d, dataset, n),
        "genes": _top_genes,
        "screen": lambda d, _: _kept(d, GeneScreen().fit(d.X).get_support()),
        "variance": lambda d, n: _kept(d, TopByVariance(n).fit(d.X).get_support()),
        "unit": lambda d, _: replace(d, views={v: minmax_scale(X) for v, X in d.views.items()}),
    }
    result = dataset
    for name, step in steps.items():
        if name in how:
            result = step(result, how[name])
    return result


def select_words(dataset: Dataset, words: int | float, by: str = "labels") -> Dataset:
    """The words that tell most about the labels, or about the documents."""
    y = dataset.labels if by == "labels" else None
    return _kept(dataset, TopWordsByMutualInformation(words).fit(dataset.X, y).get_support())


def drop_unused_words(dataset: Dataset) -> Dataset:
    """The data set without words that occur in none of its documents; others as they are."""
    if len(dataset.views) > 1 or not sp.issparse(dataset.X):
        return dataset
    return _kept(dataset, column_counts(dataset.X) > 0)


def _top_genes(dataset: Dataset, n: int) -> Dataset:
    """Genes of the first principal component; missing values become the mean of the gene."""
    dataset = _kept(dataset, ~np.isnan(dataset.X).all(axis=0))
    filled = _with_X(dataset, SimpleImputer().fit_transform(dataset.X))
    return _kept(filled, TopGenesByFirstComponent(n).fit(filled.X).get_support())


def _with_categories(dataset: Dataset, whole: Dataset, n_words: int) -> Dataset:
    """The data set with the document x category matrix as a second view."""
    matrix = DocumentCategory(n_words).fit_transform(whole.X, whole.extras["categories"])
    return replace(dataset, views={**dataset.views, "categories": matrix})


def _kept(dataset: Dataset, features: Array) -> Dataset:
    """Data set of one view with some of its features, in masks and extras too."""
    if features.all():
        return dataset
    (view,) = dataset.views
    m = len(features)
    cut = replace(
        dataset,
        feature_names={v: names[features] for v, names in dataset.feature_names.items()},
        masks={k: v[features] if v.shape == (m,) else v for k, v in dataset.masks.items()},
        extras={k: v[features] if v.shape == (m,) else v for k, v in dataset.extras.items()},
    )
    return replace(cut, views={view: dataset.X[:, np.flatnonzero(features)]})


def _with_X(dataset: Dataset, X: Array) -> Dataset:
    """Data set of one view with another matrix."""
    (view,) = dataset.views
    return replace(dataset, views={view: X})
