"""
Images and their pixels
=======================

This example clusters images: each image is a row, each pixel a column. A group of pixels is then a
region that is dark in the same images. The images are the handwritten digits that come with
scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from cocluster import CoCluster
from cocluster.metrics import scores

digits = load_digits()
# Some pixels at the border are zero in all images; such columns carry no information.
inked = digits.data.any(axis=0)
X = digits.data[:, inked]

model = CoCluster(10, n_column_clusters=12, random_state=0).fit(X)
values = scores(digits.target, model.labels_)
print({name: round(float(value), 2) for name, value in values.items()})

# %%
# The mean image of each cluster, largest cluster first.
figure, axes = plt.subplots(2, 5, figsize=(8, 3.6), layout="constrained")
for cluster, ax in enumerate(axes.flat):
    ax.imshow(digits.images[model.labels_ == cluster].mean(axis=0), cmap="gray_r")
    ax.set_title(f"{np.sum(model.labels_ == cluster)} images", fontsize=9)
    ax.set_axis_off()
plt.show()

# %%
# The groups of pixels are regions of the image: pixels of the same colour are in the same group.
regions = np.full(64, np.nan)
regions[inked] = model.column_labels_
figure, ax = plt.subplots(figsize=(3.5, 3.5), layout="constrained")
ax.imshow(regions.reshape(8, 8), cmap="tab20")
ax.set_axis_off()
plt.show()
