"""
A report for a colleague
========================

``account`` collects all results of a fit in one object. You can export it as a self-contained HTML
report, as Markdown, as JSON or as tables; all of them show the same numbers.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from cocluster import CoCluster, account
from cocluster.report.plots import plot_features, plot_stability

wine = load_wine(as_frame=True)
table = wine.data.rename(index=lambda i: f"wine {i}")
# The columns have different units; standardise them so that they have the same weight.
table = (table - table.mean()) / table.std()
model = CoCluster(3, random_state=0).fit(table)

# %%
# With ``refits``, the model is refitted on subsamples to see which clusters are found again.
results = account(model, table, title="Wines", names={0: "the first group"}, refits=3)
print(results)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
plot_features(results, cluster=1, ax=left)
plot_stability(results, ax=right)
plt.show()

# %%
# The report is a single file without external resources, so you can send it by e-mail.
page = Path(tempfile.mkdtemp()) / "wines.html"
page.write_text(results.to_html(), encoding="utf-8")
print(f"{page.stat().st_size / 1000:.0f} kB")

# %%
# Export a table for a spreadsheet or a paper.
results.to_frame("clusters")
