"""Word counts of texts without stop words, mail headers and boilerplate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, log10
from numbers import Integral, Real
from typing import Any, Self
from unicodedata import normalize

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from cocluster.linalg.types import Array
from cocluster.preprocessing.boilerplate import shared_lines, split_mail, without_lines
from cocluster.preprocessing.languages import STOP_WORDS, detect_languages
from cocluster.utils.optional import library

# A letter: neither digit nor underscore, but also the marks that letters of Hebrew, Arabic and the
# scripts of India are written with, which Python does not count as parts of words.
_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0900-\u0963\u0971-\u0dff])"
# Number of texts below which `max_df` is ignored: a frequent word may still tell them apart.
_FEW_TEXTS = 20
# Version of what `WordCounter.to_json` writes.
_FORMAT = 1
_OPTIONS = ("min_letters", "stop_words", "min_df", "max_df", "bigrams", "headers", "boilerplate")
_FOUND = ("n_texts_", "n_mail_", "languages_", "min_df_", "max_df_")


class WordCounter(TransformerMixin, BaseEstimator):
    """Count the words of texts, without words that say nothing about their topics.

    Words are runs of letters in lower case. Words of the languages found that say nothing alone
    ("the", "und") are left out, and so are words of very few and of most texts, headers of mail,
    and lines that many texts share. `told` says in one line what was done; the result can be saved
    as JSON and counts new texts in the same way.

    Parameters
    ----------
    min_letters : int >= 1
        Shorter words are left out.
    stop_words : "auto", languages, iterable of words, or None
        By default those of the languages found (see `cocluster.preprocessing.languages`). A text
        names languages: ``"german"``, ``"english, french"``. None leaves none out.
    min_df : "auto", int or float
        Words in fewer texts (or, as a float, a smaller share of them) are left out. By default one
        text for each factor of ten: 2 of 100 texts, 3 of 1,000.
    max_df : int or float
        Words in more texts (or a larger share) are left out, if there are 20 texts or more.
    bigrams : bool
        Whether pairs of words that follow each other are counted, too.
    lemmas : callable from word to word, optional
        Such as a stemmer's ``stem`` or a lemmatizer's ``lemmatize``; applied before stop words.
    headers : bool
        Whether words of mail headers (From:, Subject:, ...) are counted.
    boilerplate : bool
        Whether words of lines are counted that a tenth of the texts or more have word for word.

    Attributes
    ----------
    words_ : object array of shape (n_words,)
        What is counted, in alphabetical order of the characters' codes.
    languages_ : tuple of str
        Languages found, the most frequent first.
    stop_words_ : frozenset of str
    min_df_, max_df_ : int
        Least and largest number of texts of a word.
    shared_lines_ : frozenset of str
        Lines left out.
    n_texts_, n_mail_ : int
        Number of texts, and of those that begin with a mail header.

    Notes
    -----
    The order of the texts changes nothing but the order of the rows.

    Examples
    --------
    >>> counter = WordCounter()
    >>> counter.fit_transform(["The cat and the dog", "A dog", "That is my cat!"]).toarray()
    array([[1., 1.],
           [0., 1.],
           [1., 0.]])
    >>> counter.words_.tolist()
    ['cat', 'dog']
    >>> again = WordCounter.from_json(counter.to_json())
    >>> again.transform(["dog eats dog"]).toarray()
    array([[0., 2.]])
    """

    def __init__(
        self,
        *,
        min_letters: int = 2,
        stop_words: str | Iterable[str] | None = "auto",
        min_df: str | int | float = "auto",
        max_df: int | float = 0.5,
        bigrams: bool = False,
        lemmas: Callable[[str], str] | None = None,
        headers: bool = False,
        boilerplate: bool = False,
    ) -> None:
        self.min_letters = min_letters
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.bigrams = bigrams
        self.lemmas = lemmas
        self.headers = headers
        self.boilerplate = boilerplate

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Find the words to count."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None, **params: Any) -> sp.csr_array:
        """Find the words to count and count them: texts are rows, words columns."""
        self._check()
        documents = _texts(texts)
        bodies = [self._body(text) for text in documents]
        self.n_texts_ = len(documents)
        self.n_mail_ = sum(body is not text for body, text in zip(bodies, documents, strict=True))
        self.shared_lines_ = frozenset() if self.boilerplate else shared_lines(bodies)
        contents = [self._content(text) for text in documents]
        self.min_df_, self.max_df_ = self._bounds(len(documents))
        self.stop_words_: frozenset[str] = frozenset()
        counts, words = _count(contents, self._words)
        self.languages_ = detect_languages(counts, words)
        self.stop_words_ = self._stop_words()
        if self.bigrams:  # pairs skip stop words, which must be known first
            counts, words = _count(contents, self._words)
        mask = self._mask(counts, words)
        self.words_ = words[mask]
        return counts[:, np.flatnonzero(mask)]

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """Count the words found by `fit` in any texts."""
        check_is_fitted(self)
        vocabulary = {word: j for j, word in enumerate(self.words_)}
        contents = self.bodies(texts)
        if not contents:
            return sp.csr_array((0, len(vocabulary)))
        return _csr(
            CountVectorizer(analyzer=self._words, vocabulary=vocabulary).transform(contents)
        )

    def bodies(self, texts: Iterable[str]) -> list[str]:
        """Return the texts without mail headers and without lines that many texts share."""
        check_is_fitted(self)
        return [self._content(text) for text in _texts(texts)]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the counted words."""
        check_is_fitted(self)
        return self.words_

    def summary(self) -> str:
        """Describe the counted and the omitted words in one line.

        Examples
        --------
        >>> WordCounter().fit(["the cat and the dog", "the dog"]).summary()
        '2 words of 2 letters or more, in lower case · without: 243 stop words (English)'
        """
        check_is_fitted(self)
        unit = "words and pairs of words" if self.bigrams else "words"
        clauses = [
            f"{len(self.words_):,} {unit} of {self.min_letters} letters or more, in lower case"
        ]
        if self.lemmas is not None:
            clauses[0] += ", as lemmas"
        if self.min_df_ > 1 or self.max_df_ < self.n_texts_:
            clauses.append(f"in {self.min_df_:,} to {self.max_df_:,} of {self.n_texts_:,} texts")
        without = [f"{len(self.stop_words_):,} stop words{self._language_suffix()}"]
        if self.n_mail_:
            without.append(f"mail headers of {self.n_mail_:,} texts")
        if self.shared_lines_:
            example = min(self.shared_lines_)
            without.append(f"{len(self.shared_lines_):,} lines of many texts such as {example!r}")
        clauses.append("without: " + ", ".join(without[not self.stop_words_ :]))
        return " · ".join(clause for clause in clauses if clause != "without: ")

    def to_json(self) -> dict[str, Any]:
        """Return options and words as plain values, from which `from_json` restores the counter."""
        check_is_fitted(self)
        options = {name: getattr(self, name) for name in _OPTIONS}
        # Given words are among those found, and an iterable may be used up.
        if not isinstance(self.stop_words, str | None):
            options["stop_words"] = sorted(self.stop_words_)
        fitted_values = {name: getattr(self, name) for name in _FOUND}
        return {
            "format": _FORMAT,
            "options": options,
            "lemmas": self.lemmas is not None,
            "found": fitted_values | {"languages_": list(self.languages_)},
            "stop_words": sorted(self.stop_words_),
            "shared_lines": sorted(self.shared_lines_),
            "words": self.words_.tolist(),
        }

    @classmethod
    def from_json(
        cls, saved: Mapping[str, Any], lemmas: Callable[[str], str] | None = None
    ) -> WordCounter:
        """Restore the counter that `to_json` saved.

        A function cannot be saved: `lemmas` must be given again if there was one.
        """
        if saved.get("format") != _FORMAT:
            raise ValueError(
                f"This counting of words has format {saved.get('format')!r}, known is {_FORMAT}; "
                "read it with a newer version of cocluster."
            )
        if saved["lemmas"] and lemmas is None:
            raise ValueError("Words were counted as lemmas; pass the same function as lemmas=.")
        counter = cls(**saved["options"], lemmas=lemmas)
        for name, value in saved["found"].items():
            setattr(counter, name, value)
        counter.languages_ = tuple(counter.languages_)
        counter.stop_words_ = frozenset(saved["stop_words"])
        counter.shared_lines_ = frozenset(saved["shared_lines"])
        counter.words_ = np.array(saved["words"], dtype=object)
        return counter

    def _check(self) -> None:
        """Refuse invalid parameters before any text is read."""
        if not isinstance(self.min_letters, Integral) or self.min_letters < 1:
            raise ValueError(f"min_letters is {self.min_letters!r}; pass an int >= 1.")
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            is_count = isinstance(value, Integral) and not isinstance(value, bool) and value >= 1
            is_share = (
                isinstance(value, Real) and not isinstance(value, Integral) and 0 <= value <= 1
            )
            if not (is_count or is_share or (name == "min_df" and value == "auto")):
                raise ValueError(
                    f"{name} is {value!r}; pass a number of texts (an int >= 1) or a share of them "
                    "(a float from 0 to 1)."
                )
        for language in self._requested_languages():
            if language not in STOP_WORDS:
                raise ValueError(
                    f"There are no stop words of {language!r}; known are {', '.join(STOP_WORDS)}. "
                    "Or pass a list of words."
                )

    def _requested_languages(self) -> list[str]:
        """Return the languages named in `stop_words`."""
        if not isinstance(self.stop_words, str) or self.stop_words == "auto":
            return []
        return [name.strip().lower() for name in self.stop_words.split(",")]

    def _stop_words(self) -> frozenset[str]:
        """Return the stop words, which are left out whatever their frequency."""
        if self.stop_words is None:
            return frozenset()
        if not isinstance(self.stop_words, str):
            return frozenset(word.lower() for word in self.stop_words)
        languages = self._requested_languages() or self.languages_
        return frozenset().union(*(STOP_WORDS[language] for language in languages))

    def _language_suffix(self) -> str:
        """Return the languages of the stop words in parentheses, for `told`."""
        if not isinstance(self.stop_words, str):
            return ""
        names = self._requested_languages() or self.languages_
        return f" ({', '.join(name.capitalize() for name in names)})"

    def _bounds(self, n: int) -> tuple[int, int]:
        """Return the least and the largest number of texts that a counted word occurs in."""
        least = max(1, round(log10(max(n, 1)))) if self.min_df == "auto" else self.min_df
        least = least if isinstance(least, Integral) else ceil(float(least) * n)
        most = self.max_df if isinstance(self.max_df, Integral) else int(float(self.max_df) * n)
        return max(int(least), 1), (int(most) if n >= _FEW_TEXTS else n)

    def _body(self, text: str) -> str:
        """Strip the mail header of a text, unless nothing but the header is there."""
        if self.headers:
            return text
        fields, body = split_mail(text)
        return body if fields and body.strip() else text

    def _content(self, text: str) -> str:
        """Strip mail header and shared lines; keep the whole body if nothing would be left."""
        body = self._body(text)
        unshared = without_lines(body, self.shared_lines_)
        return unshared if unshared.strip() else body

    def _words(self, text: str) -> list[str]:
        """Split a text into words and pairs of words, with repetitions."""
        # Composed, so that an accent is part of its letter however it was typed.
        tokens = self._pattern.findall(normalize("NFC", text).lower())
        if self.lemmas is not None:
            tokens = [self.lemmas(word) for word in tokens]
        words = [word for word in tokens if word not in self.stop_words_]
        if not self.bigrams:
            return words
        return words + [f"{a} {b}" for a, b in pairwise(words)]

    @property
    def _pattern(self) -> re.Pattern[str]:
        """Return the pattern of a word; `re` caches compiled patterns."""
        # A run of letters beside a digit or an underscore is part of a code, not a word.
        return re.compile(rf"(?<!\w){_LETTER}{{{self.min_letters},}}(?!\w)")

    def _mask(self, counts: sp.csr_array, words: Array) -> Array:
        """Return the mask of the words to count."""
        texts = np.bincount(counts.indices, minlength=len(words))
        stop = np.array([word in self.stop_words_ for word in words], dtype=bool)
        too_rare, too_common = texts < self.min_df_, texts > self.max_df_
        mask = ~(stop | too_rare | too_common)
        if len(words) == 0:
            raise ValueError("there are no words in these texts.")
        if not mask.any():
            raise ValueError(
                f"there are no words to count: of {len(words):,} different ones {stop.sum():,} are "
                f"stop words, {(too_rare & ~stop).sum():,} are in fewer than {self.min_df_:,} and "
                f"{(too_common & ~stop).sum():,} in more than {self.max_df_:,} of "
                f"{self.n_texts_:,} texts; pass a WordCounter with other min_df and max_df, or, "
                "for a script without blanks between words, a CountVectorizer with a tokenizer."
            )
        return mask


def _texts(texts: Iterable[str]) -> list[str]:
    """List the texts, with lines that end in a line feed."""
    if isinstance(texts, str):
        raise TypeError("WordCounter takes a list of texts, not one text.")
    documents = list(texts)
    for i, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(f"Text {i} is {text!r}; pass a str, which may be empty, for each text.")
    return [text.replace("\r\n", "\n").replace("\r", "\n") for text in documents]


def _count(texts: list[str], analyzer: Callable[[str], list[str]]) -> tuple[sp.csr_array, Array]:
    """Count all words; return the counts and the words in order."""
    counter = CountVectorizer(analyzer=analyzer)
    try:
        counts = counter.fit_transform(texts)
    except ValueError:  # scikit-learn's word for texts without any word
        return sp.csr_array((len(texts), 0)), np.empty(0, dtype=object)
    return _csr(counts), counter.get_feature_names_out()


def _csr(counts: Any) -> sp.csr_array:
    """Convert counts to a csr_array of double precision."""
    return sp.csr_array(counts).astype(np.float64)


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
