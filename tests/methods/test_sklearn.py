"""Every two-way estimator passes the checks of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from cocluster.methods.base import Coclusterer
from tests.methods.every_method import METHODS

SEEDS = (0,)


def _expected_failures(estimator: Coclusterer) -> dict[str, str]:
    """One check of scikit-learn standardises its data without asking for the sign allowed."""
    if estimator.__sklearn_tags__().input_tags.positive_only:
        return {"check_clustering": "gives negative data to a method that takes none"}
    return {}


@parametrize_with_checks(
    [method() for method in METHODS], expected_failed_checks=_expected_failures
)
def test_scikit_learn_check(estimator: Coclusterer, check: Any) -> None:
    check(estimator)
