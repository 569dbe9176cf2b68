"""A run as a folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cocluster import CoCluster
from cocluster.data.relational import relational
from cocluster.io.runs import write_run
from cocluster.methods.catalogue import METHODS


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_the_method_of_a_run_can_be_asked_for_again(method: str, tmp_path: Path) -> None:
    X = np.kron([[9.0, 1.0], [1.0, 9.0]], np.ones((6, 4)))
    model = CoCluster(2, method, random_state=0).fit(X)
    folder = write_run(tmp_path / "run", model, relational(X))
    written = json.loads((folder / "run.json").read_text())["method"]
    assert written == method
    CoCluster(2, written, random_state=0).fit(X)
