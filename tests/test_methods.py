"""The table of methods, and what is made from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cocluster
from cocluster.methods import METHODS, as_markdown

README = Path(__file__).parents[1] / "README.md"


def test_readme_shows_the_table_as_it_is() -> None:
    shown = README.read_text().split("<!-- methods -->")[1].split("<!-- /methods -->")[0]
    assert shown.strip() == as_markdown(), "run `make readme`"


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_exported_and_keep_what_they_promise(name: str) -> None:
    method = METHODS[name]
    assert getattr(cocluster, method.estimator.__name__) is method.estimator
    signed = np.random.default_rng(0).normal(size=(12, 6))
    model = method.estimator(2, random_state=0)
    if method.negative:
        model.fit(signed)
    else:
        with pytest.raises(ValueError, match="Negative values"):
            model.fit(signed)
        model.fit(abs(signed))
    assert hasattr(model, "column_labels_") == method.feature_clusters
    assert hasattr(model, "membership_") == method.soft
