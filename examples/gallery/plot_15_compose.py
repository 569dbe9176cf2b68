"""
Compose your own factorisation
==============================

Every factorisation of the library combines three kinds of parts: a constraint on each factor, a
rule for the association between the factors, and penalties. With ``TriFactorization`` you can
combine these parts in any way; the same optimisation loop fits all combinations.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from cocluster import TriFactorization
from cocluster.graphs import knn_graph, laplacian
from cocluster.metrics import nmi
from cocluster.report.plots import plot_objective
from cocluster.trifactor import Indicator, NonNegative, PairTerms

digits = load_digits(n_class=6)
X, y = digits.data[:, digits.data.any(axis=0)], digits.target

# %%
# Use memberships for the images and hard groups for the pixels, a combination that none of the
# papers has.
parts = {"samples": NonNegative(0.5), "features": Indicator()}
mixed = TriFactorization(6, 12, constraint=parts, random_state=0).fit(X)
print(f"NMI {nmi(y, mixed.labels_):.2f} after {mixed.n_iter_} sweeps")

# %%
# Now add a penalty: similar images should have similar memberships. The penalty is quadratic in the
# factor, so every constraint supports it. ``unit_columns`` normalises the columns of the factors;
# otherwise the penalty could be avoided by shrinking the factor.
for strength in (0.0, 10.0):
    graph = PairTerms(strength * laplacian(knn_graph(X, 5)))
    smooth = TriFactorization(
        6,
        constraint=NonNegative(0.5),
        penalties={"samples": (graph,)},
        unit_columns=True,
        assign="kmeans",
        random_state=0,
    ).fit(X)
    print(f"strength {strength:4.0f}: NMI {nmi(y, smooth.labels_):.2f}")

# %%
# The objective never rises, for any combination of these parts.
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
plot_objective(smooth, ax=ax)
plt.show()
