"""
Ratings with missing entries
============================

Most people have rated only a few films. A missing rating is not a rating of zero. ``CoCluster``
fits the observed ratings, groups people and films, and predicts the missing ratings.
"""

import matplotlib.pyplot as plt
import numpy as np

from cocluster import CoCluster

rng = np.random.default_rng(0)
people, films = np.arange(300) % 4, np.arange(60) % 5
taste = rng.uniform(1, 5, size=(4, 5))
ratings = np.clip(taste[people][:, films] + rng.normal(scale=0.5, size=(300, 60)), 1, 5)
observed = rng.random(ratings.shape) < 0.15
print(f"{observed.mean():.0%} of the ratings are observed")

# %%
# Mark missing entries with NaN. You can also pass a mask, or sparse data with
# ``missing="unobserved"``.
training = np.where(observed, ratings, np.nan)
model = CoCluster(4, n_column_clusters=5, random_state=0).fit(training)

# %%
# How accurate are the predictions of the hidden ratings? The mean rating of each film is a simple
# baseline.
hidden = ~observed
predictions = {
    "mean of the film": np.nanmean(training, axis=0)[np.nonzero(hidden)[1]],
    "co-clusters": model.complete()[hidden],
}
for name, predicted in predictions.items():
    print(f"{name:17s} error {np.sqrt(np.mean((predicted - ratings[hidden]) ** 2)):.2f}")

# %%
# Suggest films to person 0: the unseen films with the highest predictions.
unseen = np.flatnonzero(hidden[0])
best = unseen[np.argsort(model.complete(np.zeros(len(unseen), dtype=int), unseen))[::-1]]
print("films to suggest:", best[:5])

# %%
# The observed and the predicted ratings, with people and films sorted by cluster.
rows, columns = np.argsort(model.row_labels_), np.argsort(model.column_labels_)
figure, axes = plt.subplots(1, 2, figsize=(8, 4.5), layout="constrained")
for ax, title, values in zip(
    axes, ("observed", "predicted"), (training, model.complete()), strict=True
):
    ax.imshow(values[rows][:, columns], aspect="auto", vmin=1, vmax=5, interpolation="nearest")
    ax.set(title=title, xlabel="films", ylabel="people")
plt.show()
