"""The sets that questions are asked about."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from cocluster.datasets import load_docstrings
from cocluster.linalg.types import Array

SETS = {
    "cstr": "text/cstr_475x1000",
    "oh0": "text/oh0",
    "oh5": "text/oh5",
    "oh15": "text/oh15",
    "re0": "text/re0",
    "wap": "text/wap",
    "umist": "image/umist_575x644",
    "pbmc68k": "multi/pbmc68k_reduced_700",
}
TEXTS = tuple(name for name, file in SETS.items() if file.startswith("text/"))
# Those that people meet first: they are what the workbench is shown with.
SHOWN = ("ng20", "docstrings")


def newsgroups() -> tuple[Any, Array]:
    """Counts of sensible words in 2,000 posts of 20 newsgroups, without their headers."""
    path = Path(os.environ["COCLUSTER_DATA"]) / "text" / "ng20_mini_raw.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        posts = [json.loads(line) for line in file]
    words = CountVectorizer(
        stop_words="english", min_df=3, max_df=0.5, token_pattern=r"(?u)\b[^\W\d_]{2,}\b"
    )
    bodies = [post["text"].partition("\n\n")[2] or post["text"] for post in posts]
    X = sp.csr_array(words.fit_transform(bodies)).astype(float)
    classes = np.unique([post["label"] for post in posts], return_inverse=True)[1]
    # Posts without any word of these say nothing; the classes of all others are asked for.
    there = np.flatnonzero(X.sum(axis=1))
    return X[there], classes[there]


def load(name: str) -> tuple[Any, Array]:
    """Matrix, or matrices by view, and classes of one set."""
    if name == "ng20":
        return newsgroups()
    if name == "docstrings":
        corpus = load_docstrings()
        return corpus.views, corpus.labels
    path = Path(os.environ["COCLUSTER_DATA"]) / f"{SETS[name]}.npz"
    with np.load(path, allow_pickle=False) as file:
        classes = np.unique(file["labels"], return_inverse=True)[1]
        prefix = next((p for p in ("", "X_") if f"{p}indptr" in file), None)
        if prefix is None:
            return file["X"].astype(float), classes
        parts = [file[f"{prefix}{part}"] for part in ("data", "indices", "indptr")]
        parts[0] = parts[0].astype(float)
        return sp.csr_array(tuple(parts), shape=tuple(file[f"{prefix}shape"])), classes
