"""Data to try co-clustering on, none of which needs a download.

``make_blocks``, ``make_star``
    Planted co-clusters of any size, with the best accuracy that anyone could reach.
"""

from cocluster.datasets.planted import Planted, PlantedStar, make_blocks, make_star

__all__ = ["Planted", "PlantedStar", "make_blocks", "make_star"]
