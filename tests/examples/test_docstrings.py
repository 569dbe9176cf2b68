"""`make demo` prints and writes what it promises, with or without matplotlib."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pytest

from cocluster.datasets import Corpus, make_star
from examples import docstrings


@pytest.fixture(autouse=True)
def small_corpus(monkeypatch):
    sizes = {"words": 60, "parameters": 30, "see_also": 20}
    planted = make_star(150, sizes, 3, contrast=20, random_state=0)
    corpus = Corpus(
        views=planted.views,
        feature_names={
            view: np.array([f"{view}{j}" for j in range(m)]) for view, m in sizes.items()
        },
        names=np.array([f"name{i}" for i in range(150)]),
        labels=planted.labels,
        class_names=np.array(["numpy", "scipy.stats", "sklearn.metrics"]),
    )
    monkeypatch.setattr(docstrings, "load_docstrings", lambda: corpus)
    return corpus


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_report_names_every_cluster_and_the_tables_every_object(small_corpus, tmp_path, capsys):
    docstrings.main(["--out", str(tmp_path / "new" / "folder")])
    out = tmp_path / "new" / "folder"
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1] == str(out / "report.md")

    labels = read(out / "labels.csv")
    assert [row["name"] for row in labels] == small_corpus.names.tolist()
    for row, label in zip(labels, small_corpus.labels, strict=True):
        assert row["subpackage"] == small_corpus.class_names[label]
    report = (out / "report.md").read_text()
    for cluster in {row["cluster"] for row in labels}:
        assert f"Co-cluster {cluster}:" in report
        assert f"Co-cluster {cluster}:" in printed
    features = read(out / "features.csv")
    assert [row["feature"] for row in features] == [
        str(name) for names in small_corpus.feature_names.values() for name in names
    ]


def test_planted_clusters_are_described_by_their_own_features(small_corpus):
    labels = {"samples": small_corpus.labels}
    text = docstrings.describe(small_corpus, labels)
    assert "accuracy 1.000, nmi 1.000, purity 1.000, ari 1.000" in text
    for name in small_corpus.class_names:
        assert f"{name} 100%" in text


def test_picture_is_written(tmp_path):
    pytest.importorskip("matplotlib")
    docstrings.main(["--out", str(tmp_path)])
    assert (tmp_path / "matrix.png").stat().st_size > 0
    assert "(matrix.png)" in (tmp_path / "report.md").read_text()


def test_without_matplotlib_it_says_how_to_get_the_picture(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    docstrings.main(["--out", str(tmp_path)])
    assert "pip install cocluster[plot]" in capsys.readouterr().out
    assert not (tmp_path / "matrix.png").exists()
    assert "no picture" in (tmp_path / "report.md").read_text()
