"""Selection of features by scores: words by mutual information, any by variance, genes by range."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from cocluster.linalg.types import Array, InMemory
from cocluster.utils.checks import is_integer, is_number


class TopFeatures(SelectorMixin, BaseEstimator):
    """Keep the features with the largest scores, in their order.

    Parameters
    ----------
    n_features : int >= 1, or float in (0, 1]
        How many to keep (all, if there are fewer), or which share. Of equal scores the first win.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
    """

    def __init__(self, n_features: int | float = 1000) -> None:
        self.n_features = n_features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the features of X of shape (n_samples, n_features)."""
        count = self._count_rule()  # a wrong n_features is refused before the data are read
        X = self._validate(X)
        self.scores_ = np.asarray(self._scores(X, y), dtype=np.float64)
        # Stable, so that of equal scores the first features win on every machine.
        best = np.argsort(-self.scores_, kind="stable")[: count(X.shape[1])]
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[best] = True
        return self

    @abstractmethod
    def _scores(self, X: InMemory, y: Any) -> Array:
        """Score each feature."""

    def _validate(self, X: Any) -> InMemory:
        """Validate X: sparse or dense, of single or double precision."""
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])

    def _count_rule(self) -> Any:
        """Return a function from the number of features to the number to keep."""
        n = self.n_features
        # 1 is one feature and 1.0 all of them: the type says which is meant.
        if is_integer(n) and n >= 1:
            return lambda available: min(int(n), available)
        if is_number(n) and not is_integer(n) and 0 < n <= 1:
            return lambda available: max(1, round(float(n) * available))
        raise ValueError(
            f"n_features is {n!r}; pass a number of features (an int >= 1) or a share in (0, 1]."
        )

    def _get_support_mask(self) -> Array:
        """Return the mask of the selected features."""
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


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


class GeneScreen(SelectorMixin, BaseEstimator):
    """Keep genes whose expression varies enough, both as a ratio and as a difference.

    Gene j is kept if :math:`max_j / min_j` is at least `min_ratio` and :math:`max_j - min_j` at
    least `min_range`, after clipping to [floor, ceiling]; the result is clipped, too.

    Parameters
    ----------
    min_ratio, min_range : float
        Smallest ratio of the largest to the smallest value of a gene, and smallest difference.
    floor, ceiling : float or None
        None leaves that side alone. Raw intensities with negative values need a floor.

    Attributes
    ----------
    support_ : bool array of shape (n_features,)

    Notes
    -----
    The defaults are those of Zhang et al. 2012 (4.2), whose data are clipped already. They say that
    genes with max/min < 15 *and* max - min < 500 are screened out, but their numbers of genes
    (1,999 and 1,710) are those of genes that pass both, as here.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[20.0, 20.0, 900.0], [30.0, 800.0, 2000.0]])
    >>> GeneScreen().fit(X).get_support()
    array([False,  True, False])
    """

    def __init__(
        self,
        min_ratio: float = 15.0,
        min_range: float = 500.0,
        floor: float | None = None,
        ceiling: float | None = None,
    ) -> None:
        self.min_ratio = min_ratio
        self.min_range = min_range
        self.floor = floor
        self.ceiling = ceiling

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the genes of X of shape (n_samples, n_genes) that vary enough."""
        if self.floor is not None and self.ceiling is not None and self.floor >= self.ceiling:
            raise ValueError(f"floor {self.floor} is not below ceiling {self.ceiling}.")
        X = self._clip(validate_data(self, X, dtype=[np.float64, np.float32]))
        low, high = X.min(axis=0), X.max(axis=0)
        if low.min() < 0:
            raise ValueError(
                "Negative values in data, for which max/min means nothing: pass floor= (usual: 20)."
            )
        # Multiplied out, because the smallest value may be zero.
        self.support_ = (high >= self.min_ratio * low) & (high - low >= self.min_range)
        if not self.support_.any():
            raise ValueError(
                f"No gene has max/min >= {self.min_ratio} and max-min >= {self.min_range}; lower "
                "them (logged data need other values than raw intensities)."
            )
        return self

    def transform(self, X: Any) -> InMemory:
        """Select the genes and clip their values."""
        return self._clip(super().transform(X))

    def _clip(self, X: Array) -> Array:
        """Clip X to floor and ceiling; return X itself if there is neither."""
        if self.floor is None and self.ceiling is None:
            return X
        return np.clip(X, self.floor, self.ceiling)

    def _get_support_mask(self) -> Array:
        """Return the mask of the selected genes."""
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.floor is None
        return tags


class TopGenesByFirstComponent(TopFeatures):
    """Keep the genes that weigh most in the first principal component (Chen et al. 2010, 5.1.2).

    Parameters
    ----------
    n_features : int >= 1, or float in (0, 1]
        How many genes to keep (the paper keeps 2,000), or which share.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        :math:`|u_1|`, u_1 the unit vector along which the centred samples vary most.

    Examples
    --------
    >>> X = [[0.0, 5.0], [0.1, 1.0], [0.0, 9.0]]
    >>> TopGenesByFirstComponent(1).fit_transform(X).tolist()
    [[5.0], [1.0], [9.0]]
    """

    def __init__(self, n_features: int | float = 2000) -> None:
        super().__init__(n_features)

    def _scores(self, X: InMemory, y: Any) -> Array:
        # With one sample nothing varies, and one gene has no rival: all genes weigh the same.
        if min(X.shape) == 1:
            return np.full(X.shape[1], X.shape[1] ** -0.5)
        # This solver keeps sparse data sparse; it needs a seed, because its start is random.
        component = PCA(n_components=1, svd_solver="arpack", random_state=0).fit(X).components_[0]
        return np.abs(component)
