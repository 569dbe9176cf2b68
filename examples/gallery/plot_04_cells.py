"""
Cells with two modalities
=========================

Single-cell data are stored as ``AnnData``, or as ``MuData`` if several modalities were measured in
the same cells. `cocluster.omics.cocluster` accepts both and writes the results where scanpy and
related packages expect them.

The cells are synthetic: 400 cells of four types, with counts of 300 genes and 30 proteins.
"""

import anndata
import matplotlib.pyplot as plt
import mudata
import pandas as pd

from cocluster.datasets import make_star
from cocluster.metrics import accuracy
from cocluster.omics import cocluster

# Version 0.4 of mudata does not copy columns between modalities; make older versions do the same.
if hasattr(mudata, "set_options"):
    mudata.set_options(pull_on_update=False)

planted = make_star(
    400, {"rna": 300, "protein": 30}, 4, row_degree={"rna": 150, "protein": 60}, random_state=0
)
cells = [f"cell {i}" for i in range(400)]


def make_adata(view):
    """Return the counts of one modality as AnnData, with names of cells and features."""
    counts = planted.views[view]
    genes = pd.DataFrame(index=[f"{view} {j}" for j in range(counts.shape[1])])
    return anndata.AnnData(counts, obs=pd.DataFrame(index=cells), var=genes)


# %%
# Cluster one modality first. The clusters of cells are stored in ``obs``, the groups of genes in
# ``var``.
adata = make_adata("rna")
cocluster(adata, n_clusters=4, random_state=0)
print(adata.obs.head(3))
print(adata.var["cocluster"].value_counts())

# %%
# The markers of each cluster are stored in ``uns``, in the layout of
# ``scanpy.tl.rank_genes_groups``. ``sc.pl.rank_genes_groups_dotplot(adata, key="cocluster")``
# draws them.
print(pd.DataFrame(adata.uns["cocluster"]["names"]).head(3))

# %%
# The association shows which clusters of cells express which groups of genes.
figure, ax = plt.subplots(figsize=(4, 3.4), layout="constrained")
ax.imshow(adata.uns["cocluster"]["association"])
ax.set(xlabel="group of genes", ylabel="cluster of cells")
plt.show()

# %%
# With two modalities, cells are matched by name, and a cell may be missing from one of them.
mdata = mudata.MuData({"rna": make_adata("rna"), "protein": make_adata("protein")[50:].copy()})
cocluster(mdata, n_clusters=4, random_state=0)
print("genes alone:       ", accuracy(planted.labels, adata.obs["cocluster"]))
print("genes and proteins:", accuracy(planted.labels, mdata.obs["cocluster"]))
