"""
Words and embeddings as two views
=================================

Vectors of a language model know that two words mean nearly the same. Counts of words say what a
group is about. Given as two views of the same texts, both are used in one fit.

To stay without a download, the vectors here come from latent semantic analysis. Those of any other
model are used in the same way: a matrix with one row for each text.
"""

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer

from cocluster import CoCluster
from cocluster.datasets import load_docstrings
from cocluster.metrics import scores

corpus = load_docstrings()
words = corpus.views["words"]
weights = TfidfTransformer(sublinear_tf=True).fit_transform(words)
vectors = TruncatedSVD(50, random_state=0).fit_transform(weights)
print(words.shape, vectors.shape)

# %%
# A mapping of names to matrices is all that is needed. Views count alike, however large their
# numbers are.
k = len(corpus.class_names)
one = CoCluster(k, random_state=0).fit(words)
both = CoCluster(k, random_state=0).fit({"words": words, "vectors": vectors})

# %%
# The subpackage of each function is known, so we can look how well the groups match it. No fit has
# seen it.
for name, model in (("words alone", one), ("words and vectors", both)):
    values = scores(corpus.labels, model.labels_)
    print(f"{name:18s}", {key: round(float(value), 2) for key, value in values.items()})

# %%
# Features of each view have groups of their own.
for view, labels in both.labels_by_type_.items():
    print(f"{view:8s} {len(labels):5d} objects in {len(set(labels.tolist()))} clusters")
