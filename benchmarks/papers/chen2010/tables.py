"""Tables of chen2010."""

from __future__ import annotations

from typing import Any

from benchmarks.papers.chen2010.exhibits import exhibits
from benchmarks.papers.exhibit import Exhibit
from benchmarks.papers.grids import FINALISTS, GENE, IMAGE, TEXT, Grid
from benchmarks.papers.protocol import Column, Scales, Table
from benchmarks.papers.solvers import method, tsvm


def _pairwise() -> tuple[Column, ...]:
    """Columns of table 5 of chen2010."""
    kernel: Grid = {"gamma": (None, 0.1, 1.0)}
    quick: Grid = {"gamma": (None, 1.0)}
    kernels = method("kernelkmeans", n_init=3)
    return (
        Column("KK", kernels, kernel, quick),
        Column("BSGP", method("bsgp")),
        Column("CMRF", method("cmrf")),
        Column("NMF", method("nmtf")),
        Column("TSVM", tsvm, supervision="samples"),
        Column("SS-KK", kernels, kernel, quick, supervision="pairs"),
        Column("SS-CMRF", method("cmrf"), supervision="pairs"),
        Column("SS-NMF", method("starssnmf"), supervision="pairs"),
    )


def _star() -> tuple[Column, ...]:
    """Columns of table 6 of chen2010."""
    return (
        Column("SRC", method("src")),
        Column("CMRF", method("cmrf")),
        Column("NMF", method("nmtf")),
        Column("SS-CMRF", method("cmrf"), supervision="pairs"),
        Column("SS-NMF", method("starssnmf"), supervision="pairs"),
    )


def tables() -> list[Table | Exhibit]:
    """Tables of chen2010."""
    text: dict[str, Scales] = {f"CT{number}": TEXT for number in range(1, 9)}
    genes: dict[str, Scales] = {f"BT{number}": GENE for number in range(1, 8)}
    sets = text | genes
    small = tuple(name for name in sets if name != "CT8")
    stars: dict[str, Scales] = {f"HT{number}": TEXT for number in range(1, 10)}
    stars |= {f"IT{number}": IMAGE for number in range(1, 8)}
    few = tuple(name for name in stars if name not in ("HT8", "HT9"))
    parts: dict[str, Any] = {
        "metrics": ("accuracy",),
        "runs": 10,
        "quick_runs": 2,
        "finalists": FINALISTS,
    }
    parts["quick_scales"] = ("l2", "range")
    parts["note"] = (
        "Links are closed (what is linked to the same sample is linked), so that many links decide "
        "most of the classes for every method that keeps them, baselines too: see the README."
    )
    titles = ("pairwise co-clustering", "co-clustering of a star")
    pairwise, star = _pairwise(), _star()
    own = parts | {"quick_sets": small, "costly": {"CT8": (1, 10)}, "fraction": 0.1}
    parts |= {"quick_sets": few, "costly": {"HT8": (1, 5), "HT9": (1, 5)}, "fraction": 0.15}
    return [
        Table("chen2010", "5", titles[0], sets, pairwise, **own),
        Table("chen2010", "6", titles[1], stars, star, **parts),
        *exhibits(),
    ]
