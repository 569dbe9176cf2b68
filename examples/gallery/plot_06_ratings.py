"""
Ratings with unknown entries
============================

Most people have rated few things. What is missing is not zero: it is unknown. ``CoCluster`` fits
what is known, groups people and things, and predicts the rest.
"""

import matplotlib.pyplot as plt
import numpy as np

from cocluster import CoCluster

rng = np.random.default_rng(0)
people, films = np.arange(300) % 4, np.arange(60) % 5
taste = rng.uniform(1, 5, size=(4, 5))
ratings = np.clip(taste[people][:, films] + rng.normal(scale=0.5, size=(300, 60)), 1, 5)
known = rng.random(ratings.shape) < 0.15
print(f"{known.mean():.0%} of the ratings are known")

# %%
# NaN says "unknown". A mask, or sparse data with ``missing="unobserved"``, say the same.
seen = np.where(known, ratings, np.nan)
model = CoCluster(4, n_column_clusters=5, random_state=0).fit(seen)

# %%
# How good are the predictions of ratings that were not seen? The mean of each film is a fair rival.
hidden = ~known
errors = {
    "mean of the film": np.nanmean(seen, axis=0)[np.nonzero(hidden)[1]],
    "co-clusters": model.complete()[hidden],
}
for name, predicted in errors.items():
    print(f"{name:17s} error {np.sqrt(np.mean((predicted - ratings[hidden]) ** 2)):.2f}")

# %%
# What might person 0 like best?
unseen = np.flatnonzero(hidden[0])
best = unseen[np.argsort(model.complete(np.zeros(len(unseen), dtype=int), unseen))[::-1]]
print("films to suggest:", best[:5])

# %%
# What is known, and what is predicted, with people and films sorted by cluster.
rows, columns = np.argsort(model.row_labels_), np.argsort(model.column_labels_)
figure, axes = plt.subplots(1, 2, figsize=(8, 4.5), layout="constrained")
for ax, title, values in zip(axes, ("known", "predicted"), (seen, model.complete()), strict=True):
    ax.imshow(values[rows][:, columns], aspect="auto", vmin=1, vmax=5, interpolation="nearest")
    ax.set(title=title, xlabel="films", ylabel="people")
plt.show()
