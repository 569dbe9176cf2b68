"""Data of extreme size: the same labels as at an ordinary size, or one clear sentence."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import cocluster
from cocluster import CoCluster
from cocluster.methods.catalogue import METHODS
from tests.methods.every_method import same_partition

SEEDS = (0,)
# Powers of two near 1e-310 (where numbers have lost digits), 1e80, 1e160 and 1e307.
POWERS = (-1030, -250, 265, 531, 1018)
every = pytest.mark.parametrize("name", [*METHODS, "auto"])


def labels(name, X):
    # A few sweeps: scales are those of the first ones.
    model = CoCluster if name == "auto" else getattr(cocluster, METHODS[name].name)
    few = {"max_iter": 3} if "max_iter" in model().get_params() else {}
    fitted = model(3, random_state=0, **few).fit(X)
    assert np.isfinite(getattr(fitted, "objective_", 0.0))
    return fitted.labels_


@every
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
def test_powers_of_two_change_no_label(name, hold, planted):
    expected = labels(name, hold(planted.X))
    for power in POWERS:
        found = labels(name, hold(np.ldexp(planted.X, power)))
        assert same_partition(found, expected)


@every
def test_single_precision_has_bounds_of_its_own(name, planted):
    expected = labels(name, planted.X.astype(np.float32))
    for power in (-100, 40, 120):
        found = labels(name, np.ldexp(planted.X.astype(np.float32), power))
        assert same_partition(found, expected)


@every
def test_six_hundred_orders_of_magnitude_give_labels_and_no_warning(name, planted):
    sizes = 10.0 ** np.linspace(-300, 300, len(planted.X))
    assert set(labels(name, planted.X * sizes[:, None])) <= {0, 1, 2}


@pytest.mark.parametrize("name", ["fnmtf", "nmf", "bsgp"])
def test_new_samples_are_scaled_as_in_the_fit_or_refused(name, planted):
    model = getattr(cocluster, METHODS[name].name)(3, random_state=0)
    expected = model.fit(planted.X).predict(planted.X)
    with pytest.raises(ValueError, match="too large to compute with; bring them to the scale"):
        model.predict(np.ldexp(planted.X, 900))
    large = np.ldexp(planted.X, 900)
    assert_array_equal(model.fit(large).predict(large), expected)
