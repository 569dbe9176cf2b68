"""What `CoCluster(method="auto")` does beside what it might do: the tables that defend the choice.

    python -m benchmarks.leaderboard.evidence [--tables occurrences measurements links] [--seeds 3]

Only on the half of the sets that a rule may be chosen on (``halves.toml``). Rows are kept in
evidence.csv (see `packs`), tables go to the page. Labels are looked at to score;
in the table of links they also make the links, as a person would.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.leaderboard.former import former_embedding
from benchmarks.leaderboard.halves import family_of, half_of
from benchmarks.leaderboard.methods import PEERS, Fit
from benchmarks.leaderboard.report import HERE, PAGE, RESULTS, between, frame
from benchmarks.leaderboard.run import all_sets, evaluate
from benchmarks.packs import packed_afterwards, read_text, write_text
from cocluster import CoCluster, Links
from cocluster.data.relational import relational
from cocluster.data.scaling import shift_features
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.types import Array
from cocluster.methods.default import embedding

EVIDENCE = "evidence.csv"
LINKED_SETS = ("cstr_475x1000", "colon_alon_62x2000", "webace_2340x1000", "orl_400x1024")
SHARES = (0.002, 0.01, 0.03)
TITLES = {
    "occurrences": "most entries are zero",
    "measurements": "most entries are not zero",
    "links": "links, share of all pairs",
}


def _auto(X: Any, k: int, seed: int) -> Any:
    """The front door."""
    return CoCluster(k, random_state=seed).fit(X).labels_


def _from(start: Fit) -> Fit:
    """The front door from a start of one's own."""
    return lambda X, k, seed: CoCluster(k, init=start(X, k, seed), random_state=seed).fit(X).labels_


def _former_start(X: Any, k: int, seed: int) -> Array:
    """k-means on the embeddings of the former rule."""
    return kmeans_labels(former_embedding(relational(X), k, seed), k, seed)


def _start(**constants: Any) -> Fit:
    """k-means where the samples lie, with some of the constants of the rule changed."""

    def fit(X: Any, k: int, seed: int) -> Array:
        before = {name: getattr(embedding, name) for name in constants}
        try:
            for name, value in constants.items():
                setattr(embedding, name, value)
            samples = embedding.consensus_embedding(shift_features(relational(X)), k, seed)
            return samples.kmeans(k, seed, None)
        finally:
            for name, value in before.items():
                setattr(embedding, name, value)

    return fit


VARIANTS: dict[str, dict[str, Fit]] = {
    "occurrences": {
        "k-means on k singular vectors, scaled in three ways (the start of 0.1)": _former_start,
        "ITCC from there (the rule of 0.1)": _from(_former_start),
        "k-means on 20 to 50 vectors, not smoothed": _start(STEPS=0),
        "smoothed over 10 neighbours": _start(NEIGHBOURS_OF_OCCURRENCES=10),
        "smoothed over 20 neighbours": _start(),
        "**ITCC from there**": _auto,
    },
    "measurements": {
        "ITCC from k singular vectors, scaled in three ways (the rule of 0.1)": _from(
            _former_start
        ),
        "eigenvectors of neighbour graphs, 5 neighbours": _start(),
        "the same, 10 neighbours": _start(NEIGHBOURS_OF_MEASUREMENTS=10),
        "ITCC from there, always": _from(_start()),
        "**ITCC from there below 300 samples**": _auto,
    },
}


def belongs(table: str, X: Any) -> bool:
    """Whether data are of the kind that a table is about."""
    views = X.values() if isinstance(X, dict) else [X]
    filled = all(embedding.holds_measurements(view) for view in views)
    return table == ("measurements" if filled else "occurrences")


def _with_links(method: str, share: float, y: Any) -> Fit:
    """A method told of some pairs."""

    def fit(X: Any, k: int, seed: int) -> Any:
        links = Links.from_labels(y, fraction=share, random_state=seed)
        return CoCluster(k, method, random_state=seed).fit(X, links=links).labels_

    return fit


def fits(table: str, name: str, X: Any, y: Any) -> dict[str, Fit]:
    """Variants that a table tries on a set."""
    if table != "links":
        return VARIANTS[table] if belongs(table, X) else {}
    if name not in LINKED_SETS:
        return {}
    names = {"**CoCluster**": "auto", "ITCC": "itcc", "FNMTF": "fnmtf"}
    return {
        f"{name}, {shown}, {100 * share:g} %": _with_links(method, share, y)
        for shown, method in names.items()
        for share in SHARES
    }


def run(tables: list[str], seeds: int) -> Iterator[dict[str, Any]]:
    """A row for every table, variant, set and seed."""
    for name, _, X, y, k in all_sets(None):
        if half_of(name) != "choose":
            continue
        for table in tables:
            for variant, fit in fits(table, name, X, y).items():
                for seed in range(seeds):
                    outcome = evaluate(fit, X, k, seed, partial(np.asarray, y))
                    about = {"table": table, "variant": variant, "set": name, "seed": seed}
                    group = family_of(name)
                    yield {**about, "group": group, "nmi": 0.0, "failure": "", **outcome}


def title(table: str, rows: pd.DataFrame) -> str:
    """What a table shows, and of how many seeds."""
    seeds = rows["seed"].nunique()
    return f"{TITLES[table]}: mean NMI, {seeds} seed{'s' if seeds > 1 else ''}"


def plain(table: str, rows: pd.DataFrame, results: pd.DataFrame) -> str:
    """Mean NMI of every variant in each family, and of the best peer on the same sets."""
    wide = rows.pivot_table("nmi", "variant", "group", sort=False)[sorted(set(rows["group"]))[::-1]]
    sizes = rows.groupby("group")["set"].nunique()
    names = [f"{group} ({sizes[group]} sets)" for group in wide]
    peers = results[results["method"].isin(PEERS)]
    best = []
    for group in wide:
        own = peers[peers["set"].isin(rows.loc[rows["group"] == group, "set"])]
        means = own.fillna({"nmi": 0}).groupby("method")["nmi"].mean()
        best.append(f"{means.max():.3f} ({means.idxmax()})")
    lines = [f"| {title(table, rows)} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {v} | {' | '.join(f'{x:.3f}' for x in wide.loc[v])} |" for v in wide.index]
    return "\n".join([*lines, f"| best peer | {' | '.join(best)} |"])


def linked(rows: pd.DataFrame) -> str:
    """Mean NMI by set and method, for every share of links."""
    parts = rows["variant"].str.rsplit(", ", n=2, expand=True)
    wide = rows.assign(method=parts[1], share=parts[2]).pivot_table(
        "nmi", ["set", "method"], "share", sort=False
    )
    lines = [
        f"| {title('links', rows)} | method | {' | '.join(wide)} |",
        "|---" * (wide.shape[1] + 2) + "|",
    ]
    for (name, method), row in wide.iterrows():
        lines.append(f"| {name} | {method} | {' | '.join(f'{x:.3f}' for x in row)} |")
    return "\n".join(lines)


def write_page() -> None:
    """The tables of all rows, into the page."""
    rows, results = frame(EVIDENCE), frame(RESULTS)
    parts = [
        linked(part) if table == "links" else plain(table, part, results)
        for table in TITLES
        if not (part := rows[rows["table"] == table]).empty
    ]
    PAGE.write_text(between(PAGE.read_text(), "evidence", "\n\n".join(parts)))


def main() -> None:
    """Run some tables anew, then write them all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", choices=TITLES, default=list(TITLES))
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    rows = pd.DataFrame(run(asked.tables, asked.seeds))
    with packed_afterwards(HERE):
        if read_text(HERE, EVIDENCE):
            before = frame(EVIDENCE)
            rows = pd.concat([before[~before["table"].isin(asked.tables)], rows])
        write_text(HERE, EVIDENCE, rows.to_csv(index=False))
        write_page()


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
