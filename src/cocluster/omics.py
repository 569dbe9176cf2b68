"""Cells and genes: co-cluster AnnData or MuData, and write the result where scanpy looks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import chi2, false_discovery_control, norm

from cocluster.data.containers import Layer, layer_of
from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.matrices import as_dense, is_nonnegative, times, values_of
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.auto import CoCluster
from cocluster.methods.base import check_complete
from cocluster.methods.costs import costs, has_costs
from cocluster.report.explain import explain
from cocluster.report.statistics import scored
from cocluster.utils.checks import check_integer
from cocluster.utils.versions import versions

# Added to means before they are divided, as scanpy has it: genes that no cell has give no infinity.
LEAST_MEAN = 1e-9
# Columns of scanpy's table, and what they hold.
LAYOUT = {
    "names": "O",
    "scores": "float32",
    "logfoldchanges": "float32",
    "pvals": "float64",
    "pvals_adj": "float64",
}


def cocluster(
    adata: Any,
    n_clusters: Any = "auto",
    *,
    key_added: str = "cocluster",
    layer: str | None = None,
    use_rep: str | None = None,
    obsm: Sequence[str] = (),
    n_genes: int = 100,
    links: Any = None,
    copy: bool = False,
    **options: Any,
) -> Any:
    """Co-cluster the cells and the genes of AnnData or MuData, and write the result into it.

    Parameters
    ----------
    adata : AnnData or MuData
        In memory or backed; backed data are read. The modalities of MuData are views of the same
        cells, matched by name; cells may lack some of them.
    n_clusters : int or "auto"
        Clusters of cells; "auto" chooses a number, see `CoCluster`.
    key_added : str
        Where the result goes, see below.
    layer : str, optional
        A layer (of every modality) instead of ``X``.
    use_rep : str, optional
        An entry of ``obsm`` instead of ``X``, such as ``"X_pca"``. Genes are then not grouped;
        markers are still genes, those of ``X``.
    obsm : names in ``adata.obsm``
        Views of the cells beside ``X``, such as counts of proteins.
    n_genes : int
        Markers that are kept for each cluster.
    links : as in `CoCluster.fit`
        What is known about cells.
    copy : bool
        Return a copy with the result, and leave ``adata`` as it is.
    **options
        Parameters of `CoCluster`, such as ``random_state`` or ``method``.

    Returns
    -------
    AnnData or MuData if ``copy``, else None. It then has

    ``obs[key_added]``, ``var[key_added]``
        Cluster of each cell and group of each gene, as categories "0", "1", ...; for MuData
        ``mod[name].var[key_added]``.
    ``obs[key_added + "_margin"]``
        By how much the second best cluster costs more, in nats for the default method.
    ``obs[key_added + "_probability"]``
        Of the cluster the cell is in, where the method has probabilities.
    ``uns[key_added]``
        ``params``; ``association`` of clusters with groups; ``cluster_names`` made of markers; and
        the markers in the layout of ``scanpy.tl.rank_genes_groups``, so that
        ``sc.pl.rank_genes_groups_dotplot(adata, key="cocluster")`` and the others work. Markers
        are ranked by presence (log-likelihood ratio over cells), so that genes which every cell
        has are none; in data without zeros by the rank sum test. For MuData they are in
        ``mod[name].uns[key_added]``.

    Examples
    --------
    >>> import anndata
    >>> adata = anndata.AnnData(np.kron(np.eye(2), np.ones((4, 3))) * 5 + 1)
    >>> cocluster(adata, 2, random_state=0)
    >>> adata.obs["cocluster"].tolist()
    ['0', '0', '0', '0', '1', '1', '1', '1']
    >>> sorted(adata.uns["cocluster"]["names"]["0"][:3])
    ['0', '1', '2']
    """
    check_integer(n_genes, "n_genes")
    data = relational(_chosen(adata, layer, use_rep, obsm))
    # Before anything is written: markers would take unknown entries for zeros.
    check_complete(data, "cocluster()")
    model = CoCluster(n_clusters, **options).fit(data, links=links)
    if copy:
        adata = adata.copy()
    _write_cells(adata, key_added, model, data)
    groups = dict(list(model.labels_by_type_.items())[1:])
    params = _params(model, layer, use_rep, obsm, key_added)
    # Clusters are told by genes, whatever they were found in.
    genes = data if use_rep is None else relational(adata)
    names = explain(model if use_rep is None else model.labels_, genes, n_members=0).names
    for number, part in enumerate(_parts(adata)):
        relation = genes.relations[number]
        if use_rep is None:
            part.var[key_added] = _categories(groups[relation.cols])
        labels = model.labels_ if relation.row_index is None else model.labels_[relation.row_index]
        markers, statistic = _markers(relation.matrix, labels, genes.names[relation.cols], n_genes)
        part.uns[key_added] = {
            "params": {**params, "method": statistic},
            "association": np.asarray(model.associations_[number]),
            "cluster_names": np.array(list(names.values()), dtype=object),
            **markers,
        }
    return adata if copy else None


def _chosen(adata: Any, layer: str | None, use_rep: str | None, obsm: Sequence[str]) -> Any:
    """What is to be clustered: the matrix that was asked for, or views by name."""
    if not hasattr(adata, "obs_names"):
        raise TypeError(f"Expected AnnData or MuData, got {type(adata).__name__}; see CoCluster.")
    modalities = getattr(adata, "mod", None)
    if use_rep is not None and layer is not None:
        raise ValueError("use_rep and layer each say what to use instead of X; give one of them.")
    if isinstance(modalities, Mapping):
        if use_rep is not None or obsm:
            raise ValueError("MuData has views already; use_rep and obsm are for AnnData.")
        return layer_of(adata, layer)
    first = layer_of(adata, layer) if use_rep is None else _rep(adata, use_rep)
    others = {name: _rep(adata, name) for name in obsm}
    return {"genes": first, **others} if others else first


def _rep(adata: Any, name: str) -> Layer:
    """An entry of obsm, whose columns are named by their number."""
    if name not in adata.obsm:
        known = ", ".join(map(repr, adata.obsm)) or "none"
        raise ValueError(f"There is no {name!r} in obsm; its entries are: {known}.")
    values = adata.obsm[name]
    columns = getattr(values, "columns", None)
    X = np.asarray(values) if columns is not None else values
    if columns is None:
        columns = [f"{name} {j + 1}" for j in range(X.shape[1])]
    return Layer(X, adata.obs_names, columns)


def _parts(adata: Any) -> tuple[Any, ...]:
    """The annotated data that describe genes: every modality, or the data themselves."""
    modalities = getattr(adata, "mod", None)
    return tuple(modalities.values()) if isinstance(modalities, Mapping) else (adata,)


def _write_cells(adata: Any, key: str, model: CoCluster, data: RelationalData) -> None:
    """Clusters, margins and probabilities of the cells."""
    # The cells of MuData may stand in another order than in its first modality.
    place = {name: i for i, name in enumerate(data.names[data.center])}
    rows = np.array([place[name] for name in adata.obs_names])
    adata.obs[key] = _categories(model.labels_[rows])
    if not has_costs(model):
        return
    found = costs(model, data)
    if found.shape[1] > 1:
        least = np.partition(found, 1, axis=1)
        adata.obs[f"{key}_margin"] = (least[:, 1] - least[:, 0])[rows]
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(data)[np.arange(len(rows)), model.labels_]
        adata.obs[f"{key}_probability"] = shares[rows]


def _categories(labels: Array) -> Any:
    """Labels as scanpy has them: categories of texts, in the order of their numbers."""
    import pandas as pd

    numbers = range(int(labels.max()) + 1)
    return pd.Categorical(labels.astype(str), categories=[str(i) for i in numbers])


def _params(
    model: CoCluster, layer: str | None, use_rep: str | None, obsm: Sequence[str], key: str
) -> dict[str, Any]:
    """What was asked for, as far as files of annotated data can hold it."""
    # "method" is scanpy's word for the statistic of the markers.
    own = {
        "cocluster_method" if name == "method" else name: value
        for name, value in model.get_params().items()
        if isinstance(value, str | int | float)
    }
    asked = {"layer": layer, "use_rep": use_rep, "obsm": " ".join(obsm) or None}
    # What scanpy's plots ask for.
    plots = {"groupby": key, "reference": "rest", "use_raw": False}
    plots["corr_method"] = "benjamini-hochberg"
    given = {name: value for name, value in asked.items() if value is not None}
    return {**own, **given, **plots, "version": versions()["cocluster"]}


def _markers(X: InMemory, labels: Array, genes: Array, n_genes: int) -> tuple[dict[str, Any], str]:
    """The first genes of every cluster in the layout of scanpy's rank_genes_groups, and by what."""
    found, groups = np.unique(labels, return_inverse=True)
    G = as_partition(groups, len(found))
    scores = scored(X, G)
    probability = 2 * norm.sf(np.abs(scores.score))
    if scores.by == "g2":
        probability = chi2.sf(np.abs(scores.score), 1)
    folds = _fold_changes(X, G)
    columns: dict[str, list[Array]] = {name: [] for name in LAYOUT}
    for c in range(len(found)):
        best = np.argsort(-scores.score[c], kind="stable")[:n_genes]
        adjusted = false_discovery_control(probability[c])
        values = (genes[best].astype(str), scores.score[c], folds[c], probability[c], adjusted)
        for name, own in zip(LAYOUT, values, strict=True):
            columns[name].append(own if name == "names" else own[best])
    names = [str(c) for c in found]
    table = {
        name: np.rec.fromarrays(own, dtype=[(group, LAYOUT[name]) for group in names])
        for name, own in columns.items()
    }
    return table, scores.by


def _fold_changes(X: InMemory, G: Any) -> Array:
    """Log2 of the ratio of means inside and outside; differences of means for signed data.

    Values that are no counts are taken for logarithms of counts, as scanpy does.
    """
    sums = as_dense(times(X.T, G)).T
    sizes = np.asarray(G.sizes, dtype=np.float64)[:, None]
    inside = sums / sizes
    outside = (sums.sum(axis=0) - sums) / np.maximum(sizes.sum() - sizes, 1)
    if not is_nonnegative(X):
        return np.asarray(inside - outside)
    values = values_of(X)
    if not np.array_equal(values, np.rint(values)):
        inside, outside = np.expm1(inside), np.expm1(outside)
    return np.asarray(np.log2((inside + LEAST_MEAN) / (outside + LEAST_MEAN)))
