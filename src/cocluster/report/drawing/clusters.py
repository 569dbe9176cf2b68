"""Bars and boxes: top features, margins, stability, and the objective of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.report.compute.material import Material
from cocluster.report.drawing.axes import axes_or_new, chosen, colour_of, cut, told
from cocluster.report.values import AccountContents, Cluster, ClusterView, Id
from cocluster.utils.optional import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# How often parts are fitted anew for a picture of stability, as `sureness` does by itself.
REFITS = 5


def plot_features(
    found: Any,
    data: Any = None,
    *,
    cluster: Id | None = None,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show the features that set a cluster apart, with their scores.

    Parameters
    ----------
    found : Account, or fitted model
    data : whatever the model was fitted to: matrix, frame, AnnData, views, Dataset
        Not needed with an account.
    cluster : int or str, optional
        Its id; the first by default.
    view : str, optional
        Which view; by default the one that says most about the cluster.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> X = make_blocks(60, 40, 3, random_state=0).X
    >>> len(plot_features(CoCluster(3, random_state=0).fit(X), X, cluster=1).patches)
    10
    """
    account = told(found, data)
    own = _cluster(account, cluster)
    shown: ClusterView = chosen(own.views, view, "view", "name")
    drawn = axes_or_new(ax, (5, 0.6 + 0.28 * len(shown.features)))
    scores = [feature.score or 0.0 for feature in shown.features]
    drawn.barh(range(len(scores)), scores, color=colour_of(own.id))
    drawn.set_yticks(range(len(scores)), [cut(f.name) for f in shown.features], fontsize=9)
    drawn.invert_yaxis()  # the best on top
    drawn.set_xlabel(f"{shown.name}: {shown.statistic}")
    drawn.set_title(cut(own.name))
    return drawn


def _cluster(account: AccountContents, wanted: Id | None) -> Cluster:
    """A cluster of the samples by its id."""
    known = {own.id: own for own in account.samples}
    if wanted is not None and wanted not in known:
        raise ValueError(f"There is no cluster {wanted!r}; there are {', '.join(map(str, known))}.")
    return account.samples[0] if wanted is None else known[wanted]


def plot_margins(model: Any, data: Any, *, ax: Axes | None = None) -> Axes:
    """Show how clearly the samples of each cluster belong to it.

    For each cluster: by how much its members are cheaper there than in the next best one. The box
    holds the middle half, the line nine tenths of them.
    What reaches below zero is held by something else than the costs, such as a link.

    Parameters
    ----------
    model : fitted model
    data : whatever it was fitted to: matrix, frame, AnnData, views, Dataset
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> X = make_blocks(60, 40, 3, random_state=0).X
    >>> plot_margins(CoCluster(3, random_state=0).fit(X), X).get_title() is not None
    True
    """
    found = Material.of(model, data)
    account = told(model, data)
    if found.subject is None or found.margin is None:
        raise ValueError("Margins are those of samples; pass the data that were fitted.")
    codes = found.subject.clusters[found.center].codes
    drawn = axes_or_new(ax, (6, 0.8 + 0.35 * len(account.samples)))
    for place, own in enumerate(account.samples):
        low, first, middle, third, high = np.quantile(
            found.margin[codes == place], [0.05, 0.25, 0.5, 0.75, 0.95]
        )
        drawn.plot([low, high], [place, place], color="black", linewidth=0.8)
        drawn.barh(place, third - first, left=first, color=colour_of(own.id), height=0.6)
        drawn.plot([middle, middle], [place - 0.3, place + 0.3], color="black")
    places = range(len(account.samples))
    drawn.set_yticks(places, [cut(own.name) for own in account.samples], fontsize=9)
    drawn.invert_yaxis()
    drawn.axvline(0, color="black", linewidth=0.8)
    drawn.set_xlabel("margin: cost in the next best cluster less that in its own")
    return drawn


def plot_stability(found: Any, data: Any = None, *, ax: Axes | None = None) -> Axes:
    """Show how much of each cluster is found again when parts of the samples are fitted anew.

    Parameters
    ----------
    found : Account made with ``refits``, or fitted model
        A model is fitted anew five times.
    data : whatever the model was fitted to
        Not needed with an account.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import CoCluster
    >>> from cocluster.datasets import make_blocks
    >>> X = make_blocks(60, 40, 3, random_state=0).X
    >>> len(plot_stability(CoCluster(3, random_state=0).fit(X), X).patches)
    3
    """
    account = told(found, data, refits=REFITS)
    if not account.sure.refits:
        raise ValueError("This account knows no stability; make it with account(..., refits=5).")
    clusters = account.samples
    drawn = axes_or_new(ax, (6, 0.8 + 0.3 * len(clusters)))
    drawn.barh(
        range(len(clusters)),
        [own.stability or 0.0 for own in clusters],
        color=[colour_of(own.id) for own in clusters],
    )
    drawn.set_yticks(range(len(clusters)), [cut(own.name) for own in clusters], fontsize=9)
    drawn.invert_yaxis()
    drawn.set_xlim(0, 1)
    # Below a half there is no such cluster, see `cocluster.report.sureness`.
    drawn.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
    drawn.set_xlabel(f"share found again in {account.sure.refits} refits (Jaccard)")
    return drawn


def plot_objective(found: Any, *, ax: Axes | None = None) -> Axes:
    """Show the objective after each sweep of a run.

    Parameters
    ----------
    found : Account, or fitted model
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import FNMTF
    >>> from cocluster.datasets import make_blocks
    >>> model = FNMTF(3, random_state=0).fit(make_blocks(60, 40, 3, random_state=0).X)
    >>> plot_objective(model).get_xlabel()
    'sweep'
    """
    history = (
        found.run.history
        if isinstance(found, AccountContents)
        else tuple(getattr(found, "objective_history_", ()))
    )
    if not history:
        raise ValueError("This run has no objective to draw; fit a method that states one.")
    drawn = axes_or_new(ax, (6, 3.5))
    drawn.plot(range(1, len(history) + 1), history, "o-", markersize=3)
    ticker = library("matplotlib.ticker", "pictures", "plot")
    drawn.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    drawn.set_xlabel("sweep")
    drawn.set_ylabel("objective")
    return drawn
