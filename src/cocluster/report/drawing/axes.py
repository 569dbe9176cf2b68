"""What all pictures share: where they are drawn, and what they are drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cocluster.report.account import account
from cocluster.report.colours import cluster_colour
from cocluster.report.values import AccountContents, Id
from cocluster.utils.optional import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Letters of a name along an axis.
LONG = 28


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure (not pyplot, which would choose a window system)."""
    if ax is not None:
        return ax
    figure = library("matplotlib.figure", "pictures", "plot").Figure(
        figsize=size, layout="constrained"
    )
    made: Axes = figure.subplots()
    return made


def told(found: Any, data: Any, **wanted: Any) -> AccountContents:
    """The account to draw from: as given, or made of a fitted model and its data."""
    if isinstance(found, AccountContents):
        return found
    if data is None:
        raise ValueError("A picture of a model needs the data it was fitted to; pass data=.")
    return account(found, data, **wanted)


def chosen(parts: tuple[Any, ...], wanted: str | None, what: str, field: str) -> Any:
    """One of several parts by its name; the first by default."""
    known = {getattr(part, field): part for part in parts}
    if not known:
        raise ValueError(f"There is no {what} to draw: the account was made without data.")
    if wanted is not None and wanted not in known:
        raise ValueError(f"There is no {what} of {wanted!r}; there are {', '.join(known)}.")
    return next(iter(known.values())) if wanted is None else known[wanted]


def colour_of(cluster: Id) -> tuple[float, ...]:
    """The colour of a cluster as matplotlib takes it."""
    return tuple(part / 255 for part in cluster_colour(cluster))


def cut(name: str) -> str:
    """A name that fits along an axis, in signs that mean themselves."""
    short = name if len(name) <= LONG else name[: LONG - 1].rstrip() + "…"
    # matplotlib would read formulas between two dollars.
    return short.replace("$", r"\$")
