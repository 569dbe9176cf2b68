"""What `CoCluster(method="auto")` does beside what it might do: the tables that defend the choice.

    python -m benchmarks.leaderboard.evidence [--tables one signed views links] [--seeds 3]

Rows are kept in evidence.csv (see `packs`), tables go to the page. Labels are looked at to score;
in the table of links they also make the links, as a person would.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks.leaderboard.methods import PEERS, Fit
from benchmarks.leaderboard.report import HERE, PAGE, RESULTS, between, frame
from benchmarks.leaderboard.run import all_sets, evaluate
from benchmarks.packs import packed_afterwards, read_text, write_text
from cocluster import CoCluster, Links
from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.methods.auto_itcc import (
    THREE_UP_TO_ENTRIES,
    ConsensusITCC,
    ShiftedITCC,
    _embeddings,
    consensus_embedding,
    shifted,
)
from cocluster.methods.base import Form
from cocluster.methods.information.itcc import ITCC

EVIDENCE = "evidence.csv"
LINKED_SETS = ("cstr_475x1000", "oh5", "re0", "colon_alon_62x2000")
SHARES = (0.002, 0.01, 0.03)
TITLES = {
    "one": "one matrix, data >= 0, at most a million entries",
    "signed": "one dense matrix with negative values",
    "views": "all views of a set",
    "links": "links, share of all pairs",
}


def _auto(X: Any, k: int, seed: int) -> Any:
    """The front door."""
    return CoCluster(k, random_state=seed).fit(X).labels_


def _named(method: str) -> Fit:
    """A method by name."""
    return lambda X, k, seed: CoCluster(k, method, random_state=seed).fit(X).labels_


def _embedded(*which: int) -> Fit:
    """k-means on some of the three embeddings."""

    def fit(X: Any, k: int, seed: int) -> Any:
        blocks = list(_embeddings(relational(X).relations[0].matrix, k, seed, few=True))
        return kmeans_labels(np.hstack([blocks[i] for i in which]), k, seed)

    return fit


def _finer(times: int) -> Fit:
    """The front door with another number of feature clusters."""

    def fit(X: Any, k: int, seed: int) -> Any:
        count = min(times * k, X.shape[1])
        return ConsensusITCC(k, count, random_state=seed).fit(X).labels_

    return fit


class _ByShare(ShiftedITCC):
    """Views by their share of all counts."""

    def _scaled(self, data: RelationalData, form: Form) -> RelationalData:
        return ITCC._scaled(self, data, form)


def _start_alone(X: Any, k: int, seed: int) -> Any:
    """k-means on the embeddings of all views."""
    return kmeans_labels(consensus_embedding(shifted(relational(X)), k, seed), k, seed)


def _signed(X: Any) -> bool:
    """Whether some value is negative."""
    return any(view.min() < 0 for view in (X.values() if isinstance(X, dict) else [X]))


VARIANTS: dict[str, dict[str, Fit]] = {
    "one": {
        "k-means on singular vectors of the degree-scaled data": _embedded(0),
        "k-means on the same of log(1 + X)": _embedded(1),
        "k-means on the normalised cut of tf-idf cosines": _embedded(2),
        "k-means on the three side by side": _embedded(0, 1, 2),
        "ITCC from the first, k feature clusters": _named("itcc"),
        "ITCC from the three, k feature clusters": _finer(1),
        "**ITCC from the three, 5 k feature clusters**": _auto,
        "ITCC from the three, 10 k feature clusters": _finer(10),
    },
    "signed": {
        "FNMTF": _named("fnmtf"),
        "ITCC as above, negative values set to 0": lambda X, k, s: _auto(np.maximum(X, 0), k, s),
        "ITCC, positive and negative parts as two relations": lambda X, k, s: _auto(
            {"above": np.maximum(X, 0), "below": np.maximum(-X, 0)}, k, s
        ),
        "ITCC, all values shifted by the least of all": lambda X, k, s: _auto(X - X.min(), k, s),
        "**ITCC, each feature shifted by its least value**": _auto,
    },
    "views": {
        "ITCC, FNMTF for negative values; one start from the views side by side": lambda X, k, s: (
            _named("fnmtf" if _signed(X) else "itcc")(X, k, s)
        ),
        "ITCC from embeddings of each view, views by their share of all counts": lambda X, k, s: (
            _ByShare(k, random_state=s).fit(X).labels_
        ),
        "**ITCC from embeddings of each view, views alike**": _auto,
        "its start alone": _start_alone,
    },
}


def belongs(table: str, X: Any) -> bool:
    """Whether data are of the kind that a table is about."""
    if isinstance(X, dict):
        return table == "views"
    if _signed(X):
        return table == "signed" and not sp.issparse(X)
    return table == "one" and X.size <= THREE_UP_TO_ENTRIES


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
    for name, kind, X, y, k in all_sets(None):
        for table in tables:
            for variant, fit in fits(table, name, X, y).items():
                for seed in range(seeds):
                    outcome = evaluate(fit, X, k, seed, partial(np.asarray, y))
                    about = {"table": table, "variant": variant, "set": name, "seed": seed}
                    group = "text" if kind == "text" else "others"
                    yield {**about, "group": group, "nmi": 0.0, "failure": "", **outcome}


def title(table: str, rows: pd.DataFrame) -> str:
    """What a table shows, and of how many seeds."""
    seeds = rows["seed"].nunique()
    return f"{TITLES[table]}: mean NMI, {seeds} seed{'s' if seeds > 1 else ''}"


def plain(table: str, rows: pd.DataFrame, results: pd.DataFrame) -> str:
    """Mean NMI of every variant, on text and on others, and of the best peer on the same sets."""
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
        f"| {title('links', rows)} | | {' | '.join(wide)} |",
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
