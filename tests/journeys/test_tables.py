"""People with ratings, genes and tables of all sorts."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from cocluster import open_project
from tests.cli.files import write_csv
from tests.cli.run import called, done


def drawn(n, m, seed=0):
    """Counts with two planted groups of rows and columns, and the groups of the rows."""
    rng = np.random.default_rng(seed)
    rows, columns = np.arange(n) % 2, np.arange(m) % 2
    return rng.poisson(1 + 7 * (rows[:, None] == columns)), rows


def features(folder):
    """Names of the clustered features of a project with one view."""
    run = open_project(folder).run()
    (view,) = set(run.about["files"]) - {"samples"}
    return set(run.labels(view))


def same_groups(labels, groups):
    return len(set(zip(labels, groups, strict=True))) == len(set(groups)) == len(set(labels))


@pytest.mark.parametrize("ids", ["texts", "numbers"])
def test_a_file_of_ratings_is_seen_as_one(ids, tmp_path):
    X, groups = drawn(40, 20)
    user = (lambda i: f"user{i}") if ids == "texts" else (lambda i: 1000 + i)
    triples = [[user(i), 500 + j, X[i, j]] for i in range(40) for j in range(20) if X[i, j]]
    write_csv(tmp_path, [["user", "item", "rating"], *triples], "ratings.csv")
    found = called("fit", "ratings.csv", "-k", "2", cwd=tmp_path)
    assert found.code == 0, found.err
    assert "entries: user x item, rating" in found.err
    project = open_project(tmp_path / "ratings-cocluster")
    assert len(project.dataset) == 40
    labels = project.run().labels()
    assert same_groups([labels[str(user(i))] for i in range(40)], groups)
    # New users who know some of the items, and one that nobody has rated before.
    new = [["u", 500 + j, X[0, j]] for j in range(0, 20, 3) if X[0, j]] + [["u", 999, 5]]
    write_csv(tmp_path, [["user", "item", "rating"], *new], "new.csv")
    shown = called("predict", "ratings-cocluster", "new.csv", cwd=tmp_path)
    assert shown.code == 0, shown.err
    assert int(next(csv.DictReader(shown.out.splitlines()))["cluster"]) == labels[str(user(0))]
    assert "999" in shown.err


def test_columns_of_a_long_file_can_be_named(tmp_path):
    X, groups = drawn(30, 12)
    rows = [[f"s{i}", f"q{j}", X[i, j], "x"] for i in range(30) for j in range(12)]
    write_csv(tmp_path, [["who", "what", "much", "note"], *rows], "survey.csv")
    done("fit", "survey.csv", "-k", "2", "--long", "who,what,much", cwd=tmp_path)
    labels = open_project(tmp_path / "survey-cocluster").run().labels()
    assert same_groups([labels[f"s{i}"] for i in range(30)], groups)


def test_genes_of_cells(tmp_path):
    X, groups = drawn(40, 30)
    head = ["cell", *(f"GENE{j}" for j in range(30))]
    write_csv(tmp_path, [head, *([f"c{i}", *row] for i, row in enumerate(X.tolist()))], "cells.csv")
    found = called("fit", "cells.csv", "-k", "2", cwd=tmp_path)
    assert found.code == 0, found.err
    project = open_project(tmp_path / "cells-cocluster")
    labels = project.run().labels()
    assert same_groups([labels[f"c{i}"] for i in range(40)], groups)
    assert features(tmp_path / "cells-cocluster") == {f"GENE{j}" for j in range(30)}
    assert "GENE" in found.out


def test_dates_a_column_y_and_a_user_id_are_told_and_not_clustered(tmp_path):
    X, groups = drawn(40, 8)
    head = ["user_id", "signup", "y", *(f"f{j}" for j in range(8))]
    rows = [[900 + i, f"2024-03-{1 + i % 28:02d}", "ab"[groups[i]], *X[i]] for i in range(40)]
    write_csv(tmp_path, [head, *rows], "people.csv")
    found = called("fit", "people.csv", "-k", "2", cwd=tmp_path)
    assert found.code == 0, found.err
    assert "id: user_id" in found.err
    assert "classes: y (not used)" in found.err
    assert "left out: signup" in found.err
    assert features(tmp_path / "people-cocluster") == {f"f{j}" for j in range(8)}
    done(
        "fit",
        "people.csv",
        "-k",
        "2",
        "--label",
        "",
        "--features",
        "f0,f1,f2,f3",
        "--out",
        "few",
        cwd=tmp_path,
    )
    assert features(tmp_path / "few") == {"f0", "f1", "f2", "f3"}


def test_a_table_without_a_header_keeps_its_first_row(tmp_path):
    X, groups = drawn(30, 9)
    write_csv(tmp_path, X.tolist(), "bare.csv")
    done("fit", "bare.csv", "-k", "2", cwd=tmp_path)
    labels = open_project(tmp_path / "bare-cocluster").run().labels()
    assert len(labels) == 30
    assert same_groups(list(labels.values()), groups)


def test_categories_of_new_people_may_be_new(tmp_path):
    rng = np.random.default_rng(0)
    groups = np.arange(40) % 2
    colours = [["red", "rose"], ["blue", "navy"]]
    rows = [
        [f"p{i}", colours[g][rng.integers(2)], "tea" if g else "milk"] for i, g in enumerate(groups)
    ]
    write_csv(tmp_path, [["id", "colour", "drink"], *rows], "people.csv")
    done("fit", "people.csv", "-k", "2", cwd=tmp_path)
    labels = open_project(tmp_path / "people-cocluster").run().labels()
    assert same_groups([labels[f"p{i}"] for i in range(40)], groups)
    write_csv(
        tmp_path,
        [["id", "colour", "drink"], ["n1", "green", "tea"], ["n2", "red", "milk"]],
        "new.csv",
    )
    shown = called("predict", "people-cocluster", "new.csv", cwd=tmp_path)
    assert shown.code == 0, shown.err
    found = [int(row["cluster"]) for row in csv.DictReader(shown.out.splitlines())]
    assert found == [labels["p1"], labels["p0"]]


def test_rows_in_another_order_have_the_same_clusters(tmp_path):
    X, _ = drawn(40, 12)
    head = ["id", *(f"f{j}" for j in range(12))]
    rows = [[f"s{i:02d}", *row] for i, row in enumerate(X.tolist())]
    write_csv(tmp_path, [head, *rows], "one.csv")
    write_csv(tmp_path, [head, *rows[::-1]], "two.csv")
    for name in ("one", "two"):
        done("fit", f"{name}.csv", "-k", "4", cwd=tmp_path)
    one, two = (
        open_project(tmp_path / f"{name}-cocluster").run().labels() for name in ("one", "two")
    )
    assert one == two
    assert list(one) == list(two)[::-1]


def test_a_project_is_plain_files(tmp_path):
    X, _ = drawn(20, 6)
    write_csv(tmp_path, [["id", *"abcdef"], *([f"s{i}", *row] for i, row in enumerate(X.tolist()))])
    done("fit", "table.csv", "-k", "2", cwd=tmp_path)
    folder = tmp_path / "table-cocluster"
    about = json.loads((folder / "project.json").read_text())
    assert about["format"] == 1
    assert about["source"] == str(tmp_path / "table.csv")
    for file in folder.rglob("*"):
        if file.suffix == ".npz":
            # Without pickle.
            assert np.load(file, allow_pickle=False).files
        elif file.is_file():
            file.read_text(encoding="utf-8")
