"""Projects that earlier versions wrote are opened, shown and edited by this one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from cocluster import open_project
from tests.cli.run import called

HERE = Path(__file__).parent


@pytest.fixture(params=["0.2"])
def folder(request, tmp_path: Path) -> Path:
    """The project of 60 letters that a version wrote: a fit, a rename, a merge and its undo."""
    with zipfile.ZipFile(HERE / f"project-{request.param}.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path / f"project-{request.param}"


def test_all_parts_of_the_project_are_read(folder: Path):
    project = open_project(folder)
    assert project.runs == [1, 2, 3, 4]
    assert project.names == {0: "first name"}
    assert len(project.ledger.lines()) > 0
    for number in project.runs:
        run = project.run(number)
        account = run.account
        assert sum(cluster.size for cluster in account.samples) == 60
    assert project.account.samples[0].name == "first name"


def test_its_model_predicts_the_labels_of_its_run(folder: Path):
    project = open_project(folder)
    model = project.model
    assert np.mean(model.predict(project.dataset.data) == model.labels_) > 0.9


def test_it_is_explained_reported_and_edited(folder: Path):
    for words in (
        ("explain", folder.name, "1"),
        ("report", folder.name, "--format", "md", "--out", "letters.md"),
        ("edit", folder.name, "rename", "1", "second name"),
        ("edit", folder.name, "undo"),
    ):
        result = called(*words, cwd=folder.parent)
        assert result.code == 0, result.err
    assert open_project(folder).names == {0: "first name"}
