"""What notebooks show: short tables without scripts; models that are not fitted, as ever."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.cluster import KMeans

from cocluster import FNMTF, CoCluster, Interview, Links
from cocluster.datasets import Dataset
from cocluster.methods.mixins import LISTED
from tests.conftest import Blocks
from tests.report.accounts import told

HARM = "<script>alert(1)</script>"


def shown(thing: object) -> str:
    text: str = thing._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in text
    return text


@pytest.mark.parametrize("kind", [CoCluster, FNMTF])
def test_fitted_models_show_their_clusters(kind, planted: Blocks):
    model = kind(3, random_state=0).fit(planted.X)
    text = shown(model)
    for size in np.bincount(model.labels_):
        assert f"<td>{size}</td>" in text
    assert model._repr_mimebundle_()["text/html"] == text
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


@pytest.mark.parametrize("kind", [CoCluster, FNMTF])
def test_other_models_show_what_scikit_learn_shows(kind):
    # Both are drawn by the same code, whose style is the same text.
    style = KMeans()._repr_html_().split("</style>")[0][:200].split("{")[0].split("#")[0]
    assert kind()._repr_html_().startswith(style)
    assert "fitted</strong>" not in kind()._repr_html_()


def test_many_clusters_are_cut(rng):
    labels = np.arange(90) % (LISTED + 5)
    model = CoCluster(2)
    model.labels_by_type_ = {"samples": labels}
    assert "5 more" in shown(model)


def test_links_show_their_numbers():
    links = Links.from_pairs([[0, 1], [1, 2]], [[0, 2], [3, 4]], n_samples=5)
    text = shown(links)
    for name, number in (("must-links", 2), ("cannot-links", 2), ("contradictions", 1)):
        assert f"<td>{name}</td><td>{number}</td>" in text


def test_data_sets_show_views_and_notes():
    data = Dataset(HARM, {"words": np.eye(3)}, labels=np.array([0, 1, 1]), notes=(HARM,))
    assert "&lt;script&gt;" in shown(data)
    assert "2 classes" in shown(data)


def test_interviews_show_the_last_answers_and_fit_nothing(planted: Blocks):
    interview = Interview(planted.X, CoCluster(3, random_state=0), random_state=0)
    interview.answer(
        0, 1, "same" if planted.row_labels[0] == planted.row_labels[1] else "different"
    )
    assert "1 answers" in shown(interview)
    assert interview._model is None
    assert repr(interview).startswith("Interview(place; samples: 40, answers: 1")


def test_accounts_show_names():
    assert told().samples[1].name in shown(told())
