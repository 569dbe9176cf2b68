"""The document x category matrix of Chen et al. 2010."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from cocluster.linalg.types import Array
from cocluster.preprocessing.selection import counts_by_class, information_shares
from cocluster.utils.checks import is_integer


class DocumentCategory(TransformerMixin, BaseEstimator):
    r"""Share of the typical words of each category that occur in a document [1]_.

    As in Chen et al. 2010 (5.1.1). Typical of category c are the n words with the largest
    :math:`p(w, c) \log (p(w, c) / (p(w) p(c)))`, which must be positive. Entry (d, c) is the
    number of these words that document d contains, divided by n.

    Parameters
    ----------
    n_words : int >= 1
        Words per category; all words, if there are fewer.

    Attributes
    ----------
    classes_ : array of shape (n_categories,)
    typical_ : csr_array of bool of shape (n_features, n_categories)
        Which words are typical of which category.

    Notes
    -----
    It is learned from labels of categories, as in the paper: what uses the matrix is not
    unsupervised.

    References
    ----------
    .. [1] Chen, Wang, Dong. Non-Negative Matrix Factorization for Semisupervised Heterogeneous
       Data Coclustering. TKDE 2010, section 5.1.1.

    Examples
    --------
    >>> X = np.array([[3, 0, 1], [2, 0, 1], [0, 4, 1]])
    >>> DocumentCategory(n_words=1).fit(X, ["a", "a", "b"]).transform([[1, 1, 0]])
    array([[1., 1.]])
    """

    def __init__(self, n_words: int = 1000) -> None:
        self.n_words = n_words

    def fit(self, X: Any, y: Any) -> Self:
        """Find the typical words of the categories y in the counts X."""
        if not is_integer(self.n_words) or self.n_words < 1:
            raise ValueError(f"n_words is {self.n_words!r}; pass an int >= 1.")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_non_negative(X, "DocumentCategory")
        self.classes_, counts = counts_by_class(X, y)
        shares = information_shares(counts).tocsr()
        best = [self._best(shares[[c]]) for c in range(len(self.classes_))]
        # One entry for each typical word and the category it is typical of.
        words = np.concatenate(best)
        owner = np.repeat(np.arange(len(best)), [len(category_words) for category_words in best])
        shape = (X.shape[1], len(best))
        self.typical_ = sp.csr_array((np.ones(len(words), bool), (words, owner)), shape)
        return self

    def _best(self, shares: sp.csr_array) -> Array:
        """Words with the largest positive shares of one category."""
        order = np.argsort(-shares.data, kind="stable")[: self.n_words]
        return shares.indices[order[shares.data[order] > 0]]

    def transform(self, X: Any) -> Array:
        """Matrix of shape (n_documents, n_categories) with entries in [0, 1]."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        # How often a word occurs does not count, only whether.
        occurs = sp.csr_array(X != 0).astype(X.dtype)
        matches = (occurs @ self.typical_.astype(X.dtype)).toarray()
        return matches / min(self.n_words, X.shape[1])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the categories."""
        check_is_fitted(self)
        return np.array([str(name) for name in self.classes_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = tags.target_tags.required = True
        return tags
