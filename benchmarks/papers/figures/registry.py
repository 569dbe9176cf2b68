"""All figures that can be run, by name."""

from __future__ import annotations

from benchmarks.papers.chen2008 import figures as chen2008
from benchmarks.papers.chen2010 import figures as chen2010
from benchmarks.papers.figures.figure import Figure
from benchmarks.papers.li2012 import figures as li2012
from benchmarks.papers.wang2011 import figures as wang2011
from benchmarks.papers.zhang2012 import figures as zhang2012

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for paper in (chen2010, chen2008, zhang2012, wang2011, li2012)
    for figure in paper.FIGURES
}
