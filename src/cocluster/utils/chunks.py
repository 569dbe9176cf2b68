"""Long ranges cut into pieces, so that what is computed for a piece fits in memory."""

from __future__ import annotations

from collections.abc import Iterator


def chunks(n: int, step: int) -> Iterator[slice]:
    """Cut ``range(n)`` into slices of at most ``step`` (and at least one) elements.

    >>> list(chunks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    # Callers divide memory by the size of an element, which may leave less than one.
    step = max(1, step)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
