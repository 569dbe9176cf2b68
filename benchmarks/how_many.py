"""How many clusters are there? Planted numbers, noise, and real sets with known classes.

    COCLUSTER_DATA=... python -m benchmarks.how_many

Classes are looked at here and nowhere before. The error on a set with k classes, for which a method
says k', is |log2(k' / k)|: 1 is twice as many, or half. Peers see the data as their users prepare
them (`benchmarks.leaderboard.peers`):

* eigengap: largest gap between singular values of the degree-scaled matrix
* silhouette: the number with the largest silhouette of k-means on 50 singular vectors
* HDBSCAN: with the settings of BERTopic (15 neighbours, UMAP to 5 dimensions, clusters of 10)
* Leiden: on 15 neighbours among 50 singular vectors, at resolution 1
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import silhouette_score
from sklearn.neighbors import kneighbors_graph

from benchmarks.leaderboard.peers import beside, reduced
from benchmarks.tables import Row, run_and_write, told
from cocluster import CoCluster, choose_n_clusters
from cocluster.datasets import fetch, make_blocks

# Five of the leaderboard's half for choosing, five of the one that only shows (`halves.toml`).
CHOOSE = (
    "classic3",
    "cstr_475x1000",
    "wap",
    "ng20_mini_noheaders",
    "lung_bhattacharjee_203x1543",
)
SHOW = ("oh0", "oh15", "re0", "pbmc68k_reduced_700", "mfeat_2000_6view")
DRAWS = 20
NUMBERS = range(2, 13)
N_ROWS, N_COLUMNS, CONTRAST = 1500, 800, 5.0
# Most clusters that peers try: as many as choose_n_clusters does.
MOST = 32
# Instead of the degree of an empty row or column.
TINY = 1e-12


def ours(X: Any) -> int:
    """The recommended number."""
    return choose_n_clusters(X, random_state=0).rows.stable


def eigengap(X: Any) -> int:
    """The number before the largest gap."""
    X = beside(X)
    # Degrees of signed data are counted from the least value.
    X = sp.csr_array(X if X.min() >= 0 else X - X.min())
    rows, columns = (
        sp.diags_array(1 / np.sqrt(np.maximum(X.sum(axis=axis), TINY))) for axis in (1, 0)
    )
    size = min(MOST + 1, min(X.shape) - 1)
    scaled = rows @ X @ columns
    values = -np.sort(-svds(scaled, size, return_singular_vectors=False, random_state=0))
    return int(np.argmax(values[1:-1] - values[2:])) + 2


def silhouette(X: Any) -> int:
    """The number with the largest silhouette."""
    Z = reduced(X, 50, 0)
    numbers = range(2, min(MOST, len(Z) // 2) + 1)
    return max(
        numbers,
        key=lambda k: float(
            silhouette_score(Z, KMeans(k, random_state=0).fit_predict(Z), sample_size=2000)
        ),
    )


def hdbscan(X: Any) -> int:
    """Clusters that HDBSCAN finds in a UMAP, as BERTopic does by default."""
    from umap import UMAP

    Z = reduced(X, 50, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = UMAP(15, 5, min_dist=0.0, metric="cosine", random_state=0).fit_transform(Z)
    labels = HDBSCAN(min_cluster_size=10, copy=True).fit_predict(places)
    return max(1, int(labels.max()) + 1)


def leiden(X: Any) -> int:
    """Communities at resolution 1."""
    import igraph
    import leidenalg

    Z = reduced(X, 50, 0)
    W = kneighbors_graph(Z, min(15, len(Z) - 1))
    rows, columns = sp.triu(W.maximum(W.T), 1).nonzero()
    graph = igraph.Graph(n=len(Z), edges=list(zip(rows.tolist(), columns.tolist(), strict=True)))
    kind = leidenalg.RBConfigurationVertexPartition
    return len(leidenalg.find_partition(graph, kind, resolution_parameter=1.0, seed=0))


METHODS: dict[str, Callable[[Any], int]] = {
    "choose_n_clusters": ours,
    "eigengap": eigengap,
    "silhouette": silhouette,
    "HDBSCAN": hdbscan,
    "Leiden": leiden,
}


def burst(X: sp.csr_array, seed: int) -> sp.csr_array:
    """Counts that come in bursts: each one comes again, as often as once more on average."""
    again = np.random.default_rng(seed).negative_binomial(X.data.astype(int), 0.5)
    return sp.csr_array((X.data + again, X.indices, X.indptr), X.shape)


def planted() -> Iterator[Row]:
    """Planted numbers of clusters, Poisson and bursty, and noise, which has one."""
    for draw in range(DRAWS):
        k = NUMBERS[draw % len(NUMBERS)]
        for kind, number in (("planted", k), ("bursty", k), ("noise", 1)):
            X = make_blocks(N_ROWS, N_COLUMNS, number, contrast=CONTRAST, random_state=draw).X
            found = choose_n_clusters(burst(X, draw) if kind == "bursty" else X, random_state=draw)
            for side in found.sides:
                yield {"kind": kind, "data": f"{side.name}, draw {draw}", "k": number} | {
                    "method": "choose_n_clusters",
                    "found": side.stable,
                }


def real() -> Iterator[Row]:
    """Sets with known classes, by every method."""
    for half, names in (("real, chooses", CHOOSE), ("real, shows", SHOW)):
        for name in names:
            dataset = fetch(name)
            X = next(iter(dataset.views.values())) if len(dataset.views) == 1 else dataset.views
            for method, number in METHODS.items():
                row: Row = {"kind": half, "data": name, "k": dataset.n_classes, "method": method}
                yield row | {"found": number(dataset.data if method == "choose_n_clusters" else X)}


def cost() -> Iterator[Row]:
    """Time of the choice in that of one fit, on large data."""
    X = make_blocks(200_000, 10_000, 10, random_state=0).X
    times = []
    for work in (CoCluster(10, random_state=0).fit, lambda X: choose_n_clusters(X, random_state=0)):
        start = time.perf_counter()
        work(X)
        times.append(time.perf_counter() - start)
    ratio = round(times[1] / times[0], 2)
    yield {"kind": "cost", "data": "200,000 x 10,000", "k": 10} | {"method": "", "found": ratio}


def error(row: Row) -> float:
    """Doublings or halvings between what was found and what is known."""
    return float(abs(np.log2(float(row["found"]) / float(row["k"]))))


def report(rows: list[Row]) -> str:
    """The page."""
    by_kind = {kind: [r for r in rows if r["kind"] == kind] for kind in {r["kind"] for r in rows}}
    lines = ["# How many clusters", "", *told(__doc__), ""]
    lines += ["What `choose_n_clusters` finds where the number is known:", ""]
    for kind in ("planted", "bursty", "noise"):
        own = by_kind[kind]
        near = sum(abs(r["found"] - r["k"]) <= (kind != "noise") for r in own)
        what = "no grouping" if kind == "noise" else "within 1"
        lines.append(f"* {kind}: {what} in {near} of {len(own)} ({DRAWS} draws, both sides)")
    (cost_row,) = by_kind["cost"]
    lines.append(f"* time of a choice over one fit, {cost_row['data']}: {cost_row['found']}")
    reals = by_kind["real, chooses"] + by_kind["real, shows"]
    lines += ["", f"| set | classes | {' | '.join(METHODS)} |", "|---" * (2 + len(METHODS)) + "|"]
    for name in dict.fromkeys(r["data"] for r in reals):
        own = [r for r in reals if r["data"] == name]
        cells = [str(r["found"]) for r in own]
        lines.append(f"| {name} | {own[0]['k']} | {' | '.join(cells)} |")
    for kind, group in (("all ten", reals), ("the five that show", by_kind["real, shows"])):
        means = [np.mean([error(r) for r in group if r["method"] == m]) for m in METHODS]
        lines.append(f"| mean error, {kind} | | {' | '.join(f'{m:.2f}' for m in means)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all and write benchmarks/results/how_many.{csv,md}."""
    run_and_write("how_many", chain(real(), planted(), cost()), report)


if __name__ == "__main__":
    main()
