"""The leaderboard: labels reach no method, gaps and failures are no end, and the page is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks import quick
from benchmarks.leaderboard import run as board
from benchmarks.leaderboard.checks import checks
from benchmarks.leaderboard.evidence import VARIANTS, belongs
from benchmarks.leaderboard.methods import FORMER, FRONT, PARTICIPANTS, PEERS, REFERENCE, TRIMMED
from benchmarks.leaderboard.report import RESULTS, between
from benchmarks.leaderboard.run import evaluate, within
from benchmarks.leaderboard.tables import failures, ranks, table, time_ratios
from benchmarks.packs import read_rows
from cocluster.datasets import make_blocks

K = 3


@pytest.fixture(scope="module")
def planted() -> Any:
    return make_blocks(60, 40, K, random_state=0)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fits in this process: those in another one could not be watched."""
    monkeypatch.setattr(board, "within", lambda limit, task: task())
    monkeypatch.setattr(board, "warm_up", lambda methods: None)
    with threadpool_limits(1):
        yield


def toy_sets(labels: Any, X: Any) -> Any:
    """As `all_sets`, of one set."""
    return lambda names: iter([("toy", "text", X, labels, K)])


@pytest.mark.parametrize("name", PARTICIPANTS)
def test_shuffled_labels_change_no_prediction(
    name: str, planted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None
) -> None:
    X = sp.csr_matrix(planted.X)
    fit, predictions, scores = PARTICIPANTS[name], [], []

    def watched(X: Any, k: int, seed: int) -> Any:
        predictions.append(np.asarray(fit(X, k, seed)))
        return predictions[-1]

    monkeypatch.setitem(board.PARTICIPANTS, name, watched)
    shuffled = np.random.default_rng(0).permutation(planted.row_labels)
    for part, labels in enumerate((planted.row_labels, shuffled)):
        monkeypatch.setattr(board, "all_sets", toy_sets(labels, X))
        rows = board.run(tmp_path / f"{part}", None, [name], limit=1, seeds=1)
        scores += [row["nmi"] for row in rows]
    np.testing.assert_array_equal(*predictions)
    assert scores[1] < scores[0]


def test_labels_are_looked_at_after_the_fit(planted: Any) -> None:
    events = []

    def method(X: Any, k: int, seed: int) -> Any:
        events.append("fit")
        return PARTICIPANTS[FRONT](X, k, seed)

    def labels() -> Any:
        events.append("labels")
        return planted.row_labels

    evaluate(method, planted.X, K, 0, labels)
    assert events[-1] == "labels"
    assert set(events[:-1]) == {"fit"}


def test_a_failure_is_a_row_not_an_end(planted: Any) -> None:
    outcome = evaluate(lambda X, k, seed: 1 / 0, planted.X, K, 0, lambda: planted.row_labels)
    assert outcome == {"failure": "ZeroDivisionError: division by zero"}


def _forever() -> Any:
    while True:
        pass


def test_a_fit_ends_at_its_limit_and_else_gives_its_outcome() -> None:
    assert within(1, _forever) == {"failure": "over 1 s"}
    assert within(60, lambda: {"nmi": 0.5}) == {"nmi": 0.5}


def test_a_run_goes_on_where_it_ended(
    planted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: None
) -> None:
    monkeypatch.setattr(board, "all_sets", toy_sets(planted.row_labels, sp.csr_matrix(planted.X)))
    methods = [FRONT, REFERENCE, "fnmtf"]
    first = next(board.run(tmp_path, None, methods, limit=60, seeds=2))
    rest = list(board.run(tmp_path, None, methods, limit=60, seeds=2))
    # Our other methods have one seed.
    found = [(row["method"], row["seed"]) for row in (first, *rest)]
    assert found == [(FRONT, 0), (REFERENCE, 0), ("fnmtf", 0), (FRONT, 1), (REFERENCE, 1)]
    assert not list(board.run(tmp_path, None, methods, limit=60, seeds=2))
    assert len(read_rows(tmp_path, RESULTS)) == len(found)
    board.forget(tmp_path, ["another"], [FRONT])
    assert len(read_rows(tmp_path, RESULTS)) == len(found)
    board.forget(tmp_path, None, [FRONT])
    assert [row["method"] for row in read_rows(tmp_path, RESULTS)] == [
        REFERENCE,
        "fnmtf",
        REFERENCE,
    ]


def test_a_method_too_slow_for_a_set_is_not_tried_on_larger_ones() -> None:
    row = {"set": "small", "method": "itcc", "samples": "9", "features": "7"}
    slow, fast = {**row, "failure": "over 5 s"}, {**row, "method": "nmf", "failure": ""}
    larger = {"set": "large", "samples": 10, "features": 7}
    assert board.too_slow_before([fast, slow], larger, "itcc") == {
        "failure": "over 5 s on small, not tried here"
    }
    assert board.too_slow_before([fast, slow], larger, "nmf") is None
    assert board.too_slow_before([slow], {**larger, "features": 6}, "itcc") is None


def test_gaps_are_filled_by_the_median_of_the_feature() -> None:
    gap = np.nan
    X = np.array([[1.0, gap, gap], [3.0, gap, 5.0], [8.0, gap, 7.0], [gap, gap, 6.0]])
    np.testing.assert_array_equal(board._plain(X), [[1, 6], [3, 5], [8, 7], [3, 6]])


def test_the_reference_without_empty_rows_and_columns_is_the_reference(planted: Any) -> None:
    X = planted.X.toarray()
    rows, columns = np.arange(60) % 7 > 0, np.arange(40) % 5 > 0
    holes = np.where(rows[:, None] & columns, X, 0)
    assert "failure" in evaluate(PEERS[REFERENCE], holes, K, 0, lambda: planted.row_labels)
    found = PEERS[TRIMMED](holes, K, 0)
    np.testing.assert_array_equal(found[rows], PEERS[REFERENCE](X[rows][:, columns], K, 0))


def scored(**nmi: tuple[float, float]) -> pd.DataFrame:
    """Rows of two sets: the reference takes 1 s and fails on the second, the others take 2 s."""
    names = {"front": FRONT, "former": FORMER, "reference": REFERENCE, "trimmed": TRIMMED}
    rows = []
    for short, values in nmi.items():
        name = names.get(short, short)
        for number, value in enumerate(values):
            fails = np.isnan(value)
            seconds = {REFERENCE: 1.0, TRIMMED: 0.5}.get(name, 2.0)
            row = {"set": number, "kind": "text", "method": name, "nmi": value, "accuracy": value}
            row |= {
                "seconds": np.nan if fails else seconds,
                "failure": "over 9 s" if fails else None,
            }
            rows.append(row)
    return pd.DataFrame(rows)


def test_failures_score_nothing_rank_last_and_have_no_time() -> None:
    rows = scored(front=(0.9, 0.8), reference=(0.5, np.nan), trimmed=(0.5, 0.4), itcc=(0.6, 0.3))
    means = table(rows)
    assert means.loc[REFERENCE, "mean NMI"] == 0.25
    assert means.loc[REFERENCE, "mean NMI where it works"] == 0.5
    assert means["failures"].to_dict() == {FRONT: 0, "itcc": 0, TRIMMED: 0, REFERENCE: 1}
    assert failures(rows).to_dict() == {"too slow": {REFERENCE: 1}}
    assert ranks(rows).to_dict() == {FRONT: 1, "itcc": 2.5, TRIMMED: 2.75, REFERENCE: 3.75}
    # Where the reference fails, time counts from that without empty rows.
    assert time_ratios(rows)[FRONT].tolist() == [2.0, 4.0]


def test_a_method_that_was_not_run_everywhere_takes_no_part() -> None:
    rows = scored(front=(0.9, 0.8), reference=(0.5, 0.5), trimmed=(0.5, 0.4), itcc=(1.0,))
    assert "itcc" not in table(rows).index


DEMANDS = ("points", "mean NMI", "mean rank", "half", "Never")


@pytest.mark.parametrize(
    ("front", "former", "other", "broken"),
    [
        ((0.9, 0.8), (0.6, 0.5), (0.6, 0.3), set()),
        # Less than three points above the former rule.
        ((0.9, 0.8), (0.89, 0.79), (0.6, 0.3), {"points"}),
        # A peer is ahead, and by more than half a point.
        ((0.9, 0.8), (0.6, 0.5), (0.92, 0.9), {"mean NMI", "mean rank", "half"}),
        # A failure scores nothing on its set.
        ((0.9, np.nan), (0.3, 0.3), (0.2, 0.2), {*DEMANDS}),
    ],
)
def test_what_must_hold_is_judged_by_the_rows(
    front: Any, former: Any, other: Any, broken: set[str]
) -> None:
    peer = "SVD 100 + KMeans (scikit-learn)"
    rows = scored(
        **{"front": front, "former": former, peer: other},
        reference=(0.1, np.nan),
        trimmed=(0.1, 0.1),
    )
    rows = rows.assign(set=np.where(rows["set"] == 0, "oh0", "umist_575x644"), samples=900)
    failed = [check.demand for check in checks(rows) if not check.holds]
    assert {word for word in DEMANDS if any(word in demand for demand in failed)} == broken


def test_only_what_is_between_the_marks_is_written_anew() -> None:
    text = "before\n<!-- a -->\nold\n<!-- /a -->\nafter <!-- b -->"
    new = between(text, "a", "new")
    assert new == "before\n<!-- a -->\n\nnew\n\n<!-- /a -->\nafter <!-- b -->"
    assert between(new, "a", "new") == new


@pytest.mark.parametrize(("name", "variant"), [(t, v) for t in VARIANTS for v in VARIANTS[t]])
def test_every_variant_of_the_evidence_groups_its_kind_of_data(
    name: str, variant: str, planted: Any
) -> None:
    X = planted.X.toarray()
    data = {"occurrences": X * (np.quantile(X, 0.9) < X), "measurements": X - X.mean(axis=0)}[name]
    assert belongs(name, data)
    with threadpool_limits(1):
        labels = VARIANTS[name][variant](data, K, 0)
    assert labels.shape == planted.row_labels.shape
    assert set(labels) == set(range(K))


def test_without_data_the_quick_benchmark_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COCLUSTER_DATA", raising=False)
    monkeypatch.delenv("COCLUSTER_MIRROR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    quick.main()
    said = capsys.readouterr().out
    for name in (*quick.SLICES, *quick.SETS):
        assert f"{name} " in said
    assert said.count("is skipped") == len(quick.SLICES) + len(quick.SETS)
    assert "set COCLUSTER_DATA" in said
