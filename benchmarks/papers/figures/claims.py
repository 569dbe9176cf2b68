"""What papers see in their curves, looked for in ours."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.figures.curves import Claim, Line, Lines
from benchmarks.papers.figures.figure import Finding


def first(own: str, slack: float = 0.005) -> Claim:
    """The own method is first at every place, or less than `slack` behind."""

    def claim(lines: Lines) -> Finding:
        ahead = [
            line[x] >= max(other.get(x, -np.inf) for other in panel.values()) - slack
            for panel in lines.values()
            for line in [panel.get(own, {})]
            for x in line
        ]
        return Finding(
            f"places where {own} is first or less than {slack:g} behind", sum(ahead), len(ahead)
        )

    return claim


def rising(lines: Lines) -> Finding:
    """Curves end above where they begin."""
    ends = [_ends(line) for panel in lines.values() for line in panel.values()]
    return Finding("curves end above where they begin", sum(a < b for a, b in ends), len(ends))


def close(one: str, other: str, within: float) -> Claim:
    """Two methods differ little at every place."""

    def claim(lines: Lines) -> Finding:
        near = [
            abs(y - panel[other][x]) <= within
            for panel in lines.values()
            if one in panel and other in panel
            for x, y in panel[one].items()
            if x in panel[other]
        ]
        return Finding(
            f"places where {one} and {other} differ by {within:g} at most", sum(near), len(near)
        )

    return claim


def steady(within: float, up_to: float = np.inf) -> Claim:
    """A curve stays within so much of its best up to some place."""

    def claim(lines: Lines) -> Finding:
        kept = []
        for panel in lines.values():
            for line in panel.values():
                values = [y for x, y in line.items() if x <= up_to]
                kept += [y >= max(values) - within for y in values]
        until = "" if np.isinf(up_to) else f" up to {up_to:g}"
        return Finding(f"points{until} less than {within:g} below the best", sum(kept), len(kept))

    return claim


def best_beyond(place: float) -> Claim:
    """The best place of a curve is not below a given one."""

    def claim(lines: Lines) -> Finding:
        curves = [line for panel in lines.values() for line in panel.values()]
        late = [max(line, key=lambda x: (line[x], x)) >= place for line in curves]
        return Finding(f"curves best at {place:g} or more", sum(late), len(late))

    return claim


def all_below(lower: tuple[str, ...], upper: tuple[str, ...]) -> Claim:
    """Some curves are under others at every place, as those of faster methods are."""

    def claim(lines: Lines) -> Finding:
        under = [
            y < panel[slow][x]
            for panel in lines.values()
            for fast in lower
            for slow in upper
            if fast in panel and slow in panel
            for x, y in panel[fast].items()
            if x in panel[slow]
        ]
        text = f"points of {' and '.join(lower)} below those of {', '.join(upper)}"
        return Finding(text, sum(under), len(under))

    return claim


def _ends(line: Line) -> tuple[float, float]:
    """Values at the first and the last place."""
    return line[min(line)], line[max(line)]
