"""Every method on drawn data: sound labels or one sentence, whatever holds the numbers.

Many more of each method are tried by ``python -m tests.drawn``.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cocluster import CoCluster
from cocluster.methods.catalogue import METHODS

# Of each method: enough to meet every container, type and shape in the run over all of them.
EXAMPLES = 6
drawn = settings(
    max_examples=EXAMPLES,
    # The same few in every run.
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
HOLD = {
    "array": np.asarray,
    "by columns": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "frame": pd.DataFrame,
}
# Their rule keeps columns orthogonal at the price of a rise now and then, as they say.
RISES = ("onmtf", "osntf")
NAMES = (*METHODS, "auto")


@dataclass(frozen=True)
class Drawn:
    """Data, a number of clusters and links."""

    X: np.ndarray
    hold: str
    k: int
    links: Any


def blocks(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Counts with structure."""
    return rng.poisson(1 + 6 * ((np.arange(n)[:, None] + np.arange(m)) % 2 == 0)).astype(float)


def one_row(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """A single sample."""
    return blocks(rng, 1, m)


def one_column(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """A single feature."""
    return blocks(rng, n, 1)


def rank_one(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """All rows are multiples of one."""
    return np.outer(rng.integers(1, 4, n), rng.integers(0, 4, m)).astype(float)


def near_duplicates(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Two rows, again and again, that differ in their last digits."""
    return blocks(rng, 2, m)[np.arange(n) % 2] * (1 + 1e-13 * rng.random((n, m)))


def mostly_empty(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Few entries, and rows and columns without any."""
    return blocks(rng, n, m) * (rng.random((n, m)) < 0.15)


def constant(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """The same number everywhere."""
    return np.full((n, m), 3.0)


def signed(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Negative entries, too, which some methods refuse."""
    return rng.normal(size=(n, m))


SHAPES = (
    blocks, one_row, one_column, rank_one, near_duplicates, mostly_empty, constant, signed,
)  # fmt: skip


def scaled(X: np.ndarray, way: str, rng: np.random.Generator) -> np.ndarray:
    """Sizes from 1e-12 to 1e12 in one matrix."""
    n, m = X.shape
    sizes = {
        "as it is": np.ones((1, 1)),
        "rows": 10.0 ** rng.uniform(-12, 12, (n, 1)),
        "columns": 10.0 ** rng.uniform(-12, 12, (1, m)),
        "entries": 10.0 ** rng.uniform(-12, 12, (n, m)),
        "tiny": np.full((1, 1), 1e-12),
        "huge": np.full((1, 1), 1e12),
    }
    return X * sizes[way]


@st.composite
def cases(draw: st.DrawFn) -> Drawn:
    """Data of any kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.sampled_from(SHAPES))
    X = shape(rng, draw(st.integers(2, 12)), draw(st.integers(2, 9)))
    ways = ("as it is", "rows", "columns", "entries", "tiny", "huge")
    way = draw(st.sampled_from(ways))
    X = scaled(X, way, rng)
    kind = draw(st.sampled_from((np.float64, np.float32, np.int64)))
    # Whole numbers have no parts of a millionth, but large ones.
    X = np.round(X) if kind is np.int64 else X
    n = len(X)
    links = None
    if n > 1 and draw(st.booleans()):
        # Of random signs, so that they may contradict each other.
        pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(draw(st.integers(1, 3)))])
        signs = rng.choice([1, -1], len(pairs))
        links = (pairs[signs > 0], pairs[signs < 0])
    note(f"{shape.__name__}, {way}, {kind.__name__}")
    return Drawn(X.astype(kind), draw(st.sampled_from(list(HOLD))), draw(st.integers(1, 4)), links)


def fitted(name: str, case: Drawn, X: Any) -> Any:
    """The model, or the error that refuses the data."""
    method = CoCluster if name == "auto" else METHODS[name].estimator
    few = {"max_iter": 8} if "max_iter" in method().get_params() else {}
    try:
        return method(case.k, random_state=0, **few).fit(X, links=case.links)
    except ValueError as error:
        return error


def contents(X: Any) -> list[np.ndarray]:
    """All arrays of a container."""
    if sp.issparse(X):
        return [X.data, X.indices, X.indptr]
    return [np.asarray(X)]


@pytest.mark.parametrize("name", NAMES)
@drawn
@given(case=cases())
def test_sound_labels_or_a_sentence(name: str, case: Drawn):
    check(name, case)


def check(name: str, case: Drawn) -> None:
    """Fit twice: sound labels and an objective that never rises, or the same sentence."""
    X = HOLD[case.hold](case.X)
    before = copy.deepcopy(contents(X))
    one, other = fitted(name, case, X), fitted(name, case, X)
    for now, then in zip(contents(X), before, strict=True):
        assert_array_equal(now, then)
    if isinstance(one, ValueError):
        assert str(one) == str(other)
        assert str(one)
        assert "\n" not in str(one)
        return
    n = case.X.shape[0]
    assert one.labels_.shape == (n,)
    assert set(one.labels_.tolist()) <= set(range(case.k))
    assert_array_equal(one.labels_, other.labels_)
    model = getattr(one, "model_", one)
    history = np.asarray(model.objective_history_)
    assert np.isfinite(history).all()
    assert np.isfinite(one.objective_)
    if name not in RISES:
        assert (np.diff(history) <= rounding(history, case.X)).all(), history


def rounding(history: np.ndarray, X: np.ndarray) -> float:
    """By how much an objective may rise: it is a sum of many terms of the size of the first.

    It is a difference, too, of terms as large as the data, which a method may have brought to one
    scale.
    """
    digits = np.finfo(np.float32 if X.dtype == np.float32 else np.float64).eps
    first = float(np.abs(history).max(initial=0))
    data = max(len(X), float(np.sum(X.astype(float) ** 2)))
    return float(digits * (1e4 * first + 1e3 * data))
