"""
Links: what you know already
============================

Often some pairs are known: these two belong together, those two do not. Every method of the library
takes such links, follows what they imply, and says where they contradict each other.
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
# Say that someone has told us 50 of the 700 digits. Labels, groups and pairs all become links.
told = np.full(700, -1)
told[:50] = y[:50]
links = Links.from_labels(told)
print(links)
helped = CoCluster(10, random_state=0).fit(X, links=links)

# %%
# Images that nobody said anything about gain, too.
shares = {
    name: accuracy(y[50:], model.labels_[50:])
    for name, model in {"without links": plain, "with links": helped}.items()
}
print(shares)
figure, ax = plt.subplots(figsize=(5, 1.8), layout="constrained")
ax.barh(list(shares), list(shares.values()))
ax.set(xlabel="accuracy on the other images", xlim=(0, 1))
plt.show()

# %%
# What links imply is followed: 0 with 1 and 1 with 2 says 0 with 2.
pairs = Links.from_pairs(must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)], n_samples=700)
print(pairs.n_implied, "pairs are settled by", pairs.n_must + pairs.n_cannot, "links")

# %%
# Links that contradict each other are refused, with the chain that shows why.
wrong = pairs | Links.from_pairs(must_link=[(0, 3)], n_samples=700)
try:
    CoCluster(10).fit(X, links=wrong)
except ValueError as error:
    print(error)
