"""Scores of a clustering against known classes.

All scores take any hashable labels (numbers, strings, tuples), do not depend on the names of the
clusters, and lie in [0, 1] (:func:`ari` can fall below 0), 1 being a perfect clustering.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.special import entr

from cocluster.linalg.types import Array
from cocluster.utils.text import as_list


def confusion_matrix(
    y_true: Iterable[Any], labels: Iterable[Any]
) -> tuple[Array, list[Any], list[Any]]:
    """Count the samples of each class in each cluster.

    Parameters
    ----------
    y_true, labels : iterable of hashable, of the same length
        Class and cluster of each sample.

    Returns
    -------
    table : ndarray of shape (n_classes, n_clusters)
        ``table[i, j]`` samples of class ``classes[i]`` are in cluster ``clusters[j]``.
    classes, clusters : list
        The distinct labels, sorted where they can be compared, else in order of appearance.

    Examples
    --------
    >>> table, classes, clusters = confusion_matrix(["a", "a", "b"], [1, 0, 0])
    >>> classes, clusters, table.tolist()
    (['a', 'b'], [0, 1], [[1, 1], [1, 0]])
    """
    row_codes, classes = _encode(y_true, "y_true")
    column_codes, clusters = _encode(labels, "labels")
    if row_codes.size != column_codes.size:
        raise ValueError(
            f"y_true has {row_codes.size} entries and labels {column_codes.size}: "
            "give one class and one cluster per sample, in the same order."
        )
    ones = np.ones(row_codes.size, dtype=np.int64)
    shape = (len(classes), len(clusters))
    return sp.coo_array((ones, (row_codes, column_codes)), shape=shape).toarray(), classes, clusters


def accuracy(y_true: Iterable[Any], labels: Iterable[Any]) -> float:
    """Share of samples whose cluster is matched to their class, under the best matching.

    Each cluster is matched to at most one class and each class to at most one cluster, so that a
    surplus cluster or class counts as an error.

    Parameters
    ----------
    y_true, labels : iterable of hashable, of the same length
        Class and cluster of each sample.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> accuracy(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    0.75
    """
    table, _, _ = confusion_matrix(y_true, labels)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / table.sum())


def purity(y_true: Iterable[Any], labels: Iterable[Any]) -> float:
    """Share of samples that belong to the most frequent class of their cluster.

    It rewards many clusters: with one sample per cluster it is 1.

    Parameters
    ----------
    y_true, labels : iterable of hashable, of the same length
        Class and cluster of each sample.

    Returns
    -------
    float in (0, 1]

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    table, _, _ = confusion_matrix(y_true, labels)
    return float(table.max(axis=0).sum() / table.sum())


def nmi(y_true: Iterable[Any], labels: Iterable[Any]) -> float:
    r"""Normalised mutual information, :math:`I(y; c) / \max(H(y), H(c))`.

    The papers that this library reproduces divide by the larger of the two entropies.
    scikit-learn's ``normalized_mutual_info_score`` divides by their mean unless told otherwise,
    so that its value is never smaller; with ``average_method="max"`` it gives this one. Say which
    one you report: with 20 clusters for 5 classes they differ by much. It is 1 if there is one
    class and one cluster.

    Parameters
    ----------
    y_true, labels : iterable of hashable, of the same length
        Class and cluster of each sample.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> round(nmi([0, 0, 1, 1], [0, 1, 2, 3]), 3)
    0.5
    >>> from sklearn.metrics import normalized_mutual_info_score
    >>> round(float(normalized_mutual_info_score([0, 0, 1, 1], [0, 1, 2, 3])), 3)
    0.667
    """
    table, _, _ = confusion_matrix(y_true, labels)
    joint = table / table.sum()
    entropy_true, entropy = entr(joint.sum(axis=1)).sum(), entr(joint.sum(axis=0)).sum()
    if max(entropy_true, entropy) == 0:
        return 1.0
    information = entropy_true + entropy - entr(joint).sum()
    return float(np.clip(information / max(entropy_true, entropy), 0.0, 1.0))


def ari(y_true: Iterable[Any], labels: Iterable[Any]) -> float:
    """Adjusted Rand index: agreement on pairs of samples, 0 expected by chance, 1 if perfect.

    Parameters
    ----------
    y_true, labels : iterable of hashable, of the same length
        Class and cluster of each sample.

    Returns
    -------
    float, at most 1

    Examples
    --------
    >>> ari([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    table, _, _ = confusion_matrix(y_true, labels)
    together = _pairs(table).sum()
    by_class, by_cluster = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    expected = by_class * by_cluster / max(_pairs(table.sum()), 1.0)
    largest = (by_class + by_cluster) / 2
    # Both all-together or both all-apart: nothing can disagree.
    return 1.0 if largest == expected else float((together - expected) / (largest - expected))


def scores(y_true: Iterable[Any], labels: Iterable[Any]) -> dict[str, float]:
    """All scores by name: ``accuracy``, ``nmi``, ``purity``, ``ari``.

    Parameters
    ----------
    y_true, labels : iterable of hashable, of the same length
        Class and cluster of each sample.

    Returns
    -------
    dict of name to float

    Examples
    --------
    >>> scores([0, 0, 1, 1], ["b", "b", "a", "a"])
    {'accuracy': 1.0, 'nmi': 1.0, 'purity': 1.0, 'ari': 1.0}
    """
    # The labels are read four times, which an iterator would not survive.
    y_true, labels = list(y_true), list(labels)
    return {score.__name__: score(y_true, labels) for score in (accuracy, nmi, purity, ari)}


def _encode(labels: Iterable[Any], name: str) -> tuple[Array, list[Any]]:
    """Number the distinct labels; returns the number of each sample and the labels themselves."""
    values = as_list(labels)
    if not values:
        raise ValueError(f"{name} is empty: give the label of at least one sample.")
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError:
        raise TypeError(f"{name} must hold one hashable label per sample.") from None
    if any(value != value for value in distinct):
        raise ValueError(f"{name} contains NaN: leave out the samples without a label.")
    with suppress(TypeError):  # labels of mixed types stay in order of appearance
        distinct.sort()
    code = {value: number for number, value in enumerate(distinct)}
    return np.fromiter((code[value] for value in values), np.intp, len(values)), distinct


def _pairs(counts: Array) -> Array:
    """Number of pairs among n samples for each n in ``counts``; floats, which do not overflow."""
    return np.asarray(counts * (counts - 1.0) / 2)
