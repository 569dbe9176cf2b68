"""Texts as vectors of a language model, for a second view beside the words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cocluster.linalg.types import Array
from cocluster.utils.optional import library


def sentence_model(name: str) -> Callable[[Sequence[str]], Array]:
    """Function that turns texts into vectors by a model of sentence-transformers.

    The library is not part of this package: ``pip install sentence-transformers``. It loads the
    model from its folder or, the first time, from where models are shared.

    Parameters
    ----------
    name : str
        Of the model, such as ``"all-MiniLM-L6-v2"``, or the path of its folder.

    Returns
    -------
    callable
        From texts to an array of shape (n_texts, n_dimensions), double precision, unit rows. Give
        it to `cocluster.io.dataset.Dataset.with_view`.

    Examples
    --------
    >>> embed = sentence_model("all-MiniLM-L6-v2")  # doctest: +SKIP
    >>> dataset = dataset.with_view("embeddings", embed)  # doctest: +SKIP
    """
    transformers = library(
        "sentence_transformers", "sentence embeddings", alternative="or give the vectors yourself"
    )
    model = transformers.SentenceTransformer(name)

    def embed(texts: Sequence[str]) -> Array:
        # Of unit length, because the model was trained to compare directions.
        return np.asarray(model.encode(list(texts), normalize_embeddings=True), dtype=np.float64)

    return embed
