"""The catalogue for tests of data in blocks: what each method needs to be compared with memory."""

from __future__ import annotations

import inspect
from typing import Any

import scipy.sparse as sp

import cocluster
from cocluster.graphs import knn_graph
from cocluster.methods.catalogue import METHODS

# Every method with its default parameters, options that take another path, and the front door.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (method.name, {}) for name, method in METHODS.items()},
    "osntf fast": ("OSNTF", {"fast": True}),
    "ssnmf cosine": ("SSNMF", {"affinity": "cosine"}),
    "auto": ("CoCluster", {}),
}
TAKING = [case for case in CASES if case.split()[0] == "auto" or METHODS[case.split()[0]].blocks]
REFUSING = [case for case in CASES if case not in TAKING]
# Enough for every step to meet what another has left. On Dask a sweep is tens of messages.
SWEEPS = 4


def fitted(case: str, X: Any, of: sp.csr_array, **fitting: Any) -> Any:
    """One case of the catalogue, fitted to X, which holds the matrix ``of``.

    Graphs of features in blocks are approximate, so the graph methods are given graphs.
    """
    name, parameters = CASES[case]
    estimator = getattr(cocluster, name)
    if "max_iter" in inspect.signature(estimator).parameters:
        parameters = {"max_iter": SWEEPS, **parameters}
    # What `CoCluster` does by default takes none.
    if name != "CoCluster" and "graphs" in inspect.signature(estimator.fit).parameters:
        fitting["graphs"] = {"samples": knn_graph(of, 5), "features": knn_graph(of.T.tocsr(), 5)}
    return estimator(3, random_state=0, **parameters).fit(X, **fitting)
