"""The page and its picture, from the rows of all runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks.leaderboard.checks import checks
from benchmarks.leaderboard.halves import family_of, half_of
from benchmarks.leaderboard.methods import FORMER, FRONT
from benchmarks.leaderboard.picture import draw
from benchmarks.leaderboard.tables import (
    compared,
    complete,
    critical_difference,
    failures,
    ranks,
    table,
)
from benchmarks.packs import read_text

HERE = Path(__file__).parent
# A row for every fit; a table of the pack of this folder.
RESULTS = "results.csv"
PAGE = HERE / "README.md"
PICTURE = HERE / "ranks.png"
GROUPS: dict[str, Callable[[pd.DataFrame], pd.Series[bool]]] = {
    "Sets that chose nothing": lambda rows: rows["set"].map(half_of) == "show",
    "Of these, text": lambda rows: _shown(rows, "text"),
    "Of these, genes": lambda rows: _shown(rows, "genes"),
    "Of these, images": lambda rows: _shown(rows, "images"),
    "All sets": lambda rows: rows["kind"] != "",
    "Data >= 0": lambda rows: rows["signed"] == 0,
}


def _shown(rows: pd.DataFrame, family: str) -> pd.Series[bool]:
    """Rows of a family on the half that shows."""
    return (rows["set"].map(half_of) == "show") & (rows["set"].map(family_of) == family)


def frame(name: str) -> pd.DataFrame:
    """A table of the pack of this folder."""
    return pd.read_csv(io.StringIO(read_text(HERE, name)))


def figures(rows: pd.DataFrame) -> str:
    """All tables, as Markdown."""
    held = [
        f"| {what} | {figure} | {'yes' if yes else 'NO'} |" for what, figure, yes in checks(rows)
    ]
    parts = ["\n".join(["| what must hold | figure | holds |", "|---|---|---|", *held])]
    parts += [f"![Mean ranks]({PICTURE.name})"]
    for title, rule in GROUPS.items():
        part = rows[rule(rows)]
        parts += [
            f"### {title}: {part['set'].nunique()} sets",
            _markdown(table(part)),
            _peers(part),
        ]
    parts += ["### Failures: sets by cause", _markdown(failures(rows))]
    return "\n\n".join([*parts, "### NMI by set", _by_set(rows)])


def _peers(rows: pd.DataFrame) -> str:
    """The front door among the peers alone, and whether the difference is one."""
    names = compared(rows)
    names = [name for name in names if name != FORMER]
    found, (p, difference) = ranks(rows, names), critical_difference(rows, names)
    others = found.drop(FRONT)
    return (
        f"Among the {len(others)} peers CoCluster has mean rank {found[FRONT]:.2f}, the next, "
        f"{others.idxmin()}, {others.min():.2f}; mean ranks that differ by more than "
        f"{difference:.2f} differ at 5 % (Nemenyi; Friedman p = {p:.0e})."
    )


def _markdown(frame: pd.DataFrame) -> str:
    """A Markdown table: whole numbers as they are, others with three digits."""
    lines = ["| method | " + " | ".join(frame.columns) + " |", "|---" * (frame.shape[1] + 1) + "|"]
    for name, row in frame.iterrows():
        title = f"**{name}**" if name == FRONT else str(name)
        whole = {c for c in frame if frame[c].dtype.kind == "i"}
        cells = [
            f"{v:.0f}" if c in whole else "" if pd.isna(v) else f"{v:.{3 if v < 10 else 1}f}"
            for c, v in row.items()
        ]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _by_set(rows: pd.DataFrame) -> str:
    """NMI of the front door and the peers on every set, and the best of our other methods."""
    scores = complete(rows)["nmi"].unstack("method")
    names = compared(rows)
    others = scores.drop(columns=names)
    lines = [f"| set | {' | '.join(names)} | best of our others |", "|---" * (len(names) + 2) + "|"]
    for name, row in scores[names].iterrows():
        cells = ["fails" if pd.isna(v) else f"{v:.3f}" for v in row]
        best = f"{others.loc[name].max():.3f} ({others.loc[name].idxmax()})"
        lines.append(f"| {name} | {' | '.join(cells)} | {best} |")
    return "\n".join(lines)


def between(text: str, mark: str, new: str) -> str:
    """The text with what stands between ``<!-- mark -->`` and ``<!-- /mark -->`` replaced."""
    before, rest = text.split(f"<!-- {mark} -->\n", 1)
    after = rest.split(f"<!-- /{mark} -->", 1)[1]
    return f"{before}<!-- {mark} -->\n\n{new}\n\n<!-- /{mark} -->{after}"


def write_page() -> None:
    """The figures are written anew; the rest of the page stays."""
    rows = frame(RESULTS)
    panels = {}
    for title, rule in GROUPS.items():
        part = rows[rule(rows)]
        found = ranks(part)
        panels[f"{title} ({part['set'].nunique()} sets)"] = (
            found,
            critical_difference(part, list(found.index))[1],
        )
    draw(panels, PICTURE)
    PAGE.write_text(between(PAGE.read_text(), "figures", figures(rows)))
