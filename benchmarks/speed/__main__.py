"""The suite.

python -m benchmarks.speed [--full] [--only sweep growth] [--limit 600]
python -m benchmarks.speed --page                       # tables and pictures again
python -m benchmarks.speed --baseline ../old/src        # record another version's times
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed import page, pictures, scale
from benchmarks.speed.cases import Case, cases
from benchmarks.speed.run import run_all, shortened

GROUPS = (*page.SECTIONS, "scale")


def chosen(arguments: argparse.Namespace) -> Iterator[Case]:
    """The cases that were asked for and have data."""
    for case in cases(arguments.full):
        if case.group not in arguments.only:
            continue
        if case.data.name and "COCLUSTER_DATA" not in os.environ:
            print(f"{case.data.name} is left out: COCLUSTER_DATA does not name its folder.")
            continue
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
    extra = ""
    if not arguments.page:
        run_all(chosen(arguments), page.RESULTS)
        if "scale" in arguments.only:
            extra = scale.report(arguments.full)
    pictures.draw(page.read(page.RESULTS), page.FOLDER)
    page.write(extra)


if __name__ == "__main__":
    main()
