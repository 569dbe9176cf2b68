"""The five papers, by name."""

from __future__ import annotations

from benchmarks.papers import chen2008, chen2010, li2012, wang2011, zhang2012

PAPERS = {
    module.PAPER.name: module.PAPER for module in (chen2010, chen2008, zhang2012, wang2011, li2012)
}
