"""Folders of images, described by colour and texture."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.io.dataset import Dataset, Reading, encode_labels
from cocluster.io.formats.texts import folder_classes
from cocluster.linalg.types import Array
from cocluster.preprocessing import COLOR, TEXTURE, ImageFeatures
from cocluster.utils.optional import library

# Larger images are reduced to about this many pixels per side: features are computed at 256
# pixels, and sums of eight bytes for each pixel of a large image would take gigabytes.
MAX_SIDE = 1024
# Number of unreadable images that a note names.
LISTED_IMAGES = 10


def read_image_folder(folder: Path, files: list[Path]) -> Dataset:
    """Read the views color and texture of images; the names of subfolders are the classes.

    Images that cannot be read are left out, with a warning that names and counts them.
    """
    images = _ImageFiles(folder, files, library("PIL.Image", "images", "image"))
    extractor = ImageFeatures((*COLOR, *TEXTURE))
    features, feature_names = extractor.fit_transform(images), extractor.get_feature_names_out()
    n_colors = len(ImageFeatures(COLOR).get_feature_names_out())
    columns = {"color": slice(0, n_colors), "texture": slice(n_colors, None)}
    notes = _unreadable_notes(images.unreadable, len(files))
    names = [file.relative_to(folder).as_posix() for file in images.read]
    labels, class_names = encode_labels(folder_classes(names))
    return Dataset(
        folder.name,
        {view: np.ascontiguousarray(features[:, part]) for view, part in columns.items()},
        labels=labels,
        class_names=class_names,
        sample_names=np.array(names, dtype=object),
        feature_names={view: feature_names[part] for view, part in columns.items()},
        notes=notes,
        reading=Reading(id="file", label="" if labels is None else "folder"),
    )


class _ImageFiles:
    """Iterator over the pixels of images, one of which is in memory at a time.

    Attributes
    ----------
    read : list of paths
        Files that have been read.
    unreadable : list of str
        Names of the files that cannot be read.
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
        """Return the colours of an image."""
        with warnings.catch_warnings():
            # Odd metadata do not matter here, but a small file of very many pixels is refused.
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", self.pillow.DecompressionBombWarning)
            # The file is read into memory first: a damaged PNG may announce gigabytes, for which
            # Pillow would make room if it read from disk.
            with self.pillow.open(BytesIO(file.read_bytes())) as image:
                image = image.convert("RGB")
                factor = max(image.size) // MAX_SIDE
                return np.asarray(image.reduce(factor) if factor > 1 else image)


def _unreadable_notes(unreadable: list[str], total: int) -> tuple[str, ...]:
    """Warn about the images that were left out, and return the warning as a note."""
    if not unreadable:
        return ()
    names = ", ".join(unreadable[:LISTED_IMAGES])
    names += ", ..." if len(unreadable) > LISTED_IMAGES else ""
    note = f"{len(unreadable)} of {total} images cannot be read and are left out: {names}."
    warnings.warn(note, stacklevel=4)  # at the line that called `read`
    return (note,)
