"""Selection of genes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from cocluster.linalg.types import Array, InMemory
from cocluster.preprocessing._top import TopFeatures


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
