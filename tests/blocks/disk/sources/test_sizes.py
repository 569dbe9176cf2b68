"""Amounts of memory, and rows that fit in them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocluster.blocks.disk.memory import parse_memory, readable
from cocluster.blocks.disk.sources.base import cut_rows, even_rows


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("2GB", 2 * 10**9),
        ("500 MB", 500 * 10**6),
        ("1.5 gib", 3 * 2**29),
        (" 10k ", 10_000),
        ("7 B", 7),
        ("1KiB", 1024),
        ("0.1 TB", 10**11),
        (12345, 12345),
        (np.int64(5), 5),
        ("42", 42),
    ],
)
def test_amounts(text, n_bytes):
    assert parse_memory(text) == n_bytes


@pytest.mark.parametrize("text", ["", "GB", "2 XB", "two GB", "2,5 GB", "5iB", 2.5, True, None])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(ValueError, match=r"is not an amount of memory.*500 MB"):
        parse_memory(text)


@pytest.mark.parametrize("amount", [0, -5, "0 GB", "0.0001 B"])
def test_no_memory_is_refused(amount):
    with pytest.raises(ValueError, match="must be positive"):
        parse_memory(amount)


@given(st.integers(1, 10**17))
def test_an_amount_that_is_printed_is_enough_and_hardly_more(n_bytes):
    printed = readable(n_bytes)
    assert n_bytes <= parse_memory(printed) <= 1.01 * n_bytes
    assert len(printed.split()[0].replace(".", "")) <= 3


def one_by_one(costs, limit):
    """Rows of blocks, filled one row after the other."""
    counts, taken = [], limit
    for cost in costs:
        if taken + cost > limit:
            counts.append(0)
            taken = 0
        counts[-1] += 1
        taken += cost
    return tuple(counts)


@given(
    st.lists(st.lists(st.integers(1, 20), min_size=1), min_size=1),
    st.integers(20, 70),
)
def test_blocks_are_filled_row_by_row(pieces, limit):
    costs = [np.array(piece) for piece in pieces]
    found = cut_rows(costs, "x", 8 * (limit + 8))
    assert found == one_by_one(np.concatenate(costs), limit)


def test_rows_that_do_not_fit_are_refused_with_the_memory_that_is_enough():
    costs = [np.array([5, 5]), np.array([5, 92, 5]), np.array([90])]
    with pytest.raises(ValueError, match=r"largest row of x takes 100 B.* at least 800 B"):
        cut_rows(costs, "x", 799)
    assert cut_rows(costs, "x", 800) == (3, 1, 1, 1)


@given(st.integers(1, 500), st.integers(1, 9), st.integers(1, 12), st.integers(12 * 9 * 8, 50_000))
def test_equal_blocks_hold_whole_bands_and_fit(n_rows, row_bytes, band, memory):
    counts = even_rows(n_rows, row_bytes, band, "x", memory)
    assert sum(counts) == n_rows
    assert min(counts) > 0
    assert max(counts) * row_bytes <= memory // 8
    assert len(set(counts[:-1])) <= 1
    assert all(rows % band == 0 for rows in counts[:-1])
    assert len(counts) == 1 or (counts[0] + band) * row_bytes > memory // 8
