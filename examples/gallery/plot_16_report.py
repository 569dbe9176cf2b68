"""
A report for a colleague
========================

``account`` puts all that is to be told of a fit into one plain value. From it come a page that
opens in any browser without a network, Markdown, JSON and tables; all show the same numbers.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from cocluster import CoCluster, account
from cocluster.report.plots import plot_features, plot_stability

wine = load_wine(as_frame=True)
table = wine.data.rename(index=lambda i: f"wine {i}")
# Columns are measured in different units; each counts alike after this.
table = (table - table.mean()) / table.std()
model = CoCluster(3, random_state=0).fit(table)

# %%
# ``refits`` fits parts of the samples anew, to see which clusters are found again.
told = account(model, table, title="Wines", names={0: "the first group"}, refits=3)
print(told)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
plot_features(told, cluster=1, ax=left)
plot_stability(told, ax=right)
plt.show()

# %%
# A page of one file: nothing is loaded from elsewhere, so it can be mailed.
page = Path(tempfile.mkdtemp()) / "wines.html"
page.write_text(told.to_html(), encoding="utf-8")
print(f"{page.stat().st_size / 1000:.0f} kB")

# %%
# The same as a table, for a spreadsheet or a paper.
told.to_frame("clusters")
