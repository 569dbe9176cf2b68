"""Pictures of co-clusters; they need matplotlib, the extra ``cocluster[plot]``.

    plot_matrix       the data, rows and columns sorted by cluster, with names
    plot_association  the association of clusters and groups of features
    plot_features     the characteristic features of a cluster
    plot_margins      the margins of the samples of each cluster
    plot_stability    the stability of the clusters in refits
    plot_objective    the objective after each sweep
    plot_flows        the moves of samples between two fits
    plot_choice       the choice of the number of clusters
    plot_reordering   a matrix before and after sorting, from labels alone

Each but the last draws on the ``Axes`` it is given, or on new ones, and returns them.
"""

from cocluster.report.plots.clusters import (
    plot_features,
    plot_flows,
    plot_margins,
    plot_objective,
    plot_stability,
)
from cocluster.report.plots.matrices import plot_association, plot_matrix, plot_reordering
from cocluster.report.plots.n_clusters import plot_choice

__all__ = [
    "plot_association",
    "plot_choice",
    "plot_features",
    "plot_flows",
    "plot_margins",
    "plot_matrix",
    "plot_objective",
    "plot_reordering",
    "plot_stability",
]
