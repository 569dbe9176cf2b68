"""Selection of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_non_negative

from cocluster.linalg.types import Array, InMemory
from cocluster.preprocessing._top import TopFeatures


class TopWordsByMutualInformation(TopFeatures):
    r"""Keep the words that tell most about the classes (or, without labels, about the documents).

    The score of word w is its share of the mutual information between words and classes,

    .. math:: \sum_y p(w, y) \log \frac{p(w, y)}{p(w) p(y)},

    with p(w, y) the share of the occurrences of word w in documents of class y among all
    occurrences of words. Without y each document is a class of its own.

    Parameters
    ----------
    n_features : int >= 1, or float in (0, 1]
        How many words to keep (all, if there are fewer), or which share.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Shares of the mutual information, in nats; their sum is the whole.

    Notes
    -----
    Chen et al. 2010 (5.1.1: 1,000 words) and 2008 (4.1: a tenth of the words) use labels of
    classes, so what follows on the words is no longer unsupervised. Zhang et al. 2012 (4.2) and Li
    et al. 2012 (4.1) speak of information between words and documents, which needs no labels.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [2, 0, 1], [0, 4, 1]])
    >>> TopWordsByMutualInformation(2).fit_transform(X, ["a", "a", "b"])
    array([[3, 0],
           [2, 0],
           [0, 4]])
    """

    def _scores(self, X: InMemory, y: Any) -> Array:
        check_non_negative(X, "TopWordsByMutualInformation")
        counts = X if y is None else counts_by_class(X, y)[1]
        joint = information_shares(counts)
        return np.bincount(joint.col, joint.data, minlength=X.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class TopByVariance(TopFeatures):
    """Keep the features of largest variance; needs no labels.

    Parameters
    ----------
    n_features : int >= 1, or float in (0, 1]
        How many to keep (all, if there are fewer), or which share.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        Variances.

    Examples
    --------
    >>> TopByVariance(1).fit_transform([[0.0, 5.0], [0.0, 1.0], [1.0, 9.0]]).tolist()
    [[5.0], [1.0], [9.0]]
    """

    def _scores(self, X: InMemory, y: Any) -> Array:
        if sp.issparse(X):
            return mean_variance_axis(X, axis=0)[1]
        return X.var(axis=0, dtype=np.float64)


def counts_by_class(X: InMemory, y: Any) -> tuple[Array, InMemory]:
    """Sum the rows of X by class; return the classes and the sums."""
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    ones = np.ones(len(codes), dtype=X.dtype)
    indicator = sp.csr_array((ones, (codes, np.arange(len(codes)))), (len(classes), len(codes)))
    return classes, indicator @ X


def information_shares(counts: InMemory) -> sp.coo_array:
    """p log(p / (p_row p_column)) of each cell of a table of counts."""
    joint = sp.coo_array(counts, dtype=np.float64)
    joint.eliminate_zeros()  # 0 log 0 is 0: a cell without counts adds nothing
    # The tiny number keeps a table without any counts from being divided by zero.
    p = joint.data / max(joint.data.sum(), np.finfo(np.float64).tiny)
    row, col = (np.bincount(axis, p, minlength=size) for axis, size in _axes(joint))
    shares = p * np.log(p / (row[joint.row] * col[joint.col]))
    return sp.coo_array((shares, (joint.row, joint.col)), joint.shape)


def _axes(joint: sp.coo_array) -> tuple[tuple[Array, int], tuple[Array, int]]:
    """Coordinates along each axis, and its length."""
    return (joint.row, joint.shape[0]), (joint.col, joint.shape[1])
