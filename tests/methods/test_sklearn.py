"""Every method of the catalogue passes the checks of scikit-learn."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from cocluster import CoCluster
from cocluster.methods.catalogue import METHODS

# The checks ask how an estimator treats its input and its state. Few sweeps are enough for that,
# as scikit-learn itself holds it with its own estimators.
FEW = {"max_iter": 20, "n_init": 1}
# SNMTF of one matrix is DRCC with equal strengths.
NAMES = [name for name in METHODS if name != "snmtf"]


def in_few_sweeps(estimator: BaseEstimator) -> BaseEstimator:
    """The estimator, brief where it has a parameter for that."""
    return estimator.set_params(**{name: FEW[name] for name in FEW.keys() & vars(estimator)})


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    """Return the checks that cannot hold for an estimator, each with the reason."""
    failures = {}
    if estimator.__sklearn_tags__().input_tags.positive_only:
        # It standardises its data without asking for the sign allowed.
        failures["check_clustering"] = "gives negative data to a method that takes none"
    return failures


# scikit-learn's sparse data have rows of zeros.
@pytest.mark.filterwarnings("ignore:.*say nothing about their cluster")
@parametrize_with_checks(
    [
        *[in_few_sweeps(METHODS[name].estimator()) for name in NAMES],
        in_few_sweeps(CoCluster(random_state=0)),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    if check.func.__name__ == "check_clustering":
        # It asks for good labels: these the method must find as users have it, by its defaults.
        estimator = type(estimator)(random_state=0)
    check(estimator)
