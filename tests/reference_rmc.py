"""Algorithm 1 of RMC: entropic mirror descent on the simplex."""

from __future__ import annotations

import numpy as np

from cocluster.linalg.types import Array


def entropic_mirror_descent(s: Array, spread: float, n_steps: int) -> Array:
    """Minimise μᵀ s + γ ‖μ‖² over the simplex, steps √(2 ln q / m) / L_f; the best point seen."""
    q = len(s)
    lipschitz = 2 * spread + np.abs(s).sum()
    mu = best = np.full(q, 1 / q)
    for m in range(1, n_steps + 1):
        step = np.sqrt(2 * np.log(q) / m) / lipschitz
        mu = mu * np.exp(-step * (2 * spread * mu + s))
        mu = mu / mu.sum()
        if mu @ s + spread * mu @ mu < best @ s + spread * best @ best:
            best = mu
    return best
