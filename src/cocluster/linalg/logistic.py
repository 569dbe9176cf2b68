"""Multinomial logistic regression from few samples, with soft targets."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from cocluster.linalg.types import Array

# Steps of the solver, and the fall of the loss that ends it: the second digit of a probability is
# all that is used.
STEPS, PRECISION = 60, 1e-6


def logistic_probabilities(
    Z: Array, chosen: Array, targets: Array, weights: Array, strength: float
) -> Array:
    r"""Probabilities of the classes for all rows of Z, learned from some of them.

    .. math:: \min_{W, b} \; -\sum_{i} w_i \sum_c T_{ic} \log P_{ic} + \|W\|^2 / (2 C),
              \qquad P = softmax(Z W + b)

    Parameters
    ----------
    Z : ndarray of shape (n, d)
    chosen : int array of shape (m,)
        The rows that are learned from.
    targets : ndarray of shape (m, c)
        T, classes of those rows, as shares.
    weights : ndarray of shape (m,)
    strength : float
        C: larger values follow the targets more closely.

    Returns
    -------
    ndarray of shape (n, c), rows sum to one

    Examples
    --------
    >>> Z = np.array([[1.0], [0.9], [-0.9], [-1.0]])
    >>> P = logistic_probabilities(Z, np.array([0, 3]), np.eye(2), np.ones(2), 10.0)
    >>> P.argmax(axis=1)
    array([0, 0, 1, 1])
    """
    learned = Z[chosen]
    # The solution lies in the span of the rows that are learned from: where these are fewer than
    # the columns, it is sought there.
    basis, coordinates = None, learned
    if learned.shape[0] < learned.shape[1]:
        basis, R = np.linalg.qr(learned.T)
        coordinates = R.T
    W, b = _solved(coordinates, weights[:, None] * targets, strength)
    return np.asarray(softmax(Z @ (W if basis is None else basis @ W) + b, axis=1))


def _solved(A: Array, mass: Array, strength: float) -> tuple[Array, Array]:
    """Weights and intercepts; ``mass`` are the targets times the weights of the rows."""
    width, n_classes = A.shape[1], mass.shape[1]
    of_rows = mass.sum(axis=1, keepdims=True)

    def loss(flat: Array) -> tuple[float, Array]:
        V = flat.reshape(width + 1, n_classes)
        logs = log_softmax(A @ V[:-1] + V[-1], axis=1)
        pull = np.exp(logs) * of_rows - mass
        slope = np.vstack([A.T @ pull + V[:-1] / strength, pull.sum(axis=0)])
        value = float(np.sum(V[:-1] ** 2) / (2 * strength) - np.sum(mass * logs))
        return value, slope.ravel()

    found = minimize(
        loss,
        np.zeros((width + 1) * n_classes),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": STEPS, "ftol": PRECISION},
    )
    V = found.x.reshape(width + 1, n_classes)
    return V[:-1], V[-1]
