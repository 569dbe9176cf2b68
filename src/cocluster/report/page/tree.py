"""A tree that lies on its side: the finest clusters on the left, one cluster on the right."""

from __future__ import annotations

from dataclasses import dataclass

from cocluster.methods.how_many.choice import Merge
from cocluster.report.page.words import cut, data_table, offers, percent, scrolling, several
from cocluster.report.tables import Row
from cocluster.report.values import MergeTree
from cocluster.utils.html import Html, tag

# Width of a drawing in its own units, of what stands on its left (sizes, and words if there are
# some), and space on the right for the last percent.
WIDTH, SIZES, WORDS, RIGHT = 590, 48, 215, 18
# Height of a leaf, and of the axis above and below.
ROW, TOP, BOTTOM = 17, 20, 24
# Letters that the words of a leaf have room for.
LETTERS = 30
# Letters are drawn a little below the line that they stand on.
DROP = 4


@dataclass(frozen=True)
class _Branch:
    """A cluster of the tree: where its line runs, and where it begins."""

    y: float
    x: float


@dataclass(frozen=True, eq=False)
class _Drawing:
    """A tree on its way to a picture."""

    tree: MergeTree

    @property
    def height(self) -> float:
        """Of the whole picture."""
        return TOP + len(self.tree.leaves) * ROW + BOTTOM

    @property
    def left(self) -> float:
        """Where the leaves begin."""
        return WORDS if any(self.tree.words) else SIZES

    @property
    def cut_at(self) -> float | None:
        """Place of the line where as many clusters are left as there are; None if it has none."""
        heights = [0.0, *(merge.height for merge in self.tree.merges), 1.0]
        kept = len(self.tree.leaves) - self.tree.clusters
        if not 0 <= kept < len(self.tree.leaves):
            return None
        return self.x((heights[kept] + heights[kept + 1]) / 2)

    def x(self, height: float) -> float:
        """Place of a loss of information."""
        return self.left + height * (WIDTH - self.left - RIGHT)

    def branches(self) -> list[_Branch]:
        """Where the line of each cluster runs: the leaves, then what they become."""
        place = {leaf: i for i, leaf in enumerate(_order(self.tree))}
        leaves = range(len(self.tree.leaves))
        found = [_Branch(TOP + (place[i] + 0.5) * ROW, self.x(0.0)) for i in leaves]
        for merge in self.tree.merges:
            ends = found[merge.left], found[merge.right]
            found.append(_Branch(sum(end.y for end in ends) / 2, self.x(merge.height)))
        return found


def tree_figure(tree: MergeTree, rows: list[Row]) -> Html:
    """One tree with its table; ``rows`` are its merges."""
    n = len(tree.leaves)
    title = f"How clusters of {tree.type} come together"
    drawn = _Drawing(tree)
    drawing = tag(
        "svg",
        _axis(drawn),
        _leaves(drawn),
        _lines(drawn),
        _cut_line(drawn),
        viewBox=f"0 0 {WIDTH} {drawn.height}",
        class_="chart tree",
        role="img",
        aria_label=f"{title}: {_told(tree)}",
    )
    what = "with what they are about and their sizes" if any(tree.words) else "with their sizes"
    about = (
        f"{n} fine clusters on the left, {what}. Further to the right those are joined that are "
        "most alike; the scale is the information that is lost. Coloured: up to the cut."
    )
    table = data_table(
        f"Merges of {tree.type}",
        ["clusters left", "first", "second", "size", "information lost"],
        [
            [n - 1 - i, *_ends(tree, merge), f"{merge.size:,}", percent(merge.height)]
            for i, merge in enumerate(tree.merges)
        ],
    )
    return tag(
        "figure",
        tag("h3", f"{title}: cut at {tree.clusters}"),
        scrolling(drawing, title),
        tag("figcaption", about),
        tag("details", tag("summary", "As a table"), table),
        offers(rows, "merges", f"merges-{tree.type}"),
    )


def _told(tree: MergeTree) -> str:
    """The tree in words."""
    last = tree.merges[-3:]
    left = range(len(last), 0, -1)
    steps = [f"{k} left: {percent(m.height)}" for k, m in zip(left, last, strict=True)]
    return f"{len(tree.leaves)} leaves, information lost with " + ", ".join(steps)


def _ends(tree: MergeTree, merge: Merge) -> list[str]:
    """The two clusters of a merge in words."""
    n = len(tree.leaves)
    return [
        (tree.words[i] or f"leaf {i}") if i < n else f"merge to {2 * n - 1 - i}"
        for i in (merge.left, merge.right)
    ]


def _order(tree: MergeTree) -> list[int]:
    """The leaves from top to bottom, so that no lines cross; the larger branch first."""
    below: list[list[int]] = [[i] for i in range(len(tree.leaves))]
    sizes = list(tree.leaves)
    for merge in tree.merges:
        ends = sorted((merge.left, merge.right), key=lambda i: -sizes[i])
        below.append([leaf for end in ends for leaf in below[end]])
        sizes.append(merge.size)
    return below[-1]


def _lines(drawn: _Drawing) -> list[Html]:
    """What joins clusters: left of the cut in the colour of lines, right of it grey."""
    tree, branches, cut_at = drawn.tree, drawn.branches(), drawn.cut_at
    kept = len(tree.leaves) - tree.clusters
    stem, own = "", ""
    for i, merge in enumerate(tree.merges):
        at = branches[len(tree.leaves) + i].x
        one, other = ends = branches[merge.left], branches[merge.right]
        path = f"{one.x:.1f} {one.y:.1f}H{at:.1f}V{other.y:.1f}H{other.x:.1f}"
        if i < kept:
            own += f"M{path}"
            continue
        stem += f"M{path}"
        # Lines that cross the cut are those of the clusters, up to there.
        for end in ends:
            if cut_at is not None and end.x < cut_at:
                own += f"M{end.x:.1f} {end.y:.1f}H{cut_at:.1f}"
    paths = {"stem": stem, "line line-0": own}
    return [tag("path", d=d, class_=name) for name, d in paths.items() if d]


def _leaves(drawn: _Drawing) -> list[Html]:
    """Words and sizes of the leaves."""
    tree, texts = drawn.tree, []
    for branch, words, size in zip(drawn.branches(), tree.words, tree.leaves, strict=False):
        text = f"{cut(words, LETTERS)} · {size:,}" if words else f"{size:,}"
        place = {"x": f"{drawn.left - 8}", "y": f"{branch.y + DROP:.1f}"}
        texts.append(tag("text", text, class_="end", **place))
    return texts


def _axis(drawn: _Drawing) -> list[Html]:
    """The scale, in percent."""
    marks: list[Html] = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, low = f"{drawn.x(share):.1f}", drawn.height - BOTTOM
        marks.append(tag("path", d=f"M{x} {TOP}V{low}", class_="grid"))
        marks.append(tag("text", f"{share:.0%}", x=x, y=drawn.height - DROP, class_="middle"))
    return marks


def _cut_line(drawn: _Drawing) -> list[Html]:
    """Where as many clusters are left as there are."""
    at = drawn.cut_at
    if at is None:
        return []
    words = several(drawn.tree.clusters, "cluster")
    return [
        tag("path", d=f"M{at:.1f} {TOP}V{drawn.height - BOTTOM}", class_="chosen"),
        tag("text", words, x=f"{at:.1f}", y=TOP - 7, class_="middle"),
    ]
