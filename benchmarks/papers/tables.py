"""The tables that can be run, by name."""

from __future__ import annotations

from benchmarks.papers import paper000, paper001, paper002, paper003, paper004

TABLES = {
    table.name: table
    for paper in (paper000, paper001, paper002, paper003, paper004)
    for table in paper.tables()
}
