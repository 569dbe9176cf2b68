r"""Transductive linear support vector machine with label switching.

For two classes, with labels of the unlabelled samples :math:`y^*` to be found,

.. math::
    \min_{w, y^*} \tfrac12 \|w\|^2 + C \sum_{i} \xi_i^2 + C^* \sum_{j} (\xi^*_j)^2

with hinge losses ξ, where the number of unlabelled samples called positive is fixed [1]_. The
weight C* grows from nearly nothing to C by doubling. At each weight a positive and a negative
unlabelled sample change labels as long as :math:`\xi_m + \xi_l > 2`: this lowers the objective
for given w (for squared losses as for plain ones), training lowers it further, so it ends.

References
----------
.. [1] T. Joachims, "Transductive inference for text classification using support vector
   machines", ICML 1999.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import LinearSVC

from cocluster.linalg.types import Array, InMemory

SMALLEST_WEIGHT = 1e-4
MAX_SWITCHES = 20


def tsvm_labels(X: InMemory, y_partial: Array, *, C: float = 1.0, seed: int = 0) -> Array:
    """Labels of all samples from those of some: one transductive machine per class, best wins.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    y_partial : integer array of shape (n_samples,)
        Class of each sample, -1 where unknown. Known classes are kept.
    C : float
        Weight of the losses.
    seed : int
        For the solver.

    Returns
    -------
    array of shape (n_samples,)
    """
    y = np.asarray(y_partial)
    if y.shape != (X.shape[0],):
        raise ValueError(f"y_partial must have one entry per row of X, got shape {y.shape}.")
    known = y != -1
    classes = np.unique(y[known])
    if len(classes) < 2:
        raise ValueError("y_partial must name samples of at least two classes; -1 is unknown.")
    if known.all():
        return y
    if len(classes) == 2:
        scores = decision_values(X, np.where(known, np.where(y == classes[1], 1, -1), 0), C, seed)
        found = classes[(scores > 0).astype(int)]
    else:
        machines = [np.where(known, np.where(y == c, 1, -1), 0) for c in classes]
        all_scores = [decision_values(X, signs, C, seed) for signs in machines]
        found = classes[np.argmax(all_scores, axis=0)]
    return np.where(known, y, found)


def decision_values(X: InMemory, signs: Array, C: float, seed: int) -> Array:
    """Values of the decision function for one class against the rest; sign 0 is unknown."""
    unknown = np.flatnonzero(signs == 0)
    scores = _train(X, signs, np.where(signs == 0, 0.0, C), seed)
    signs = signs.copy()
    signs[unknown] = _highest_positive(scores[unknown], float((signs == 1).sum()), signs)
    weight = SMALLEST_WEIGHT * C
    while True:
        weights = np.full(len(signs), C)
        weights[unknown] = weight
        scores = _train(X, signs, weights, seed)
        for _ in range(MAX_SWITCHES):
            switched = switch(signs[unknown], scores[unknown])
            if (switched == signs[unknown]).all():
                break
            signs[unknown] = switched
            scores = _train(X, signs, weights, seed)
        if weight == C:
            return scores
        weight = min(C, 2.0 * weight)


def _train(X: InMemory, signs: Array, weights: Array, seed: int) -> Array:
    """Decision values of all samples from a machine trained on those with positive weight."""
    used = np.flatnonzero(weights > 0)
    machine = LinearSVC(dual=False, random_state=seed)
    machine.fit(X[used], signs[used], sample_weight=weights[used])
    return np.asarray(machine.decision_function(X))


def _highest_positive(scores: Array, n_positive: float, signs: Array) -> Array:
    """Signs with the same share of positives as among the known samples, the highest first."""
    count = round(n_positive / np.count_nonzero(signs) * len(scores))
    result = np.full(len(scores), -1)
    result[np.argsort(-scores, kind="stable")[:count]] = 1
    return result


def switch(signs: Array, scores: Array) -> Array:
    """Exchange labels of positives and negatives, worst with worst, whose losses exceed 2."""
    losses = np.maximum(0.0, 1.0 - signs * scores)
    worst = np.argsort(-losses, kind="stable")
    positive, negative = worst[signs[worst] == 1], worst[signs[worst] == -1]
    n = min(len(positive), len(negative))
    positive, negative = positive[:n], negative[:n]
    wrong = (losses[positive] > 0) & (losses[negative] > 0)
    wrong &= losses[positive] + losses[negative] > 2.0
    result = signs.copy()
    result[positive[wrong]], result[negative[wrong]] = -1, 1
    return result
