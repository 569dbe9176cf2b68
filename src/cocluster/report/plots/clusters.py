"""Pictures of clusters and runs: features, margins, stability, objective, and flows of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.report.compare import Changes, Comparison
from cocluster.report.evidence import margins, sample_costs
from cocluster.report.plots.axes import (
    account_to_draw,
    axes_or_new,
    axis_label,
    label_rows,
    matplotlib_colour,
    select,
    whole_numbers,
)
from cocluster.report.report_input import ReportInput
from cocluster.report.values import AccountContents, Cluster, ClusterView, Id

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Number of refits for a picture of stability, the default of `sureness`.
REFITS = 5
# Width of the bars at both sides, and gap between clusters, as shares of the picture of flows.
BAR_WIDTH, GAP = 0.04, 0.012
# Points along the edge of a flow, so that it looks smooth.
CURVE_POINTS = 40


def plot_features(
    model: Any,
    data: Any = None,
    *,
    cluster: Id | None = None,
    view: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show the characteristic features of a cluster with their scores.

    Parameters
    ----------
    model : Account, or fitted model
    data : matrix, frame, AnnData, views or Dataset that the model was fitted to
        Not needed with an account.
    cluster : int or str, optional
        Id of the cluster; the first by default.
    view : str, optional
        Name of the view; by default the most informative one.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

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
    selected = _find_cluster(account_to_draw(model, data), cluster)
    cluster_view: ClusterView = select(selected.views, view, "view", "name")
    features = cluster_view.features
    axes = axes_or_new(ax, (5, 0.6 + 0.28 * len(features)))
    scores = [feature.score or 0.0 for feature in features]
    axes.barh(range(len(scores)), scores, color=matplotlib_colour(selected.id))
    axes.set_yticks(range(len(scores)), [axis_label(f.name) for f in features], fontsize=9)
    axes.invert_yaxis()  # the best on top
    axes.set_xlabel(f"{cluster_view.name}: {cluster_view.statistic}")
    axes.set_title(axis_label(selected.name))
    return axes


def _find_cluster(account: AccountContents, cluster_id: Id | None) -> Cluster:
    """Return a cluster of the samples by its id; the first by default."""
    by_id = {cluster.id: cluster for cluster in account.samples}
    if cluster_id is not None and cluster_id not in by_id:
        ids = ", ".join(map(str, by_id))
        raise ValueError(f"There is no cluster {cluster_id!r}; there are {ids}.")
    return account.samples[0] if cluster_id is None else by_id[cluster_id]


def plot_margins(model: Any, data: Any, *, ax: Axes | None = None) -> Axes:
    """Show the margins of the samples of each cluster.

    The margin of a sample is its cost in the second best cluster less that in its own. A box holds
    the middle half of the samples, a line nine tenths of them. Samples with a negative margin are
    kept in their cluster by something else than the costs, such as a link.

    Parameters
    ----------
    model : fitted model
    data : matrix, frame, AnnData, views or Dataset that it was fitted to
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

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
    source = ReportInput.of(model, data)
    clusters = account_to_draw(model, data).samples
    costs = sample_costs(source)
    if costs is None:
        raise ValueError("Margins are those of samples; pass the data that were fitted.")
    codes = source.sample_clusters.codes[source.inspected_rows]
    margin, _ = margins(costs, codes)
    axes = axes_or_new(ax, (6, 0.8 + 0.35 * len(clusters)))
    for y, cluster in enumerate(clusters):
        low, first, median, third, high = np.quantile(
            margin[codes == y], [0.05, 0.25, 0.5, 0.75, 0.95]
        )
        axes.plot([low, high], [y, y], color="black", linewidth=0.8)
        colour = matplotlib_colour(cluster.id)
        axes.barh(y, third - first, left=first, color=colour, height=0.6)
        axes.plot([median, median], [y - 0.3, y + 0.3], color="black")
    label_rows(axes, clusters)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("margin: cost in the second best cluster less that in its own")
    return axes


def plot_stability(model: Any, data: Any = None, *, ax: Axes | None = None) -> Axes:
    """Show the stability of each cluster in refits of parts of the samples.

    Parameters
    ----------
    model : Account made with ``refits``, or fitted model
        A model is refitted five times.
    data : the data that the model was fitted to
        Not needed with an account.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

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
    account = account_to_draw(model, data, refits=REFITS)
    if not account.sure.refits:
        raise ValueError("This account knows no stability; make it with account(..., refits=5).")
    clusters = account.samples
    axes = axes_or_new(ax, (6, 0.8 + 0.3 * len(clusters)))
    axes.barh(
        range(len(clusters)),
        [cluster.stability or 0.0 for cluster in clusters],
        color=[matplotlib_colour(cluster.id) for cluster in clusters],
    )
    label_rows(axes, clusters)
    axes.set_xlim(0, 1)
    # Below one half a cluster is not reproducible, see `cocluster.report.sureness`.
    axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlabel(f"mean Jaccard index over {account.sure.refits} refits")
    return axes


def plot_objective(model: Any, *, ax: Axes | None = None) -> Axes:
    """Show the objective after each sweep of a run.

    Parameters
    ----------
    model : Account, or fitted model
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

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
        model.run.history
        if isinstance(model, AccountContents)
        else tuple(getattr(model, "objective_history_", ()))
    )
    if not history:
        raise ValueError("This run has no objective to draw; fit a method that states one.")
    axes = axes_or_new(ax, (6, 3.5))
    axes.plot(range(1, len(history) + 1), history, "o-", markersize=3)
    whole_numbers(axes)
    axes.set_xlabel("sweep")
    axes.set_ylabel("objective")
    return axes


def plot_flows(comparison: Comparison, *, type: str | None = None, ax: Axes | None = None) -> Axes:
    """Show the moves of samples between the clusters of two fits.

    Parameters
    ----------
    comparison : Comparison
        The result of `cocluster.compare`.
    type : str, optional
        Type of the objects; the samples by default.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure, ``ax.figure``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from cocluster import compare
    >>> changes = compare([0, 0, 1, 1], [0, 1, 1, 1], names={0: "tea", 1: "coffee"})
    >>> [text.get_text() for text in plot_flows(changes).texts]
    ['tea (2)', 'coffee (2)', 'tea (1)', 'coffee (3)']
    """
    if type is not None and type not in comparison.types:
        types = ", ".join(comparison.types)
        raise ValueError(f"There is no type {type!r} in this comparison; there are {types}.")
    changes = comparison.samples if type is None else comparison.types[type]
    axes = axes_or_new(ax, (7, 5))
    names = {cluster.id: cluster.name for cluster in changes.clusters if cluster.name}
    left, right = _sizes(changes, before=True), _sizes(changes, before=False)
    total = sum(left.values())
    starts, ends = _tops(left, total), _tops(right, total)
    for sizes, tops, x, align in ((left, starts, 0.0, "right"), (right, ends, 1.0, "left")):
        offset = -BAR_WIDTH if align == "right" else BAR_WIDTH
        for cluster, size in sizes.items():
            height, top = size / total, tops[cluster]
            axes.bar(x, -height, width=BAR_WIDTH, bottom=top, color=matplotlib_colour(cluster))
            label = f"{axis_label(names.get(cluster, str(cluster)))} ({size:,})"
            axes.text(x + offset, top - height / 2, label, ha=align, va="center", fontsize=9)
    _draw_flows(axes, changes, starts, ends)
    axes.set_xlim(-0.6, 1.6)
    axes.set_axis_off()
    axes.set_title(f"{changes.agreement:.0%} of the {changes.type} stay")
    return axes


def _sizes(changes: Changes, before: bool) -> dict[Id, int]:
    """Return the sizes of the clusters of the first fit, or of the second."""
    sizes: dict[Id, int] = {}
    for flow in changes.flows:
        cluster = flow.source if before else flow.target
        sizes[cluster] = sizes.get(cluster, 0) + flow.count
    return dict(sorted(sizes.items(), key=lambda item: str(item[0]).zfill(9)))


def _tops(sizes: dict[Id, int], total: int) -> dict[Id, float]:
    """Return the upper end of each cluster, from 1 downwards."""
    tops, top = {}, 1.0
    for cluster, size in sizes.items():
        tops[cluster] = top
        top -= size / total + GAP
    return tops


def _draw_flows(ax: Axes, changes: Changes, starts: dict[Id, float], ends: dict[Id, float]) -> None:
    """Draw a band for each flow, in the colour of the cluster it comes from."""
    left, right = dict(starts), dict(ends)
    total = sum(flow.count for flow in changes.flows)
    x = np.linspace(BAR_WIDTH / 2, 1 - BAR_WIDTH / 2, CURVE_POINTS)
    # A cosine joins the two heights without a corner.
    ease = (1 - np.cos(np.linspace(0, np.pi, CURVE_POINTS))) / 2
    for flow in sorted(changes.flows, key=lambda flow: (str(flow.source), str(flow.target))):
        height = flow.count / total
        top = left[flow.source] + ease * (right[flow.target] - left[flow.source])
        colour = matplotlib_colour(flow.source)
        ax.fill_between(x, top, top - height, color=colour, alpha=0.45, linewidth=0)
        left[flow.source] -= height
        right[flow.target] -= height
