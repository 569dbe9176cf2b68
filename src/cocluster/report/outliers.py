r"""Samples that fit no cluster: a test of each against what its best cluster leads one to expect.

The null hypothesis is that a sample was drawn from the profile of a cluster. How far off it may be
then is known, and different for each sample: the counts of a short text scatter more than those of
a long one. Counts by group of features have the deviance

.. math:: D = 2 \sum_g n_g \log (n_g / n q_g)

with the mean and variance that expected counts n q_g give it, times :math:`1 + (n - 1) \rho` for
what members of one cluster differ by themselves, with ρ that of the median sample. Values of any
sign have the sum of their squared distances from the mean of the cluster, in units of the noise of
each feature.

Both are brought to a normal scale by a cube root, then to the scatter of the middle half of all
samples, and tested one by one (Benjamini and Hochberg). So few or no samples are outliers in plain
data, and whoever is one stays in its cluster: there is no heap that the difficult ones go to.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import xlogy
from scipy.stats import false_discovery_control, norm, poisson

from cocluster.linalg.matrices import (
    as_dense,
    entrywise,
    is_nonnegative,
    row_sums,
    safe_inverse,
    scaled,
    times,
)
from cocluster.linalg.partitions import Partition
from cocluster.linalg.types import Array, InMemory
from cocluster.report.evidence import Codes, profiles_of, sides, value_profiles
from cocluster.report.subject import Subject

# Share of false alarms among the samples called outliers.
FALSE_ALARMS = 0.01
# Half the distance between the quartiles of a normal distribution, in standard deviations.
QUARTILE = float(norm.ppf(0.75))
# Rates between which the deviance of a Poisson number is tabulated: below, it is next to nothing,
# above, it is chi-squared. So many that lines between them are right to three digits.
RATES = (1e-6, 1e3)
N_RATES = 200


def outlier_tests(subject: Subject) -> Array:
    """p-value of every sample: how probable one at least as far from every cluster is."""
    name = subject.data.center
    own, n = subject.clusters[name], subject.data.size(name)
    total, views = np.zeros(n), np.zeros(n)
    for side in sides(subject.data, name):
        G = side.members(own)
        misfit = (
            count_misfit(side.matrix, G)
            if is_nonnegative(side.matrix)
            else value_misfit(side.matrix, G)
        )
        total += side.spread(_standardised(misfit), n)
        views += side.spread(np.ones(len(misfit)), n)
    # The sum of independent normal numbers, one for each view that has the sample.
    return np.asarray(norm.sf(total / np.sqrt(np.maximum(views, 1))))


def rejected(p_values: Array) -> Array:
    """Positions of the outliers, with at most one false alarm in a hundred of them."""
    return np.flatnonzero(false_discovery_control(p_values) <= FALSE_ALARMS)


def count_misfit(R: InMemory, G: Partition) -> Array:
    """How far each row of counts is from the nearest cluster, about standard normal."""
    # Features by like profiles, and not in the groups that people see: few groups hide much.
    found = profiles_of(R, G)
    used = found.overall > 0
    if used.sum() < 2:
        return np.zeros(R.shape[0])
    counts = np.asarray(times(R, found.groups), dtype=np.float64)[:, used] / found.unit
    n, q = counts.sum(axis=1), found.shares[:, used]
    deviance = 2 * (
        (xlogy(counts, counts).sum(axis=1) - xlogy(n, n))[:, None] - counts @ np.log(q).T
    )
    best = deviance.argmin(axis=1)
    mean, variance = _expected(n, q[best])
    value = np.maximum(deviance[np.arange(len(n)), best], 0) / mean
    # Members of a cluster differ more than by chance, the more so the more is known of them.
    known = n > 1
    spread = np.median((value[known] - 1) / (n[known] - 1)) if known.any() else 0.0
    value /= 1 + np.maximum(n - 1, 0) * max(float(spread), 0.0)
    # Rows of zeros fit everything.
    return np.where(n > 0, _cube_root(value, variance / mean**2), 0.0)


def _expected(n: Array, q: Array) -> tuple[Array, Array]:
    """Mean and variance of the deviance of n counts from the shares they were drawn with.

    Counts with a fixed sum are independent Poisson numbers given their sum, and the deviance of
    those is that of the parts plus that of the sum.
    """
    at, means, variances = _poisson_deviance()
    parts, whole = np.log(np.maximum(n[:, None] * q, RATES[0])), np.log(np.maximum(n, RATES[0]))
    mean = np.interp(parts, at, means).sum(axis=1) - np.interp(whole, at, means)
    variance = np.interp(parts, at, variances).sum(axis=1) - np.interp(whole, at, variances)
    return np.maximum(mean, RATES[0]), np.maximum(variance, RATES[0])


@cache
def _poisson_deviance() -> tuple[Array, Array, Array]:
    """Mean and variance of the deviance of a Poisson number, by the logarithm of its rate."""
    rates = np.geomspace(*RATES, N_RATES)
    # All numbers that such rates give with any probability worth counting.
    numbers = np.arange(int(rates[-1] + 10 * np.sqrt(rates[-1])))
    chance = poisson.pmf(numbers, rates[:, None])
    deviance = 2 * (xlogy(numbers, numbers / rates[:, None]) - numbers + rates[:, None])
    means = (chance * deviance).sum(axis=1)
    return np.log(rates), means, (chance * deviance**2).sum(axis=1) - means**2


def _cube_root(value: Array, variance: Array) -> Array:
    """Wilson and Hilferty: sums of squares with mean 1 and this variance as normal numbers."""
    return np.asarray((np.cbrt(value) - (1 - variance / 9)) / np.sqrt(variance / 9))


def value_misfit(R: InMemory, G: Partition) -> Array:
    """Cube root of the squared distance of each row from the nearest mean, in units of noise."""
    means, overall, variance = value_profiles(R, G)
    inverse = safe_inverse(variance)
    weights = (means - overall).T * inverse[:, None]
    costs = Codes(weights, weights * (means + overall).T / 2).costs(R)
    squares = row_sums(scaled(entrywise(np.square, R), column_scale=inverse))
    center = squares - 2 * as_dense(R @ (overall * inverse)).ravel() + (overall**2 * inverse).sum()
    return np.asarray(np.cbrt(np.maximum(center + 2 * costs.min(axis=1), 0)))


def _standardised(values: Array) -> Array:
    """Values from their median on, in units of the scatter of the middle half."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    scatter = (high - low) / 2 / QUARTILE
    return np.asarray((values - middle) / (scatter or 1.0))
