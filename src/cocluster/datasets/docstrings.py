"""A real corpus that every installation carries: docstrings of numpy, scipy and scikit-learn."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from cocluster.linalg.npz import load_arrays, matrices_in, sparse_parts
from cocluster.linalg.types import Array
from cocluster.utils.files import cache_folder, new_file
from cocluster.utils.text import write_table

# The twelve subpackages with most public functions and classes, and the modules that hold them.
CLASSES = {
    "numpy": ("numpy",),
    "numpy.ma": ("numpy.ma",),
    "numpy.random": ("numpy.random",),
    "scipy.interpolate": ("scipy.interpolate",),
    "scipy.linalg": ("scipy.linalg",),
    "scipy.ndimage": ("scipy.ndimage",),
    "scipy.optimize": ("scipy.optimize",),
    "scipy.signal": ("scipy.signal",),
    "scipy.sparse": ("scipy.sparse", "scipy.sparse.linalg", "scipy.sparse.csgraph"),
    "scipy.special": ("scipy.special",),
    "scipy.stats": ("scipy.stats",),
    "sklearn.metrics": ("sklearn.metrics",),
}
# Names of the libraries would give the class away.
LIBRARIES = ("numpy", "scipy", "sklearn", "scikit", "python")
STOP_WORDS = [*ENGLISH_STOP_WORDS, *LIBRARIES]
# A docstring of fewer words ("Alias of ...") says too little to be placed.
MIN_WORDS = 10
VIEWS = ("words", "parameters", "see_also")

_NOT_PROSE = [
    re.compile(r"\*\*Array API Standard Support\*\*.*", re.DOTALL),  # the same text everywhere
    re.compile(r"^( *)\.\. .*(?:\n(?:\1 +\S.*|[ \t]*(?=\n)))*", re.MULTILINE),  # directives, maths
    re.compile(r"^ *(?:>>>|\.\.\.) .*$", re.MULTILINE),
    re.compile(r"Read more in the :ref:`[^`]*`"),
    re.compile(r"(?::[\w:]+:)?(`+)[^`]+\1"),  # code and cross references
    re.compile(r"https?://\S+|scikit-learn|\b\w+(?:\.\w+)+\b"),  # links and import paths
]
_CALL_SIGNATURE = re.compile(r"\s*[\w.]+\(.*\)\s*\n")
_IDENTIFIER = re.compile(r"[A-Za-z]\w*")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents seen in several views, as :func:`load_docstrings` returns them.

    Attributes
    ----------
    views : dict of name to csr_array of shape (n_documents, n_features)
        Counts.
    feature_names : dict of name to array
        What the columns of each view count.
    names : array of shape (n_documents,)
        Qualified names of the functions and classes.
    labels : int array of shape (n_documents,)
        Class of each document, by its place in ``class_names``.
    class_names : array
        The subpackages.
    """

    views: dict[str, sp.csr_array]
    feature_names: dict[str, Array]
    names: Array
    labels: Array
    class_names: Array


@dataclass(frozen=True)
class _Document:
    """A function or class: its qualified name, its subpackage, and what each view sees of it."""

    name: str
    class_name: str
    words: str
    parameters: list[str]
    see_also: list[str]


def load_docstrings() -> Corpus:
    """Load the docstrings of the public functions and classes of numpy, scipy and scikit-learn.

    Each function or class of the twelve largest subpackages is a document, its subpackage the true
    class. Objects that are exported in several places count once. The corpus depends on the
    installed versions; it is built on first use in a few seconds and then kept in
    ``$XDG_CACHE_HOME/cocluster`` (or ``~/.cache/cocluster``).

    Returns
    -------
    Corpus
        ``views``: counts (csr_array) of the ``"words"`` of the prose (summary, descriptions of
        parameters, notes; no code, no names of libraries), of the names of ``"parameters"`` and of
        the names listed under ``"see_also"``; ``feature_names`` by view; ``names`` of the
        documents; ``labels``, which index ``class_names``.

    Examples
    --------
    >>> corpus = load_docstrings()
    >>> list(corpus.views)
    ['words', 'parameters', 'see_also']
    >>> str(corpus.class_names[corpus.labels[corpus.names == "scipy.stats.ttest_ind"]][0])
    'scipy.stats'
    """
    try:
        path = _cache_path()
    except FileNotFoundError:  # a user without a home has no cache
        return _build()
    corpus = _read(path)
    if corpus is None:
        corpus = _build()
        _write(path, corpus)
    return corpus


def write_docstrings(folder: str | os.PathLike[str]) -> Path:
    """Write the corpus as user files: one file of texts, and two long tables.

    ``docstrings.jsonl`` has id, text and subpackage, ``parameters.csv`` and ``see_also.csv`` one
    name a line. Returns the first; the others are views of the same samples.

    Parameters
    ----------
    folder : path
        Made if it is not there.

    Returns
    -------
    Path
        ``docstrings.jsonl``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_docstrings(place).name
    'docstrings.jsonl'
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    documents = _all_documents()
    giveaway = re.compile(rf"\b({'|'.join(LIBRARIES)})\b", re.IGNORECASE)
    records = [
        {"id": d.name, "text": giveaway.sub("", d.words), "subpackage": d.class_name}
        for d in documents
    ]
    texts = target / "docstrings.jsonl"
    with new_file(texts) as unfinished:
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
        unfinished.write_text("".join(lines), encoding="utf-8")
    for view in VIEWS[1:]:
        rows = [(d.name, name, 1) for d in documents for name in getattr(d, view)]
        with new_file(target / f"{view}.csv") as unfinished:
            write_table(unfinished, ("sample", "feature", "value"), rows)
    return texts


def _all_documents() -> list[_Document]:
    """Collect the documents, in an order that is independent of their classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deprecated names that are still exported
        # By short name, which mixes the classes: sorted by class, a clustering that merely keeps
        # neighbours together would look good.
        return sorted(_documents(), key=lambda d: (d.name.split(".")[-1].lower(), d.name))


def _build() -> Corpus:
    """Collect the documents and count."""
    documents = _all_documents()
    views, feature_names = {}, {}
    for view in VIEWS:
        counter = _counter(view)
        counts = counter.fit_transform([getattr(document, view) for document in documents])
        views[view] = sp.csr_array(counts, dtype=np.float64)
        feature_names[view] = counter.get_feature_names_out().astype(str)
    class_names, labels = np.unique([d.class_name for d in documents], return_inverse=True)
    names = np.array([document.name for document in documents])
    return Corpus(views, feature_names, names, labels, class_names)


def _counter(view: str) -> CountVectorizer:
    """Return a counter of words, or of names that are already split."""
    if view == "words":
        pattern = r"\b[a-z]{3,}\b"
        return CountVectorizer(token_pattern=pattern, stop_words=STOP_WORDS, min_df=5, max_df=0.5)
    # A name that fewer than three documents have joins nothing.
    return CountVectorizer(analyzer=list, min_df=3)


def _documents() -> Iterator[_Document]:
    """Read the public objects of all subpackages, each object and each text once."""
    seen: set[int | str] = set()
    for class_name, modules in CLASSES.items():
        for module in map(importlib.import_module, modules):
            for name in sorted(n for n in module.__all__ if not n.startswith("_")):
                obj = getattr(module, name)
                text = inspect.getdoc(obj) or ""
                if not _is_documented(obj) or id(obj) in seen or text in seen:
                    continue
                seen |= {id(obj), text}
                document = _document(f"{module.__name__}.{name}", class_name, text, obj)
                if len(document.words.split()) >= MIN_WORDS:
                    yield document


def _is_documented(obj: Any) -> bool:
    """Test for a function or class, not a constant, module or exception.

    Instances that can be called (the distributions of scipy.stats, which share one text) have no
    ``__name__``.
    """
    exception = isinstance(obj, type) and issubclass(obj, BaseException)
    return callable(obj) and hasattr(obj, "__name__") and not exception


def _document(name: str, class_name: str, text: str, obj: Any) -> _Document:
    """Split a docstring into prose, parameter names and related names."""
    sections = _sections(text)
    listed = "\n".join(sections.get(s, "") for s in ("Parameters", "Other Parameters"))
    descriptions = [line for line in listed.splitlines() if line.startswith(" ")]
    prose = "\n".join(
        [sections[""], inspect.cleandoc("\n".join(["", *descriptions])), sections.get("Notes", "")]
    )
    for pattern in _NOT_PROSE:
        prose = pattern.sub(" ", prose)
    parameters = _listed_names(listed) or _signature_names(obj)
    return _Document(
        name, class_name, prose, parameters, _listed_names(sections.get("See Also", ""))
    )


def _sections(text: str) -> dict[str, str]:
    """Text by underlined heading; what stands before the first is the section ``""``."""
    # Compiled functions put call signatures on top, sometimes before an indented docstring.
    while signature := _CALL_SIGNATURE.match(text):
        text = inspect.cleandoc(text[signature.end() :])
    pieces = re.split(r"^(\S.*)\n[-=]{3,}[ ]*$", text, flags=re.MULTILINE)
    return {"": pieces[0]} | dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _listed_names(section: str) -> list[str]:
    """Parse the names before the colon of unindented lines such as ``a, b : float``."""
    heads = [re.split(r"\s:|:\s|:$", line)[0] for line in section.splitlines() if line[:1].strip()]
    entries = [entry.strip(" *`").split("`")[-1] for head in heads for entry in head.split(",")]
    names = {entry.split(".")[-1] for entry in entries}
    return sorted(name for name in names - {"args", "kwargs"} if _IDENTIFIER.fullmatch(name))


def _signature_names(obj: Any) -> list[str]:
    """Names of the parameters in the signature, if Python can tell it."""
    try:
        signature = inspect.signature(obj)
    except (TypeError, ValueError):
        return []
    return sorted(set(signature.parameters) - {"self", "args", "kwargs"})


def _cache_path() -> Path:
    """File for this corpus: its name changes with the versions and with the rules above."""
    packages = ("cocluster", "numpy", "scipy", "scikit-learn")
    versions = "-".join(f"{package}-{version(package)}" for package in packages)
    # Checksum of this file, so that a changed rule builds a new corpus.
    rules = zlib.crc32(Path(__file__).read_bytes())
    return cache_folder() / f"docstrings-{versions}-{rules:08x}.npz"


def _read(path: Path) -> Corpus | None:
    """Read the cached corpus; return None if the file is missing or unreadable."""
    try:
        matrices, arrays = matrices_in(load_arrays(path))
        views = {view: matrices[view] for view in VIEWS}
        feature_names = {view: arrays[f"{view}_names"] for view in VIEWS}
        return Corpus(
            views, feature_names, arrays["names"], arrays["labels"], arrays["class_names"]
        )
    except (OSError, ValueError, KeyError):
        return None


def _write(path: Path, corpus: Corpus) -> None:
    """Store a corpus; a folder that cannot be written to only costs time at the next use."""
    arrays = {name: getattr(corpus, name) for name in ("names", "labels", "class_names")}
    for view, X in corpus.views.items():
        arrays[f"{view}_names"] = corpus.feature_names[view]
        arrays |= sparse_parts(view, X)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path) as unfinished:
            np.savez_compressed(unfinished, **arrays)
