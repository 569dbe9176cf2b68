"""The one door to all readers."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cocluster.io.dataset import Dataset
from cocluster.io.readers.arff import read_arff
from cocluster.io.readers.cluto import read_matrix_market
from cocluster.io.readers.matlab import read_mat
from cocluster.io.readers.npz import read_npz
from cocluster.io.readers.omics import read_h5ad, read_h5mu
from cocluster.io.readers.pictures import ENDINGS, read_image_folder
from cocluster.io.readers.tables import read_csv, read_parquet
from cocluster.io.readers.texts import read_json_lines, read_text_folder

Reader = Callable[[Path, str | None], Dataset]
# How each kind of file is read, given its place and the name of what holds the classes.
READERS: dict[str, Reader] = {
    ".npz": read_npz,
    ".npy": read_npz,
    ".mat": read_mat,
    ".mtx": read_matrix_market,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".arff": read_arff,
    ".h5ad": read_h5ad,
    ".h5mu": read_h5mu,
    ".parquet": read_parquet,
}
JSON_LINES = (".jsonl", ".ndjson")
ENDINGS_READ = (*READERS, *JSON_LINES)
# Text files, which are often kept packed.
PACKED = (".mtx", ".csv", ".tsv", ".arff", *JSON_LINES)


def read(
    path: str | os.PathLike[str], *, label: str | None = None, vectorizer: Any = None
) -> Dataset:
    """Read a file or folder of any known kind; samples are rows.

    The ending of the name tells the kind. Whatever is wrong with a file is said in one sentence
    (a ValueError) that names the file and, where there is one, the line.

    ==========================  ==================================================================
    ``.npz``, ``.npy``          arrays; sparse matrices as `scipy.sparse.save_npz` writes them
    ``.mat``                    MATLAB (fea/gnd, X/Y, cell arrays of views), or CLUTO's text with
                                its .rlabel, .clabel and .rclass
    ``.mtx``, ``.mtx.gz``       Matrix Market
    ``.csv``, ``.tsv``          wide, or long with columns sample, feature, value, modality;
                                also with ``.gz``
    ``.arff``                   Weka, dense or sparse; also with ``.gz``
    ``.h5ad``, ``.h5mu``        AnnData, MuData
    ``.parquet``                as CSV
    ``.jsonl``, ``.ndjson``     texts: ``{"text": ..., "id": ..., "label": ...}``; also ``.gz``
    folder                      of text files or of images; subfolders are classes
    ==========================  ==================================================================

    Parameters
    ----------
    path : str or path
        Where the file or folder is.
    label : str, optional
        Name of the column, variable or key that holds the classes. By default label, class,
        target, gnd or y, where there is one; of AnnData and MuData none.
    vectorizer : CountVectorizer, optional
        How words of texts are counted; it is cloned. By default ``CountVectorizer()``.

    Returns
    -------
    Dataset
        ``data`` is ready to be co-clustered; ``notes`` tells what was odd about the file.
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"There is no file or folder {place}.")
    if place.is_dir():
        return _read_folder(place, vectorizer)
    ending = _ending(place)
    if place.stat().st_size == 0:
        raise ValueError(f"{place.name} is empty.")
    texts = partial(read_json_lines, vectorizer=vectorizer)
    dataset = READERS.get(ending, texts)(place, label)
    if len(dataset) == 0 or any(0 in X.shape for X in dataset.views.values()):
        raise ValueError(f"{place.name} has no rows or no columns: {dataset}.")
    return dataset


def _ending(file: Path) -> str:
    """Ending that tells the kind of a file."""
    endings = [ending.lower() for ending in file.suffixes[-2:]]
    packed = endings[-1:] == [".gz"]
    ending = "".join(endings[-2:-1] if packed else endings[-1:])
    if ending not in (PACKED if packed else ENDINGS_READ):
        raise ValueError(
            f"{file.name}: files that end so are not read; known are {', '.join(ENDINGS_READ)} "
            "and folders of texts or images."
        )
    return ending


def _read_folder(folder: Path, vectorizer: Any) -> Dataset:
    """Images if most files are images, else texts."""
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and not any(p.startswith(".") for p in file.relative_to(folder).parts)
    )
    if not files:
        raise ValueError(f"Folder {folder.name} has no files.")
    images = [file for file in files if file.suffix.lower() in ENDINGS]
    # Most: a readme among pictures does not make them texts, nor one picture texts pictures.
    if 2 * len(images) > len(files):
        return read_image_folder(folder, images)
    return read_text_folder(folder, files, vectorizer)
