"""The approximate search of neighbours, and what happens without its library."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.graphs import nearest_neighbours, neighbours
from tests.graphs.test_graphs import points, slow_neighbours


@pytest.mark.parametrize("as_container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("d", [10, 150])
def test_approximate_search_finds_most_neighbours_and_repeats(
    as_container: Any, d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss", reason="the approximate search needs the extra 'ann'")
    rng = np.random.default_rng(0)
    X = as_container(rng.random((20, d))[rng.integers(20, size=1500)] + 0.1 * rng.random((1500, d)))
    exact = nearest_neighbours(X, 5)
    monkeypatch.setattr(neighbours, "EXACT_LIMIT", 100)
    found = nearest_neighbours(X, 5)
    hits = [len(set(a) & set(b)) for a, b in zip(exact, found, strict=True)]
    assert np.mean(hits) > 4.5
    assert (found != np.arange(1500)[:, None]).all()
    np.testing.assert_array_equal(found, nearest_neighbours(X, 5))


def test_approximate_search_survives_many_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss", reason="the approximate search needs the extra 'ann'")
    X = np.repeat(points(0, n=3, d=5), 300, axis=0)
    monkeypatch.setattr(neighbours, "EXACT_LIMIT", 100)
    found = nearest_neighbours(X, 4)
    assert (found // 300 == np.arange(900)[:, None] // 300).all()
    assert (found != np.arange(900)[:, None]).all()
    assert all(len(set(row)) == 4 for row in found.tolist())


def test_without_faiss_large_data_is_refused_and_medium_data_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain_import = builtins.__import__

    def no_faiss(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "faiss":
            raise ImportError(name)
        return plain_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_faiss)
    monkeypatch.setattr(neighbours, "EXACT_LIMIT", 10)
    X = points(0)
    np.testing.assert_array_equal(nearest_neighbours(X, 3), slow_neighbours(X, 3))
    monkeypatch.setattr(neighbours, "EXACT_LIMIT_WITHOUT_FAISS", 20)
    with pytest.raises(ImportError, match=r"\[ann\]"):
        nearest_neighbours(X, 3)
