"""Clusters of one fit found again in another: ids, names and colours stay where objects stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cocluster.linalg.types import Array
from cocluster.report.subject import Clusters


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two clusterings of the same objects, cluster by cluster.

    Attributes
    ----------
    before, after : Clusters
    """

    before: Clusters
    after: Clusters

    @cached_property
    def table(self) -> Array:
        """Objects in both clusters, for each pair of them."""
        found = self.before.partition.sparse().T @ self.after.partition.sparse()
        return np.asarray(found.toarray(), dtype=np.int64)

    @cached_property
    def partners(self) -> dict[int, int]:
        """The cluster before that each cluster after continues, by their positions.

        One to one, with as many objects as possible in a cluster that goes on; a cluster that
        would share no object with its partner has none.
        """
        pairs = zip(*linear_sum_assignment(self.table, maximize=True), strict=True)
        return {int(b): int(a) for a, b in pairs if self.table[a, b] > 0}

    @cached_property
    def ids(self) -> Array:
        """New id of each cluster after: that of the one it continues, else one not used before."""
        fresh = _fresh_ids(self.before.ids)
        known = self.before.ids.tolist()
        return np.array(
            [
                known[self.partners[b]] if b in self.partners else next(fresh)
                for b in range(len(self.after))
            ]
        )

    @property
    def labels(self) -> Array:
        """The labels after, in the ids of those before."""
        return np.asarray(self.ids[self.after.codes])

    @property
    def agreement(self) -> float:
        """Share of the objects that stay in their cluster."""
        stay = sum(int(self.table[a, b]) for b, a in self.partners.items())
        return stay / len(self.before.codes)

    def overlap(self, a: int, b: int) -> float:
        """Objects in both of two clusters over those in either (Jaccard)."""
        common = int(self.table[a, b])
        either = int(self.table[a].sum()) + int(self.table[:, b].sum()) - common
        return common / either if either else 0.0


def aligned(before: Any, after: Any) -> Alignment:
    """Find the clusters of one labelling again in another.

    Examples
    --------
    >>> found = aligned([0, 0, 1, 1, 2], [5, 5, 3, 3, 3])
    >>> found.labels.tolist(), found.agreement
    ([0, 0, 1, 1, 1], 0.8)
    """
    return Alignment(Clusters.of(np.asarray(before)), Clusters.of(np.asarray(after)))


def _fresh_ids(before: Array) -> Iterator[Any]:
    """Ids that nothing had before: the next numbers, or texts that say that they are new."""
    taken = set(before.tolist())
    if before.dtype.kind in "iu":
        yield from count(max(taken) + 1)
    for text in (f"new {number}" for number in count(1)):
        if text not in taken:
            yield text
