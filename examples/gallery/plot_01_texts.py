"""
Texts and their words
=====================

This example clusters a collection of texts and shows what each cluster is about. Co-clustering
groups the texts and the words at the same time, so every cluster of texts comes with the words that
define it.

The texts are the docstrings of numpy, scipy and scikit-learn, which every installation contains.
"""

import matplotlib.pyplot as plt

from cocluster import CoCluster, account, explain
from cocluster.datasets import Dataset, load_docstrings
from cocluster.report.plots import plot_association, plot_matrix

corpus = load_docstrings()
words = corpus.views["words"]
print(f"{words.shape[0]} texts, {words.shape[1]} words, {words.nnz} counts")

# %%
# A `Dataset` keeps the matrix together with the names of its rows and columns. `read` creates one
# from a file; here we create it ourselves.
texts = Dataset(
    "docstrings",
    {"words": words},
    sample_names=corpus.names,
    feature_names={"words": corpus.feature_names["words"]},
)
model = CoCluster(n_clusters=8, random_state=0).fit(texts.data)

# %%
# Every text and every word has a label.
print(model.row_labels_[:10])
print(model.column_labels_[:10])

# %%
# ``explain`` lists the words that distinguish each cluster. It ranks words by how much more often
# they occur in texts of the cluster than in other texts, so words that occur everywhere are not
# listed.
explanation = explain(model, texts, n_features=6)
for cluster in explanation.clusters:
    print(f"{cluster.size:5d}  {cluster.name}")

# %%
# If rows and columns are sorted by cluster, the matrix shows its blocks.
results = account(model, texts)
figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
plot_matrix(results, ax=ax)
plt.show()

# %%
# The association shows which clusters of texts use which groups of words more often than expected
# by chance; 1 means chance.
figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
plot_association(results, ax=ax)
plt.show()
