"""From results.csv to the tables and the picture of the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from benchmarks.leaderboard.methods import FRONT, PEERS, REFERENCE

HERE = Path(__file__).parent
RESULTS = HERE / "results.csv"
PAGE = HERE / "README.md"
PICTURE = HERE / "ranks.png"
MARK = "<!-- figures -->"
GROUPS: dict[str, Callable[[pd.DataFrame], pd.Series[bool]]] = {
    "Text": lambda rows: rows["kind"] == "text",
    "Genes, images, digits and others": lambda rows: rows["kind"] != "text",
    "All sets": lambda rows: rows["kind"] != "",
}


def complete(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the methods that were run on every set of the rows, means over seeds."""
    wide = rows.groupby(["set", "method"], sort=False).agg(
        nmi=("nmi", "mean"), accuracy=("accuracy", "mean"), seconds=("seconds", "mean")
    )
    runs = wide.reset_index().groupby("method")["set"].nunique()
    kept = runs.index[runs == rows["set"].nunique()]
    return wide[wide.index.get_level_values("method").isin(kept)]


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Means and ranks by method; a failure scores 0, ranks last, and has no time."""
    wide = complete(rows)
    scores = wide["nmi"].unstack("method")
    seconds = wide["seconds"].unstack("method")
    ratio = seconds.div(seconds[REFERENCE], axis=0)
    result = pd.DataFrame(
        {
            "mean NMI": scores.fillna(0).mean(),
            "mean NMI where it works": scores.mean(),
            "mean accuracy": wide["accuracy"].unstack("method").fillna(0).mean(),
            "mean rank": scores.fillna(-1).rank(axis=1, ascending=False).mean(),
            "median time ratio": ratio.median(),
            "largest time ratio": ratio.max(),
            "failures": scores.isna().sum(),
        }
    )
    return result.sort_values("mean NMI", ascending=False)


def critical_difference(rows: pd.DataFrame, names: list[str]) -> tuple[float, float]:
    r"""Friedman's p, and Nemenyi's :math:`q_{.05} \sqrt{k (k + 1) / 6N}` for k methods, N sets."""
    scores = complete(rows)["nmi"].unstack("method")[names].fillna(-1)
    sets, k = scores.shape
    q = studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    p = friedmanchisquare(*scores.to_numpy().T).pvalue
    return float(p), float(q * np.sqrt(k * (k + 1) / (6 * sets)))


def compared(rows: pd.DataFrame) -> list[str]:
    """The front door and the peers, as far as they were run everywhere."""
    there = set(complete(rows).index.get_level_values("method"))
    return [name for name in (FRONT, *PEERS) if name in there]


def picture(rows: pd.DataFrame) -> None:
    """Average ranks of the front door and the peers, with the critical difference."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    groups = [(name, rows[rule(rows)]) for name, rule in GROUPS.items()]
    figure, axes = plt.subplots(1, len(groups), figsize=(13, 3.6), constrained_layout=True)
    for axis, (title, part) in zip(axes, groups, strict=True):
        names = compared(part)
        scores = complete(part)["nmi"].unstack("method")[names].fillna(-1)
        ranks = scores.rank(axis=1, ascending=False).mean().sort_values(ascending=False)
        _, difference = critical_difference(part, names)
        axis.barh(ranks.index, ranks, color=["C1" if n == FRONT else "C0" for n in ranks.index])
        axis.axvline(ranks[FRONT] + difference, color="k", ls=":", lw=1)
        axis.set_title(f"{title} ({len(scores)} sets)", fontsize=10)
        axis.set_xlabel("mean rank (dotted: critical difference)", fontsize=8)
        axis.tick_params(labelsize=7)
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)


def figures(rows: pd.DataFrame) -> str:
    """All tables, as Markdown."""
    parts = []
    for title, rule in GROUPS.items():
        part = rows[rule(rows)]
        if part.empty:
            continue
        names = compared(part)
        p, difference = critical_difference(part, names)
        parts.append(f"### {title}: {part['set'].nunique()} sets\n\n{_markdown(table(part))}")
        parts.append(
            f"CoCluster and the {len(names) - 1} peers: Friedman p = {p:.1e}; mean ranks that "
            f"differ by more than {difference:.2f} differ at 5 % (Nemenyi)."
        )
    return "\n\n".join([*parts, "### NMI by set", _by_set(rows)])


def _markdown(frame: pd.DataFrame) -> str:
    """A Markdown table."""
    lines = ["| method | " + " | ".join(frame.columns) + " |", "|---" * (frame.shape[1] + 1) + "|"]
    for name, row in frame.iterrows():
        title = f"**{name}**" if name == FRONT else str(name)
        cells = [
            ""
            if pd.isna(v)
            else f"{v:.0f}"
            if c == "failures"
            else f"{v:.3f}"[: 5 if v < 10 else 4]
            for c, v in row.items()
        ]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _by_set(rows: pd.DataFrame) -> str:
    """NMI of the front door and the peers on every set."""
    scores = complete(rows)["nmi"].unstack("method")[compared(rows)]
    lines = ["| set | " + " | ".join(scores.columns) + " |", "|---" * (scores.shape[1] + 1) + "|"]
    for name, row in scores.iterrows():
        cells = ["fails" if pd.isna(v) else f"{v:.3f}" for v in row]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page() -> None:
    """The page keeps its text up to the mark; the figures after it are written anew."""
    rows = pd.read_csv(RESULTS)
    text = PAGE.read_text().split(MARK)[0] if PAGE.exists() else "# Leaderboard\n\n"
    picture(rows)
    PAGE.write_text(f"{text}{MARK}\n\n![Mean ranks]({PICTURE.name})\n\n{figures(rows)}\n")
