"""Questions, answers, and the names of the samples and features they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.utils.checks import check_integer

# Sign of a pair in `Links` for each answer.
SIGNS = {"same": 1, "different": -1, "unsure": 0}

# Up to this many clusters, questions are about pairs. With two or three clusters, one or two
# answers of "same" or "different" place a sample, and nobody has to read a list. With more,
# "different" says little: on 20 newsgroups, 50 placements gain eight points and 50 pairs lose two.
FEW_CLUSTERS = 3


def default_kind(n_clusters: int) -> str:
    """Return the kind of question to begin with, as `Interview.next_queries` takes it.

    >>> default_kind(2), default_kind(20)
    ('pair', 'place')
    """
    return "pair" if n_clusters <= FEW_CLUSTERS else "place"


@dataclass(frozen=True)
class Query:
    """A question: do samples i and j belong together? `Interview.next_queries` makes it.

    Attributes
    ----------
    i, j : int
        Positions of the samples. If the question is to place a sample among groups, j is that
        sample and i the most typical member of a group.
    reason : str
        Why this pair.
    score : float
        How much the strategy prefers this question, from 0 to 1; comparable between questions with
        the same reason.
    ids, titles : tuple of two str
        Ids and titles of the samples; the id again for samples without a title.
    changes : str
        What the answer would change.
    options : tuple of int
        For a question "which of these groups, or none?": the most typical sample of each group,
        the most probable group first. Empty for a pair.
    about_feature : bool
        Whether j is the position of a feature: does it belong to the group of sample i?
    """

    i: int
    j: int
    reason: str
    score: float
    ids: tuple[str, str] = ("", "")
    titles: tuple[str, str] = ("", "")
    changes: str = ""
    options: tuple[int, ...] = ()
    about_feature: bool = False


@dataclass(frozen=True)
class Answered:
    """An answer, as `Interview.answer` records it.

    Attributes
    ----------
    i, j : int
        Positions of the samples.
    answer : {"same", "different", "unsure"}
    n_implied : int
        Number of pairs the answer settled, its own included; 0 if it was implied before or is
        "unsure".
    n_decided : int
        Number of samples whose most probable group changed.
    confusion : float
        Share by which the groups of the two samples were confused, if they were in two groups;
        else 0.
    chance : float
        Predicted probability of "same" if answers may be wrong; else 1.
    """

    i: int
    j: int
    answer: str
    n_implied: int
    n_decided: int = 0
    confusion: float = 0.0
    chance: float = 1.0


@dataclass(frozen=True)
class Hint:
    """An answer about a feature: whether it belongs to the group of a sample.

    Attributes
    ----------
    feature : int
        Position of the feature in the first view.
    sample : int
        Position of a sample of the group in question.
    answer : {"same", "different", "unsure"}
    """

    feature: int
    sample: int
    answer: str


@dataclass(frozen=True)
class Moved:
    """A sample that a refit has moved to another cluster.

    Attributes
    ----------
    sample : int
        Position of the sample.
    before, after : int
        Its cluster before and after the refit.
    follows : int
        The nearest sample with an answer (the sample itself if it has one): why it moved.
    """

    sample: int
    before: int
    after: int
    follows: int


@dataclass(frozen=True, eq=False)
class NameLookup:
    """Names of the samples and of the features of the first view.

    Attributes
    ----------
    data : RelationalData
    ids : array of str or None
        Ids of the samples; without ids a sample is named by its position.
    titles : sequence of str or None
        A short description of each sample.
    """

    data: RelationalData
    ids: Array | None
    titles: Sequence[str] | None

    def sample_index(self, sample: int | str) -> int:
        """Return the position of a sample that is given by position or id."""
        if isinstance(sample, str):
            return _find(self.ids, sample, f"There is no sample with the id {sample!r}.")
        return check_integer(sample, "sample", 0)

    def feature_index(self, feature: int | str) -> int:
        """Return the position of a feature of the first view that is given by position or name."""
        kind = self.data.relations[0].cols
        if isinstance(feature, str):
            error = f"There is no feature called {feature!r} among the {kind}."
            return _find(self.data.names.get(kind), feature, error)
        position, size = check_integer(feature, "feature", 0), self.data.size(kind)
        if position >= size:
            raise ValueError(f"feature {position} is out of range, there are {size} {kind}.")
        return position

    def add_names(self, query: Query) -> Query:
        """Return the query with ids and titles filled in."""
        i_id, i_title = self._id_and_title(query.i)
        if query.about_feature:
            names = self.data.names.get(self.data.relations[0].cols)
            j_id = j_title = str(query.j if names is None else names[query.j])
        else:
            j_id, j_title = self._id_and_title(query.j)
        return replace(query, ids=(i_id, j_id), titles=(i_title, j_title))

    def _id_and_title(self, sample: int) -> tuple[str, str]:
        """Return the id and the title of a sample."""
        name = str(sample if self.ids is None else self.ids[sample])
        return name, name if self.titles is None else str(self.titles[sample])


def _find(names: Array | None, name: str, error: str) -> int:
    """Return the first position of a name; raise ValueError with this message if it is missing."""
    positions = np.flatnonzero(np.asarray(() if names is None else names) == name)
    if not len(positions):
        raise ValueError(error)
    return int(positions[0])
