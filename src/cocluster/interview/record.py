"""The answers of an interview in order, and the links that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cocluster.interview.beliefs import Beliefs, KnownPairs
from cocluster.interview.contradictions import credible_links, drop_contradictions
from cocluster.interview.queries import SIGNS, Answered, Hint
from cocluster.linalg.types import Array
from cocluster.links import Links

# Pseudo-counts: before any answer, groups confused by a share c are taken to be one group with a
# probability of 2 c, as if one confusion had been resolved as "same" twice.
PRIOR_SAME, PRIOR_CONFUSION = 2.0, 1.0

# Positions of two samples and the answer about them.
PairAnswer = tuple[int, int, str]


@dataclass(frozen=True, eq=False)
class Record:
    """The answers and hints of an interview so far. It is immutable: an answer makes a new record.

    Attributes
    ----------
    initial_links : Links
        Links from before the first question.
    answers : tuple of Answered
        The answers in order.
    hints : tuple of Hint
        The answers about features, in order.
    founders : mapping of int to int
        Samples that founded a group without an answer, and the number of answers at that time.
    links : Links
        The initial links and the answers, "unsure" ones included.
    """

    initial_links: Links
    answers: tuple[Answered, ...] = ()
    hints: tuple[Hint, ...] = ()
    founders: Mapping[int, int] = field(default_factory=dict)
    links: Links = field(init=False)

    def __post_init__(self) -> None:
        # Computed at once, so that an answer about a sample that does not exist is refused here.
        pairs = [(answer.i, answer.j, answer.answer) for answer in self.answers]
        links = self.initial_links | self._as_links(pairs) if pairs else self.initial_links
        object.__setattr__(self, "links", links)

    def links_with(self, *pairs: PairAnswer) -> Links:
        """Return the links with more answers."""
        return self.links | self._as_links(pairs)

    def _as_links(self, pairs: Sequence[PairAnswer]) -> Links:
        """Convert answers to links."""
        samples = np.array([pair[:2] for pair in pairs])
        signs = np.array([SIGNS[answer] for _, _, answer in pairs])
        return Links(len(self.initial_links), samples, signs, np.ones(len(pairs)))

    def truncate(self, n: int) -> Record:
        """Return the record as it was after n answers; hints stay."""
        founders = {sample: at for sample, at in self.founders.items() if at <= n}
        return replace(self, answers=self.answers[:n], founders=founders)

    def add_founders(self, *samples: int) -> Record:
        """Return the record in which these samples are groups."""
        founders = dict.fromkeys(samples, len(self.answers)) | dict(self.founders)
        return replace(self, founders=founders)

    @property
    def is_empty(self) -> bool:
        """Whether a fit would be the same without the interview."""
        return self.links.n_must + self.links.n_cannot + len(self.hints) == 0

    @property
    def compared_samples(self) -> frozenset[int]:
        """Samples with an answer (not "unsure"), one sample of each initial group, and founders."""
        answered = {i for a in self.answers if SIGNS[a.answer] for i in (a.i, a.j)}
        initial = {int(group[0]) for group in KnownPairs(self.initial_links).distinct_groups()}
        return frozenset(answered | initial | set(self.founders))

    @property
    def merge_rate(self) -> float:
        """Answers of "same" about two confused groups, per unit of confusion."""
        answers = [a for a in self.answers if a.confusion and SIGNS[a.answer]]
        n_same = sum(answer.answer == "same" for answer in answers) + PRIOR_SAME
        return n_same / (sum(answer.confusion for answer in answers) + PRIOR_CONFUSION)

    def consistent_links(self, beliefs: Beliefs, errors: float) -> Links:
        """Return the links that count: not contradicted, or credible if answers may be wrong."""
        if not errors or not self.answers:
            return drop_contradictions(self.links, beliefs)[0]
        n_initial = len(self.initial_links.pairs)
        chances: Array = np.ones(n_initial + len(self.answers))
        chances[n_initial:] = [answer.chance for answer in self.answers]
        return credible_links(self.links, chances, errors)
