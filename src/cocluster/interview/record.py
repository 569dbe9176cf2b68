"""Everything that was said in an interview, and the links that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cocluster.interview.doubts import credible, without_contradictions
from cocluster.interview.knowledge import SIGNS, Answered, Hint, Known
from cocluster.interview.understanding import Understanding
from cocluster.linalg.types import Array
from cocluster.links import Links

# At first groups that are confused by a share c are taken to be one with a chance of 2 c, as if one
# confusion had been resolved so twice; then the answers tell.
PRIOR_SAME, PRIOR_CONFUSION = 2.0, 1.0

# Positions of two samples, and what was said of them.
Row = tuple[int, int, str]


@dataclass(frozen=True, eq=False)
class Record:
    """What was said so far; whatever is said next makes another record.

    Attributes
    ----------
    given : Links
        What was known before the first question.
    log : tuple of Answered
        The answers in order.
    hints : tuple of Hint
        What was said of features, in order.
    opened : mapping of int to int
        Samples that became groups without an answer, and after how many answers they did.
    links : Links
        What was known before and the answers, "unsure" ones included.
    """

    given: Links
    log: tuple[Answered, ...] = ()
    hints: tuple[Hint, ...] = ()
    opened: Mapping[int, int] = field(default_factory=dict)
    links: Links = field(init=False)

    def __post_init__(self) -> None:
        # Made at once, so that answers on samples that there are not are refused here.
        rows = [(own.i, own.j, own.answer) for own in self.log]
        object.__setattr__(self, "links", self.given | self._table(rows) if rows else self.given)

    def links_with(self, *rows: Row) -> Links:
        """The same with more answers."""
        return self.links | self._table(rows)

    def _table(self, rows: Sequence[Row]) -> Links:
        """Answers as links."""
        pairs = np.array([row[:2] for row in rows])
        signs = np.array([SIGNS[row[2]] for row in rows])
        return Links(len(self.given), pairs, signs, np.ones(len(rows)))

    def until(self, n: int) -> Record:
        """The record as it was after n answers; hints stay."""
        opened = {x: at for x, at in self.opened.items() if at <= n}
        return replace(self, log=self.log[:n], opened=opened)

    def opening(self, *samples: int) -> Record:
        """With samples as groups, unless they are groups already."""
        return replace(self, opened=dict.fromkeys(samples, len(self.log)) | dict(self.opened))

    @property
    def says_nothing(self) -> bool:
        """Whether a fit would be that without an interview."""
        return self.links.n_must + self.links.n_cannot + len(self.hints) == 0

    @property
    def touched(self) -> frozenset[int]:
        """Samples that something is known of: one of each group given, and all that were told."""
        told = {i for own in self.log if SIGNS[own.answer] for i in (own.i, own.j)}
        before = {int(group[0]) for group in Known(self.given).groups()}
        return frozenset(told | before | set(self.opened))

    @property
    def same_per_confusion(self) -> float:
        """How often groups that were confused turned out to be one, for each confusion."""
        resolved = [own for own in self.log if own.confusion and SIGNS[own.answer]]
        same = sum(own.answer == "same" for own in resolved) + PRIOR_SAME
        return same / (sum(own.confusion for own in resolved) + PRIOR_CONFUSION)

    def in_force(self, stated: Understanding, errors: float) -> Links:
        """The answers that count: not contradicted, or believed where people may err."""
        if not errors or not self.log:
            return without_contradictions(self.links, stated)[0]
        chances: Array = np.ones(len(self.given.pairs) + len(self.log))
        chances[len(self.given.pairs) :] = [own.chance for own in self.log]
        return credible(self.links, chances, errors)
