"""What `make test-quick` runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import THOROUGH

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", THOROUGH)
def test_what_is_left_out_by_name_exists(name: str) -> None:
    # A file that was renamed would else come back into the quick tests unseen.
    assert (ROOT / name).exists()


def test_every_method_is_fitted_by_the_quick_tests() -> None:
    catalogue = Path("tests/methods/test_catalogue.py")
    assert (ROOT / catalogue).exists()
    assert not any(catalogue.is_relative_to(name) for name in THOROUGH)
