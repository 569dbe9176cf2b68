"""What BSGP and LDCC share: samples and features of one matrix in one space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import row_sums, safe_inverse
from cocluster.linalg.types import Array, InMemory
from cocluster.methods.base import only_matrix
from cocluster.methods.spectral.base import Points, SpectralCoclusterer


@dataclass(eq=False, repr=False)
class BipartiteSpectral(SpectralCoclusterer):
    """Base of the methods that see a matrix as a graph between samples and features.

    Samples and features share one set of ``n_clusters`` clusters. A new sample x with degree
    :math:`d = \\sum_j |x_j|` has the features :math:`P = x Z_f / d`: the mean of the points of its
    features, which least squares stretch onto the points of the samples.
    """

    def _matrix(self, data: RelationalData) -> InMemory:
        """The only matrix."""
        if data.types == (data.center,):
            raise ValueError(
                f"{type(self).__name__} joins samples with features, but the relation joins "
                f"{data.center!r} with itself; use NCut(affinity='precomputed')."
            )
        return only_matrix(self, data)

    def _projected(self, data: RelationalData, points: Points) -> Array:
        X = self._matrix(data)
        # Absolute values: degrees of data with both signs could be zero or negative.
        weights = safe_inverse(row_sums(abs(X)))[:, None]
        features = next(Z for name, Z in points.items() if name != data.center)
        return np.asarray(weights * (X @ features))
