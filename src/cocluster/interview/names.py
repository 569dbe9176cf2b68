"""How samples and features are called, and which of them a name means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.interview.knowledge import Query
from cocluster.linalg.types import Array
from cocluster.utils.checks import check_integer


@dataclass(frozen=True, eq=False)
class Names:
    """Names of the samples and of the features of the first view.

    Attributes
    ----------
    data : RelationalData
    ids : array of str or None
        Ids of the samples; without them they are called by their positions.
    titles : sequence of str or None
        What each sample is about.
    """

    data: RelationalData
    ids: Array | None
    titles: Sequence[str] | None

    def sample(self, sample: int | str) -> int:
        """Position of a sample that is given by position or id."""
        if not isinstance(sample, str):
            return check_integer(sample, "sample", 0)
        found = [] if self.ids is None else np.flatnonzero(self.ids == sample).tolist()
        if not found:
            raise ValueError(f"There is no sample with the id {sample!r}.")
        return int(found[0])

    def feature(self, feature: int | str) -> int:
        """Position of a feature of the first view that is given by position or name."""
        kind = self.data.relations[0].cols
        size, names = self.data.size(kind), self.data.names.get(kind)
        if isinstance(feature, str):
            found = [] if names is None else np.flatnonzero(np.asarray(names) == feature).tolist()
            if not found:
                raise ValueError(f"There is no feature called {feature!r} among the {kind}.")
            return int(found[0])
        position = check_integer(feature, "feature", 0)
        if position >= size:
            raise ValueError(f"feature {position} is out of range, there are {size} {kind}.")
        return position

    def named(self, query: Query) -> Query:
        """A question with names for what it is about."""
        one, other = self._called(query.i), self._called(query.j)
        if query.about_feature:
            names = self.data.names.get(self.data.relations[0].cols)
            other = (str(query.j if names is None else names[query.j]),) * 2
        return replace(query, ids=(one[0], other[0]), titles=(one[1], other[1]))

    def _called(self, sample: int) -> tuple[str, str]:
        """Id and title of a sample."""
        name = str(sample if self.ids is None else self.ids[sample])
        return name, name if self.titles is None else str(self.titles[sample])
