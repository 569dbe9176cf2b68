"""A folder of images, as colour and texture."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.dataset import Dataset, Reading
from cocluster.io.readers.common import encode_labels
from cocluster.io.readers.texts import folder_classes
from cocluster.linalg.types import Array
from cocluster.preprocessing import COLOR, TEXTURE, ImageFeatures
from cocluster.utils.optional import library

# Endings of the pictures that Pillow reads without further libraries.
ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm")

# Larger images are averaged down to about this as they are read: features are computed at 256
# pixels, and sums of eight bytes for every pixel of a large one would take gigabytes.
LARGEST_SIDE = 1024

# Images left out that a note names: enough to see what is wrong with them.
IMAGES_SHOWN = 10


def read_image_folder(folder: Path, files: list[Path]) -> Dataset:
    """Data set of the two views color and texture; the names of subfolders are the classes.

    Images that cannot be read are left out, with a warning that names and counts them.
    """
    album = _Album(folder, files, library("PIL.Image", "images", "image"))
    views, features = _features(album)
    notes = _skipped(album.unreadable, len(files))
    names = [file.relative_to(folder).as_posix() for file in album.read]
    labels, classes = encode_labels(folder_classes(names))
    return Dataset(
        folder.name,
        views,
        labels=labels,
        class_names=classes,
        sample_names=np.array(names, dtype=object),
        feature_names=features,
        notes=notes,
        reading=Reading(id="file", label="" if labels is None else "folder"),
    )


class _Album:
    """The images of a folder, of which one at a time is in memory.

    Attributes
    ----------
    read : list of paths
        Files whose images have been handed out.
    unreadable : list of str
        Names of those that cannot be read.
    """

    def __init__(self, folder: Path, files: list[Path], pillow: Any) -> None:
        self.folder, self.files, self.pillow = folder, files, pillow
        self.read: list[Path] = []
        self.unreadable: list[str] = []

    def __iter__(self) -> Iterator[Array]:
        for file in self.files:
            try:
                pixels = self._pixels(file)
            except (OSError, ValueError, SyntaxError, self.pillow.DecompressionBombError, Warning):
                self.unreadable.append(str(file.relative_to(self.folder)))
                continue
            self.read.append(file)
            yield pixels
        if not self.read:
            raise ValueError(
                f"None of the {len(self.files)} images in {self.folder.name} can be read."
            )

    def _pixels(self, file: Path) -> Array:
        """Colours of an image."""
        with warnings.catch_warnings():
            # Odd metadata are no business of ours; a small file of very many pixels is.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", self.pillow.DecompressionBombWarning)
            # From memory, where nothing can be read that is not there: a damaged PNG may announce
            # gigabytes, which a file on disk would make room for.
            with self.pillow.open(BytesIO(file.read_bytes())) as image:
                image = image.convert("RGB")
                times = max(image.size) // LARGEST_SIDE
                return np.asarray(image.reduce(times) if times > 1 else image)


def _features(album: _Album) -> tuple[dict[str, Array], dict[str, Array]]:
    """Matrices and names of features of both views, in one pass over the images."""
    extractor = ImageFeatures((*COLOR, *TEXTURE))
    values, names = extractor.fit_transform(album), extractor.get_feature_names_out()
    n_colors = len(ImageFeatures(COLOR).get_feature_names_out())
    parts = {"color": slice(0, n_colors), "texture": slice(n_colors, None)}
    views = {view: np.ascontiguousarray(values[:, part]) for view, part in parts.items()}
    return views, {view: names[part] for view, part in parts.items()}


def _skipped(unreadable: list[str], total: int) -> tuple[str, ...]:
    """Warning and note on images left out."""
    if not unreadable:
        return ()
    named = ", ".join(unreadable[:IMAGES_SHOWN])
    named += ", ..." if len(unreadable) > IMAGES_SHOWN else ""
    note = f"{len(unreadable)} of {total} images cannot be read and are left out: {named}."
    warnings.warn(note, stacklevel=4)  # at the line that called `read`
    return (note,)
