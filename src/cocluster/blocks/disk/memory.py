"""Amounts of memory as people write and read them."""

from __future__ import annotations

import re
from decimal import Decimal

from cocluster.utils.checks import is_integer

UNITS = "kMGTP"
# A number, perhaps a prefix (with "i" for powers of 1024), perhaps a "B".
_AMOUNT = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*(?:([kmgtp])(i)?)?b?\s*", re.IGNORECASE)


def parse_memory(amount: str | int) -> int:
    """Bytes of an amount of memory.

    Parameters
    ----------
    amount : str or int
        Bytes, or a number with a unit: ``"500 MB"``, ``"2GB"``, ``"1.5 GiB"``. kB, MB, GB, TB and
        PB are powers of 1000, KiB, MiB, GiB, TiB and PiB powers of 1024.

    Examples
    --------
    >>> parse_memory("500 MB"), parse_memory("2GiB"), parse_memory(4096)
    (500000000, 2147483648, 4096)
    """
    n_bytes = _bytes(amount)
    if n_bytes < 1:
        raise ValueError(f"An amount of memory must be positive, not {amount!r}.")
    return n_bytes


def readable(n_bytes: int) -> str:
    """Three digits and a unit, rounded up: `parse_memory` of the text is never less.

    Examples
    --------
    >>> readable(2_000_000_000), readable(1_234_567), readable(17)
    ('2 GB', '1.24 MB', '17 B')
    """
    # Up, because people copy the amount from a message: a little less would be refused again.
    step = 10 ** max(len(str(n_bytes)) - 3, 0)
    rounded = -(-n_bytes // step) * step
    power = min((len(str(rounded)) - 1) // 3, len(UNITS))
    unit = UNITS[power - 1] if power else ""
    return f"{Decimal(rounded) / 1000**power:f} {unit}B"


def _bytes(amount: str | int) -> int:
    """Whole bytes, of either sign."""
    if is_integer(amount):
        return int(amount)
    match = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    if match is None:
        raise ValueError(
            f"{amount!r} is not an amount of memory; give bytes as a whole number or a text such "
            "as '500 MB', '2GB' or '1.5 GiB'."
        )
    number, prefix, binary = match.groups()
    power = 0 if prefix is None else UNITS.lower().index(prefix.lower()) + 1
    return int(Decimal(number) * (1024 if binary else 1000) ** power)
