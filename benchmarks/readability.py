"""Can people read the clusters? Top words of 20 Newsgroups, by method and by statistic.

    COCLUSTER_DATA=... python -m benchmarks.readability

Ten words for each of 20 clusters. Words that belong together occur in the same documents: NPMI is
the normalised pointwise mutual information of two words over all 18,846 documents, from -1 (never
together) to 1 (never apart), the mean over all pairs of a cluster and then over clusters. Diversity
is the share of different words among all 200: naming every cluster by the same good words is no
description. What counts is the product. All methods see the same words: of letters, three or more
of them, no stop words, in at least 5 documents and at most half of them.

BERTopic and umap-learn are installed by hand: ``pip install --no-deps bertopic plotly umap-learn
pynndescent`` (their other dependencies are large and not used).

Beside it, the same for genes: of the ten first genes of each cluster of pbmc68k, how many are also
among the first ten of the rank sum test (scipy's, without a correction for ties, as scanpy has it)?
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import ranksums
from sklearn.cluster import HDBSCAN
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    CountVectorizer,
    TfidfTransformer,
)
from sklearn.preprocessing import normalize

from cocluster import CoCluster, explain
from cocluster.datasets import Dataset, fetch
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.types import Array
from cocluster.report.statistics import BY_COUNTS, STATISTICS

TEXTS, GENES = "ng20_bydate_stripped", "pbmc68k_reduced_700"
CLUSTERS, WORDS = 20, 10
SEEDS = (0, 1, 2)
# Words are kept from so many documents on, up to this share of all, and with so many letters.
FEWEST, MOST, SHORTEST = 5, 0.5, 3
# Sweeps of the peers: what is won after them is in the third digit.
NMF_SWEEPS, KL_SWEEPS, LDA_SWEEPS = 200, 100, 10
TARGET = 0.27
# What BERTopic is given instead of the embeddings of a sentence model.
N_VECTORS = 100
RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]
# Positions of the top words of each cluster.
Tops = list[Array]


def readable(dataset: Dataset) -> Dataset:
    """The data set with the words that all methods see."""
    X = sp.csr_array(dataset.X)
    terms = dataset.feature_names["words"]
    documents = np.bincount(X.indices, minlength=X.shape[1])
    word = [t.isalpha() and len(t) >= SHORTEST and t not in ENGLISH_STOP_WORDS for t in terms]
    keep = np.flatnonzero(word & (documents >= FEWEST) & (documents <= MOST * X.shape[0]))
    return Dataset(dataset.name, {"words": X[:, keep]}, feature_names={"words": terms[keep]})


def npmi(tops: Tops, X: sp.csr_array) -> float:
    """Mean normalised pointwise mutual information of the words of a cluster, over clusters."""
    present = sp.csc_array(X != 0, dtype=np.float64)
    return float(np.mean([_coherence(as_dense(present[:, top])) for top in tops]))


def _coherence(present: Array) -> float:
    """The same of one cluster, from documents by words."""
    together = present.T @ present / len(present)
    alone = np.diag(together)
    pairs = []
    for i, j in combinations(range(len(alone)), 2):
        p = together[i, j]
        # The limits: never together, and together everywhere.
        limit = -1.0 if p == 0 else 1.0
        pairs.append(limit if p in (0, 1) else np.log(p / alone[i] / alone[j]) / -np.log(p))
    return float(np.mean(pairs))


def diversity(tops: Tops) -> float:
    """Share of different words among all top words."""
    everything = np.concatenate(tops)
    return len(np.unique(everything)) / len(everything)


def ours(dataset: Dataset, seed: int) -> Iterator[tuple[str, Tops]]:
    """Top words of one co-clustering by every statistic that counts."""
    model = CoCluster(CLUSTERS, random_state=seed).fit(dataset.data)
    for by in BY_COUNTS:
        found = explain(model.labels_, dataset, by, n_features=WORDS, n_members=0)
        words = [[f.position for f in c.views[0].features] for c in found.clusters]
        yield f"CoCluster, {by}", [np.array(top) for top in words]


def of_components(name: str, H: Array) -> Iterator[tuple[str, Tops]]:
    """Top words of the topics of a peer, by weight."""
    yield name, list(np.argsort(-H, axis=1, kind="stable")[:, :WORDS])


def nmf(dataset: Dataset, seed: int) -> Iterator[tuple[str, Tops]]:
    """Least squares on tf-idf."""
    model = NMF(CLUSTERS, random_state=seed, max_iter=NMF_SWEEPS)
    yield from of_components("NMF, tf-idf", _fitted(model, tfidf(dataset.X)))


def nmf_kl(dataset: Dataset, seed: int) -> Iterator[tuple[str, Tops]]:
    """Divergence on tf-idf."""
    model = NMF(
        CLUSTERS, random_state=seed, max_iter=KL_SWEEPS, solver="mu", beta_loss="kullback-leibler"
    )
    yield from of_components("NMF-KL, tf-idf", _fitted(model, tfidf(dataset.X)))


def lda(dataset: Dataset, seed: int) -> Iterator[tuple[str, Tops]]:
    """Counts, in batches."""
    model = LatentDirichletAllocation(
        CLUSTERS, random_state=seed, max_iter=LDA_SWEEPS, learning_method="online"
    )
    yield from of_components("LDA, counts", _fitted(model, dataset.X))


def bertopic(dataset: Dataset, seed: int) -> Iterator[tuple[str, Tops]]:
    """BERTopic with its own settings, on singular vectors instead of sentence embeddings.

    A sentence model would have to be downloaded. Its HDBSCAN is scikit-learn's, the many topics
    that it finds are merged by BERTopic itself.
    """
    from bertopic import BERTopic
    from umap import UMAP

    terms, X = dataset.feature_names["words"], sp.csr_array(dataset.X)
    texts = [
        " ".join(np.repeat(terms[X.indices[a:b]], X.data[a:b].astype(int)))
        for a, b in pairwise(X.indptr)
    ]
    vectors = TruncatedSVD(N_VECTORS, random_state=seed).fit_transform(tfidf(X))
    model = BERTopic(
        umap_model=UMAP(n_components=5, min_dist=0.0, metric="cosine", random_state=seed),
        hdbscan_model=HDBSCAN(min_cluster_size=10, copy=True),
        vectorizer_model=CountVectorizer(vocabulary=terms, lowercase=False),
        # One is for texts that fit no topic.
        nr_topics=CLUSTERS + 1,
    )
    model.fit(texts, normalize(vectors))
    position = {term: i for i, term in enumerate(terms)}
    named = (model.get_topic(topic) for topic in sorted(set(model.topics_) - {-1}))
    yield (
        "BERTopic, singular vectors",
        [np.array([position[word] for word, _ in topic[:WORDS] if word]) for topic in named],
    )


def tfidf(X: sp.csr_array) -> Any:
    """As scikit-learn's topic example has it."""
    return TfidfTransformer().fit_transform(X)


def _fitted(model: Any, X: Any) -> Array:
    """Topics by words; a peer that would like more sweeps need not say so."""
    return np.asarray(model.fit(X).components_)


METHODS: Sequence[Callable[[Dataset, int], Iterator[tuple[str, Tops]]]] = (
    ours,
    nmf,
    nmf_kl,
    lda,
    bertopic,
)


def text_rows(dataset: Dataset, everything: sp.csr_array) -> Iterator[tuple[Row, Tops]]:
    """A row for every method and seed, and its words."""
    for method in METHODS:
        for seed in SEEDS:
            start = time.perf_counter()
            for name, tops in method(dataset, seed):
                coherence, different = npmi(tops, everything), diversity(tops)
                row = {
                    "method": name,
                    "seed": seed,
                    "npmi": round(coherence, 4),
                    "diversity": round(different, 4),
                    "readability": round(coherence * different, 4),
                }
                print(row, f"{time.perf_counter() - start:.0f} s", flush=True)
                yield row, tops


def gene_rows(dataset: Dataset) -> Iterator[Row]:
    """Share of the top genes that the rank sum test has among its own, by statistic."""
    X = as_dense(dataset.X)
    for seed in SEEDS:
        labels = CoCluster(dataset.n_classes, random_state=seed).fit(dataset.data).labels_
        ids = np.unique(labels)
        markers = [
            np.argsort(-ranksums(X[labels == c], X[labels != c]).statistic)[:WORDS] for c in ids
        ]
        for by in STATISTICS:
            found = explain(labels, dataset, by, n_features=WORDS, n_members=0)
            shared = [
                len(np.intersect1d(top, [f.position for f in cluster.views[0].features])) / WORDS
                for top, cluster in zip(markers, found.clusters, strict=True)
            ]
            yield {"statistic": by, "seed": seed, "overlap": round(float(np.mean(shared)), 4)}


def _means(rows: list[Row], key: str, values: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Means over seeds, in the order of the rows."""
    for name in dict.fromkeys(row[key] for row in rows):
        own = [row for row in rows if row[key] == name]
        yield name, [float(np.mean([row[value] for row in own])) for value in values]


def report(texts: list[Row], genes: list[Row], words: list[str]) -> str:
    """The page."""
    columns = ("npmi", "diversity", "readability")
    best = {name: values[-1] for name, values in _means(texts, "method", columns)}
    ours_by_g2 = best["CoCluster, g2"]
    lines = [
        "# Can people read the clusters?",
        "",
        f"20 Newsgroups, top {WORDS} words of {CLUSTERS} clusters, means over {len(SEEDS)} seeds; "
        f"target for `CoCluster, g2` (the default of `explain`): {TARGET}, "
        f"{'reached' if ours_by_g2 >= TARGET else 'not reached'} ({ours_by_g2:.3f}).",
        "",
        "| method | NPMI | diversity | NPMI x diversity |",
        "|---|---|---|---|",
    ]
    for name, means in _means(texts, "method", columns):
        lines.append(f"| {name} | " + " | ".join(f"{value:.3f}" for value in means) + " |")
    lines += [
        "",
        f"Genes ({GENES}): share of the top {WORDS} of each cluster that the rank sum test has "
        "among its own.",
        "",
        "| statistic | overlap |",
        "|---|---|",
    ]
    lines += [
        f"| {name} | {mean:.3f} |" for name, (mean,) in _means(genes, "statistic", ["overlap"])
    ]
    return "\n".join([*lines, "", f"## The clusters of seed {SEEDS[0]}, by G²", "", *words, ""])


def main() -> None:
    """Run all and write benchmarks/results/readability.{csv,md} and readability_genes.csv."""
    whole = fetch(TEXTS)
    dataset = readable(whole)
    found = list(text_rows(dataset, sp.csr_array(dataset.X)))
    terms = dataset.feature_names["words"]
    words = [f"* {' '.join(terms[top])}" for top in found[0][1]]
    texts, genes = [row for row, _ in found], list(gene_rows(fetch(GENES)))
    for name, rows in (("readability", texts), ("readability_genes", genes)):
        with (RESULTS / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    text = report(texts, genes, words)
    (RESULTS / "readability.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
