"""The long run over estimators and routes: ``python -m tests.drawn --cases 1000``.

The tests of `tests.methods.test_properties` and `tests.web.test_schemathesis` draw a few cases of
each estimator and of each route of the workbench; this draws as many as are asked for, others in
every run, and writes what was tried to ``benchmarks/results/drawn.csv``.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.methods import test_properties as estimators
from tests.web import test_schemathesis as routes

TABLE = Path(__file__).parents[1] / "benchmarks" / "results" / "drawn.csv"
HEAD = ("kind", "name", "cases", "failures", "seconds")
Law = tuple[str, str, st.SearchStrategy[Any], Callable[[Any], object]]


def laws(folder: Path) -> Iterator[Law]:
    """Kind, name, cases, and what must hold of every one of them."""
    for name in estimators.NAMES:
        yield "estimator", name, estimators.cases(), partial(estimators.check, name)
    client, document = routes.served(folder / "news")
    for endpoint, mode in routes.CASES:
        strategy = document[endpoint.path][endpoint.method].as_strategy(generation_mode=mode)
        name = f"{endpoint.method} {endpoint.path}, {mode.value}"
        yield "route", name, strategy, lambda case: case.call_and_validate(headers=client.headers)


def tried(strategy: st.SearchStrategy[Any], law: Callable[[Any], object], cases: int) -> Any:
    """How many cases were tried, and the error of the first for which the law does not hold."""
    count = 0

    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def hold(case: Any) -> None:
        nonlocal count
        count += 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            law(case)

    try:
        hold()
    except Exception as error:
        return count, error
    return count, None


def main() -> None:
    """Try all of them, and write a line after each."""
    parser = argparse.ArgumentParser("python -m tests.drawn", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="of each estimator and route")
    parser.add_argument("--only", default="", help="names with commas between; all by default")
    parser.add_argument("--out", type=Path, default=TABLE, help="where the table is written")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        asked.out.open("w", newline="", encoding="utf-8") as file,
    ):
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEAD)
        for kind, name, strategy, law in laws(Path(folder)):
            if asked.only and name not in asked.only.split(","):
                continue
            begin = time.monotonic()
            count, error = tried(strategy, law, asked.cases)
            seconds = f"{time.monotonic() - begin:.1f}"
            table.writerow((kind, name, count, int(error is not None), seconds))
            file.flush()
            print(f"{kind} {name}: {count:,} cases, {error or 'no failure'}", flush=True)


if __name__ == "__main__":
    main()
