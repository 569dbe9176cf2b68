"""Does anything get worse? Methods of two versions of the library on the same sets and seeds.

    COCLUSTER_DATA=... python -m benchmarks.versions PATH/src

PATH is a checkout of the earlier version. Each method runs ten times on three sets of the papers'
tables, in either version, with its defaults; the page shows mean accuracy and NMI side by side.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

METHODS = ("FNMTF", "LPFNMTF", "ITCC", "BSGP", "LDCC", "NCut")
SETS = ("cstr_475x1000", "webace_2340x1000", "coil20_1440x1024")
RUNS = 10
PAGE = Path(__file__).parent / "results" / "versions.md"
Row = tuple[str, str, float, float]


def scores() -> Iterator[Row]:
    """Method, set, mean accuracy and mean NMI, by the library that is imported."""
    import cocluster
    from cocluster.datasets import fetch
    from cocluster.metrics import accuracy, nmi

    for name in SETS:
        data = fetch(name)
        X, classes = next(iter(data.views.values())), np.asarray(data.labels)
        for method in METHODS:
            found = []
            for seed in range(RUNS):
                model = getattr(cocluster, method)(len(np.unique(classes)), random_state=seed)
                labels = model.fit(X).labels_
                found.append((accuracy(classes, labels), nmi(classes, labels)))
            acc, information = np.mean(found, axis=0)
            yield method, name, float(acc), float(information)


def scores_of(source: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """The same by a version in another folder, in a process of its own."""
    paths = os.pathsep.join([str(source), str(Path(__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.versions", "--scores"],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows = csv.reader(done.stdout.splitlines())
    return {(method, name): (float(a), float(i)) for method, name, a, i in rows}


def page(old: dict[Any, tuple[float, float]], new: dict[Any, tuple[float, float]]) -> str:
    """The table."""
    lines = [
        "# Two versions of the library",
        "",
        f"Means of {RUNS} runs with the methods' defaults, the version before the new start (0.1)",
        "and this one, `python -m benchmarks.versions PATH/src`. The difference is this version's",
        "less the earlier one's.",
        "",
        "| method | set | accuracy, before | now | difference | NMI, before | now | difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key in sorted(new):
        cells = [
            f"{b:.3f} | {a:.3f} | {a - b:+.3f}" for b, a in zip(old[key], new[key], strict=True)
        ]
        lines.append(f"| {' | '.join((*key, *cells))} |")
    gains = np.mean([np.subtract(new[key], old[key]) for key in new], axis=0)
    lines += ["", f"Mean difference: accuracy {gains[0]:+.3f}, NMI {gains[1]:+.3f}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run both versions, or print the scores of this one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", nargs="?", type=Path, help="src of the earlier version")
    parser.add_argument("--scores", action="store_true", help="print those of this version")
    asked = parser.parse_args()
    if asked.scores:
        csv.writer(sys.stdout).writerows(scores())
        return
    if asked.source is None:
        parser.error("name the src folder of a checkout of the earlier version")
    own = Path(__file__).parents[1] / "src"
    PAGE.write_text(page(scores_of(asked.source.resolve(strict=True)), scores_of(own)))


if __name__ == "__main__":
    main()
