"""The one door to all readers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cocluster.io.dataset import Dataset, some
from cocluster.io.readers.archives import PACKED, unpacked
from cocluster.io.readers.arff import read_arff
from cocluster.io.readers.build import dataset_of, read_parquet
from cocluster.io.readers.delimited import read_delimited
from cocluster.io.readers.excel import read_excel
from cocluster.io.readers.images import ENDINGS, read_image_folder
from cocluster.io.readers.json_records import read_json, read_json_lines
from cocluster.io.readers.matlab import read_mat
from cocluster.io.readers.matrix_text import read_matrix_market
from cocluster.io.readers.npz import read_npz
from cocluster.io.readers.omics import read_h5ad, read_h5mu
from cocluster.io.readers.options import Names, ReadOptions
from cocluster.io.readers.table import Rows
from cocluster.io.readers.texts import read_lines, read_text_folder, refuse_document
from cocluster.utils.text import single_line

# How files of matrices are read, whose parts have fixed roles.
READERS: dict[str, Callable[[Path, ReadOptions], Dataset]] = {
    ".npz": read_npz,
    ".npy": read_npz,
    ".mat": read_mat,
    ".mtx": read_matrix_market,
    ".arff": read_arff,
    ".h5ad": read_h5ad,
    ".h5mu": read_h5mu,
}
# How files of tables, records and texts are read, whose columns are given roles afterwards.
TABLES: dict[str, Callable[[Path, ReadOptions], Rows]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".parquet": read_parquet,
    ".xlsx": read_excel,
    ".xlsm": read_excel,
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".txt": read_lines,
}
ENDINGS_READ = (*READERS, *TABLES)
# Files of a folder that only speak of the others.
ASIDE = ("readme", "license", "licence", "changelog", "citation")


def read(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    text: Names = None,
    title: str | None = None,
    label: str | None = None,
    features: Names = None,
    categories: Names = None,
    drop: Names = None,
    long: Names = None,
    dates: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    view: Mapping[str, Any] | None = None,
    vectorizer: Any = None,
    max_bytes: int | str | None = None,
) -> Dataset:
    """Read a file or folder of any known kind; samples are rows.

    The ending of the name tells the kind, the contents tell the rest: delimiter, header, decimal
    sign, encoding, and what each column is for. ``Dataset.reading`` says what was found. Whatever
    is wrong with a file is said in one sentence (a ValueError) that names the file and, where
    there is one, the line and the column.

    ==========================  ==================================================================
    ``.csv``, ``.tsv``          tables of texts, numbers and categories, wide or long (one entry a
    ``.xlsx``, ``.parquet``     row: user, item, rating)
    ``.json``, ``.jsonl``,      records or texts: a list, or one on each line
    ``.ndjson``
    ``.txt``                    a document a line; a table, if that is what it holds
    folder                      of text files or of images; subfolders are classes
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
        Where the file or folder is.
    id, title : str, optional
        Column that names the samples, and column of their titles. Here and below, an empty text
        says that no column has the role, and None leaves it to names and contents.
    text : str or list of str, optional
        Columns whose words are counted. Columns beside texts are kept as ``metadata`` only, unless
        listed as features.
    label : str, optional
        Column, variable or key that holds the classes, which are never used but for comparison. By
        default label, class, target, gnd or y, where there is one that may hold classes; of AnnData
        and MuData none.
    features : str or list of str, optional
        The columns of numbers or categories to cluster by, instead of all that could be.
    categories : str or list of str, optional
        Columns of codes: each value becomes a column of its own, as those of words do.
    drop : str or list of str, optional
        Columns to leave out.
    long : str or list of str, optional
        Columns of sample, feature and value of a long table: ``"user,item,rating"``. Without a
        value entries are counted.
    dates : {"year", "month", "day"}, optional
        Make categories of dates; by default columns of dates are left out.
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
        What a file may become when it is unpacked, such as ``"8 GB"``. By default 200 times its
        size, and at least 64 MB: a small file must not fill the memory.

    Returns
    -------
    Dataset
        ``data`` is ready to be co-clustered; ``notes`` tells what was odd about the file.

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
        # The name of a file may hold line ends; a message is one line.
        raise ValueError(single_line(f"{Path(path).name}: {error}")) from error
    for name, given in (view or {}).items():
        dataset = dataset.with_view(name, _view(given, max_bytes))
    return dataset


def _read(place: Path, asked: ReadOptions, vectorizer: Any) -> Dataset:
    """Data set of a file or folder."""
    if not place.exists():
        raise FileNotFoundError(f"There is no file or folder {place}.")
    if place.is_dir():
        return _read_folder(place, asked, vectorizer)
    ending = _ending(place)
    if place.stat().st_size == 0:
        raise ValueError(f"{place.name} is empty.")
    if ending in PACKED:
        with unpacked(place, asked.max_bytes) as inner, _inside(place):
            return replace(_read(inner, asked, vectorizer), name=place.name.split(".")[0])
    if ending in TABLES:
        dataset = dataset_of(TABLES[ending](place, asked), asked, vectorizer)
    else:
        asked.refuse(place.name, "label", "max_bytes")
        dataset = READERS[ending](place, asked)
    if len(dataset) == 0 or any(0 in X.shape for X in dataset.views.values()):
        raise ValueError(f"{place.name} has no rows or no columns: {dataset}.")
    return dataset


@contextmanager
def _inside(packed: Path) -> Iterator[None]:
    """Name the packed file, too, where what is wrong with a file in it has another name."""
    try:
        yield
    except ValueError as error:
        if packed.stem in str(error):
            raise
        raise ValueError(f"{packed.name}: {error}") from error


def _ending(file: Path) -> str:
    """Ending that tells the kind of a file."""
    ending = file.suffix.lower()
    refuse_document(file)
    inner = Path(file.stem).suffix.lower()
    if ending not in (*ENDINGS_READ, *PACKED) or (ending == ".gz" and inner not in ENDINGS_READ):
        raise ValueError(
            f"{file.name}: files that end so are not read; known are {', '.join(ENDINGS_READ)}, "
            "these with .gz or in a .zip, and folders of texts or images."
        )
    return ending


def _read_folder(folder: Path, asked: ReadOptions, vectorizer: Any) -> Dataset:
    """The only file of data; images if most files are images; else texts."""
    files = _files(folder)
    if not files:
        raise ValueError(f"Folder {folder.name} has no files.")
    data = [file for file in files if _is_data(file)]
    others = [f for f in files if not _is_data(f) and f.stem.lower() not in ASIDE]
    if data and not others:
        if len(data) > 1:
            named = some(file.name for file in data)
            raise ValueError(f"Folder {folder.name} has several files of data ({named}); read one.")
        return _read(data[0], asked, vectorizer)
    images = [file for file in files if file.suffix.lower() in ENDINGS]
    # Most: a readme among pictures does not make them texts, nor one picture texts pictures.
    if 2 * len(images) > len(files):
        asked.refuse(folder.name, "max_bytes")
        return read_image_folder(folder, images)
    return dataset_of(read_text_folder(folder, files), asked, vectorizer)


def _files(folder: Path) -> list[Path]:
    """Files at any depth, in the order of their names, without hidden ones."""
    found = {file.relative_to(folder): file for file in folder.rglob("*") if file.is_file()}
    shown = [place for place in found if not any(part.startswith(".") for part in place.parts)]
    # As texts, so that the order is the one that the names have in a table.
    return [found[place] for place in sorted(shown, key=lambda place: place.as_posix())]


def _is_data(file: Path) -> bool:
    """Whether a file holds a whole data set; a text file is one document among others."""
    ending = Path(file.stem).suffix.lower() if file.suffix.lower() == ".gz" else file.suffix.lower()
    return ending in ENDINGS_READ and ending != ".txt"


def _view(given: Any, max_bytes: int | str | None) -> Any:
    """A view to add: what a file holds, or what was given."""
    if not isinstance(given, str | os.PathLike):
        return given
    return read(given, max_bytes=max_bytes)
