"""What papers see in their curves, looked for in ours."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

import numpy as np

from benchmarks.papers.figures.curves import Claim, Line, Lines
from benchmarks.papers.figures.figure import Finding


def within(panels: Container[str], claim: Claim, where: str) -> Claim:
    """What is seen in some panels only."""

    def narrowed(lines: Lines) -> Finding:
        found = claim({name: lines[name] for name in lines if name in panels})
        return replace(found, text=f"{where}: {found.text}")

    return narrowed


def first(own: str, slack: float = 0.005) -> Claim:
    """The own method is first at every place, or less than `slack` behind."""

    def claim(lines: Lines) -> Finding:
        ahead = [
            line[x] >= max(_others(panel, own, x), default=-np.inf) - slack
            for panel in lines.values()
            for line in [panel.get(own, {})]
            for x in line
        ]
        return Finding(
            f"places where {own} is first or less than {slack:g} behind", sum(ahead), len(ahead)
        )

    return claim


def ahead_by(own: str, lead: float) -> Claim:
    """The own method is so far ahead of all others."""

    def claim(lines: Lines) -> Finding:
        found = first(own, -lead)(lines)
        return replace(found, text=f"places where {own} leads by {lead:g} or more")

    return claim


def _others(panel: Mapping[str, Line], own: str, x: float) -> list[float]:
    """Values of the other methods at a place; "NAME, how" is the same method in another way."""
    others = [name for name in panel if name != own and not name.startswith(f"{own},")]
    return [panel[name][x] for name in others if x in panel[name]]


def last(name: str, slack: float = 0.005) -> Claim:
    """A method is behind all others at every place, or less than `slack` before."""

    def claim(lines: Lines) -> Finding:
        behind = [
            y <= min(_others(panel, name, x), default=np.inf) + slack
            for panel in lines.values()
            for x, y in panel.get(name, {}).items()
        ]
        return Finding(f"places where {name} is last", sum(behind), len(behind))

    return claim


def rising(lines: Lines) -> Finding:
    """Curves end above where they begin, those of the paper's methods."""
    ends = [_ends(one[n]) for one in lines.values() for n in one if "," not in n]
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


def catches_up(late: str, early: str) -> Claim:
    """One method begins below another, and ends nearer to it or above."""

    def claim(lines: Lines) -> Finding:
        gaps = [
            [b - a for a, b in zip(_ends(panel[late]), _ends(panel[early]), strict=True)]
            for panel in lines.values()
            if late in panel and early in panel
        ]
        held = sum(begin > 0 and end < begin for begin, end in gaps)
        text = f"{late} begins below {early} and catches up"
        return Finding(text, held, len(gaps), _behind(gaps))

    return claim


def _behind(gaps: list[list[float]]) -> str:
    """Mean distances at both ends in words."""
    if not gaps:
        return ""
    begin, end = np.mean(gaps, axis=0)
    return f"behind by {begin:.3f} at first, by {end:.3f} at last"


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


def good_from(place: float, within: float) -> Claim:
    """From some place on a curve is near its best."""

    def claim(lines: Lines) -> Finding:
        curves = [line for panel in lines.values() for line in panel.values()]
        near = [
            y >= max(line.values()) - within
            for line in curves
            for x, y in line.items()
            if x >= place
        ]
        text = f"points from {place:g} on less than {within:g} below the best of their curve"
        return Finding(text, sum(near), len(near))

    return claim


def higher_at(place: float) -> Claim:
    """Curves are higher at some place than where they begin."""

    def claim(lines: Lines) -> Finding:
        curves = [line for panel in lines.values() for line in panel.values() if place in line]
        higher = [line[place] > line[min(line)] for line in curves]
        return Finding(
            f"curves higher at {place:g} than at their beginning", sum(higher), len(higher)
        )

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


def above_at_last(upper: str, lower: tuple[str, ...]) -> Claim:
    """A curve is over others at the last place, as that of what grows fastest is."""

    def claim(lines: Lines) -> Finding:
        over = [
            _ends(panel[upper])[1] > _ends(panel[name])[1]
            for panel in lines.values()
            for name in lower
            if upper in panel and name in panel
        ]
        return Finding(f"{upper}, above {' and '.join(lower)} at last", sum(over), len(over))

    return claim


def _ends(line: Line) -> tuple[float, float]:
    """Values at the first and the last place."""
    return line[min(line)], line[max(line)]
