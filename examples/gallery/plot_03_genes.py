"""
Samples and genes
=================

A table of gene expression has a row for each patient and a column for each gene. Patients of one
kind share a programme: some genes are up together, others are down. Co-clustering finds the kinds
of patients and the programmes at once.

The data are made up: 90 patients of three kinds, 600 genes in four programmes, and most of what is
measured is noise.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from cocluster import CoCluster, account, explain
from cocluster.metrics import accuracy
from cocluster.report.plots import plot_matrix

rng = np.random.default_rng(0)
kinds = np.arange(90) % 3
programmes = np.arange(600) % 4
# Each kind (row) switches some programmes (columns) on, in units of the logarithm.
switched = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]])
log_level = rng.normal(5, 1, size=600) + switched[kinds][:, programmes]
table = pd.DataFrame(
    log_level + rng.normal(scale=1.5, size=(90, 600)),
    index=[f"patient {i}" for i in range(90)],
    columns=[f"gene {j}" for j in range(600)],
)

# %%
# A frame goes in as it is. Names of rows and columns are kept.
model = CoCluster(3, n_column_clusters=4, random_state=0).fit(table)
print("accuracy:", accuracy(kinds, model.labels_))

# %%
# The data have no zeros to count, so genes are ranked by the rank sum test.
for cluster in explain(model, table, n_features=4).clusters:
    print(cluster.size, cluster.name)

# %%
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
plot_matrix(account(model, table), ax=ax)
plt.show()

# %%
# A new patient is put into a cluster; columns are matched by name, in any order.
new = table.iloc[[4]][table.columns[::-1]]
print(model.predict(new), model.predict_proba(new).round(2))
