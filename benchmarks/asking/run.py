"""Run the interviews and what they are compared with; results are kept job by job."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from benchmarks.asking.sets import SETS, SHOWN, TEXTS, load
from cocluster import FNMTF, ITCC, CoCluster, Links
from cocluster.data.relational import relational
from cocluster.interview import Interview, Query
from cocluster.linalg.matrices import as_dense
from cocluster.linalg.types import Array
from cocluster.methods.default.embedding import holds_measurements, neighbour_embedding
from cocluster.metrics import accuracy

RESULTS = Path(__file__).parents[1] / "results"
ROWS = RESULTS / "asking.csv"
COLUMNS = ("part", "set", "seed", "who", "amount", "accuracy", "unasked")
AT = (0, 10, 20, 50, 100, 200)
# A session of the workbench.
SESSION = (0, 10, 20, 30, 50)
WRONG = 0.1
ELSEWHERE, LSA = 100, 50
# Answers after which interactive clustering clusters again; each time it looks at all pairs.
BATCH = 50
SHARES = (0.0, 0.01, 0.03, 0.05, 0.1)
Row = dict[str, Any]


def interviewed(
    name: str, seed: int, kind: str, amounts: tuple[int, ...], wrong: float = 0.0
) -> Iterator[Row]:
    """Scores of an interview, and of peers that know the classes of the samples it has placed."""
    most = max(amounts)
    X, y = load(name)
    estimator = CoCluster(len(np.unique(y)), random_state=seed)
    interview = Interview(X, estimator, random_state=seed, errors=wrong)
    rng, asked = np.random.default_rng(seed), np.zeros(len(y), dtype=bool)
    for count in range(most + 1):
        if count in amounts:
            labels = interview.refit().labels
            yield _scored("CoCluster", count, y, labels, asked)
            if kind == "place" and count and name in SETS:
                yield from _peers(X, y, interview, count, asked)
        if count < most:
            (query,) = interview.next_queries(1, kind) or (None,)
            if query is None:
                return
            asked[[query.i, query.j]] = True
            _answer(interview, query, y, rng.random() < wrong, rng)


def _answer(
    interview: Interview, query: Query, y: Array, wrong: bool, rng: np.random.Generator
) -> None:
    """What someone says who knows the classes, and errs now and then."""
    if query.options:
        fitting = [i for i in query.options if y[i] == y[query.j]]
        chosen = int(rng.choice(query.options)) if wrong else next(iter(fitting), None)
        interview.place(query.j, chosen)
    else:
        same = bool(y[query.i] == y[query.j]) != wrong
        interview.answer(query.i, query.j, "same" if same else "different")


def _scored(who: str, amount: float, y: Array, labels: Array, asked: Array) -> Row:
    """Accuracy over all samples, and over those never asked about."""
    rest = ~asked
    return {
        "who": who,
        "amount": amount,
        "accuracy": round(accuracy(y, labels), 4),
        "unasked": round(accuracy(y[rest], labels[rest]), 4),
    }


def _peers(X: Any, y: Array, interview: Interview, count: int, asked: Array) -> Iterator[Row]:
    """Classifiers that are told the classes of the same samples."""
    placed = np.concatenate(interview.groups)
    told = np.full(len(y), -1)
    told[placed] = y[placed]
    if len(np.unique(told[placed])) < 2:
        return
    filled = holds_measurements(relational(X).relations[0].matrix)
    dense = StandardScaler().fit_transform(as_dense(X)) if filled else None
    Z = TfidfTransformer().fit_transform(X) if dense is None else dense
    seed = 0
    points = neighbour_embedding(relational(X).oriented(), len(np.unique(y)), seed)
    logistic = LogisticRegression(C=10, max_iter=500)
    peers: dict[str, Callable[[], Array]] = {
        "logistic regression": lambda: logistic.fit(Z[placed], y[placed]).predict(Z),
        "SelfTraining": lambda: SelfTrainingClassifier(logistic).fit(Z, told).predict(Z),
        "LabelSpreading": lambda: (
            LabelSpreading("knn", n_neighbors=10, max_iter=100)
            .fit(points.Z if points is not None else Z, told)
            .transduction_
        ),
    }
    for who, labels in peers.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield _scored(who, count, y, labels(), asked)


def elsewhere(name: str, seed: int) -> Iterator[Row]:
    """100 answers with active-semi-supervised-clustering: MinMax asks, PCKMeans clusters.

    On unit rows of 50 singular vectors (tf-idf, or measurements as they are).
    """
    from active_semi_clustering.active.pairwise_constraints import ExampleOracle, MinMax
    from active_semi_clustering.semi_supervised.pairwise_constraints import PCKMeans

    X, y = load(name)
    k = len(np.unique(y))
    Y = (
        X
        if holds_measurements(relational(X).relations[0].matrix)
        else TfidfTransformer().fit_transform(X)
    )
    Z = normalize(TruncatedSVD(LSA, random_state=seed).fit_transform(Y))
    np.random.seed(seed)  # noqa: NPY002  (the library draws from the global generator)
    oracle, nobody = ExampleOracle(y, max_queries_cnt=ELSEWHERE), np.zeros(len(y), dtype=bool)
    asking = MinMax(n_clusters=k)
    asking.fit(Z, oracle=oracle)
    must, cannot = asking.pairwise_constraints_
    clustering = PCKMeans(n_clusters=k)
    clustering.fit(Z, ml=must, cl=cannot)
    yield _scored("MinMax, PCKMeans", ELSEWHERE, y, clustering.labels_, nobody)


def interactive(name: str, seed: int) -> Iterator[Row]:
    """100 answers with cognitivefactory's interactive clustering, on tf-idf.

    Its constrained k-means, asked as its authors do: the nearest pairs in different clusters, in
    batches after each of which all is clustered again.
    """
    from cognitivefactory.interactive_clustering.clustering import kmeans
    from cognitivefactory.interactive_clustering.clustering.factory import clustering_factory
    from cognitivefactory.interactive_clustering.constraints.factory import managing_factory
    from cognitivefactory.interactive_clustering.sampling import clusters_based
    from cognitivefactory.interactive_clustering.sampling.factory import sampling_factory

    # It hands over generators, which scipy refuses today.
    kmeans.vstack = clusters_based.vstack = lambda rows: vstack(list(rows))
    X, y = load(name)
    rows = TfidfTransformer().fit_transform(X)
    vectors = {str(i): csr_matrix(rows[[i]]) for i in range(len(y))}
    nobody = np.zeros(len(y), dtype=bool)
    known = managing_factory(manager="binary", list_of_data_IDs=list(vectors))
    clustering = clustering_factory(algorithm="kmeans", model="COP", random_seed=seed)
    sampling = sampling_factory(algorithm="closest_in_different_clusters", random_seed=seed)
    for count in range(0, ELSEWHERE + 1, BATCH):
        found = clustering.cluster(
            constraints_manager=known, vectors=vectors, nb_clusters=len(np.unique(y))
        )
        labels = np.array([found[i] for i in vectors])
        yield _scored("interactive clustering", count, y, labels, nobody)
        if count < ELSEWHERE:
            chosen = sampling.sample(
                constraints_manager=known,
                nb_to_select=BATCH,
                clustering_result=found,
                vectors=vectors,
            )
            for i, j in chosen:
                same = y[int(i)] == y[int(j)]
                known.add_constraint(i, j, "MUST_LINK" if same else "CANNOT_LINK")


def linked(name: str, seed: int) -> Iterator[Row]:
    """Accuracy with links drawn from the classes, of all pairs so many."""
    X, y = load(name)
    k = len(np.unique(y))
    nobody = np.zeros(len(y), dtype=bool)
    for share in SHARES:
        links = Links.from_labels(y, fraction=share, random_state=seed) if share else None
        for method in (CoCluster(k), FNMTF(k, spread=True), ITCC(k, spread=True)):
            labels = method.set_params(random_state=seed).fit(X, links=links).labels_
            yield _scored(type(method).__name__, share, y, labels, nobody)


def labelled(seed: int) -> Iterator[Row]:
    """20 newsgroups with some labels."""
    X, y = load("ng20")
    for amount in (0, 60, 400):
        known = np.random.default_rng(seed).permutation(len(y))[:amount]
        told = np.full(len(y), -1)
        told[known] = y[known]
        model = CoCluster(len(np.unique(y)), random_state=seed).fit(X, told if amount else None)
        asked = told >= 0
        yield _scored("CoCluster", amount, y, model.labels_, asked)


Job = tuple[str, str, int, Callable[[], Iterator[Row]]]


def jobs(seeds: range) -> Iterator[Job]:
    """All that is run, in order: part, set, seed, and what to do."""
    for seed in seeds:
        for name in SETS:
            yield "pairs", name, seed, partial(interviewed, name, seed, "pair", AT)
            yield "placements", name, seed, partial(interviewed, name, seed, "place", AT[:4])
        for name in SHOWN:
            for kind in ("pair", "place"):
                asking = partial(interviewed, name, seed, kind, SESSION)
                yield f"session of {kind}s", name, seed, asking
        yield "ng20 labels", "ng20", seed, partial(labelled, seed)
        for name in SETS:
            yield "wrong", name, seed, partial(interviewed, name, seed, "pair", AT[:5], WRONG)
            yield "links", name, seed, partial(linked, name, seed)
    # A library that is not among the requirements, and needs metric-learn.
    if find_spec("active_semi_clustering"):
        for name in SETS:
            yield "elsewhere", name, 0, partial(elsewhere, name, 0)
    # It asks for old versions of spaCy, of which only its preprocessing of texts has need.
    if find_spec("cognitivefactory"):
        for name in TEXTS:
            yield "interactive", name, 0, partial(interactive, name, 0)


def run(seeds: range, show: Callable[[str], None]) -> list[Row]:
    """Run what is not there yet; returns all results."""
    RESULTS.mkdir(exist_ok=True)
    done = {(row["part"], row["set"], row["seed"]) for row in rows()}
    for part, name, seed, do in jobs(seeds):
        if (part, name, str(seed)) not in done:
            new = [{"part": part, "set": name, "seed": seed, **row} for row in do()]
            _append(new)
            show(f"{part} {name} {seed}: " + " ".join(f"{r['accuracy']:.3f}" for r in new))
    return rows()


def rows() -> list[Row]:
    """Results so far."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _append(new: list[Row]) -> None:
    """Write the rows of one job."""
    fresh = not ROWS.exists()
    with ROWS.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if fresh:
            writer.writeheader()
        writer.writerows(new)
