"""The suite.

python -m benchmarks.speed [--full] [--only sweep growth] [--limit 600]
python -m benchmarks.speed --page                       # tables and pictures again
python -m benchmarks.speed --baseline ../old/src        # record another version's times
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.speed import graphs, page, pictures, scale
from benchmarks.speed.cases import PEERS, Case, cases
from benchmarks.speed.run import run_all, shortened

SCALE: dict[str, Callable[[bool], str]] = {
    "out_of_core": scale.out_of_core,
    "dask": scale.dask_workers,
    "graphs": lambda full: graphs.report(200_000 if full else 30_000),
}
GROUPS = (*page.SECTIONS, *SCALE)


def chosen(arguments: argparse.Namespace) -> Iterator[Case]:
    """The cases that were asked for and have data."""
    for case in cases(arguments.full):
        if case.group not in arguments.only:
            continue
        if case.data.name and "COCLUSTER_DATA" not in os.environ:
            print(f"{case.data.name} is left out: COCLUSTER_DATA does not name its folder.")
            continue
        if arguments.baseline:  # peers do not change with our version
            case = replace(case, methods=tuple(m for m in case.methods if m not in PEERS))
        yield shortened(case, arguments.limit)


def main() -> None:
    """Run, record, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small sizes, minutes (the default)")
    size.add_argument("--full", action="store_true", help="all sizes, hours")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS)
    parser.add_argument("--limit", type=float, default=600, help="seconds for one process")
    parser.add_argument("--page", action="store_true", help="write the page again, run nothing")
    parser.add_argument("--baseline", type=Path, help="src of another version: record its times")
    arguments = parser.parse_args()
    if arguments.baseline:
        run_all(chosen(arguments), page.BASELINE, arguments.baseline.resolve(strict=True))
        return
    if not arguments.page:
        run_all(chosen(arguments), page.RESULTS)
        for name in set(arguments.only).intersection(SCALE):
            page.SCALE[name].write_text(SCALE[name](arguments.full) + "\n")
    pictures.draw(page.read(page.RESULTS), page.FOLDER)
    page.write()


if __name__ == "__main__":
    main()
