"""Selection of the features with the largest scores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

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
