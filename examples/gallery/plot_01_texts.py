"""
Texts and their words
=====================

What is a pile of texts about? Co-clustering groups the texts and the words at the same time: a
group of words says what a group of texts is about.

The texts here are the docstrings of numpy, scipy and scikit-learn, which every installation has.
"""

import matplotlib.pyplot as plt

from cocluster import CoCluster, account, explain
from cocluster.datasets import Dataset, load_docstrings
from cocluster.report.plots import plot_association, plot_matrix

corpus = load_docstrings()
words = corpus.views["words"]
print(f"{words.shape[0]} texts, {words.shape[1]} words, {words.nnz} counts")

# %%
# A `Dataset` keeps the matrix together with the names of its rows and columns. `read` makes one
# from a file; here it is put together by hand.
texts = Dataset(
    "docstrings",
    {"words": words},
    sample_names=corpus.names,
    feature_names={"words": corpus.feature_names["words"]},
)
model = CoCluster(n_clusters=8, random_state=0).fit(texts.data)

# %%
# Every text has a label, and so has every word.
print(model.row_labels_[:10])
print(model.column_labels_[:10])

# %%
# ``explain`` says what sets each cluster apart. Words are ranked by how much more often texts of
# the cluster have them than others do, so words that all texts have are not listed.
found = explain(model, texts, n_features=6)
for cluster in found.clusters:
    print(f"{cluster.size:5d}  {cluster.name}")

# %%
# Sorted by cluster, the matrix shows its blocks.
told = account(model, texts)
figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
plot_matrix(told, ax=ax)
plt.show()

# %%
# Which clusters of texts go with which groups of words: 1 is what chance would give.
figure, ax = plt.subplots(figsize=(8, 6), layout="constrained")
plot_association(told, ax=ax)
plt.show()
