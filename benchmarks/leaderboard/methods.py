"""Who takes part: the front door, its former rule, the peers, our methods."""

from __future__ import annotations

from typing import Any

from benchmarks.leaderboard.former import FORMER, former_rule
from benchmarks.leaderboard.peers import AT_HAND, PEERS, REFERENCE, TRIMMED, Fit, beside
from cocluster import CoCluster
from cocluster.methods.catalogue import METHODS

__all__ = ["COMPARED", "FORMER", "FRONT", "PARTICIPANTS", "PEERS", "REFERENCE", "TRIMMED", "Fit"]
FRONT = "CoCluster"


def _ours(name: str) -> Fit:
    """A method of ours, on the views themselves where it takes many."""

    def fit(X: Any, k: int, seed: int) -> Any:
        data = X if METHODS[name].many_types else beside(X)
        return CoCluster(k, name, random_state=seed).fit(data).labels_

    return fit


COMPARED = (FRONT, FORMER, *PEERS)
PARTICIPANTS: dict[str, Fit] = {
    FRONT: lambda X, k, seed: CoCluster(k, random_state=seed).fit(X).labels_,
    FORMER: former_rule,
    **AT_HAND,
    **{name: _ours(name) for name in METHODS},
}
