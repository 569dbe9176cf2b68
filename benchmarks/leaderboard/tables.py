"""Means, ranks and times by method, from the rows of all runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from benchmarks.leaderboard.methods import COMPARED, REFERENCE, TRIMMED


def complete(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the methods that were run on every set of the rows, means over seeds."""
    wide = rows.groupby(["set", "method"], sort=False).agg(
        nmi=("nmi", "mean"), accuracy=("accuracy", "mean"), seconds=("seconds", "mean")
    )
    runs = wide.reset_index().groupby("method")["set"].nunique()
    kept = runs.index[runs == rows["set"].nunique()]
    return wide[wide.index.get_level_values("method").isin(kept)]


def ranks(rows: pd.DataFrame, names: list[str] | None = None) -> pd.Series[float]:
    """Mean rank by method, of all or of some; a failure ranks last."""
    scores = complete(rows)["nmi"].unstack("method").fillna(-1)
    return scores[names or list(scores)].rank(axis=1, ascending=False).mean().sort_values()


def time_ratios(rows: pd.DataFrame) -> pd.DataFrame:
    """CPU time on every set by that of the reference, which must do without empty rows on some."""
    seconds = complete(rows)["seconds"].unstack("method")
    return seconds.div(seconds[REFERENCE].fillna(seconds[TRIMMED]), axis=0)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Means and ranks by method; a failure scores 0, ranks last, and has no time."""
    wide = complete(rows)
    scores = wide["nmi"].unstack("method")
    ratio = time_ratios(rows)
    result = pd.DataFrame(
        {
            "mean NMI": scores.fillna(0).mean(),
            "mean NMI where it works": scores.mean(),
            "mean accuracy": wide["accuracy"].unstack("method").fillna(0).mean(),
            "mean rank": ranks(rows),
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
    return [name for name in COMPARED if name in there]


def failures(rows: pd.DataFrame) -> pd.DataFrame:
    """Sets a method fails on, by cause."""
    causes = rows.dropna(subset="failure").drop_duplicates(["set", "method"])
    sentence = causes["failure"].str
    cause = np.select(
        [sentence.contains("egative|non-negative"), sentence.startswith("over")],
        ["negative values", "too slow"],
        "other",
    )
    return pd.crosstab(causes["method"], cause)
