"""Data to try co-clustering on.

``make_blocks``, ``make_star``
    Planted co-clusters of any size, with the best accuracy that anyone could reach.
``load_docstrings``
    A real corpus that every installation carries: the docstrings of numpy, scipy and scikit-learn.
``list_datasets``, ``fetch``
    Real data sets by name, from a folder, a cache or a mirror.
"""

from cocluster.datasets.docstrings import Corpus, load_docstrings, write_docstrings
from cocluster.datasets.fetch import fetch
from cocluster.datasets.planted import Planted, PlantedStar, make_blocks, make_star
from cocluster.datasets.registry import DatasetInfo, dataset_info, list_datasets
from cocluster.io.dataset import Dataset

__all__ = [
    "Corpus",
    "Dataset",
    "DatasetInfo",
    "Planted",
    "PlantedStar",
    "dataset_info",
    "fetch",
    "list_datasets",
    "load_docstrings",
    "make_blocks",
    "make_star",
    "write_docstrings",
]
