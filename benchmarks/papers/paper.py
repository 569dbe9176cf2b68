"""What is known of a paper before any of its tables and figures is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paper:
    """A paper whose tables and figures are run here.

    Attributes
    ----------
    name : str
        First author and year: the name of its folder, and its word on the command line.
    title : str
        What it is about, in a few words.
    reference : str
    own : tuple of str
        The methods it proposes, by the names of its tables.
    without : mapping of number to reason
        Figures that are not run: they show no data, or data that cannot be had.
    """

    name: str
    title: str
    reference: str
    own: tuple[str, ...]
    without: Mapping[str, str] = field(default_factory=dict)
