"""The page on scalings: what the code writes, and what the rows say."""

from __future__ import annotations

import csv

from benchmarks import scalings
from benchmarks.tables import RESULTS


def test_the_page_that_is_kept_is_what_the_code_writes():
    with (RESULTS / "scalings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert scalings.report(rows) == (RESULTS / "scalings.md").read_text(encoding="utf-8")


def test_means_are_over_matrices_that_take_all_scalings():
    scores = {"None": "0.2", "l2": "0.4", "tfidf": "0.6", "degree": "0.8"}
    row = {"data": "oh0", "kind": "occurrences", "method": "NCut", **scores}
    page = scalings.report([row, {**row, "l2": ""}])
    assert "| occurrences | show | 1 | NCut | 0.200 | 0.400 | **0.600** | 0.800 |" in page
