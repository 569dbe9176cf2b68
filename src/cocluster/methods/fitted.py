"""What a fitted co-clusterer shows, made when it is asked for."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from cocluster.linalg.partitions import as_array
from cocluster.linalg.types import Array, Factor


class Fitted:
    """Fitted attributes that follow from factors, associations and labels."""

    _factors: dict[str, Factor]
    associations_: tuple[Array, ...]
    row_labels_: Array
    column_labels_: Array

    @property
    def association_(self) -> Array:
        """S of the only relation."""
        check_is_fitted(self)
        return self.associations_[0]

    @property
    def factors_(self) -> dict[str, Array]:
        """Factor of every type; 0/1 memberships for hard methods."""
        check_is_fitted(self)
        return {name: as_array(G) for name, G in self._factors.items()}

    @property
    def row_factor_(self) -> Array:
        """Factor of the samples."""
        return next(iter(self.factors_.values()))

    @property
    def column_factor_(self) -> Array:
        """Factor of the features of the only view."""
        return list(self.factors_.values())[1]

    # One co-cluster for each pair of a sample and a feature cluster, made when asked for:
    # as stored arrays they would outweigh the data.
    @property
    def rows_(self) -> Array:
        """Samples of every co-cluster, shape (n_clusters * n_column_clusters, n_samples)."""
        return np.repeat(self._members(self.row_labels_, 0), self.association_.shape[1], axis=0)

    @property
    def columns_(self) -> Array:
        """Features of every co-cluster."""
        members = self._members(self.column_labels_, 1)
        return np.tile(members, (self.association_.shape[0], 1))

    def _members(self, labels: Array, axis: int) -> Array:
        """Boolean rows, one for each cluster."""
        return np.arange(self.association_.shape[axis])[:, None] == labels
