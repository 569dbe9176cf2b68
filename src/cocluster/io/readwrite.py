"""Reading of files and folders of any known format, and writing of data sets."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.io.dataset import Dataset, list_names
from cocluster.io.files import PACKED, unpack
from cocluster.io.formats.texts import read_text_folder, refuse_document
from cocluster.io.options import ColumnNames, ReadOptions
from cocluster.io.tables.build import build_dataset
from cocluster.linalg.matrices import as_dense, as_sparse
from cocluster.linalg.npz import sparse_parts
from cocluster.utils.files import new_file
from cocluster.utils.text import as_json, single_line

# Readers by file ending, as "module:function" of `cocluster.io.formats`; a module is imported when
# the first file of its format is read. Readers of matrices return a `Dataset`.
MATRIX_READERS = {
    ".npz": "matrices:read_npz",
    ".npy": "matrices:read_npz",
    ".mat": "matlab:read_mat",
    ".mtx": "matrices:read_matrix_market",
    ".arff": "arff:read_arff",
    ".h5ad": "omics:read_h5ad",
    ".h5mu": "omics:read_h5mu",
}
# Readers of tables, records and texts return a `ParsedTable`, whose columns get roles afterwards.
TABLE_READERS = {
    ".csv": "text_tables:read_delimited",
    ".tsv": "text_tables:read_delimited",
    ".parquet": "binary_tables:read_parquet",
    ".xlsx": "binary_tables:read_excel",
    ".xlsm": "binary_tables:read_excel",
    ".json": "text_tables:read_json",
    ".jsonl": "text_tables:read_json_lines",
    ".ndjson": "text_tables:read_json_lines",
    ".txt": "texts:read_lines",
}
ENDINGS = (*MATRIX_READERS, *TABLE_READERS)
# Endings of the images that Pillow reads without further libraries.
IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm")
# Files of a folder that describe the data and are none.
DESCRIPTIONS = ("readme", "license", "licence", "changelog", "citation")
# Most cells of a CSV file that is still useful; larger data are better written as .npz.
MAX_CSV_CELLS = 50_000_000


def read(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    text: ColumnNames = None,
    title: str | None = None,
    label: str | None = None,
    features: ColumnNames = None,
    categories: ColumnNames = None,
    drop: ColumnNames = None,
    long: ColumnNames = None,
    dates: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    view: Mapping[str, Any] | None = None,
    vectorizer: Any = None,
    max_bytes: int | str | None = None,
) -> Dataset:
    """Read a file or folder of any known kind; samples are rows.

    The ending of the name determines the format. The delimiter, the header, the decimal sign, the
    encoding and the role of each column are inferred from the contents; ``Dataset.reading``
    describes them. If a file cannot be read, a ValueError names the file and, where there is one,
    the line and the column.

    ==========================  ==================================================================
    ``.csv``, ``.tsv``          tables of texts, numbers and categories, wide or long (one entry a
    ``.xlsx``, ``.parquet``     row: user, item, rating)
    ``.json``, ``.jsonl``,      records or texts: a list, or one on each line
    ``.ndjson``
    ``.txt``                    one text on each line, or a table
    folder                      text files or images; subfolders are classes
    ``.npz``, ``.npy``          arrays; sparse matrices as `scipy.sparse.save_npz` writes them
    ``.mat``                    MATLAB (fea/gnd, X/Y, cell arrays of views), or CLUTO's text with
                                its .rlabel, .clabel and .rclass
    ``.mtx``                    Matrix Market
    ``.arff``                   Weka, dense or sparse
    ``.h5ad``, ``.h5mu``        AnnData, MuData
    ``.gz``, ``.zip``           any of these, packed; a .zip of several files is a folder
    ==========================  ==================================================================

    Parameters
    ----------
    path : str or path
        Path of the file or folder.
    id, title : str, optional
        Column that names the samples, and column of their titles. Here and below, an empty text
        means that no column has the role, and None that it is inferred from names and contents.
    text : str or list of str, optional
        Columns whose words are counted. Columns beside texts are kept as ``metadata`` only, unless
        listed as features.
    label : str, optional
        Column, variable or key that holds the classes, which are used for comparison only. By
        default label, class, target, gnd or y, if its values can be classes; for AnnData and
        MuData none.
    features : str or list of str, optional
        The columns of numbers or categories to cluster by, instead of all suitable ones.
    categories : str or list of str, optional
        Columns of codes to be one-hot encoded, as columns of words are.
    drop : str or list of str, optional
        Columns to leave out.
    long : str or list of str, optional
        Columns of sample, feature and value of a long table: ``"user,item,rating"``. Without a
        value column, entries are counted.
    dates : {"year", "month", "day"}, optional
        Use dates as categories; by default columns of dates are left out.
    header : bool, optional
        Whether the first row names the columns.
    sheet : str, optional
        Sheet of an Excel file; by default the first.
    view : mapping of name to path, matrix or callable, optional
        Further views of the same samples, see `Dataset.with_view`: ``{"embeddings": "emb.npy"}``.
    vectorizer : WordCounter or any vectorizer of scikit-learn, optional
        How words of texts are counted; it is cloned. By default a
        `cocluster.preprocessing.WordCounter`.
    max_bytes : int or str, optional
        Most memory that a file may take when it is unpacked, such as ``"8 GB"``. By default 200
        times its size, and at least 64 MB, so that a small file cannot fill the memory.

    Returns
    -------
    Dataset
        ``data`` is ready to be co-clustered; ``notes`` lists oddities of the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as place:
    ...     file = Path(place) / "fruit.csv"
    ...     _ = file.write_text("name,apples,pears\\nA,1,0\\nB,0,2\\nC,3,1\\n")
    ...     read(file)
    Dataset(fruit; samples: 3, X: 2; 0 classes)
    """
    roles = (id, text, title, label, features, categories, drop, long, dates, header, sheet)
    try:
        dataset = _read(Path(path), ReadOptions(*roles, max_bytes), vectorizer)
    except ValueError as error:
        if str(error).isprintable():
            raise
        # The name of a file may contain line ends, but a message is one line.
        raise ValueError(single_line(f"{Path(path).name}: {error}")) from error
    for name, source in (view or {}).items():
        is_path = isinstance(source, str | os.PathLike)
        matrix = read(source, max_bytes=max_bytes) if is_path else source
        dataset = dataset.with_view(name, matrix)
    return dataset


def _read(path: Path, options: ReadOptions, vectorizer: Any) -> Dataset:
    """Read a file or folder."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    if path.is_dir():
        return _read_folder(path, options, vectorizer)
    ending = _file_ending(path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty.")
    if ending in PACKED:
        with unpack(path, options.byte_limit(path)) as content, _name_in_errors(path):
            return replace(_read(content, options, vectorizer), name=path.name.split(".")[0])
    if ending in TABLE_READERS:
        table = _reader(TABLE_READERS[ending])(path, options)
        dataset: Dataset = build_dataset(table, options, vectorizer)
    else:
        options.refuse_all_but(path.name, "label", "max_bytes")
        dataset = _reader(MATRIX_READERS[ending])(path, options)
    if len(dataset) == 0 or any(0 in X.shape for X in dataset.views.values()):
        raise ValueError(f"{path.name} has no rows or no columns: {dataset}.")
    return dataset


def _reader(name: str) -> Callable[[Path, ReadOptions], Any]:
    """Import the reader of a format."""
    module, _, function = name.partition(":")
    reader: Callable[[Path, ReadOptions], Any] = getattr(
        import_module(f"cocluster.io.formats.{module}"), function
    )
    return reader


@contextmanager
def _name_in_errors(packed: Path) -> Iterator[None]:
    """Name the packed file in errors about a file in it that has another name."""
    try:
        yield
    except ValueError as error:
        if packed.stem in str(error):
            raise
        raise ValueError(f"{packed.name}: {error}") from error


def _file_ending(file: Path) -> str:
    """Return the ending that determines the format of a file; ValueError if it is unknown."""
    ending = file.suffix.lower()
    refuse_document(file)
    inner = Path(file.stem).suffix.lower()
    if ending not in (*ENDINGS, *PACKED) or (ending == ".gz" and inner not in ENDINGS):
        raise ValueError(
            f"{file.name}: files that end so are not read; known are {', '.join(ENDINGS)}, "
            "these with .gz or in a .zip, and folders of texts or images."
        )
    return ending


def _read_folder(folder: Path, options: ReadOptions, vectorizer: Any) -> Dataset:
    """Read the only data file of a folder, its images if most files are images, or its texts."""
    files = _visible_files(folder)
    if not files:
        raise ValueError(f"Folder {folder.name} has no files.")
    data = [file for file in files if _is_data(file)]
    if data and all(_is_data(f) or f.stem.lower() in DESCRIPTIONS for f in files):
        if len(data) > 1:
            names = list_names(file.name for file in data)
            raise ValueError(f"Folder {folder.name} has several files of data ({names}); read one.")
        return _read(data[0], options, vectorizer)
    images = [file for file in files if file.suffix.lower() in IMAGE_ENDINGS]
    # A readme among images does not make them texts, nor one image texts images.
    if 2 * len(images) > len(files):
        options.refuse_all_but(folder.name, "max_bytes")
        from cocluster.io.formats.images import read_image_folder

        return read_image_folder(folder, images)
    return build_dataset(read_text_folder(folder, files), options, vectorizer)


def _visible_files(folder: Path) -> list[Path]:
    """Return the files at any depth that are not hidden, in the order of their names."""
    files = {file.relative_to(folder): file for file in folder.rglob("*") if file.is_file()}
    visible = [path for path in files if not any(part.startswith(".") for part in path.parts)]
    # Sorted as texts, so that the order is the one that the names have in a table.
    return [files[path] for path in sorted(visible, key=Path.as_posix)]


def _is_data(file: Path) -> bool:
    """Return whether a file holds a whole data set; a text file is one text of many."""
    ending = Path(file.stem).suffix.lower() if file.suffix.lower() == ".gz" else file.suffix.lower()
    return ending in ENDINGS and ending != ".txt"


def write(dataset: Dataset, target: Path) -> None:
    """Write a data set completely or not at all; the ending determines the format."""
    with new_file(target) as unfinished:
        WRITERS[target.suffix.lower()](dataset, unfinished)


def _write_npz(dataset: Dataset, file: Path) -> None:
    """Write all views, classes and names of features."""
    arrays: dict[str, Any] = {}
    for view, X in dataset.views.items():
        arrays |= sparse_parts(view, X) if sp.issparse(X) else {view: X}
        if view in dataset.feature_names:
            arrays[f"{view}_names"] = np.array([str(n) for n in dataset.feature_names[view]])
    if dataset.labels is not None:
        arrays["y"] = dataset.labels
        if dataset.class_names is not None:
            arrays["class_names"] = np.array([str(name) for name in dataset.class_names])
    with file.open("wb") as opened:
        np.savez_compressed(opened, **arrays)


def _write_mtx(dataset: Dataset, file: Path) -> None:
    """Write the only view as a Matrix Market file."""
    import scipy.io

    scipy.io.mmwrite(file, as_sparse(dataset.X).tocoo(), comment=dataset.name)


def _write_csv(dataset: Dataset, file: Path) -> None:
    """Write a table of all views: id, features, class."""
    total = len(dataset) * sum(X.shape[1] for X in dataset.views.values())
    if total > MAX_CSV_CELLS or dataset.present:
        raise ValueError(
            f"A table of {dataset} would have {total:,} cells, or empty ones; write .npz instead."
        )
    columns = [name for view in dataset.views for name in _column_names(dataset, view)]
    ids = range(len(dataset)) if dataset.sample_names is None else dataset.sample_names
    rows = np.hstack([as_dense(X) for X in dataset.views.values()]).tolist()
    classes = _sample_classes(dataset)
    with file.open("w", newline="", encoding="utf-8", errors="backslashreplace") as opened:
        writer = csv.writer(opened)
        writer.writerow(["id", *columns, *(["class"] if classes else [])])
        for i, (name, row) in enumerate(zip(ids, rows, strict=True)):
            writer.writerow([name, *row, *classes[i : i + 1]])


def _write_jsonl(dataset: Dataset, file: Path) -> None:
    """Write texts with their ids, titles and classes."""
    if dataset.texts is None:
        raise ValueError(f"{dataset.name!r} has no texts to write as .jsonl; write .npz or .csv.")
    arrays = {
        "id": dataset.sample_names,
        "title": dataset.titles,
        "text": dataset.texts,
        "class": _sample_classes(dataset) or None,
    }
    columns = {key: cells for key, cells in arrays.items() if cells is not None}
    with file.open("w", encoding="utf-8") as opened:
        for i in range(len(dataset)):
            record = {key: str(cells[i]) for key, cells in columns.items()}
            opened.write(f"{as_json(record)}\n")


def _column_names(dataset: Dataset, view: str) -> list[str]:
    """Return the names of features, with the view before them if there are several views."""
    names: Any = dataset.feature_names.get(view, range(dataset.views[view].shape[1]))
    if len(dataset.views) > 1:
        return [f"{view}:{name}" for name in names]
    prefix = "" if view in dataset.feature_names else f"{view}_"
    return [f"{prefix}{name}" for name in names]


def _sample_classes(dataset: Dataset) -> list[str]:
    """Return the class name of each sample; an empty list without classes."""
    if dataset.labels is None:
        return []
    names = dataset.class_names
    return ["" if c < 0 else str(c if names is None else names[c]) for c in dataset.labels]


WRITERS: dict[str, Callable[[Dataset, Path], None]] = {
    ".npz": _write_npz,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".mtx": _write_mtx,
}
