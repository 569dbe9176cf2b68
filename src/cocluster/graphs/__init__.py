"""Neighbour graphs of samples or features, and the Laplacians built on them.

Rows are the objects: pass ``X.T`` for a graph of the features. A graph is a symmetric, non-negative
``csr_array`` with an empty diagonal.
"""

from cocluster.graphs.laplacians import as_graph, laplacian
from cocluster.graphs.neighbours import nearest_neighbours
from cocluster.graphs.patches import patch_laplacian
from cocluster.graphs.weights import candidate_graphs, knn_graph

__all__ = [
    "as_graph",
    "candidate_graphs",
    "knn_graph",
    "laplacian",
    "nearest_neighbours",
    "patch_laplacian",
]
