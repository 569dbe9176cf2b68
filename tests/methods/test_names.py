"""New data are matched by the names of their columns, in every container that has names."""

from __future__ import annotations

from typing import Any

import anndata
import mudata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from cocluster import CoCluster, open_blocks, write_blocks
from cocluster.data.relational import bipartite, star
from cocluster.methods.catalogue import METHODS
from tests.conftest import plant
from tests.modalities import modalities_alone

K = 3
WORDS = [f"w{j}" for j in range(24)]
IDS = [f"s{i}" for i in range(45)]
every = pytest.mark.parametrize("method", ["auto", *METHODS])
many = pytest.mark.parametrize(
    "method", ["auto", *(name for name, method in METHODS.items() if method.many_types)]
)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = plant(rng, rng.permutation(np.arange(45) % K), 24, K).X
    return pd.DataFrame(X, columns=WORDS, index=IDS)


def fitted(method: str, X: Any) -> CoCluster:
    return CoCluster(K, method, random_state=0).fit(X)


def as_anndata(frame: pd.DataFrame) -> Any:
    found = anndata.AnnData(frame.to_numpy())
    found.obs_names, found.var_names = list(frame.index), list(frame.columns)
    return found


def as_mudata(frame: pd.DataFrame) -> Any:
    half = frame.columns[frame.columns < "w2"], frame.columns[frame.columns >= "w2"]
    with modalities_alone():
        return mudata.MuData({f"view{i}": as_anndata(frame[names]) for i, names in enumerate(half)})


def as_views(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {"a": frame[[w for w in frame if w < "w2"]], "b": frame[[w for w in frame if w >= "w2"]]}


CONTAINERS = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.DataFrame(frame.to_dict("list")),
    "anndata": as_anndata,
}
VIEWS = {"mudata": as_mudata, "frames": as_views}


@every
@pytest.mark.parametrize("container", CONTAINERS)
def test_columns_in_another_order_give_the_same_labels(
    method: str, container: str, frame: pd.DataFrame
) -> None:
    hold = CONTAINERS[container]
    model = fitted(method, hold(frame))
    mixed = frame.iloc[:, np.random.default_rng(1).permutation(24)]
    assert_array_equal(model.predict(hold(mixed)), model.predict(hold(frame)))
    assert_array_equal(model.feature_names_in_, WORDS)


@many
@pytest.mark.parametrize("container", VIEWS)
def test_views_are_matched_column_by_column(
    method: str, container: str, frame: pd.DataFrame
) -> None:
    hold = VIEWS[container]
    model = fitted(method, hold(frame))
    mixed = frame.iloc[:, np.random.default_rng(1).permutation(24)]
    assert_array_equal(model.predict(hold(mixed)), model.predict(hold(frame)))


@every
def test_missing_and_unknown_columns_are_named(method: str, frame: pd.DataFrame) -> None:
    model = fitted(method, as_anndata(frame))
    with pytest.raises(ValueError, match="lack 'w3', and have 'x', unknown"):
        model.predict(as_anndata(frame.rename(columns={"w3": "x"})))
    with pytest.raises(ValueError, match="lack 'w23'"):
        model.predict(frame.iloc[:, :-1])


@every
def test_one_view_goes_by_any_name(method: str, frame: pd.DataFrame) -> None:
    X = frame.to_numpy()
    held = {"matrix": X, "named": bipartite(X, "documents", "words"), "view": star({"words": X})}
    models = [fitted(method, one) for one in held.values()]
    expected = models[0].predict(X)
    for model in models:
        for other in held.values():
            assert_array_equal(model.predict(other), expected)


def test_columns_of_row_blocks_are_matched(frame: pd.DataFrame, tmp_path: Any) -> None:
    model = fitted("auto", frame)
    for number, order in enumerate([np.arange(24), np.random.default_rng(1).permutation(24)]):
        file = tmp_path / f"{number}.h5ad"
        as_anndata(frame.iloc[:, order]).write_h5ad(file)
        assert_array_equal(model.predict(open_blocks(file)), model.predict(frame))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        bare = model.predict(open_blocks(write_blocks(frame.to_numpy(), tmp_path / "bare")))
    assert_array_equal(bare, model.predict(frame))


def test_a_layer_is_fitted_and_read_again(frame: pd.DataFrame) -> None:
    adata = as_anndata(frame)
    adata.layers["turned"] = adata.X[:, ::-1].copy()
    model = CoCluster(K, random_state=0).fit(adata, layer="turned")
    plain = CoCluster(K, random_state=0).fit(frame.to_numpy()[:, ::-1])
    assert_array_equal(model.labels_, plain.labels_)
    assert_array_equal(model.predict(adata), plain.predict(frame.to_numpy()[:, ::-1]))
    del adata.layers["turned"]
    with pytest.raises(ValueError, match="There is no layer 'turned'; the layers are: none"):
        model.predict(adata)
    with pytest.raises(TypeError, match="layer= is for AnnData and MuData, not for DataFrame"):
        CoCluster(K).fit(frame, layer="turned")
