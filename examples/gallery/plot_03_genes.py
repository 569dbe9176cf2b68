"""
Samples and genes
=================

A gene expression table has a row for each patient and a column for each gene. Patients of the same
subtype share expression programmes: groups of genes that are up- or down-regulated together.
Co-clustering finds the subtypes and the programmes at the same time.

The data are synthetic: 90 patients of three subtypes, 600 genes in four programmes, and strong
noise.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from cocluster import CoCluster, account, explain
from cocluster.metrics import accuracy
from cocluster.report.plots import plot_matrix

rng = np.random.default_rng(0)
subtypes = np.arange(90) % 3
programmes = np.arange(600) % 4
# Each subtype (row) activates one programme (column); the values are changes of the log expression.
activation = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]])
log_level = rng.normal(5, 1, size=600) + activation[subtypes][:, programmes]
table = pd.DataFrame(
    log_level + rng.normal(scale=1.5, size=(90, 600)),
    index=[f"patient {i}" for i in range(90)],
    columns=[f"gene {j}" for j in range(600)],
)

# %%
# Pass the frame directly. The names of rows and columns are kept.
model = CoCluster(3, n_column_clusters=4, random_state=0).fit(table)
print("accuracy:", accuracy(subtypes, model.labels_))

# %%
# Genes are ranked by the rank-sum test, because the values are not counts.
for cluster in explain(model, table, n_features=4).clusters:
    print(cluster.size, cluster.name)

# %%
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
plot_matrix(account(model, table), ax=ax)
plt.show()

# %%
# ``predict`` assigns a new patient to a cluster. It matches columns by name, in any order.
new = table.iloc[[4]][table.columns[::-1]]
print(model.predict(new), model.predict_proba(new).round(2))
