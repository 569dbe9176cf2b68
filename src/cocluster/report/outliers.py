r"""Outliers: a test of each sample against the distribution of its best cluster.

The null hypothesis is that a sample was drawn from the profile of a cluster. Its expected distance
from the profile differs between samples: the counts of a short text scatter more than those of a
long one. Counts by group of features have the deviance

.. math:: D = 2 \sum_g n_g \log (n_g / n q_g)

with the mean and variance that follow from the expected counts n q_g, times
:math:`1 + (n - 1) \rho` for the variation within a cluster, with the ρ of the median sample.
Values of any sign have the sum of their squared distances from the mean of the cluster, in units of
the noise of each feature.

Both are transformed to a normal scale by a cube root, standardised by the quartiles of all samples,
and tested with control of the false discovery rate (Benjamini and Hochberg). Regular data hence
have few or no outliers, and an outlier stays in its cluster: there is no extra cluster for them.
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
from cocluster.report.evidence import (
    CostModel,
    count_profiles,
    oriented_relations,
    value_profiles,
)
from cocluster.report.report_input import ReportInput

# False discovery rate: expected share of regular samples among the outliers.
FALSE_DISCOVERY_RATE = 0.01
# Half the distance between the quartiles of a normal distribution, in standard deviations.
QUARTILE = float(norm.ppf(0.75))
# Rates between which the deviance of a Poisson number is tabulated: below, it is nearly zero;
# above, it is chi-squared. Linear interpolation between the rates is correct to three digits.
RATES = (1e-6, 1e3)
N_RATES = 200


def outlier_p_values(source: ReportInput) -> Array:
    """Return the p-value of every sample, for the hypothesis that it belongs to a cluster."""
    assert source.data is not None
    n = len(source.sample_clusters.codes)
    total, n_views = np.zeros(n), np.zeros(n)
    for relation in oriented_relations(source.data, source.center):
        G = relation.row_partition(source.sample_clusters)
        misfit = (
            count_misfit(relation.matrix, G)
            if is_nonnegative(relation.matrix)
            else value_misfit(relation.matrix, G)
        )
        total += relation.scatter(_standardise(misfit), n)
        n_views += relation.scatter(np.ones(len(misfit)), n)
    # A sum of independent normal numbers, one for each view that has the sample.
    return np.asarray(norm.sf(total / np.sqrt(np.maximum(n_views, 1))))


def reject(p_values: Array) -> Array:
    """Return the positions of the outliers, at the given false discovery rate."""
    return np.flatnonzero(false_discovery_control(p_values) <= FALSE_DISCOVERY_RATE)


def count_misfit(R: InMemory, G: Partition) -> Array:
    """Return the distance of each row of counts from the nearest cluster, about normal."""
    # Features are grouped by profile; the groups of the fit may be too few to show a misfit.
    profiles = count_profiles(R, G)
    used = profiles.overall > 0
    if used.sum() < 2:
        return np.zeros(R.shape[0])
    counts = np.asarray(times(R, profiles.groups), dtype=np.float64)[:, used] / profiles.unit
    n, q = counts.sum(axis=1), profiles.shares[:, used]
    deviance = 2 * (
        (xlogy(counts, counts).sum(axis=1) - xlogy(n, n))[:, None] - counts @ np.log(q).T
    )
    best = deviance.argmin(axis=1)
    mean, variance = _deviance_moments(n, q[best])
    value = np.maximum(deviance[np.arange(len(n)), best], 0) / mean
    # Members of a cluster differ more than by chance, increasingly with the number of counts.
    several = n > 1
    rho = np.median((value[several] - 1) / (n[several] - 1)) if several.any() else 0.0
    value /= 1 + np.maximum(n - 1, 0) * max(float(rho), 0.0)
    # Rows of zeros fit every cluster.
    return np.where(n > 0, _cube_root(value, variance / mean**2), 0.0)


def _deviance_moments(n: Array, q: Array) -> tuple[Array, Array]:
    """Return mean and variance of the deviance of n counts from the shares q.

    Counts with a fixed sum are independent Poisson numbers given their sum, and the deviance of
    the counts is the sum of their Poisson deviances less that of their sum.
    """
    log_rates, means, variances = _poisson_deviance()
    groups, total = np.log(np.maximum(n[:, None] * q, RATES[0])), np.log(np.maximum(n, RATES[0]))
    mean = np.interp(groups, log_rates, means).sum(axis=1) - np.interp(total, log_rates, means)
    variance = np.interp(groups, log_rates, variances).sum(axis=1)
    variance -= np.interp(total, log_rates, variances)
    return np.maximum(mean, RATES[0]), np.maximum(variance, RATES[0])


@cache
def _poisson_deviance() -> tuple[Array, Array, Array]:
    """Return log rates, and mean and variance of the deviance of a Poisson number of each."""
    rates = np.geomspace(*RATES, N_RATES)
    # Numbers up to ten standard deviations above the largest rate.
    numbers = np.arange(int(rates[-1] + 10 * np.sqrt(rates[-1])))
    chance = poisson.pmf(numbers, rates[:, None])
    deviance = 2 * (xlogy(numbers, numbers / rates[:, None]) - numbers + rates[:, None])
    means = (chance * deviance).sum(axis=1)
    return np.log(rates), means, (chance * deviance**2).sum(axis=1) - means**2


def _cube_root(value: Array, variance: Array) -> Array:
    """Transform sums of squares with mean 1 to normal numbers (Wilson and Hilferty)."""
    return np.asarray((np.cbrt(value) - (1 - variance / 9)) / np.sqrt(variance / 9))


def value_misfit(R: InMemory, G: Partition) -> Array:
    """Return the cube root of the squared distance of each row from the nearest mean."""
    means, overall, variance = value_profiles(R, G)
    inverse = safe_inverse(variance)
    weights = (means - overall).T * inverse[:, None]
    costs = CostModel(weights, weights * (means + overall).T / 2).costs(R)
    squares = row_sums(scaled(entrywise(np.square, R), column_scale=inverse))
    center = squares - 2 * as_dense(R @ (overall * inverse)).ravel() + (overall**2 * inverse).sum()
    return np.asarray(np.cbrt(np.maximum(center + 2 * costs.min(axis=1), 0)))


def _standardise(values: Array) -> Array:
    """Subtract the median and divide by the deviation that the quartiles imply."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    deviation = (high - low) / 2 / QUARTILE
    return np.asarray((values - median) / (deviation or 1.0))
