"""The page on sweeps: what the code writes, and that the default is what it chose."""

from __future__ import annotations

import csv

import pytest

from benchmarks import sweeps
from benchmarks.tables import RESULTS
from cocluster import DRCC, RMC, SNMTF


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (RESULTS / "sweeps.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_page_that_is_kept_is_what_the_code_writes(rows):
    assert sweeps.report(rows) == (RESULTS / "sweeps.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", [DRCC, SNMTF, RMC])
def test_the_default_is_what_was_chosen(method, rows):
    assert method().max_iter == sweeps.chosen(rows)


def test_only_the_half_for_choosing_chooses():
    scores = {str(number): "0.5" for number in sweeps.SWEEPS}
    for_choosing = {"data": "cstr_475x1000", "method": "DRCC", **scores, "200": "0.6"}
    for_showing = {"data": "oh0", "method": "DRCC", **scores, "25": "0.9"}
    assert sweeps.chosen([for_choosing, for_showing]) == 200
