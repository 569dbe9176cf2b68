"""Which names are public: those that the reference has, and that the tests look at."""

from __future__ import annotations

from importlib import import_module
from inspect import getmodule, isfunction
from typing import Any

# Modules whose names are public, in the order of the reference.
MODULES = {
    "cocluster": "The front door",
    "cocluster.omics": "Cells and genes",
    "cocluster.io": "Files",
    "cocluster.datasets": "Data to try",
    "cocluster.preprocessing": "Preparation",
    "cocluster.metrics": "Scores",
    "cocluster.report.plots": "Pictures",
    "cocluster.report.statistics": "Features of clusters",
    "cocluster.links": "Links",
    "cocluster.interview": "Asking",
    "cocluster.graphs": "Graphs",
    "cocluster.projects": "Projects",
    "cocluster.trifactor": "Parts of factorisations",
    "cocluster.utils.threads": "Threads",
}
# Of these modules only some names are for users; the others serve the rest of the library.
SOME = {
    "cocluster.graphs": ["candidate_graphs", "knn_graph", "laplacian", "nearest_neighbours"],
    "cocluster.links": ["Closure", "Conflict", "Labelling", "Violations"],
    "cocluster.report.statistics": ["characteristic_features"],
    "cocluster.preprocessing": [
        "DocumentCategory",
        "GeneScreen",
        "ImageFeatures",
        "sentence_model",
        "TopByVariance",
        "TopGenesByFirstComponent",
        "TopWordsByMutualInformation",
        "WordCounter",
    ],
    "cocluster.trifactor": [
        "Free",
        "Identity",
        "Indicator",
        "NonNegative",
        "NonNegativeAssociation",
        "Orthogonal",
        "PairTerms",
        "Prior",
        "SpectralAnchor",
        "Unconstrained",
    ],
    "cocluster.utils.threads": ["count", "limit"],
}


def names_of(module: str) -> list[str]:
    """The public names of a module: ``__all__``, or its own functions without an underscore."""
    if module in SOME:
        return SOME[module]
    found = import_module(module)
    if hasattr(found, "__all__"):
        # What the front door has is told there.
        front = () if module == "cocluster" else import_module("cocluster").__all__
        return sorted((set(found.__all__) - set(front)), key=str.lower)
    return [name for name, value in vars(found).items() if _own(value, found, name)]


def public() -> dict[str, Any]:
    """Every public object by its full name."""
    return {
        f"{module}.{name}": getattr(import_module(module), name)
        for module in MODULES
        for name in names_of(module)
    }


def _own(value: Any, module: Any, name: str) -> bool:
    """Whether a function was written in this module to be used."""
    return isfunction(value) and getmodule(value) is module and not name.startswith("_")
