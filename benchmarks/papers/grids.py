"""Scalings and grids that tables of several papers search."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.protocol import Scales

Grid = dict[str, tuple[Any, ...]]
# The papers do not say how data are scaled: every method searches the same scalings.
TEXT: Scales = (None, "l2", "tfidf", "degree")
# Of counts also logarithms, which is what brings k-means to the figures of zhang2012.
COUNTS: Scales = (None, "l2", "tfidf", "log l2", "log tfidf")
IMAGE: Scales = (None, "l2")
GENE: Scales = (None, "l2", "log l2", "range")
# Settings that a search ends with (see `search.stages`).
FINALISTS = 2
NEIGHBORS = tuple(range(1, 11))
# Starts of factorisations, where the papers do not say them for all methods.
START: Grid = {"init": ("spectral", "kmeans")}
# Factors without a graph become labels by their largest entry, or by k-means as those with one.
ASSIGN: Grid = {"assign": ("argmax", "kmeans")}
# How long a factorisation goes on: the papers say "until convergence", wang2011 prints 48 to 129
# sweeps for DRCC. A thousand are better on images and worse on texts (NOTES.md).
SWEEPS: Grid = {"max_iter": (25, 50, 200, 1000)}
# Methods whose objective falls for so long begin the search at both ends.
ENDS: Grid = {"max_iter": (25, 1000)}
