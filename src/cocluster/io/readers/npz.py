"""Arrays of ``.npz`` and ``.npy`` files, in which sparse matrices are kept in three parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cocluster.io.dataset import Dataset, Reading, some
from cocluster.io.readers.archives import allowed, refuse_size
from cocluster.io.readers.common import LABEL_NAMES, encode_labels
from cocluster.io.readers.options import ReadOptions
from cocluster.linalg.npz import load_arrays, matrices_in
from cocluster.linalg.types import Array, InMemory
from cocluster.utils.files import wrap_read_errors


def read_npz(file: Path, asked: ReadOptions) -> Dataset:
    """Data set of a ``.npz`` or ``.npy`` file: its matrices of as many rows as the first."""
    arrays = load_arrays(file, allowed(file, asked.max_bytes))
    for part, shape in arrays.items():
        # Empty rows and columns of a sparse matrix take no room in the file, but in memory.
        if part.endswith("shape") and shape.dtype.kind in "iu":
            refuse_size(file, int(shape.sum()), "rows and columns", asked.max_bytes)
    with wrap_read_errors(file.name, ValueError, TypeError):
        matrices, rest = matrices_in(arrays)
    if not matrices:
        found = some(map(repr, rest)) or "nothing"
        raise ValueError(f"{file.name} holds no matrix of numbers; it holds {found}.")
    n = next(iter(matrices.values())).shape[0]
    wanted = LABEL_NAMES if asked.label is None else (asked.label,)
    key = next((k for k in wanted if k in rest and rest[k].shape == (n,)), None)
    if asked.label and key is None:
        raise ValueError(f"{file.name} has no array {asked.label!r} with one class for each row.")
    labels, names = _classes(None if key is None else rest.pop(key), rest)
    return Dataset(
        file.stem,
        # A matrix with other rows (a similarity of features, say) is no view of the samples.
        {name: X for name, X in matrices.items() if X.shape[0] == n},
        labels=labels,
        class_names=names,
        feature_names=_feature_names(matrices, rest),
        extras=rest,
        reading=Reading(label=key or ""),
    )


def _classes(values: Array | None, rest: dict[str, Array]) -> tuple[Array | None, Array | None]:
    """Codes and names of classes; values that number the names given are codes already."""
    if values is None:
        return None, None
    # What this library writes and the shared data sets have: codes, and the names beside them.
    given = rest.get("class_names")
    if given is not None and values.dtype.kind in "iu" and values.max(initial=-1) < len(given):
        return values.astype(np.int64), rest.pop("class_names")
    return encode_labels(values.tolist())


def _feature_names(matrices: dict[str, InMemory], rest: dict[str, Array]) -> dict[str, Array]:
    """Names of features, taken out of the other arrays where they fit."""
    names = {}
    for view, X in matrices.items():
        for key in (f"{view}_names", "feature_names", "terms"):
            if key in rest and rest[key].shape == X.shape[1:]:
                names[view] = rest.pop(key)
                break
    return names
