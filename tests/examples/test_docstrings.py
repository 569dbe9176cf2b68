"""`make demo` is the command that anybody would type, and ends by naming the report."""

from __future__ import annotations

import pytest

from cocluster import open_project
from cocluster.datasets import docstrings as corpus
from examples import docstrings
from tests.cli.files import SUBJECTS, texts


@pytest.fixture(autouse=True)
def small_corpus(monkeypatch):
    """Documents about three subjects instead of twelve subpackages."""

    def documents():
        for i, (name, text, subject) in enumerate(texts(90)):
            first = SUBJECTS[subject].split()[i % 5]
            yield corpus._Document(name, subject, f"numpy {text}", [first, subject], [subject])

    monkeypatch.setattr(corpus, "_documents", documents)
    monkeypatch.setattr(docstrings, "CLUSTERS", 3)


def test_the_demo_ends_by_naming_a_report_that_is_there(tmp_path, capsys):
    out = tmp_path / "report"
    assert docstrings.main(["--data", str(tmp_path / "data"), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("$ cocluster fit ")
    assert printed.splitlines()[-1] == f"Open {out / 'report.html'} in a browser."
    assert "<html" in (out / "report.html").read_text(encoding="utf-8")
    account = open_project(out).account
    assert account.classes.accuracy == 1
    assert {view.name for view in account.data.views} == {"words", "parameters", "see_also"}
    # A second time, over the first.
    assert docstrings.main(["--data", str(tmp_path / "data"), "--out", str(out)]) == 0


def test_names_of_libraries_do_not_give_the_class_away(tmp_path):
    assert "numpy" not in corpus.write_docstrings(tmp_path).read_text(encoding="utf-8")
