"""Vectors of texts by a language model, for which a small stand-in is used."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from cocluster.preprocessing import sentence_model


class Lengths:
    """A model whose vectors are the length of a text and one."""

    def __init__(self, name: str) -> None:
        assert name == "lengths"

    def encode(self, texts: list[str], normalize_embeddings: bool) -> np.ndarray:
        assert normalize_embeddings
        vectors = np.array([[len(text), 1] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_texts_become_rows_of_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(SentenceTransformer=Lengths)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    found = sentence_model("lengths")(["", "long text"])
    assert found.dtype == np.float64
    assert np.allclose(found, [[0, 1], np.array([9, 1]) / np.sqrt(82)])


def test_without_the_library_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match="pip install sentence-transformers, or give the vectors"):
        sentence_model("lengths")
