"""Coordinates of the SVG drawings of the page: line charts and merge trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cocluster.report.formatting import percent
from cocluster.report.values import MergeTree

# Number of labels below a line chart: more would overlap.
TICKS = 10
# Height of a leaf of a tree, in units of the drawing.
LEAF_HEIGHT = 17


@dataclass(frozen=True)
class LinePlot:
    """A line chart of 640 by 220 units: values over increasing numbers.

    Attributes
    ----------
    numbers : sequence of int
        The numbers along the horizontal axis.
    low, high : float
        The values at the bottom and at the top.
    """

    numbers: Sequence[int]
    low: float
    high: float
    left: int = 44
    right: int = 632
    top: int = 8
    bottom: int = 194

    @property
    def ticks(self) -> Sequence[int]:
        """Numbers that are written below the axis."""
        return self.numbers[:: max(1, len(self.numbers) // TICKS)]

    def x(self, number: float) -> float:
        """Return the horizontal position of a number."""
        first, last = self.numbers[0], self.numbers[-1]
        return self.left + (number - first) * (self.right - self.left) / ((last - first) or 1)

    def y(self, value: float) -> float:
        """Return the vertical position of a value between ``low`` and ``high``."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.bottom + share * (self.top - self.bottom)

    def line(self, values: Sequence[float]) -> str:
        """Return the SVG path through a value for each number; values below ``low`` are cut."""
        points = zip(self.numbers, values, strict=True)
        return "M" + "L".join(f"{self.x(n):.1f} {self.y(max(v, self.low)):.1f}" for n, v in points)

    def area(self, values: Sequence[float]) -> str:
        """Return the SVG path around the area below a line; values above ``high`` are cut."""
        line = self.line([min(value, self.high) for value in values])
        return f"{line}L{self.right:.1f} {self.bottom:.1f}L{self.left:.1f} {self.bottom:.1f}Z"


class Branch(NamedTuple):
    """The line of a cluster in a drawn tree: its height, and where it begins."""

    y: float
    x: float


@dataclass(frozen=True, eq=False)
class TreePlot:
    """A merge tree that lies on its side: leaves on the left, the root on the right."""

    tree: MergeTree
    width: int = 590
    top: int = 20

    @property
    def left(self) -> int:
        """Left end of the leaves, right of their sizes and words."""
        return 215 if any(self.tree.words) else 48

    @property
    def bottom(self) -> int:
        """Where the last leaf ends."""
        return self.top + len(self.tree.leaves) * LEAF_HEIGHT

    @property
    def height(self) -> int:
        """Height of the drawing, with the axis below the leaves."""
        return self.bottom + 24

    @property
    def description(self) -> str:
        """The last merges in words, for screen readers."""
        last = self.tree.merges[-3:]
        steps = [f"{len(last) - i} left: {percent(m.height)}" for i, m in enumerate(last)]
        return f"{len(self.tree.leaves)} leaves, information lost with {', '.join(steps)}"

    @property
    def cut(self) -> float | None:
        """Position of the cut: the tree has one branch per cluster there; None without a cut."""
        heights = [0.0, *(merge.height for merge in self.tree.merges), 1.0]
        n_merges = len(self.tree.leaves) - self.tree.clusters
        if not 0 <= n_merges < len(self.tree.leaves):
            return None
        return self.x((heights[n_merges] + heights[n_merges + 1]) / 2)

    def x(self, height: float) -> float:
        """Return the horizontal position of a loss of information."""
        # 18 units on the right are for the label of 100 %.
        return self.left + height * (self.width - self.left - 18)

    @cached_property
    def branches(self) -> list[Branch]:
        """The branches of all leaves, then of all merges."""
        rank = {leaf: i for i, leaf in enumerate(self._leaf_order())}
        branches = [
            Branch(self.top + (rank[i] + 0.5) * LEAF_HEIGHT, self.x(0.0)) for i in range(len(rank))
        ]
        for merge in self.tree.merges:
            y = (branches[merge.left].y + branches[merge.right].y) / 2
            branches.append(Branch(y, self.x(merge.height)))
        return branches

    @property
    def lines(self) -> tuple[str, str]:
        """SVG paths of the lines right of the cut, and of those left of it."""
        n, cut = len(self.tree.leaves), self.cut
        right, left = "", ""
        for i, merge in enumerate(self.tree.merges):
            first, second = self.branches[merge.left], self.branches[merge.right]
            x = self.branches[n + i].x
            path = f"M{first.x:.1f} {first.y:.1f}H{x:.1f}V{second.y:.1f}H{second.x:.1f}"
            if i < n - self.tree.clusters:
                left += path
                continue
            right += path
            # A branch that crosses the cut is that of a cluster up to there.
            for branch in (first, second):
                if cut is not None and branch.x < cut:
                    left += f"M{branch.x:.1f} {branch.y:.1f}H{cut:.1f}"
        return right, left

    def _leaf_order(self) -> list[int]:
        """Return the leaves from top to bottom so that no lines cross, larger branches first."""
        members: list[list[int]] = [[i] for i in range(len(self.tree.leaves))]
        sizes = list(self.tree.leaves)
        for merge in self.tree.merges:
            ends = sorted((merge.left, merge.right), key=lambda i: -sizes[i])
            members.append([leaf for end in ends for leaf in members[end]])
            sizes.append(merge.size)
        return members[-1]
