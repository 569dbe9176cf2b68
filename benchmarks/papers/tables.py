"""The tables that can be run, by name."""

from __future__ import annotations

from benchmarks.papers.chen2008 import tables as chen2008
from benchmarks.papers.chen2010 import tables as chen2010
from benchmarks.papers.li2012 import tables as li2012
from benchmarks.papers.wang2011 import tables as wang2011
from benchmarks.papers.zhang2012 import tables as zhang2012

TABLES = {
    table.name: table
    for paper in (chen2010, chen2008, zhang2012, wang2011, li2012)
    for table in paper.tables()
}
