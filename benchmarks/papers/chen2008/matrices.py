"""Figure 3 of chen2008: similarities of documents before and after clustering."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.papers.figures.figure import Finding
from benchmarks.papers.figures.pictures import Panels, Picture, column, line, of_kind
from benchmarks.papers.protocol import load
from benchmarks.papers.search import Row
from cocluster import SSNMF
from cocluster.graphs.similarity import linked_similarity
from cocluster.linalg.types import Array
from cocluster.links import Links

PIXELS, TOLD = 40, 0.05
BEFORE = "England-Heart, before"
AFTER = ("England-Heart, after SS-NMF", "Fbis5, after SS-NMF")


def _before() -> list[Row]:
    """The similarities in random order."""
    A = _similarity("England-Heart")[0]
    order = np.random.default_rng(0).permutation(len(A))
    return _cells(A[np.ix_(order, order)])


def _after(name: str) -> list[Row]:
    """The similarities with links, sorted by cluster, and where clusters end."""
    A, X, labels = _similarity(name)
    links = Links.from_labels(labels, fraction=TOLD, random_state=0)
    k = len(np.unique(labels))
    model = SSNMF(k, n_init=3, init="random", random_state=0).fit(X, links=links)
    moved = np.asarray(linked_similarity(A, links, "replace") @ np.eye(len(A)))
    order = np.argsort(model.labels_, kind="stable")
    blocks = [[moved[np.ix_(a, b)].mean() for b in _members(model)] for a in _members(model)]
    sizes = np.bincount(model.labels_, minlength=k)
    ends = np.cumsum(sizes)[:-1] * PIXELS / len(A)
    return [
        *_cells(moved[np.ix_(order, order)]),
        *(line("boundary", x=float(end)) for end in ends),
        *(
            line("block", x=i, y=j, value=float(value))
            for (i, j), value in np.ndenumerate(np.array(blocks))
        ),
    ]


def _members(model: SSNMF) -> list[Array]:
    """Samples of each cluster."""
    return [np.flatnonzero(model.labels_ == code) for code in np.unique(model.labels_)]


def _similarity(name: str) -> tuple[Array, Any, Array]:
    """X Xᵀ of a set, its data and its classes."""
    sample = load("chen2008", name, 0)
    (X,) = sample.views.values()
    return np.asarray((X @ X.T).toarray(), dtype=float), X, sample.labels


def _cells(A: Array) -> list[Row]:
    """Means over a grid, the upper half: the matrix is symmetric."""
    bins = np.arange(len(A)) * PIXELS // len(A)
    P = np.eye(PIXELS)[bins] / np.bincount(bins)[bins][:, None]
    means = P.T @ A @ P
    upper = zip(*np.triu_indices(PIXELS), strict=True)
    return [line("cell", x=int(j), y=int(i), value=float(means[i, j])) for i, j in upper]


def _paint(axis: Any, rows: list[Row]) -> None:
    """The matrix in grey, with lines between clusters."""
    cells = of_kind(rows, "cell")
    if not cells:
        return
    x, y = (column(cells, name).astype(int) for name in ("x", "y"))
    picture = np.zeros((PIXELS, PIXELS))
    picture[x, y] = picture[y, x] = column(cells, "value")
    axis.imshow(
        picture, cmap="Greys", vmax=np.quantile(picture, 0.97), extent=(0, PIXELS, PIXELS, 0)
    )
    for end in column(of_kind(rows, "boundary"), "x"):
        axis.axhline(end, color="tab:orange", lw=1)
        axis.axvline(end, color="tab:orange", lw=1)
    axis.set_xticks([])
    axis.set_yticks([])


def _dense(panels: Panels) -> Finding:
    """How many clusters are denser within than towards any other."""
    held = cases = 0
    for name in AFTER:
        blocks = of_kind(panels.get(name, []), "block")
        k = int(np.sqrt(len(blocks)))
        means = column(blocks, "value").reshape(k, k)
        held += int((means.argmax(axis=1) == np.arange(k)).sum()) if k else 0
        cases += k
    return Finding("clusters denser within than towards any other", held, cases)


FIGURE3 = Picture(
    paper="chen2008",
    number="3",
    title="similarities of documents before and after clustering",
    shows="after clustering with links of 5 % of the pairs, document clusters are dense blocks on "
    "the diagonal.",
    remark="Means over 40 x 40 cells of X Xᵀ of the counts, with links after clustering.",
    panels={
        BEFORE: _before,
        AFTER[0]: lambda: _after("England-Heart"),
        AFTER[1]: lambda: _after("Fbis5"),
    },
    paint=_paint,
    claims=(_dense,),
    needs=("oh0", "fbis"),
)
