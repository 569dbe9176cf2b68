"""Lines: how the number of clusters was chosen, and how the objective fell."""

from __future__ import annotations

from collections.abc import Sequence

from cocluster.report.page.tree import tree_figure
from cocluster.report.page.words import data_table, figure_of, offers, section
from cocluster.report.tables import rows_of
from cocluster.report.values import AccountContents, MergeTree, RecommendedNumbers
from cocluster.utils.html import Html, tag

# Size of a drawing in its own units, and the space for the axes.
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 220, 44, 26
# Letters are drawn a little below the line that they stand on.
DROP = 4

Points = Sequence[tuple[float, float]]


def choice(account: AccountContents) -> Html | None:
    """Why so many clusters."""
    found = account.choice
    if found is None:
        return None
    figures = [_side(side) for side in found.sides if side.table]
    return section(
        "choice",
        "Why so many clusters",
        tag("p", found.reason),
        None if found.complete else tag("p", "The search was stopped before its end."),
        figures,
        offers(rows_of(account, "choice"), "choice"),
        _trees(account, found.trees),
    )


def _trees(account: AccountContents, trees: Sequence[MergeTree]) -> Html | None:
    """How fine clusters come together, beside each other where there is room."""
    rows = rows_of(account, "merges")
    figures = [
        tree_figure(tree, [row for row in rows if row["type"] == tree.type]) for tree in trees
    ]
    return tag("div", figures, class_="trees") if figures else None


def _side(side: RecommendedNumbers) -> Html:
    """Agreement of halves by number of clusters, for one type."""
    numbers = [line.k for line in side.table]
    lines = {
        "information found again": [line.share for line in side.table],
        "adjusted Rand index": [line.stability for line in side.table],
    }
    x, y = _scale((min(numbers), max(numbers)), LEFT, WIDTH - 8), _scale((0, 1), HEIGHT - BOTTOM, 8)
    chance = [(x(line.k), y(min(line.chance, 1.0))) for line in side.table]
    floor = [(x(numbers[-1]), y(0)), (x(numbers[0]), y(0))]
    drawn = [tag("path", d=_path([*chance, *floor]) + "Z", class_="chance")]
    for number, values in enumerate(lines.values()):
        points = [(x(k), y(max(value, 0.0))) for k, value in zip(numbers, values, strict=True)]
        drawn.append(tag("path", d=_path(points), class_=f"line line-{number}"))
    at = x(side.stable)
    drawn.append(tag("path", d=f"M{at:.1f} 8V{HEIGHT - BOTTOM}", class_="chosen"))
    told = ", ".join(f"{line.k}: {line.share:.2f}" for line in side.table)
    rows = [
        [f"{line.k}", *(f"{v:.3f}" for v in (line.share, line.stability, line.chance))]
        for line in side.table
    ]
    return tag(
        "figure",
        tag("h3", f"Clusters of {side.type}: {side.stable}"),
        _drawing(drawn, _axes(x, y, numbers), f"Agreement of halves by number: {told}"),
        tag(
            "figcaption",
            tag("span", "information found again", class_="key line-0"),
            tag("span", "adjusted Rand index", class_="key line-1"),
            tag("span", "chance", class_="key key-chance"),
            f"coarse {side.coarse}, recommended {side.stable}, finest supported {side.fine}",
        ),
        tag(
            "details",
            tag("summary", "As a table"),
            data_table(
                f"Numbers of clusters of {side.type}",
                ["clusters", "information", "Rand index", "chance"],
                rows,
            ),
        ),
    )


def history(account: AccountContents) -> Html | None:
    """The objective after each sweep."""
    values = account.run.history
    if len(values) < 2:
        return None
    sweeps = list(range(1, len(values) + 1))
    x = _scale((1, len(values)), LEFT, WIDTH - 8)
    y = _scale((min(values), max(values)), HEIGHT - BOTTOM, 8)
    points = [(x(sweep), y(value)) for sweep, value in zip(sweeps, values, strict=True)]
    axes = [
        tag("text", figure_of(value), x=LEFT - 6, y=f"{y(value) + DROP:.1f}", class_="end")
        for value in (min(values), max(values))
    ] + _numbers(x, sweeps)
    label = f"Objective over {len(values)} sweeps, from {figure_of(values[0], 4)} to "
    return tag(
        "figure",
        tag("h3", "Objective after each sweep"),
        _drawing(
            [tag("path", d=_path(points), class_="line line-0")],
            axes,
            label + figure_of(values[-1], 4),
        ),
        offers(rows_of(account, "history"), "history"),
    )


class _Scale:
    """Places of values along an axis."""

    def __init__(self, domain: tuple[float, float], start: float, end: float) -> None:
        self.low, self.start = domain[0], start
        # Values that are all the same stand at the start.
        self.slope = (end - start) / ((domain[1] - domain[0]) or 1.0)

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) * self.slope


def _scale(domain: tuple[float, float], start: float, end: float) -> _Scale:
    """A scale from values to places."""
    return _Scale(domain, start, end)


def _path(points: Points) -> str:
    """A line through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _axes(x: _Scale, y: _Scale, numbers: Sequence[int]) -> list[Html]:
    """Shares upwards, numbers to the right."""
    marks: list[Html] = []
    for share in (0.0, 0.5, 1.0):
        place = y(share)
        marks.append(tag("path", d=f"M{LEFT} {place:.1f}H{WIDTH - 8}", class_="grid"))
        marks.append(tag("text", f"{share:g}", x=LEFT - 6, y=f"{place + DROP:.1f}", class_="end"))
    return marks + _numbers(x, numbers)


def _numbers(x: _Scale, numbers: Sequence[int]) -> list[Html]:
    """Some of the numbers below the axis: as many as have room."""
    step = max(1, len(numbers) // 10)
    return [
        tag("text", number, x=f"{x(number):.1f}", y=HEIGHT - DROP, class_="middle")
        for number in numbers[::step]
    ]


def _drawing(drawn: list[Html], axes: list[Html], label: str) -> Html:
    """A drawing that keeps its proportions."""
    return tag(
        "svg",
        axes,
        drawn,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        class_="chart",
        role="img",
        aria_label=label,
    )
