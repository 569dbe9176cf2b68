"""
Words and embeddings as two views
=================================

Embeddings of a language model recognise that two words have nearly the same meaning. Word counts
show what a cluster is about. Pass them as two views of the same texts to use both in one fit.

To avoid a download, this example computes its embeddings by latent semantic analysis. Embeddings of
any other model work in the same way: pass a matrix with one row for each text.
"""

import matplotlib.pyplot as plt
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
# Pass a mapping from names to matrices. All views have the same weight, whatever the scale of their
# values is.
k = len(corpus.class_names)
one = CoCluster(k, random_state=0).fit(words)
both = CoCluster(k, random_state=0).fit({"words": words, "vectors": vectors})

# %%
# The subpackage of each function is known, so we can score how well the clusters match it. The fits
# did not use it.
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for offset, (name, model) in enumerate({"words alone": one, "words and vectors": both}.items()):
    values = scores(corpus.labels, model.labels_)
    print(f"{name:18s}", {key: round(float(value), 2) for key, value in values.items()})
    ax.bar([i + 0.4 * offset for i in range(4)], values.values(), width=0.38, label=name)
ax.set_xticks([0.2, 1.2, 2.2, 3.2], list(values))
ax.set(ylim=(0, 1))
ax.legend()
plt.show()

# %%
# The features of each view have their own groups.
for view, labels in both.labels_by_type_.items():
    print(f"{view:8s} {len(labels):5d} objects in {len(set(labels.tolist()))} clusters")
