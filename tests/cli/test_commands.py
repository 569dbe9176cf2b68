"""Every command does what it says, in this process."""

from __future__ import annotations

import csv
import io
import json
import shutil

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cocluster import load, open_project
from cocluster.methods.catalogue import METHODS
from cocluster.report.account import Account
from tests.cli.files import blocks, texts, write_csv, write_jsonl
from tests.cli.run import called, done


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A folder with texts and a project of them; tests that change it take a copy."""
    place = tmp_path_factory.mktemp("fitted")
    write_jsonl(place)
    found = called("fit", "docs.jsonl", "-k", "3", cwd=place)
    assert found.code == 0, found.err
    return place, found


@pytest.fixture
def project(fitted, tmp_path):
    """A copy of the project."""
    shutil.copytree(fitted[0] / "docs-cocluster", tmp_path / "docs-cocluster")
    return tmp_path / "docs-cocluster"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_shows_clusters_and_writes_a_project(fitted):
    place, found = fitted
    folder = place / "docs-cocluster"
    assert {"project.json", "data", "names.csv", "runs", "report.html"} == {
        file.name for file in folder.iterdir()
    }
    run = {file.name for file in (folder / "runs" / "001").iterdir()}
    assert {"run.json", "labels_samples.csv", "labels_words.csv", "model.npz"} <= run
    # Sizes and words of all three.
    assert found.out.splitlines()[0].split() == [
        "cluster",
        "size",
        "sure",
        "name",
        "top",
        "features",
    ]
    assert found.out.count("\n") == 4
    # Notes go to standard error, and the last three lines say where it is and what comes next.
    *_, where, one, other = found.err.splitlines()
    assert "docs-cocluster/report.html" in where
    assert one.startswith("next: cocluster explain docs-cocluster")
    assert other.strip() == "cocluster ask docs-cocluster"
    assert "id: id · text: text · classes: label (not used)" in found.err
    assert list(place.glob(".*")) == []


def test_labels_are_those_of_the_subjects_in_the_order_of_the_file(fitted):
    labels = open_project(fitted[0] / "docs-cocluster").run().labels()
    assert list(labels) == [name for name, _, _ in texts()]
    by_subject = {
        subject: {labels[n] for n, _, s in texts() if s == subject} for _, _, subject in texts()
    }
    assert [len(found) for found in by_subject.values()] == [1, 1, 1]
    assert len(set.union(*by_subject.values())) == 3


def test_json_is_the_account_itself(project):
    shown = done("explain", "docs-cocluster", "--json", cwd=project.parent)
    account = Account.from_dict(json.loads(shown))
    assert account == open_project(project).account
    assert sum(cluster.size for cluster in account.samples) == len(texts())


def test_fit_prints_nothing_but_json_when_asked(tmp_path):
    write_csv(tmp_path, blocks())
    found = called("fit", "table.csv", "-k", "2", "--json", cwd=tmp_path)
    assert Account.from_dict(json.loads(found.out)).run.n_clusters["samples"] == 2


def test_explain_shows_one_cluster_by_number_or_name(project):
    account = open_project(project).account
    cluster = account.samples[1]
    by_number = done("explain", "docs-cocluster", str(cluster.id), cwd=project.parent)
    assert by_number == done("explain", "docs-cocluster", cluster.name, cwd=project.parent)
    assert all(member.name in by_number for member in cluster.representative)
    missing = called("explain", "docs-cocluster", "nobody", cwd=project.parent)
    assert missing.code == 1
    assert "There is no cluster 'nobody'; there are 0 (" in missing.err


def test_predict_counts_new_texts_as_before(project):
    write_jsonl(project.parent, "new.jsonl", n=9, seed=5)
    found = rows(done("predict", "docs-cocluster", "new.jsonl", cwd=project.parent))
    labels = open_project(project).run().labels()
    expected = {subject: labels[name] for name, _, subject in texts()}
    assert [int(row["cluster"]) for row in found] == [expected[s] for _, _, s in texts(9, 5)]
    assert all(0 < float(row["probability"]) <= 1 for row in found)
    done("predict", "docs-cocluster", "new.jsonl", "--out", "labels.csv", cwd=project.parent)
    assert rows((project.parent / "labels.csv").read_text()) == found
    shown = json.loads(done("predict", "docs-cocluster", "new.jsonl", "--json", cwd=project.parent))
    assert [row["name"] for row in shown] == [row["name"] for row in found]


def test_edits_change_the_clusters_and_are_undone(project):
    place, first = project.parent, open_project(project)
    before = first.run().labels()
    done("edit", "docs-cocluster", "rename", "0", "drinks [/x]", cwd=place)
    assert open_project(project).names == {0: "drinks [/x]"}
    assert "drinks [/x]" in (project / "report.html").read_text()
    done("edit", "docs-cocluster", "merge", "drinks [/x]", "1", cwd=place)
    merged = open_project(project)
    assert merged.model.n_clusters == 2
    assert list(merged.names.values()) == ["drinks [/x]"]
    assert merged.links.n_must > 0
    done("edit", "docs-cocluster", "undo", cwd=place)
    assert open_project(project).run().labels() == before
    assert open_project(project).links is None
    done("edit", "docs-cocluster", "undo", cwd=place)
    assert open_project(project).names == {}
    left = called("edit", "docs-cocluster", "undo", cwd=place)
    assert (left.code, "none to undo" in left.err) == (1, True)
    # Nothing of it is forgotten.
    assert open_project(project).runs == [1, 2, 3, 4, 5]


def test_a_sample_is_moved_and_a_cluster_is_split(project):
    place = project.parent
    labels = open_project(project).run().labels()
    target = next(c for c in range(3) if c != labels["doc00.txt"])
    done("edit", "docs-cocluster", "move", "doc00.txt", "--to", str(target), cwd=place)
    found = open_project(project)
    friend = next(n for n, c in labels.items() if c == target)
    assert found.run().labels()["doc00.txt"] == found.run().labels()[friend]
    done("edit", "docs-cocluster", "split", str(target), cwd=place)
    parted = open_project(project)
    assert parted.model.n_clusters == 4
    # What was moved stays where it was put, with those it is held together with.
    assert parted.links.violations(parted.model.labels_).n_violated == 0
    nobody = called("edit", "docs-cocluster", "move", "nobody", "--to", "0", cwd=place)
    assert (nobody.code, "There is no sample 'nobody'" in nobody.err) == (1, True)


def test_samples_of_several_clusters_are_parted_from_the_others(project):
    place = project.parent
    before = open_project(project).run().labels()
    chosen = [name for name, cluster in before.items() if cluster in (0, 1)]
    done("edit", "docs-cocluster", "part", *chosen[1:], "-n", "3", cwd=place)
    parted = open_project(project)
    # One sample of the two clusters is left, so that one of their numbers stays taken.
    assert parted.model.n_clusters == len(set(before.values())) + 2
    assert parted.links.violations(parted.model.labels_).n_violated == 0
    done("edit", "docs-cocluster", "undo", cwd=place)
    assert open_project(project).run().labels() == before


def test_answers_are_kept_at_once_and_obeyed(project):
    found = called("ask", "docs-cocluster", "-n", "3", cwd=project.parent, typed="s\nz\nd\nu\ns\n")
    assert found.code == 0, found.err
    assert "do these belong together?" in found.err
    lines = (project / "links.csv").read_text().splitlines()
    assert [line.split(",")[2] for line in lines[1:]] == [
        "must-link",
        "undo",
        "cannot-link",
        "unsure",
        "must-link",
    ]
    asked = open_project(project)
    assert asked.runs == [1, 2]
    assert asked.links.violations(asked.model.labels_).n_violated == 0


@pytest.mark.parametrize("options", [(), ("--placements",)])
def test_two_sittings_are_as_one(options, project, tmp_path):
    """The same questions, the same answers, the same clusters."""
    shutil.copytree(project, tmp_path / "parted")
    words = ["1", "n", "2", "1", "n", "1"] if options else ["s", "d", "d", "s", "u", "d"]
    ask = ("ask", project.name, *options, "-n")
    once = called(*ask, "6", cwd=tmp_path, typed="\n".join(words))
    halves = [
        called("ask", "parted", *options, "-n", "3", cwd=tmp_path, typed="\n".join(half))
        for half in (words[:3], words[3:])
    ]
    assert [once.code, *(half.code for half in halves)] == [0, 0, 0], once.err
    assert "going on after" in halves[1].err
    one, parted = open_project(project), open_project(tmp_path / "parted")
    assert (one.runs, parted.runs) == ([1, 2], [1, 2, 3])
    said = [
        [(line.step, line.a, line.b, line.relation) for line in own.ledger.lines()]
        for own in (one, parted)
    ]
    assert said[0] == said[1]
    assert_array_equal(one.model.labels_, parted.model.labels_)
    # What one sitting says is shown after the questions of the other.
    assert [line for line in once.err.splitlines() if "belong" in line][3:] == [
        line.replace("of 3", "of 6").replace(f"{i} of", f"{i + 3} of", 1)
        for i, line in enumerate(
            (line for line in halves[1].err.splitlines() if "belong" in line), start=1
        )
    ]


@pytest.mark.parametrize("late", [("talk.json",), ("talk.json", "interview.json")])
def test_a_sitting_killed_while_an_answer_is_kept_goes_on_as_one(late, project, tmp_path):
    """The answer is in the ledger, and some of the files beside it are those of before."""
    parted = tmp_path / "parted"
    shutil.copytree(project, parted)
    words = ["s", "d", "d", "s"]
    called("ask", project.name, "-n", "4", cwd=tmp_path, typed="\n".join(words))
    called("ask", "parted", "-n", "2", cwd=tmp_path, typed="\n".join(words[:2]))
    before = {name: (parted / name).read_bytes() for name in late}
    called("ask", "parted", "-n", "1", cwd=tmp_path, typed=words[2])
    for name, content in before.items():
        (parted / name).write_bytes(content)
    called("ask", "parted", "-n", "1", cwd=tmp_path, typed=words[3])
    said = [
        [(line.step, line.a, line.b, line.relation) for line in open_project(own).ledger.lines()]
        for own in (project, parted)
    ]
    assert len(said[0]) == 4
    assert said[0] == said[1]
    assert_array_equal(open_project(project).model.labels_, open_project(parted).model.labels_)


def test_an_answer_taken_back_is_asked_for_again(project):
    found = called("ask", project.name, "-n", "2", cwd=project.parent, typed="d\nz\nd\ns\n")
    asked = [line for line in found.err.splitlines() if "belong together?" in line]
    # The first question, the second, the first again, the second again.
    assert asked[:2] == asked[2:]


def test_no_answer_changes_nothing(project):
    found = called("ask", "docs-cocluster", cwd=project.parent, typed="")
    assert (found.code, found.out) == (0, "")
    assert open_project(project).runs == [1]


def test_a_sample_is_placed(project):
    found = called(
        "ask", "docs-cocluster", "--placements", "-n", "1", cwd=project.parent, typed="1\n"
    )
    assert found.code == 0, found.err
    placed = open_project(project)
    assert placed.runs == [1, 2]
    assert placed.links.n_must == 1
    assert placed.links.violations(placed.model.labels_).n_violated == 0


def test_compare_two_runs(project):
    done("edit", "docs-cocluster", "merge", "0", "1", cwd=project.parent)
    shown = json.loads(done("compare", "docs-cocluster", "--json", cwd=project.parent))
    moved = shown["types"]["samples"]["moved"]
    assert {m["name"] for m in moved} <= {name for name, _, _ in texts()}
    text = done("compare", "docs-cocluster:1", "docs-cocluster:2", cwd=project.parent)
    assert f"{len(moved)} of 60 samples moved" in text
    same = done("compare", "docs-cocluster:1", "docs-cocluster:1", cwd=project.parent)
    assert same.startswith("0 of 60 samples moved")


def test_report_in_every_format(project):
    (project / "report.html").unlink()
    done("report", "docs-cocluster", cwd=project.parent)
    assert "<html" in (project / "report.html").read_text()
    account = open_project(project).account
    assert (
        done("report", "docs-cocluster", "--format", "json", cwd=project.parent).strip()
        == account.to_json()
    )
    assert account.samples[0].name in done(
        "report", "docs-cocluster", "--format", "md", cwd=project.parent
    )
    done("report", "docs-cocluster", "--out", "mine.html", cwd=project.parent)
    assert (project.parent / "mine.html").exists()


@pytest.mark.parametrize("ending", [".npz", ".csv", ".jsonl", ".mtx"])
def test_converted_data_give_the_same_clusters(ending, fitted, tmp_path):
    place, _ = fitted
    done("convert", str(place / "docs-cocluster"), f"again{ending}", cwd=tmp_path)
    done("fit", f"again{ending}", "-k", "3", cwd=tmp_path)
    # In the order of the file, whatever the samples are called.
    before = open_project(place / "docs-cocluster").run().labels().values()
    again = open_project(tmp_path / "again-cocluster").run().labels().values()
    assert len(set(zip(before, again, strict=True))) == 3
    refused = called("convert", str(place / "docs.jsonl"), f"again{ending}", cwd=tmp_path)
    assert (refused.code, "--force" in refused.err) == (1, True)


def test_the_number_of_clusters_is_chosen_and_the_reason_told(tmp_path):
    write_jsonl(tmp_path, n=150)
    found = called("fit", "docs.jsonl", cwd=tmp_path)
    assert found.code == 0, found.err
    project = open_project(tmp_path / "docs-cocluster")
    assert project.model.n_clusters == 3
    assert project.run().about["choice"]["reason"] in found.err
    shown = done("choose-k", "docs.jsonl", cwd=tmp_path)
    assert project.run().about["choice"]["reason"] in shown
    assert project.account.choice is not None


def test_a_project_is_fitted_again_with_what_is_known(project):
    (project.parent / "links.csv").write_text("a,b,relation\ndoc00.txt,doc01.txt,same\n")
    done("fit", "docs-cocluster", "-k", "2", "--links", "links.csv", cwd=project.parent)
    again = open_project(project)
    assert again.runs == [1, 2]
    assert again.model.n_clusters == 2
    assert again.run().labels()["doc00.txt"] == again.run().labels()["doc01.txt"]


@pytest.mark.parametrize("name", ["auto", *METHODS])
def test_the_method_of_a_run_can_be_asked_for_again(name, tmp_path):
    write_csv(tmp_path, blocks(n=12, m=8))
    done("fit", "table.csv", "-k", "2", "--method", name, cwd=tmp_path)
    assert open_project(tmp_path / "table-cocluster").run().about["method"] == name
    assert f"--{'n-init' if name == 'auto' else 'normalize'}" in done("methods", name, cwd=tmp_path)


def test_options_of_a_method_come_from_its_signature(tmp_path):
    write_csv(tmp_path, blocks(n=12, m=8))
    words = (
        "fit",
        "table.csv",
        "-k",
        "2",
        "--method",
        "gnmf",
        "--row-strength",
        "3",
        "--n-init",
        "2",
    )
    done(*words, cwd=tmp_path)
    model = load(tmp_path / "table-cocluster")
    assert (model.row_strength, model.n_init) == (3, 2)
    wrong = called(*words[:6], "--bogus", "3", "--out", "x", cwd=tmp_path)
    assert wrong.code == 2
    assert wrong.err.count("\n") == 1
    assert "unrecognized arguments: --bogus 3" in wrong.err


def test_lists(tmp_path):
    assert all(name in done("methods", cwd=tmp_path) for name in METHODS)
    assert {row["name"] for row in json.loads(done("methods", "--json", cwd=tmp_path))} == set(
        METHODS
    )
    assert "ng20" in done("data", cwd=tmp_path)
    assert json.loads(done("data", "text", "--json", cwd=tmp_path))
    found = json.loads(done("doctor", "--json", cwd=tmp_path))
    assert found["numpy"] == np.__version__
    assert "scikit-learn" in done("doctor", cwd=tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(shell, tmp_path):
    script = done("completion", shell, cwd=tmp_path)
    assert all(word in script for word in ("choose-k", "--column-clusters", "rename", "fit"))
