"""Random generators from what users pass as ``random_state``."""

from __future__ import annotations

import numpy as np

RandomState = int | np.random.RandomState | np.random.Generator | None


def generator(random_state: RandomState) -> np.random.Generator:
    """The generator itself, or one seeded by an integer or drawn from a RandomState."""
    if isinstance(random_state, np.random.RandomState):
        # Drawn from it, so that a second fit with the same object differs, as in scikit-learn.
        random_state = int(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be None, an integer >= 0, a RandomState or a Generator to seed "
            f"from, got {random_state!r}."
        ) from error
