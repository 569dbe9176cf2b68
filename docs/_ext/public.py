"""List the public names, which the reference documents and the tests check."""

from __future__ import annotations

from importlib import import_module
from inspect import getmodule, isfunction
from typing import Any

# Modules whose names are public, in the order of the reference.
MODULES = {
    "cocluster": "Estimators and main functions",
    "cocluster.omics": "Cells and genes",
    "cocluster.io": "Reading files",
    "cocluster.datasets": "Example data",
    "cocluster.preprocessing": "Preprocessing",
    "cocluster.metrics": "Scores",
    "cocluster.report.plots": "Plots",
    "cocluster.report.statistics": "Features of clusters",
    "cocluster.links": "Links",
    "cocluster.interview": "Active learning",
    "cocluster.graphs": "Graphs",
    "cocluster.projects": "Projects",
    "cocluster.trifactor": "Parts of factorisations",
    "cocluster.utils.threads": "Threads",
}
# Only these names of the following modules are public; the others are internal.
SELECTED = {
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


def public_names(module: str) -> list[str]:
    """Return the public names of a module: ``__all__``, or the public functions it defines."""
    if module in SELECTED:
        return SELECTED[module]
    imported = import_module(module)
    if hasattr(imported, "__all__"):
        # Names that the top-level package exports are documented there.
        top_level = () if module == "cocluster" else import_module("cocluster").__all__
        return sorted((set(imported.__all__) - set(top_level)), key=str.lower)
    return [name for name, value in vars(imported).items() if _is_public(value, imported, name)]


def public() -> dict[str, Any]:
    """Return every public object by its full name."""
    return {
        f"{module}.{name}": getattr(import_module(module), name)
        for module in MODULES
        for name in public_names(module)
    }


def _is_public(value: Any, module: Any, name: str) -> bool:
    """Return whether a value is a public function defined in this module."""
    return isfunction(value) and getmodule(value) is module and not name.startswith("_")
