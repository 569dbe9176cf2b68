"""Functions that all pictures share: new axes, the account to draw from, colours and names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cocluster.report.account import account
from cocluster.report.colours import cluster_colour
from cocluster.report.formatting import shorten
from cocluster.report.values import AccountContents, Cluster, Id
from cocluster.utils.optional import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Longest name along an axis, in characters.
MAX_LENGTH = 28


def new_figure(size: tuple[float, float]) -> Figure:
    """Return a new figure; not of pyplot, which would choose a window system."""
    module = library("matplotlib.figure", "pictures", "plot")
    figure: Figure = module.Figure(figsize=size, layout="constrained")
    return figure


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new figure."""
    return new_figure(size).subplots() if ax is None else ax


def account_to_draw(model: Any, data: Any, **options: Any) -> AccountContents:
    """Return the given account, or the account of a fitted model and its data."""
    if isinstance(model, AccountContents):
        return model
    if data is None:
        raise ValueError("A picture of a model needs the data it was fitted to; pass data=.")
    return account(model, data, **options)


def select(values: Sequence[Any], name: str | None, kind: str, field: str) -> Any:
    """Return one of several values by the name in a field; the first by default."""
    by_name = {getattr(value, field): value for value in values}
    if not by_name:
        raise ValueError(f"There is no {kind} to draw: the account was made without data.")
    if name is not None and name not in by_name:
        raise ValueError(f"There is no {kind} of {name!r}; there are {', '.join(by_name)}.")
    return values[0] if name is None else by_name[name]


def matplotlib_colour(cluster: Id) -> tuple[float, ...]:
    """Return the colour of a cluster as matplotlib takes it."""
    return tuple(channel / 255 for channel in cluster_colour(cluster))


def axis_label(name: str) -> str:
    """Return a name that fits along an axis, without formulas."""
    # matplotlib would read a text between two dollars as a formula.
    return shorten(name, MAX_LENGTH).replace("$", r"\$")


def label_rows(ax: Axes, clusters: Sequence[Cluster]) -> None:
    """Write the names of clusters along the vertical axis, the first on top."""
    names = [axis_label(cluster.name) for cluster in clusters]
    ax.set_yticks(range(len(clusters)), names, fontsize=9)
    ax.invert_yaxis()


def whole_numbers(ax: Axes) -> None:
    """Put the ticks of the horizontal axis at whole numbers."""
    ticker = library("matplotlib.ticker", "pictures", "plot")
    ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
