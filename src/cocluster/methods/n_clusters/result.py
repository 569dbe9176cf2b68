"""The result of the search: measurements, the decision rule, and the numbers of clusters.

The constants of the rule were chosen on planted data and on real sets. ``benchmarks/how_many.py``
compares the rule with others on ten sets, five of them from the half of the leaderboard that
chooses nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from cocluster.utils.files import new_file, wrap_read_errors
from cocluster.utils.text import json_object

# Format number of the files: raised when older files can no longer be read.
FORMAT = 1
# A grouping exists if halves agree by so many standard deviations more than independent labels
# would: of the some twenty numbers tried, no one does by chance.
SIGMAS = 4.0
# Share of its labels' information that a grouping has to pay for: the finer it is, the more must be
# found again. With a quarter, hierarchies of real texts are followed into their last twigs; with
# half, flat groupings of which halves of the data find less than half are given up.
PRICE = 1 / 3
# Where even the best number is found again by less than that, the price is this share of the best.
PRICE_OF_BEST = 0.9
# Of all numbers whose gain is within this share of the best, the smallest: gains are known to
# about a tenth, and fewer clusters are easier to understand.
GOOD_ENOUGH = 0.85
# Halves know less than the whole and so see fewer clusters. If the likelihood of the whole has its
# best number within this factor, both mean the same clusters, and the whole knows better.
SAME = 1.25


@dataclass(frozen=True)
class Line:
    """Measurements for one number of clusters.

    Attributes
    ----------
    k : int
        The number.
    stability : float
        Adjusted Rand index between what two halves of the data give: 1 if they agree, 0 if they
        agree by chance only.
    information : float
        Nats of one half's labels that the other half finds again, less what chance gives.
    possible : float
        Nats that would be found again if the halves agreed.
    null : float
        Standard deviation of ``information`` if there is nothing to find.
    icl : float or None
        Integrated classification likelihood of the whole data with so many clusters, less that
        of one cluster; None where it was not computed.
    """

    k: int
    stability: float
    information: float
    possible: float
    null: float
    icl: float | None = None

    @property
    def share(self) -> float:
        """Share of the possible information that is found again (adjusted mutual information)."""
        return self.information / self.possible if self.possible > 0 else 0.0


@dataclass(frozen=True)
class Merge:
    """One merge of a tree, in the numbering of scipy: leaves first, then merges in their order.

    ``height`` is the share of the information of the finest clusters that is lost with it, and
    ``size`` the number of objects below.
    """

    left: int
    right: int
    height: float
    size: int


@dataclass(frozen=True)
class Side:
    """The numbers of clusters of one type of objects.

    Attributes
    ----------
    name : str
        The type.
    size : int
        How many objects were looked at.
    coarse, stable, fine : int
        The number that halves of the data agree on most; the number that is recommended: the
        finest that is found again well enough; the finest that the likelihood of the whole data
        supports. All are 1 if there is no stable grouping.
    table : tuple of Line
        What they were read from.
    leaves : tuple of int
        Objects in each of the finest clusters.
    tree : tuple of Merge
        From the finest clusters to one, least loss of information first.
    words : tuple of str
        What each of the finest clusters is about: a few names of features, where they have names.
    """

    name: str
    size: int
    coarse: int
    stable: int
    fine: int
    table: tuple[Line, ...] = ()
    leaves: tuple[int, ...] = ()
    tree: tuple[Merge, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """How many clusters, and why; `choose_n_clusters` returns it.

    Attributes
    ----------
    sides : tuple of Side
        The samples, then the features of each view.
    reason : str
        The recommendation in words.
    complete : bool
        False if it was stopped before the end; give it back as ``resume=`` to go on.
    seed, k_max : int
        What it was made with.
    measured : mapping
        All measurements by step, from which everything else follows; what ``resume=`` reads.

    Examples
    --------
    >>> from cocluster import choose_n_clusters
    >>> from cocluster.datasets import make_blocks
    >>> choice = choose_n_clusters(make_blocks(200, 100, 3, random_state=0).X, random_state=0)
    >>> choice.n_clusters
    {'samples': 3, 'features': 3}
    >>> choice.rows.coarse <= choice.rows.stable <= choice.rows.fine
    True
    """

    sides: tuple[Side, ...]
    reason: str
    complete: bool
    seed: int
    k_max: int
    measured: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def n_clusters(self) -> dict[str, int]:
        """The recommended number of every type; 1 where there is no stable grouping."""
        return {side.name: side.stable for side in self.sides}

    @property
    def rows(self) -> Side:
        """The samples."""
        return self.sides[0]

    @property
    def trees(self) -> dict[str, Side]:
        """Leaves, merges and words of every type, also of those whose number was not judged."""
        measured_trees = self.measured.get("whole", {}).get("trees", {})
        by_type = {
            name: Side(name, sum(measured_tree["leaves"]), 1, 1, 1, **tree_fields(measured_tree))
            for name, measured_tree in measured_trees.items()
        }
        return by_type | {side.name: side for side in self.sides}

    @property
    def columns(self) -> Side:
        """The features of the only view."""
        _, *features = self.sides
        if len(features) != 1:
            raise AttributeError(
                f"There are {len(features)} types of features; use sides, which has all of them."
            )
        return features[0]

    def __str__(self) -> str:
        return self.reason

    def as_dict(self) -> dict[str, Any]:
        """Return the choice as JSON values, with the format number."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build a choice from the values of `as_dict`."""
        if values.get("format") != FORMAT:
            raise ValueError(
                f"A choice of format {values.get('format')} cannot be read by this version, which "
                f"knows format {FORMAT}; install the version that wrote it, or choose again."
            )
        fields = {name: value for name, value in values.items() if name != "format"}
        return cls(**fields | {"sides": tuple(_side(side) for side in fields["sides"])})

    def write(self, file: str | os.PathLike[str]) -> Path:
        """Write the choice as JSON, atomically; `read` returns it."""
        target = Path(file)
        with new_file(target) as unfinished:
            unfinished.write_text(json.dumps(self.as_dict(), indent=1) + "\n", encoding="utf-8")
        return target

    @classmethod
    def read(cls, file: str | os.PathLike[str]) -> Self:
        """Read a choice from a file of `write`."""
        file_name = str(file)
        with wrap_read_errors(file_name, UnicodeDecodeError, KeyError, TypeError, ValueError):
            return cls.from_dict(json_object(Path(file).read_text(encoding="utf-8"), file_name))


def _side(values: Mapping[str, Any]) -> Side:
    """Build a side from its JSON values."""
    table = tuple(Line(**line) for line in values["table"])
    tree = tuple(Merge(**merge) for merge in values["tree"])
    # Files of earlier versions have no words.
    lists = {name: tuple(values.get(name, ())) for name in ("leaves", "words")}
    return Side(**{**values, "table": table, "tree": tree, **lists})


def tree_fields(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Side` that describe its tree, from the measurements."""
    return {
        "leaves": tuple(measured["leaves"]),
        "tree": tuple(Merge(*merge) for merge in measured["merges"]),
        "words": tuple(measured.get("words", ())),
    }


def gain(line: Line, price: float) -> float:
    """Return the nats found again, less the price of the nats claimed."""
    return line.information - price * line.possible


def stable_number(table: Sequence[Line]) -> int:
    """Return the smallest number with about the largest gain; 1 if halves agree by chance."""
    if not any(line.information > SIGMAS * line.null for line in table):
        return 1
    price = min(PRICE, PRICE_OF_BEST * max(line.share for line in table))
    gains = {line.k: gain(line, price) for line in table}
    return min(k for k, value in gains.items() if value >= GOOD_ENOUGH * max(gains.values()))


def decide_numbers(
    name: str, size: int, table: Sequence[Line], best_likelihood: int, k_max: int
) -> Side:
    """Derive the coarse, stable and fine number of one type, without its tree."""
    stable = stable_number(table)
    if stable == 1:
        return Side(name, size, 1, 1, 1, tuple(table))
    # A best number at the end of the range is none.
    if best_likelihood < k_max and stable <= best_likelihood <= SAME * stable:
        stable = best_likelihood
    up_to_stable = [line for line in table if line.k <= stable]
    coarse = max(up_to_stable, key=lambda line: line.share).k
    return Side(name, size, coarse, stable, max(stable, best_likelihood), tuple(table))


def explain_numbers(side: Side, k_max: int) -> str:
    """Explain the number of clusters of a side in a sentence or two."""
    if not side.table:
        return f"The {side.size} {side.name} are too few to look for groups."
    if side.stable == 1:
        return (
            f"There is no stable grouping of the {side.name}: what one half of the data gives, the "
            "other half finds again no more than by chance."
        )
    nearest = min(side.table, key=lambda line: abs(line.k - side.stable))
    text = (
        f"{side.stable} clusters of {side.name} are recommended: two halves of the data find "
        f"{nearest.share:.0%} of them again (adjusted Rand index {nearest.stability:.2f}"
    )
    text += ")." if side.stable < side.fine else "), and the likelihood of the whole agrees."
    if side.coarse < side.stable:
        best = next(line for line in side.table if line.k == side.coarse)
        text += f" The clearest grouping has {side.coarse} ({best.share:.0%})."
    if side.fine > side.stable:
        bound = "at least " if side.fine >= k_max else ""
        text += f" The likelihood of the whole would support {bound}{side.fine}."
    return text
