"""Every two-way estimator passes the checks of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from cocluster.base import Coclusterer
from tests.estimators.methods import METHODS


@parametrize_with_checks([method() for method in METHODS])
def test_scikit_learn_check(estimator: Coclusterer, check: Any) -> None:
    check(estimator)
