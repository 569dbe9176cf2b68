"""
Constraints: must-links and cannot-links
========================================

Often you know of some pairs that they belong together, or that they do not. Every method of the
library accepts such links, infers what follows from them, and detects contradictions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from cocluster import CoCluster, Links
from cocluster.metrics import accuracy

# 700 images of handwritten digits, without the pixels that are always white.
digits = load_digits()
X = digits.data[:700][:, digits.data.any(axis=0)]
y = digits.target[:700]
plain = CoCluster(10, random_state=0).fit(X)

# %%
# Suppose that 50 of the 700 digits are labelled. Links can be created from labels, groups or pairs.
partial_labels = np.full(700, -1)
partial_labels[:50] = y[:50]
links = Links.from_labels(partial_labels)
print(links)
helped = CoCluster(10, random_state=0).fit(X, links=links)

# %%
# The accuracy improves on the unlabelled images, too.
accuracies = {
    name: accuracy(y[50:], model.labels_[50:])
    for name, model in {"without links": plain, "with links": helped}.items()
}
print(accuracies)
figure, ax = plt.subplots(figsize=(5, 1.8), layout="constrained")
ax.barh(list(accuracies), list(accuracies.values()))
ax.set(xlabel="accuracy on the unlabelled images", xlim=(0, 1))
plt.show()

# %%
# Links imply further links: if 0 is linked with 1 and 1 with 2, then 0 is linked with 2.
pairs = Links.from_pairs(must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)], n_samples=700)
print(pairs.n_implied, "pairs follow from", pairs.n_must + pairs.n_cannot, "links")

# %%
# Contradictory links raise an error that lists the chain of pairs behind the contradiction.
contradictory = pairs | Links.from_pairs(must_link=[(0, 3)], n_samples=700)
try:
    CoCluster(10).fit(X, links=contradictory)
except ValueError as error:
    print(error)
