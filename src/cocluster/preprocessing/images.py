"""Six families of colour and texture features of images (Chen et al. 2010, 5.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from scipy.signal import fftconvolve
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

from cocluster.linalg.types import Array
from cocluster.utils.optional import library

# Longest side in pixels; larger images are made smaller, so that photographs do not take minutes.
MAX_SIDE = 256
# Twelve colours in all, as in the paper.
GREYS, HUES = 3, 9
# Below this saturation a pixel counts as grey.
GREY_SATURATION = 0.15
# Share of the image from which on an area of one colour, or an edge of one direction, is large.
LARGE_AREA = 0.01
LONG_EDGE = 0.001
# Cycles per pixel, each twice the last, up to near the finest that pixels can show (0.5).
FREQUENCIES = (0.05, 0.1, 0.2, 0.4)
GABOR_ORIENTATIONS = 6
# Bins of the direction of a gradient (full turn) and of the orientation of an edge (half turn).
DIRECTIONS, ORIENTATIONS = 8, 4


def as_rgb(image: Any, number: int) -> Array:
    """Convert an image to floats of shape (height, width, 3) in [0, 1]; shrink a large one."""
    skimage = _skimage()
    pixels = np.asarray(image)
    if pixels.ndim == 2:
        # A grey image is a coloured one whose channels agree.
        pixels = np.stack([pixels] * 3, axis=-1)
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or 0 in pixels.shape:
        raise ValueError(
            f"Image {number} has shape {np.shape(image)}; pass (height, width) or (height, width, "
            "3 or 4)."
        )
    floats = pixels[..., :3].astype(np.float64)
    floats = floats / 255 if pixels.dtype == np.uint8 else floats
    if not (np.isfinite(floats).all() and floats.min() >= 0 and floats.max() <= 1):
        raise ValueError(
            f"Image {number} has values outside [0, 1]; pass uint8, or floats in [0, 1]."
        )
    shrink = MAX_SIDE / max(floats.shape[:2])
    if shrink >= 1:
        return floats
    shape = [max(1, round(side * shrink)) for side in floats.shape[:2]]
    return np.clip(skimage.transform.resize(floats, shape, anti_aliasing=True), 0, 1)


def moments(rgb: Array) -> Array:
    """Mean, variance and skewness (0 of a constant) of each channel."""
    mean, variance = rgb.mean(axis=(0, 1)), rgb.var(axis=(0, 1))
    third = ((rgb - mean) ** 3).mean(axis=(0, 1))
    flat = variance < 1e-12  # rounding leaves a trace of variance in a constant channel
    skewness = np.where(flat, 0, third / np.where(flat, 1, variance) ** 1.5)
    return np.stack([mean, variance, skewness], axis=1).ravel()


def moment_names() -> list[str]:
    """Names of `moments`."""
    return [f"{moment}_{channel}" for channel in "RGB" for moment in ("mean", "var", "skew")]


def histogram(rgb: Array) -> Array:
    """Share of pixels of each colour."""
    colors = _colors(rgb)
    return np.bincount(colors.ravel(), minlength=GREYS + HUES) / colors.size


def histogram_names() -> list[str]:
    """Names of `histogram`."""
    return [f"ch{color}" for color in range(GREYS + HUES)]


def coherence(rgb: Array) -> Array:
    """Share of pixels of each colour in large and in small areas of that colour."""
    colors = _colors(rgb)
    return _shares_by_area(colors, GREYS + HUES, LARGE_AREA)


def coherence_names() -> list[str]:
    """Names of `coherence`."""
    return _area_names("ccv", GREYS + HUES)


def gabor(rgb: Array) -> Array:
    """Mean magnitude of the response to each filter."""
    luminance = _grey(rgb)
    signal = luminance - luminance.mean()  # brightness alone is no texture
    return np.array([np.abs(fftconvolve(signal, k, mode="same")).mean() for k in _gabor_bank()])


def gabor_names() -> list[str]:
    """Names of `gabor`."""
    scales = range(len(FREQUENCIES))
    return [f"gabor_s{s}_o{o}" for s in scales for o in range(GABOR_ORIENTATIONS)]


def edges(rgb: Array) -> Array:
    """Share of edge pixels of each direction of the gradient, and of pixels off edges."""
    is_edge, angle = _edge_angles(rgb)
    turn = np.round(angle / (2 * np.pi) * DIRECTIONS).astype(int) % DIRECTIONS
    counts = np.bincount(turn[is_edge], minlength=DIRECTIONS)
    return np.append(counts, (~is_edge).sum()) / is_edge.size


def edge_names() -> list[str]:
    """Names of `edges`."""
    return [*(f"edh{d}" for d in range(DIRECTIONS)), "edh_nonedge"]


def edge_coherence(rgb: Array) -> Array:
    """Share of edge pixels of each orientation on long and short edges, and of other pixels."""
    is_edge, angle = _edge_angles(rgb)
    turn = np.round(angle / np.pi * ORIENTATIONS).astype(int) % ORIENTATIONS
    shares = _shares_by_area(np.where(is_edge, turn, ORIENTATIONS), ORIENTATIONS + 1, LONG_EDGE)
    return np.append(shares[: 2 * ORIENTATIONS], shares[2 * ORIENTATIONS :].sum())


def edge_coherence_names() -> list[str]:
    """Names of `edge_coherence`."""
    return [*_area_names("edcv", ORIENTATIONS), "edcv_nonedge"]


def _skimage() -> Any:
    """Import scikit-image, which only image features need."""
    for module in ("color", "feature", "filters", "measure", "transform"):
        library(f"skimage.{module}", "image features", "image")
    return library("skimage", "image features", "image")


def _grey(rgb: Array) -> Array:
    """Luminance."""
    return _skimage().color.rgb2gray(rgb)


def _colors(rgb: Array) -> Array:
    """Each pixel's colour: dark, middle or light grey, or one of nine hues."""
    hue, saturation, value = np.moveaxis(_skimage().color.rgb2hsv(rgb), -1, 0)
    grey = np.minimum((value * GREYS).astype(int), GREYS - 1)
    sector = np.minimum((hue * HUES).astype(int), HUES - 1)
    return np.where(saturation < GREY_SATURATION, grey, GREYS + sector)


def _shares_by_area(kinds: Array, n_kinds: int, large: float) -> Array:
    """Share of pixels of each kind in large connected areas, and in small ones, alternating."""
    # scikit-image takes 0 for background, which would be no area.
    areas = _skimage().measure.label(kinds + 1, connectivity=2)
    is_small = (np.bincount(areas.ravel()) < large * kinds.size)[areas]
    return np.bincount((2 * kinds + is_small).ravel(), minlength=2 * n_kinds) / kinds.size


def _area_names(prefix: str, n_kinds: int) -> list[str]:
    """Names of shares by area."""
    return [f"{prefix}{kind}_{size}" for kind in range(n_kinds) for size in ("coh", "inc")]


def _edge_angles(rgb: Array) -> tuple[Array, Array]:
    """Return the mask of the edge pixels, and the angle of the gradient at each pixel."""
    skimage = _skimage()
    luminance = _grey(rgb)
    angle = np.arctan2(skimage.filters.sobel_h(luminance), skimage.filters.sobel_v(luminance))
    return skimage.feature.canny(luminance), angle


@cache
def _gabor_bank() -> list[Array]:
    """Filters of each scale and orientation."""
    kernel = _skimage().filters.gabor_kernel
    turns = np.arange(GABOR_ORIENTATIONS) * np.pi / GABOR_ORIENTATIONS
    return [kernel(frequency, theta=turn) for frequency in FREQUENCIES for turn in turns]


# The two views of the paper, and for each family how its numbers are computed and called.
COLOR = ("moments", "histogram", "coherence")
TEXTURE = ("gabor", "edges", "edge_coherence")
FAMILIES: dict[str, tuple[Callable[[Array], Array], Callable[[], list[str]]]] = {
    "moments": (moments, moment_names),
    "histogram": (histogram, histogram_names),
    "coherence": (coherence, coherence_names),
    "gabor": (gabor, gabor_names),
    "edges": (edges, edge_names),
    "edge_coherence": (edge_coherence, edge_coherence_names),
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
            rgb = as_rgb(image, number)
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
