"""Data to try co-clustering on, none of which needs a download.

``make_blocks``, ``make_star``
    Planted co-clusters of any size, with the best accuracy that anyone could reach.
``load_docstrings``
    A real corpus that every installation carries: the docstrings of numpy, scipy and scikit-learn.
"""

from cocluster.datasets.docstrings import Corpus, load_docstrings
from cocluster.datasets.planted import Planted, PlantedStar, make_blocks, make_star

__all__ = ["Corpus", "Planted", "PlantedStar", "load_docstrings", "make_blocks", "make_star"]
