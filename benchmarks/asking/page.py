"""The page: curves of accuracy against answers, peers, and which demands hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import pyplot

from benchmarks.asking.run import AT, BATCH, RESULTS, SESSION, SHARES, rows
from benchmarks.asking.sets import SETS, SHOWN
from benchmarks.pictures import save

# Mean accuracy after so many answers to pairs that the work set out for.
WANTED = {20: 0.72, 50: 0.77, 100: 0.81, 200: 0.87}
PEERS = ("LabelSpreading", "SelfTraining", "logistic regression")
OURS = "CoCluster"
METHODS = (OURS, "FNMTF", "ITCC")
# Of 20 newsgroups: seeded k-means on LSA 100 with 60 labels, and what 400 should reach.
NEWSGROUPS = {60: 0.566, 400: 0.62}
# What 50 answers should gain in the workbench; and a point, which 30 may lose with one seed.
GAIN, POINT = 0.1, 0.01
SETTLED = (
    "On what the rules were settled: the strategy and the embedding on these eight sets (seed 0), "
    "with `tau`, the weights of the graph and what is smoothed as choices, so that the figures are "
    "likely to be better than those of new data. The rule for wrong answers, too, was changed "
    "several times after its scores on these sets were seen. Two later rules, that labels keep to "
    "the clusters before any answer where little speaks against it, and that placements may join "
    "two groups, were settled on other sets: RCV1 (5 topics), the 617 movies, WebACE and Corel, "
    "seed 1, and seed 0 of the first two. WebACE has pages of the collection that wap is from. A "
    "third one was tried and given up: to join two clusters only after a second answer costs more "
    "there than it saves. Its scores on 20 newsgroups, docstrings, cstr and re0 (seed 0) had been "
    "seen by then. About ten variants of the later rules were tried."
)
# A mean of rounded scores may fall by as much from rounding alone.
ROUNDING = 5e-4
Row = dict[str, Any]


def mean(found: list[Row], score: str = "accuracy", **key: Any) -> float:
    """Mean over the sets of the mean score of the rows with these values.

    Not a number if there are none. Sets count alike, however many seeds were run on them.
    """
    wanted = {name: str(value) for name, value in key.items()}
    values: dict[str, list[float]] = {}
    for row in found:
        if all(row[name] == value for name, value in wanted.items()):
            values.setdefault(row["set"], []).append(float(row[score]))
    return float(np.mean([np.mean(own) for own in values.values()])) if values else float("nan")


def demands(found: list[Row]) -> Iterator[tuple[str, bool]]:
    """What was asked of the library, with the number reached, and whether that is enough."""
    for amount, wanted in WANTED.items():
        got = mean(found, part="pairs", amount=amount)
        yield f"{amount} pairs: mean accuracy {got:.3f}, at least {wanted}", got >= wanted
    for amount in (10, 20, 50, 100, 200):
        low = [
            name
            for name in SETS
            if mean(found, part="pairs", set=name, amount=amount)
            < mean(found, part="pairs", set=name, amount=0)
        ]
        yield f"{amount} pairs: sets below no answers: {', '.join(low) or 'none'}", not low
    place, pairs = (
        mean(found, part=part, who=OURS, amount=amount)
        for part, amount in (("placements", 50), ("pairs", 100))
    )
    yield f"50 placements {place:.3f}, at least 100 pairs, {pairs:.3f}", place >= pairs
    for peer in PEERS:
        other = mean(found, part="placements", who=peer, amount=50)
        yield f"50 placements {place:.3f}, ahead of {peer}, {other:.3f}", place > other
    other = mean(found, part="elsewhere", amount=100)
    yield f"100 pairs {pairs:.3f}, ahead of MinMax and PCKMeans, {other:.3f}", pairs > other
    before, after = (mean(found, part="wrong", amount=amount) for amount in (0, 100))
    gain = pairs - mean(found, part="pairs", amount=0)
    kept = (after - before) / gain
    yield f"10 % wrong answers, 100 of them: {kept:.0%} of the gain, at least 50 %", kept >= 0.5
    for method in METHODS:
        curve = [mean(found, part="links", who=method, amount=share) for share in SHARES]
        text = ", ".join(f"{value:.3f}" for value in curve)
        rises = all(b >= a - ROUNDING for a, b in pairwise(curve))
        yield f"{method} with 0, 1, 3, 5, 10 % of all pairs: {text}, never falling", rises
    yield from session_demands(found)
    for amount, wanted in NEWSGROUPS.items():
        got = mean(found, part="ng20 labels", amount=amount)
        yield f"20 newsgroups, {amount} labels: {got:.3f}, at least {wanted}", got >= wanted


def session_demands(found: list[Row]) -> Iterator[tuple[str, bool]]:
    """What a session with the sets that people meet first should do."""
    for part in ("session of pairs", "session of places"):
        own = [row for row in found if row["part"] == part and row["set"] == "ng20"]
        before, after = (mean(own, amount=amount) for amount in (0, 30))
        seeds = {row["seed"] for row in own}
        falls = (mean(own, amount=0, seed=s) - mean(own, amount=30, seed=s) for s in seeds)
        worst = max(falls, default=float("nan"))
        text = f"20 newsgroups, {part}: 30 answers from {before:.3f} to {after:.3f}, not lower"
        yield f"{text}, and no seed by more than a point", after >= before and worst <= POINT
    for name in SHOWN:
        before, after = (
            mean(found, part="session of places", set=name, amount=amount) for amount in (0, 50)
        )
        text = f"{name}, 50 placements: {before:.3f} to {after:.3f}, by at least {GAIN}"
        yield text, after - before >= GAIN


def table(
    found: list[Row],
    part: str,
    score: str,
    amounts: tuple[int, ...],
    names: Iterable[str] = SETS,
) -> str:
    """Mean over the seeds for each set, and over the sets."""
    lines = ["| set | " + " | ".join(map(str, amounts)) + " |", "|---|" + "---|" * len(amounts)]
    for name in [*names, None]:
        key = {"part": part, "who": OURS} | ({} if name is None else {"set": name})
        cells = (f"{mean(found, score, amount=amount, **key):.3f}" for amount in amounts)
        lines.append(f"| {name or '**mean**'} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def peers(found: list[Row]) -> str:
    """The same placed samples, told to classifiers."""
    amounts = (10, 20, 50)
    lines = ["| placements | " + " | ".join(map(str, amounts)) + " |", "|---|---|---|---|"]
    for who in (OURS, *PEERS):
        cells = (f"{mean(found, part='placements', who=who, amount=a):.3f}" for a in amounts)
        lines.append(f"| {who} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def interactive(found: list[Row]) -> str:
    """What interactive clustering has reached on the sets that it was run on."""
    own = [row for row in found if row["part"] == "interactive"]
    names = sorted({row["set"] for row in own})
    if not names:
        return "cognitivefactory's interactive clustering was not run."
    ours = np.mean([mean(found, part="pairs", set=name, amount=100, seed=0) for name in names])
    before, after = (mean(own, amount=amount) for amount in (0, 100))
    return (
        "cognitivefactory's interactive clustering (constrained k-means on tf-idf, the nearest "
        f"pairs in different clusters, {BATCH} at a time) goes from {before:.3f} to {after:.3f} on "
        f"{', '.join(names)}, where ours has {ours:.3f}."
    )


def plot(found: list[Row]) -> None:
    """Accuracy against the number of answers, one panel for each set."""
    pyplot.switch_backend("agg")
    figure, axes = pyplot.subplots(2, 4, figsize=(13, 6), layout="constrained", sharex=True)
    for axis, name in zip(axes.flat, SETS, strict=True):
        for part, label in (("pairs", "pairs"), ("wrong", "pairs, 10 % wrong")):
            values = [mean(found, part=part, set=name, amount=a) for a in AT]
            axis.plot(AT, values, marker="o", label=label)
        places = [mean(found, part="placements", who=OURS, set=name, amount=a) for a in AT]
        axis.plot(AT, places, marker="s", label="placements")
        spreading = [mean(found, part="placements", who=PEERS[0], set=name, amount=a) for a in AT]
        axis.plot(AT, spreading, "--", marker=".", label=f"placements, {PEERS[0]}")
        axis.set_title(name)
    axes[0, 0].legend(frameon=False, fontsize="small")
    figure.supxlabel("answers")
    figure.supylabel("accuracy, mean of the seeds")
    save(figure, RESULTS / "asking.png", dpi=110)


def write() -> str:
    """Write the page and the picture from the results that are there; returns the page."""
    found = rows()
    plot(found)
    # An interrupted run has more seeds on some sets than on others.
    runs = Counter(r["set"] for r in found if r["part"] == "pairs" and r["amount"] == "0")
    fewest, most = min(runs.values()), max(runs.values())
    seeds = f"{most}" if fewest == most else f"{fewest} to {most}"
    listed = [f"* {'yes' if holds else '**no**'}: {text}" for text, holds in demands(found)]
    page = "\n\n".join(
        [
            "# What answers do",
            f"`Interview` with `CoCluster(k)` on {len(SETS)} real sets, seeds run on each: {seeds} "
            "(the other parts have their own number of seeds, see `asking.csv`). "
            "Classes answer the questions and score the result, nothing else sees them. Made by "
            "`python -m benchmarks asking`; numbers in `asking.csv`.",
            SETTLED,
            "![accuracy against answers](asking.png)",
            "## What was asked for",
            "\n".join(listed),
            "## Pairs: accuracy over all samples",
            table(found, "pairs", "accuracy", AT),
            "## Pairs: samples never asked about",
            table(found, "pairs", "unasked", AT),
            "## Placements",
            table(found, "placements", "accuracy", (0, 10, 20, 50)),
            "Peers are told the classes of the samples that the interview has placed: logistic "
            "regression (C = 10) and self-training with it on tf-idf (standardised measurements), "
            "label spreading over ten neighbours in our own embedding.",
            peers(found),
            "Pairs, 100 answers, seed 0: active-semi-supervised-clustering (MinMax asks, PCKMeans "
            "clusters, on 50 singular vectors) has a mean of "
            f"{mean(found, part='elsewhere', amount=100):.3f}. {interactive(found)}",
            "## A session with 20 newsgroups mini, and with the docstrings",
            "Pairs:",
            table(found, "session of pairs", "accuracy", SESSION, SHOWN),
            "Placements:",
            table(found, "session of places", "accuracy", SESSION, SHOWN),
            "200,000 x 10,000 planted counts with 20 million entries, 10 clusters, one thread, one "
            "run: an answer and the refit after it take .34 of the time of a fit (1.2 and 3.6 s).",
            "## 10 % wrong answers",
            table(found, "wrong", "accuracy", (0, 10, 20, 50, 100)),
        ]
    )
    (RESULTS / "asking.md").write_text(page + "\n", encoding="utf-8")
    return page
