"""The page on answers: means of what was run, and demands that can fail."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from benchmarks.asking.page import PEERS, demands, mean
from benchmarks.asking.run import AT, SESSION, SHARES, jobs
from benchmarks.asking.sets import SETS, SHOWN


def rows(level: float) -> list[dict[str, Any]]:
    """Results of all parts: accuracy rises with what is told, from a level."""

    def row(part: str, name: str, who: str, amount: float, score: float) -> dict[str, Any]:
        values = (part, name, "0", who, str(amount), str(score), str(score))
        keys = ("part", "set", "seed", "who", "amount", "accuracy", "unasked")
        return dict(zip(keys, values, strict=True))

    found = []
    for name, amount in product(SETS, AT):
        score = level + amount / 1000
        found += [row(part, name, "CoCluster", amount, score) for part in ("pairs", "wrong")]
        found.append(row("placements", name, "CoCluster", amount, score + 0.1))
        found += [row("placements", name, peer, amount, score) for peer in PEERS]
    for name, share, who in product(SETS, SHARES, ("CoCluster", "FNMTF", "ITCC")):
        found.append(row("links", name, who, share, level + share))
    found += [row("elsewhere", name, "MinMax, PCKMeans", 100, level) for name in SETS]
    for kind, name, amount in product(("pairs", "places"), SHOWN, SESSION):
        found.append(row(f"session of {kind}", name, "CoCluster", amount, level + amount / 400))
    found += [row("ng20 labels", "ng20", "CoCluster", a, level) for a in (0, 60, 400)]
    return found


def test_a_mean_is_that_of_the_rows_asked_for():
    found = rows(0.5)
    assert mean(found, part="pairs", set="cstr", amount=50) == pytest.approx(0.55)
    assert mean(found, part="pairs", set="nobody") != mean(found, part="pairs", set="nobody")


def test_demands_hold_for_good_results_and_fail_for_bad_ones():
    good, bad = (dict(demands(rows(level))) for level in (0.75, 0.3))
    assert all(good.values())
    assert not all(bad.values())


def test_every_job_is_run_once():
    keys = [job[:3] for job in jobs(range(2))]
    assert len(keys) == len(set(keys))
