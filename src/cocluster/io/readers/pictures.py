"""A folder of images, as colour and texture."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from cocluster.io.dataset import Dataset
from cocluster.io.readers.common import encode_labels
from cocluster.io.readers.texts import folder_classes
from cocluster.io.reading import Reading
from cocluster.linalg.types import Array
from cocluster.preprocessing import COLOR, TEXTURE, ImageFeatures
from cocluster.utils.optional import library

# Endings of the pictures that Pillow reads without further libraries.
ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm")

# Images left out that a note names: enough to see what is wrong with them.
IMAGES_SHOWN = 10


def read_image_folder(folder: Path, files: list[Path]) -> Dataset:
    """Data set of the two views color and texture; the names of subfolders are the classes.

    Images that cannot be read are left out, with a warning that names and counts them.
    """
    pillow = library("PIL.Image", "images", "image")
    images, unreadable = {}, []
    for file in files:
        try:
            with pillow.open(file) as image:
                images[file] = np.asarray(image.convert("RGB"))
        except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
            unreadable.append(str(file.relative_to(folder)))
    if not images:
        raise ValueError(f"None of the {len(files)} images in {folder.name} can be read.")
    notes = _skipped(unreadable, len(files))
    names = [file.relative_to(folder).as_posix() for file in images]
    labels, classes = encode_labels(folder_classes(names))
    views, features = _features(list(images.values()))
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


def _features(images: list[Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Matrices and names of features of both views."""
    extractors = {"color": ImageFeatures(COLOR), "texture": ImageFeatures(TEXTURE)}
    views = {name: extractor.fit_transform(images) for name, extractor in extractors.items()}
    return views, {name: e.get_feature_names_out() for name, e in extractors.items()}


def _skipped(unreadable: list[str], total: int) -> tuple[str, ...]:
    """Warning and note on images left out."""
    if not unreadable:
        return ()
    named = ", ".join(unreadable[:IMAGES_SHOWN])
    named += ", ..." if len(unreadable) > IMAGES_SHOWN else ""
    note = f"{len(unreadable)} of {total} images cannot be read and are left out: {named}."
    warnings.warn(note, stacklevel=4)  # at the line that called `read`
    return (note,)
