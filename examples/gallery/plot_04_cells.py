"""
Cells with two modalities
=========================

Single cells come as ``AnnData``, or as ``MuData`` where several things were measured in them.
`cocluster.omics.cocluster` takes both and writes the result where scanpy and its friends look for
it.

The cells are made up: 400 cells of four types, with counts of 300 genes and of 30 proteins.
"""

import anndata
import matplotlib.pyplot as plt
import mudata
import pandas as pd

from cocluster.datasets import make_star
from cocluster.metrics import accuracy
from cocluster.omics import cocluster

# Version 0.4 of mudata leaves out columns that nobody asked for; let older ones do so, too.
if hasattr(mudata, "set_options"):
    mudata.set_options(pull_on_update=False)

planted = make_star(
    400, {"rna": 300, "protein": 30}, 4, row_degree={"rna": 150, "protein": 60}, random_state=0
)
cells = [f"cell {i}" for i in range(400)]


def annotated(view):
    """Counts of one modality, with names."""
    counts = planted.views[view]
    genes = pd.DataFrame(index=[f"{view} {j}" for j in range(counts.shape[1])])
    return anndata.AnnData(counts, obs=pd.DataFrame(index=cells), var=genes)


# %%
# One modality. The cells get a column in ``obs``, the genes one in ``var``.
adata = annotated("rna")
cocluster(adata, n_clusters=4, random_state=0)
print(adata.obs.head(3))
print(adata.var["cocluster"].value_counts())

# %%
# Markers of each cluster are in ``uns``, in the layout of ``scanpy.tl.rank_genes_groups``, so that
# ``sc.pl.rank_genes_groups_dotplot(adata, key="cocluster")`` draws them.
print(pd.DataFrame(adata.uns["cocluster"]["names"]).head(3))

# %%
# Which clusters of cells go with which groups of genes.
figure, ax = plt.subplots(figsize=(4, 3.4), layout="constrained")
ax.imshow(adata.uns["cocluster"]["association"])
ax.set(xlabel="group of genes", ylabel="cluster of cells")
plt.show()

# %%
# Two modalities: cells are matched by name, and a cell may lack one of them.
mdata = mudata.MuData({"rna": annotated("rna"), "protein": annotated("protein")[50:].copy()})
cocluster(mdata, n_clusters=4, random_state=0)
print("genes alone:       ", accuracy(planted.labels, adata.obs["cocluster"]))
print("genes and proteins:", accuracy(planted.labels, mdata.obs["cocluster"]))
