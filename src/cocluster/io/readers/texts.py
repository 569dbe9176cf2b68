"""Texts: a folder of files, or a file of JSON lines; words are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from cocluster.io.dataset import Dataset
from cocluster.io.readers.common import (
    decode,
    encode_labels,
    encoding_notes,
    lines_of,
    read_text,
)
from cocluster.utils.parsing import json_object


def read_text_folder(folder: Path, files: list[Path], vectorizer: Any) -> Dataset:
    """Data set of one document a file; the names of subfolders are the classes."""
    texts, latin = [], []
    for file in files:
        text, is_latin = decode(file.read_bytes())
        texts.append(text)
        if is_latin:
            latin.append(str(file.relative_to(folder)))
    names = [str(file.relative_to(folder)) for file in files]
    return _counted(folder, texts, names, folder_classes(folder, files), vectorizer, latin)


def read_json_lines(file: Path, label: str | None, vectorizer: Any) -> Dataset:
    """Data set of lines ``{"text": ..., "id": ..., "label": ...}``; id and label may be missing."""
    content, latin = read_text(file)
    rows = [
        (number, json_object(line, f"{file.name}, line {number}"))
        for number, line in enumerate(lines_of(content), start=1)
        if line.strip()
    ]
    if not rows:
        raise ValueError(f"{file.name} is empty; it has no texts.")
    texts = [_text(file, number, row) for number, row in rows]
    names = [str(number if row.get("id") is None else row["id"]) for number, row in rows]
    classes = [row.get(label or "label") for _, row in rows]
    if label is not None and all(value is None for value in classes):
        raise ValueError(f"{file.name} has no {label!r} on any line.")
    # A file without any class has no classes, rather than one class of unknown samples.
    known = classes if any(value is not None for value in classes) else None
    return _counted(file, texts, names, known, vectorizer, [file.name] if latin else [])


def folder_classes(folder: Path, files: list[Path]) -> list[str] | None:
    """Names of the first subfolders; None if there are none."""
    parts = [file.relative_to(folder).parts for file in files]
    return [p[0] if len(p) > 1 else "" for p in parts] if any(len(p) > 1 for p in parts) else None


def _counted(
    source: Path,
    texts: list[str],
    names: list[str],
    classes: list[Any] | None,
    vectorizer: Any,
    latin: list[str],
) -> Dataset:
    """Data set of counted words."""
    # A copy, so that the caller's own one is not fitted behind its back.
    counter = CountVectorizer() if vectorizer is None else clone(vectorizer)
    try:
        X = counter.fit_transform(texts)
    except ValueError as error:
        raise ValueError(f"{source.name}: {error}; there are no words to count.") from error
    labels, class_names = encode_labels(classes)
    return Dataset(
        source.name.split(".")[0],
        {"words": sp.csr_array(X).astype(np.float64)},
        labels=labels,
        class_names=class_names,
        sample_names=np.array(names),
        feature_names={"words": counter.get_feature_names_out()},
        notes=encoding_notes(latin),
    )


def _text(file: Path, number: int, row: dict[str, Any]) -> str:
    """Text of an object."""
    if not isinstance(row.get("text"), str):
        raise ValueError(f'{file.name}, line {number}: no text; each line needs "text": "...".')
    return str(row["text"])
