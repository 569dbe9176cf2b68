"""Cells and genes: co-cluster AnnData or MuData, and write the result where scanpy looks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import chi2, false_discovery_control, norm

from cocluster.data.containers import Layer, has_views, named_views, select_layer
from cocluster.data.relational import RelationalData, relational
from cocluster.graphs import as_graph
from cocluster.linalg.matrices import as_dense, is_nonnegative, times, values_of
from cocluster.linalg.partitions import as_partition
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.base import check_complete
from cocluster.methods.cocluster import CoCluster
from cocluster.methods.default.probability import costs, has_costs
from cocluster.report.explain import explain
from cocluster.report.statistics import score_features
from cocluster.utils.checks import check_integer
from cocluster.utils.optional import versions

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
    obsp: Sequence[str] = (),
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
    obsp : names in ``adata.obsp``
        Graphs of the cells, such as the ``"connectivities"`` of ``scanpy.pp.neighbors``; weights,
        of which larger ones mean nearer. Methods that take a graph ("gnmf", "drcc", "snmtf",
        "osntf", "rmc", "lpfnmtf") use the sum of these instead of the neighbours they would look
        for. All others, the default among them, take each graph for one more view: what is
        counted in it are the neighbours of a cell, so that cells with neighbours in common come
        together.
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
    asked = _Asked(layer, use_rep, tuple(obsm), tuple(obsp))
    model = CoCluster(n_clusters, **options)
    views, graphs = asked.views(adata), asked.graphs(adata)
    if not model.takes_graphs:
        views |= {name: Layer(W, adata.obs_names, adata.obs_names) for name, W in graphs.items()}
        graphs = {}
    # A matrix that is alone is given as such: its columns are then "features", as everywhere.
    data = relational(views if len(views) > 1 else next(iter(views.values())))
    # Before anything is written: markers would take unknown entries for zeros.
    check_complete(data, "cocluster()")
    model.fit(data, links=links, graphs={data.center: sum(graphs.values())} if graphs else None)
    if copy:
        adata = adata.copy()
    _write_cells(adata, key_added, model, data)
    groups = dict(list(model.labels_by_type_.items())[1:])
    params = _params(model, asked, key_added)
    # Clusters are told by genes, whatever they were found in.
    genes = relational(asked.genes(adata))
    names = explain(model.labels_, genes, n_members=0).names
    for number, part in enumerate(_parts(adata)):
        relation = genes.relations[number]
        if use_rep is None:
            part.var[key_added] = _categories(groups[data.relations[number].cols])
        labels = model.labels_ if relation.row_index is None else model.labels_[relation.row_index]
        markers, statistic = _markers(relation.matrix, labels, genes.names[relation.cols], n_genes)
        part.uns[key_added] = {
            "params": {**params, "method": statistic},
            "association": np.asarray(model.associations_[number]),
            "cluster_names": np.array(list(names.values()), dtype=object),
            **markers,
        }
    return adata if copy else None


@dataclass(frozen=True)
class _Asked:
    """Which parts of annotated data are to be clustered; see `cocluster`."""

    layer: str | None
    use_rep: str | None
    obsm: tuple[str, ...]
    obsp: tuple[str, ...]

    def views(self, adata: Any) -> dict[str, Any]:
        """Matrices with the cells in rows, by name."""
        if not hasattr(adata, "obs_names"):
            raise TypeError(
                f"Expected AnnData or MuData, got {type(adata).__name__}; see CoCluster."
            )
        if self.use_rep is not None and self.layer is not None:
            raise ValueError(
                "use_rep and layer each say what to use instead of X; give one of them."
            )
        if has_views(adata) and (self.use_rep is not None or self.obsm):
            raise ValueError("MuData has views already; use_rep and obsm are for AnnData.")
        first = self.genes(adata) if self.use_rep is None else _rep(adata, self.use_rep)
        views = named_views(first) if has_views(first) else {"genes": first}
        twice = [name for name, n in Counter((*views, *self.obsm, *self.obsp)).items() if n > 1]
        if twice:
            raise ValueError(f"Two views would be called {twice[0]!r}; rename one of them.")
        return views | {name: _rep(adata, name) for name in self.obsm}

    def genes(self, adata: Any) -> Any:
        """What tells the clusters: counts of genes, or the layer instead of them."""
        return select_layer(adata, self.layer)

    def graphs(self, adata: Any) -> dict[str, sp.csr_array]:
        """Graphs of the cells by name."""
        found = {}
        for name in self.obsp:
            W = _entry(adata, "obsp", name)
            # In scanpy's pairs of graphs those far away have the largest entries of one of them.
            if name.endswith("distances"):
                raise ValueError(
                    f"obsp[{name!r}] holds distances, of which the large ones are far; name a "
                    "graph of weights, such as 'connectivities'."
                )
            found[name] = as_graph(W, adata.n_obs, f"graph obsp[{name!r}]")
        return found


def _entry(adata: Any, part: str, name: str) -> Any:
    """An entry of obsm or obsp; the sentence lists those that there are."""
    known = getattr(adata, part)
    if name not in known:
        listed = ", ".join(map(repr, known)) or "none"
        raise ValueError(f"There is no {name!r} in {part}; its entries are: {listed}.")
    return known[name]


def _rep(adata: Any, name: str) -> Layer:
    """An entry of obsm, whose columns are named by their number."""
    values = _entry(adata, "obsm", name)
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


def _params(model: CoCluster, chosen: _Asked, key: str) -> dict[str, Any]:
    """What was asked for, as far as files of annotated data can hold it."""
    # "method" is scanpy's word for the statistic of the markers.
    own = {
        "cocluster_method" if name == "method" else name: value
        for name, value in model.get_params().items()
        if isinstance(value, str | int | float)
    }
    asked = {
        "layer": chosen.layer,
        "use_rep": chosen.use_rep,
        "obsm": " ".join(chosen.obsm) or None,
        "obsp": " ".join(chosen.obsp) or None,
    }
    # What scanpy's plots ask for.
    plots = {"groupby": key, "reference": "rest", "use_raw": False}
    plots["corr_method"] = "benjamini-hochberg"
    given = {name: value for name, value in asked.items() if value is not None}
    return {**own, **given, **plots, "version": versions()["cocluster"]}


def _markers(X: InMemory, labels: Array, genes: Array, n_genes: int) -> tuple[dict[str, Any], str]:
    """The first genes of every cluster in the layout of scanpy's rank_genes_groups, and by what."""
    found, groups = np.unique(labels, return_inverse=True)
    G = as_partition(groups, len(found))
    scores = score_features(X, G)
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
