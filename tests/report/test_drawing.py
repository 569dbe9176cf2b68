"""Pictures: drawn where they are asked for, with names, from any container and any sign."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import cocluster
from cocluster import CoCluster, account, compare
from cocluster.linalg.types import Array
from cocluster.report import plots
from tests.conftest import Blocks
from tests.report.accounts import told

figures = pytest.importorskip("matplotlib.figure")


def axes() -> Any:
    return figures.Figure().subplots()


def labels_of(ticks: Any) -> list[str]:
    return [label.get_text() for label in ticks]


def containers(X: Array) -> dict[str, Any]:
    pandas, anndata = pytest.importorskip("pandas"), pytest.importorskip("anndata")
    names = [f"gene{j}" for j in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names, index=[f"cell{i}" for i in range(len(X))])
    return {"array": X, "frame": frame, "anndata": anndata.AnnData(frame)}


@pytest.mark.parametrize("container", ["array", "frame", "anndata"])
@pytest.mark.parametrize("sign", ["counts", "any"])
def test_every_picture_takes_and_returns_axes(planted: Blocks, container: str, sign: str):
    data = containers(planted.X - (planted.X.mean() if sign == "any" else 0))[container]
    model = CoCluster(3, random_state=0).fit(data)
    for draw in (
        plots.plot_matrix,
        plots.plot_association,
        plots.plot_features,
        plots.plot_margins,
    ):
        own = axes()
        assert draw(model, data, ax=own) is own
        own.figure.savefig(io.BytesIO())
    own = axes()
    assert plots.plot_objective(model, ax=own) is own
    assert plots.plot_flows(compare(model, model), ax=own) is own


def test_pictures_of_an_account_show_its_names():
    found = told()
    names = [own.name for own in found.samples]
    drawn = plots.plot_matrix(found, view="words")
    assert labels_of(drawn.get_yticklabels()) == names
    np.testing.assert_allclose(
        drawn.images[0].get_array(), np.array(found.pictures[0].cells) * found.pictures[0].unit
    )
    assert labels_of(plots.plot_association(found).get_yticklabels()) == names
    assert labels_of(plots.plot_features(found, cluster=1).get_yticklabels()) == [
        feature.name for feature in found.samples[1].views[0].features
    ]


def test_stability_is_that_of_the_account(planted: Blocks):
    model = CoCluster(3, random_state=0).fit(planted.X)
    found = account(model, planted.X, refits=2)
    bars = [bar.get_width() for bar in plots.plot_stability(found).patches]
    assert bars == [own.stability for own in found.samples]
    with pytest.raises(ValueError, match="refits"):
        plots.plot_stability(told())


def test_flows_are_as_wide_as_they_are_many():
    found = compare([0] * 6 + [1] * 4, [0] * 3 + [1] * 7)
    drawn = plots.plot_flows(found)
    heights = sorted(round(-bar.get_height(), 9) for bar in drawn.patches)
    assert heights == [0.3, 0.4, 0.6, 0.7]
    assert len(drawn.collections) == len(found.samples.flows)


def test_names_are_not_read_as_formulas(planted: Blocks):
    model = CoCluster(3, random_state=0).fit(planted.X)
    drawn = plots.plot_matrix(account(model, planted.X, names={0: "$x_$ and $\\frac$"}))
    drawn.figure.savefig(io.BytesIO())


@pytest.mark.parametrize(
    ("draw", "wrong"),
    [
        (plots.plot_matrix, {"view": "nothing"}),
        (plots.plot_association, {"view": "nothing"}),
        (plots.plot_features, {"cluster": 99}),
        (plots.plot_features, {"view": "nothing"}),
    ],
)
def test_what_is_not_there_is_refused_by_name(draw, wrong):
    with pytest.raises(ValueError, match="There is no"):
        draw(told(), **wrong)


def test_a_model_needs_its_data(planted: Blocks):
    with pytest.raises(ValueError, match="data="):
        plots.plot_matrix(CoCluster(3, random_state=0).fit(planted.X))
    with pytest.raises(ValueError, match="type"):
        plots.plot_flows(compare([0, 1], [0, 1]), type="words")
    assert cocluster.report.plots is plots
