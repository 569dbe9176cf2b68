"""Cells and genes: what is written into annotated data, and that it survives a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anndata
import mudata
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2
from sklearn.metrics import adjusted_rand_score

from cocluster import GNMF, CoCluster
from cocluster.datasets import make_blocks
from cocluster.omics import cocluster
from tests.modalities import modalities_alone

K = 3


@pytest.fixture
def adata() -> Any:
    planted = make_blocks(90, 60, K, contrast=8.0, random_state=0)
    found = anndata.AnnData(planted.X.astype(np.float32))
    found.obs_names = [f"cell{i}" for i in range(90)]
    found.var_names = [f"gene{j}" for j in range(60)]
    found.obs["planted"], found.var["planted"] = planted.row_labels, planted.column_labels
    # A gene that every cell has in plenty marks no cluster.
    X = found.X.toarray()
    X[:, 0] = 1000
    found.X = X
    found.layers["logs"] = np.log1p(X)
    found.layers["scaled"] = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    found.obsp["distances"] = np.zeros((90, 90))
    found.obsm["X_pca"] = np.linalg.svd(np.log1p(X), full_matrices=False)[0][:, :K]
    return found


@pytest.mark.parametrize("layer", [None, "logs", "scaled"])
def test_labels_and_markers_are_those_of_the_model(adata: Any, layer: str | None) -> None:
    cocluster(adata, K, layer=layer, n_genes=10, random_state=0)
    X = adata.X if layer is None else adata.layers[layer]
    model = CoCluster(K, random_state=0).fit(X)
    assert adata.obs["cocluster"].cat.categories.tolist() == ["0", "1", "2"]
    assert_array_equal(adata.obs["cocluster"].astype(int), model.labels_)
    assert_array_equal(adata.var["cocluster"].astype(int), model.column_labels_)
    costs = np.sort(model.transform(X), axis=1)
    assert_allclose(adata.obs["cocluster_margin"], costs[:, 1] - costs[:, 0], atol=1e-5)
    found = adata.uns["cocluster"]
    assert_allclose(found["association"], model.association_)
    for cluster in ("0", "1", "2"):
        genes = list(found["names"][cluster])
        assert len(genes) == 10
        assert "gene0" not in genes
        own = adata.X[:, [adata.var_names.get_loc(g) for g in genes[:3]]]
        inside = adata.obs["cocluster"] == cluster
        assert (own[inside].mean(axis=0) > own[~inside].mean(axis=0)).all()
        assert (np.diff(found["scores"][cluster]) <= 0).all()


def test_probabilities_of_markers_follow_from_the_statistic(adata: Any) -> None:
    cocluster(adata, K, random_state=0)
    found = adata.uns["cocluster"]
    assert found["params"]["method"] == "g2"
    assert_allclose(found["pvals"]["0"], chi2.sf(np.abs(found["scores"]["0"]), 1), rtol=1e-4)
    assert (found["pvals_adj"]["0"] >= found["pvals"]["0"]).all()


def test_a_file_keeps_everything(adata: Any, tmp_path: Path) -> None:
    cocluster(adata, K, layer="logs", key_added="mine", random_state=0)
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert_array_equal(again.obs["mine"], adata.obs["mine"])
    for name, value in adata.uns["mine"]["params"].items():
        assert again.uns["mine"]["params"][name] == value
    assert list(again.uns["mine"]["names"]["0"]) == list(adata.uns["mine"]["names"]["0"])
    backed = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")
    assert_array_equal(
        cocluster(backed.to_memory(), K, random_state=0, copy=True).obs["cocluster"],
        cocluster(again, K, random_state=0, copy=True).obs["cocluster"],
    )


def test_a_copy_leaves_the_data_as_they_are(adata: Any) -> None:
    found = cocluster(adata, K, random_state=0, copy=True)
    assert "cocluster" in found.obs
    assert "cocluster" not in adata.obs
    assert "cocluster" not in adata.uns


def test_embeddings_replace_the_genes_or_stand_beside_them(adata: Any) -> None:
    instead = cocluster(adata, K, use_rep="X_pca", random_state=0, copy=True)
    assert "cocluster" not in instead.var
    # Markers are genes in any case.
    assert set(instead.uns["cocluster"]["names"]["0"]) <= set(adata.var_names)
    beside = cocluster(adata, K, obsm=["X_pca"], random_state=0, copy=True)
    views = {"genes": adata.X, "X_pca": adata.obsm["X_pca"]}
    assert_array_equal(
        beside.obs["cocluster"].astype(int), CoCluster(K, random_state=0).fit(views).labels_
    )
    assert "cocluster" in beside.var


@pytest.fixture
def weights() -> Any:
    """A graph that joins cells of one planted group, some of them only one way."""
    planted = make_blocks(90, 60, K, contrast=8.0, random_state=0).row_labels
    rng = np.random.default_rng(0)
    W = (planted[:, None] == planted) * (rng.random((90, 90)) < 0.3) * rng.random((90, 90))
    return sp.csr_matrix(W * (1 - np.eye(90)))


def test_a_graph_of_cells_is_a_view_of_their_neighbours(adata: Any, weights: Any) -> None:
    adata.obsp["connectivities"] = weights
    found = cocluster(adata, K, obsp=["connectivities"], random_state=0, copy=True)
    both_ways = weights.maximum(weights.T).toarray()
    views = {"genes": adata.X, "connectivities": both_ways}
    model = CoCluster(K, random_state=0).fit(views)
    assert_array_equal(found.obs["cocluster"].astype(int), model.labels_)
    assert_array_equal(found.var["cocluster"].astype(int), model.labels_by_type_["genes"])
    assert found.uns["cocluster"]["params"]["obsp"] == "connectivities"
    # Clusters are named after genes, not after cells.
    words = {word for name in found.uns["cocluster"]["cluster_names"] for word in name.split(", ")}
    assert words <= set(adata.var_names)


def test_a_graph_tells_cells_apart_that_have_the_same_genes(adata: Any, weights: Any) -> None:
    adata.X = np.ones_like(adata.X)
    adata.obsp["connectivities"] = weights
    cocluster(adata, K, obsp=["connectivities"], random_state=0)
    assert len(set(zip(adata.obs["planted"], adata.obs["cocluster"], strict=True))) == K


def test_methods_with_graphs_use_those_that_are_given(adata: Any, weights: Any) -> None:
    adata.obsp["one"], adata.obsp["other"] = weights, weights.T
    options = {"method": "gnmf", "random_state": 0}
    found = cocluster(adata, K, obsp=["one", "other"], copy=True, **options)
    W = 2 * weights.maximum(weights.T)
    model = CoCluster(K, **options).fit(adata.X, graphs={"samples": W})
    assert_array_equal(found.obs["cocluster"].astype(int), model.labels_)
    direct = GNMF(K, random_state=0).fit(adata.X, graphs={"samples": W})
    assert adjusted_rand_score(model.labels_, direct.labels_) == 1


def test_modalities_may_have_a_graph_in_common(adata: Any, weights: Any) -> None:
    rna, protein = adata[:, :40].copy(), adata[:, 40:].copy()
    with modalities_alone():
        both = mudata.MuData({"rna": rna, "protein": protein})
    both.obsp["wnn"] = weights
    cocluster(both, K, obsp=["wnn"], random_state=0)
    views = {"rna": rna.X, "protein": protein.X, "wnn": weights.maximum(weights.T).toarray()}
    model = CoCluster(K, random_state=0).fit(views)
    assert_array_equal(both.obs["cocluster"].astype(int), model.labels_)
    assert_array_equal(rna.var["cocluster"].astype(int), model.labels_by_type_["rna"])


def test_modalities_are_views_whose_cells_are_matched_by_name(adata: Any) -> None:
    rna, protein = adata[:, :40].copy(), adata[::-1, 40:].copy()
    with modalities_alone():
        both = mudata.MuData({"rna": rna, "protein": protein[:-10].copy()})
    cocluster(both, K, random_state=0)
    planted = adata.obs["planted"][both.obs_names]
    labels = both.obs["cocluster"].astype(int)
    assert len(set(zip(planted, labels, strict=True))) == K
    for part in both.mod.values():
        assert len(part.var["cocluster"]) == part.n_vars
        assert set(part.uns["cocluster"]["names"].dtype.names) == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "counts"}, "no layer 'counts'; the layers are: 'logs', 'scaled'"),
        ({"use_rep": "X_umap"}, "no 'X_umap' in obsm; its entries are: 'X_pca'"),
        ({"obsm": ["prot"]}, "no 'prot' in obsm"),
        ({"layer": "logs", "use_rep": "X_pca"}, "give one of them"),
        ({"obsp": ["connectivities"]}, "no 'connectivities' in obsp; its entries are: 'distances'"),
        ({"obsp": ["distances"]}, "holds distances, of which the large ones are far"),
        ({"obsm": ["X_pca", "X_pca"]}, "Two views would be called 'X_pca'"),
    ],
)
def test_what_is_not_there_is_named(adata: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cocluster(adata, K, **options)


def test_other_data_are_refused() -> None:
    with pytest.raises(TypeError, match="Expected AnnData or MuData, got ndarray"):
        cocluster(np.eye(4), 2)


def test_unknown_entries_are_refused_before_anything_is_written(adata: Any) -> None:
    adata.X[0, 1] = np.nan
    with pytest.raises(ValueError, match=r"cocluster\(\) needs every entry"):
        cocluster(adata, K)
    assert "cocluster" not in adata.obs
