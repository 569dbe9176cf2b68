"""Six families of colour and texture features of images (Chen et al. 2010, 5.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

from cocluster.linalg.types import Array
from cocluster.preprocessing import _image_families as families_

# The two views of the paper, and for each family how its numbers are computed and called.
COLOR = ("moments", "histogram", "coherence")
TEXTURE = ("gabor", "edges", "edge_coherence")
FAMILIES: dict[str, tuple[Callable[[Array], Array], Callable[[], list[str]]]] = {
    "moments": (families_.moments, families_.moment_names),
    "histogram": (families_.histogram, families_.histogram_names),
    "coherence": (families_.coherence, families_.coherence_names),
    "gabor": (families_.gabor, families_.gabor_names),
    "edges": (families_.edges, families_.edge_names),
    "edge_coherence": (families_.edge_coherence, families_.edge_coherence_names),
}


class ImageFeatures(TransformerMixin, BaseEstimator):
    """Colour and texture of images as numbers in [0, 1].

    ==================  ==  =================================================================
    family              n   what
    ==================  ==  =================================================================
    moments              9  mean, variance and skewness of red, green and blue
    histogram           12  share of pixels of 12 colours (3 greys, 9 hues)
    coherence           24  the same, apart for pixels in large and in small areas of a colour
    gabor               24  mean response to Gabor filters of 4 scales and 6 orientations
    edges                9  share of edge pixels of 8 directions, and of other pixels
    edge_coherence       9  share of edge pixels of 4 orientations, apart for long and short
                            edges, and of other pixels
    ==================  ==  =================================================================

    Parameters
    ----------
    families : sequence of str, default: all
        ``COLOR`` are the first three (45 features), ``TEXTURE`` the last three (42): the two
        views of the paper.

    Attributes
    ----------
    scaler_ : MinMaxScaler
        Brings each feature of the training images to [0, 1]; other images are clipped.

    Notes
    -----
    The paper (Chen, Wang, Dong, TKDE 2010, section 5.1.3) gives the numbers of features only. Bins,
    filters and thresholds here were set once. Images are made smaller first if a side exceeds 256
    pixels. Needs scikit-image (``pip install 'cocluster[image]'``).

    Examples
    --------
    >>> images = [np.zeros((8, 8, 3)), np.ones((8, 8, 3))]
    >>> ImageFeatures(["histogram"]).fit_transform(images).shape
    (2, 12)
    """

    def __init__(self, families: Sequence[str] = (*COLOR, *TEXTURE)) -> None:
        self.families = families

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Learn the range of each feature.

        Parameters
        ----------
        X : iterable of arrays of shape (height, width), (..., 3) or (..., 4)
            Grey, RGB or RGBA; integers of 8 bits, or floats in [0, 1].
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Iterable[Any], y: Any = None) -> Array:
        """Fit and transform, computing the features once."""
        self._check_families()
        raw = self._raw(X)
        self.scaler_ = MinMaxScaler(clip=True).fit(raw)
        return self.scaler_.transform(raw)

    def transform(self, X: Iterable[Any]) -> Array:
        """Features of images, an array of shape (n_images, n_features)."""
        check_is_fitted(self)
        return self.scaler_.transform(self._raw(X))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features."""
        self._check_families()
        return np.array([n for name in self.families for n in FAMILIES[name][1]()], dtype=object)

    def _raw(self, images: Iterable[Any]) -> Array:
        """Features before scaling."""
        compute = [FAMILIES[name][0] for name in self.families]
        rows = []
        for number, image in enumerate(images):
            rgb = families_.as_rgb(image, number)
            rows.append(np.concatenate([family(rgb) for family in compute]))
        if not rows:
            raise ValueError("There are no images; pass at least one.")
        return np.stack(rows)

    def _check_families(self) -> None:
        """Refuse unknown families, before any work."""
        unknown = [name for name in self.families if name not in FAMILIES]
        # The letters of one name would each be taken for a family.
        if unknown or not self.families or isinstance(self.families, str):
            raise ValueError(
                f"families is {self.families!r}; pass a list out of {', '.join(FAMILIES)}."
            )
