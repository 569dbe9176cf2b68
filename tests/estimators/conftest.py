"""One seed: what depends on chance is tried with several in the tests of the parts."""

from __future__ import annotations

import pytest


@pytest.fixture(params=[0])
def seed(request: pytest.FixtureRequest) -> int:
    """The seed."""
    return int(request.param)
