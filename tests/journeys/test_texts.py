"""A person with texts: in whatever form they have them, without an option."""

from __future__ import annotations

import contextlib
import csv
import json
import zipfile

import pytest

from cocluster import open_project
from cocluster.metrics import accuracy
from tests.cli.files import SUBJECTS, texts
from tests.cli.run import called, done

N = 150


def as_jsonl(folder):
    lines = [json.dumps({"text": text, "label": y}) for _, text, y in texts(N)]
    (folder / "docs.jsonl").write_text("\n".join(lines))


def as_folder(folder):
    for name, text, _ in texts(N):
        (folder / "docs").mkdir(exist_ok=True)
        (folder / "docs" / name).write_text(text)


def as_csv(folder, **how):
    with (folder / "docs.csv").open("w", newline="", **how) as opened:
        rows = [
            (i, text, y, f"2024-01-{1 + i % 28:02d}") for i, (_, text, y) in enumerate(texts(N))
        ]
        csv.writer(opened).writerows([("doc_id", "body", "topic", "date"), *rows])


def as_utf16(folder):
    as_csv(folder, encoding="utf-16")


def as_excel(folder):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["doc_id", "body", "topic"])
    # In another order, too.
    for i, (_, text, y) in reversed(list(enumerate(texts(N)))):
        book.active.append([i, text, y])
    book.save(folder / "docs.xlsx")


def as_lines(folder):
    (folder / "docs.txt").write_text("\r\n".join(text for _, text, _ in texts(N)))


def as_zip(folder):
    with zipfile.ZipFile(folder / "docs.zip", "w") as archive:
        for name, text, _ in texts(N):
            archive.writestr(name, text)


FORMS = {
    f.__name__[3:]: f for f in (as_jsonl, as_folder, as_csv, as_utf16, as_excel, as_lines, as_zip)
}


def clusters(folder):
    """Texts and the clusters they are in."""
    project = open_project(folder)
    return dict(zip(project.dataset.texts.tolist(), project.model.labels_.tolist(), strict=True))


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """What JSON lines give."""
    place = tmp_path_factory.mktemp("first")
    as_jsonl(place)
    done("fit", "docs.jsonl", cwd=place)
    return clusters(place / "docs-cocluster")


@pytest.mark.parametrize("form", [form for form in FORMS if form != "jsonl"])
def test_the_same_texts_have_the_same_clusters_in_any_form(form, first, tmp_path):
    FORMS[form](tmp_path)
    (source,) = tmp_path.iterdir()
    done("fit", source.name, cwd=tmp_path)
    assert clusters(tmp_path / "docs-cocluster") == first


def test_clusters_are_the_subjects_and_are_named_by_their_words(first, tmp_path):
    as_csv(tmp_path)
    found = called("fit", "docs.csv", cwd=tmp_path)
    assert "left out: date" in found.err
    assert "classes: topic (not used)" in found.err
    assert "There are 3" in found.err or "3 clusters" in found.err
    account = open_project(tmp_path / "docs-cocluster").account
    assert account.classes.accuracy == 1
    words = [set(subject.split()) for subject in SUBJECTS.values()]
    for cluster in account.samples:
        named = set(cluster.name.split(", "))
        assert any(named <= own for own in words)


def test_next_month_new_texts_go_where_they_belong(tmp_path):
    as_csv(tmp_path)
    done("fit", "docs.csv", cwd=tmp_path)
    expected = clusters(tmp_path / "docs-cocluster")
    by_subject = {y: expected[text] for _, text, y in texts(N)}
    later = texts(12, seed=9)
    # As another file, with words that nobody has seen, without classes and dates.
    with (tmp_path / "may.csv").open("w", newline="") as opened:
        rows = [(i, f"{text} zyzzyva") for i, (_, text, _) in enumerate(later)]
        csv.writer(opened).writerows([("doc_id", "body"), *rows])
    (tmp_path / "may").mkdir()
    for name, text, _ in later:
        (tmp_path / "may" / name).write_text(text)
    for source in ("may.csv", "may"):
        shown = done("predict", "docs-cocluster", source, cwd=tmp_path)
        found = [int(row["cluster"]) for row in csv.DictReader(shown.splitlines())]
        assert found == [by_subject[y] for _, _, y in later]


def test_a_person_with_opinions_is_heard(tmp_path):
    as_folder(tmp_path)
    done("fit", "docs", "-k", "3", cwd=tmp_path)
    before = open_project(tmp_path / "docs-cocluster").run().labels()
    one, other = (next(n for n, c in before.items() if c == i) for i in (0, 1))
    (tmp_path / "links.csv").write_text(f"a,b,relation\n{one},{other},same\n")
    done("fit", "docs-cocluster", "-k", "3", "--links", "links.csv", cwd=tmp_path)
    after = open_project(tmp_path / "docs-cocluster").run().labels()
    assert after[one] == after[other]
    # One link moves few, and the others keep their number.
    assert sum(before[name] == after[name] for name in before) > 0.9 * len(before)
    wrong = called("fit", "docs-cocluster", "--links", "nowhere.csv", cwd=tmp_path)
    assert (wrong.code, "There is no file nowhere.csv" in wrong.err) == (1, True)


def test_words_and_embeddings_together(tmp_path):
    import numpy as np

    as_jsonl(tmp_path)
    subjects = list(SUBJECTS)
    points = np.eye(3)[[subjects.index(y) for _, _, y in texts(N)]]
    noise = np.random.default_rng(0).normal(scale=0.1, size=points.shape)
    np.save(tmp_path / "emb.npy", points + noise)
    done("fit", "docs.jsonl", "-k", "3", "--view", "embeddings=emb.npy", cwd=tmp_path)
    project = open_project(tmp_path / "docs-cocluster")
    assert list(project.dataset.views) == ["words", "embeddings"]
    assert project.account.classes.accuracy == 1
    # The Python that the report shows reads the same views, and finds the same clusters.
    shown = {}
    with contextlib.chdir(tmp_path):
        exec(project.account.reproduce.python, shown)
    assert list(shown["data"].views) == ["words", "embeddings"]
    assert accuracy(shown["model"].labels_, project.model.labels_) == 1
    np.save(tmp_path / "new.npy", points[:3])
    (tmp_path / "new.txt").write_text("\n".join(text for _, text, _ in texts(N)[:3]))
    words = ("predict", "docs-cocluster", "new.txt")
    found = done(*words, "--view", "embeddings=new.npy", cwd=tmp_path)
    assert len(found.splitlines()) == 4
    lacking = called(*words, cwd=tmp_path)
    assert (lacking.code, "--view embeddings=FILE" in lacking.err) == (1, True)
