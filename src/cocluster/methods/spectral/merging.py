"""Must-linked objects as one object, in the data of a spectral method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.links import Links


@dataclass(frozen=True, eq=False)
class Merger:
    r"""Components of tied objects take the place of their members.

    The row of a component is the sum of its members' rows, times :math:`s^{-p}` for s members.
    With p = 0 this is the graph whose tied vertices are contracted into one: the limit of a strong
    edge between them. With p = 1/2 it is the restriction of R to bases whose tied rows are equal,
    :math:`\hat M^T R` with :math:`\hat M^T \hat M = I`.

    Parameters
    ----------
    components : mapping of type to array
        Component of each object, for the types that have must-links.
    power : float
        The p above.
    """

    components: Mapping[str, Array]
    power: float = 0.0

    def data(self, data: RelationalData) -> RelationalData:
        """Relations between components."""
        if not self.components:
            return data
        return RelationalData(tuple(self._relation(r) for r in data.relations), data.center)

    def _relation(self, relation: Relation) -> Relation:
        """One relation between components."""
        if relation.rows in self.components:
            component = self.components[relation.rows]
            index = relation.row_index
            present = component if index is None else component[index]
            # A component is absent from the relation if all its members are.
            present_components, position = np.unique(present, return_inverse=True)
            matrix = self._weigher(relation.rows, position, present_components) @ relation.matrix
            relation = relation.derive(
                matrix=matrix, row_index=None if index is None else present_components
            )
        if relation.cols in self.components:
            component = self.components[relation.cols]
            weigher = self._weigher(relation.cols, component, np.arange(component.max() + 1))
            relation = relation.derive(matrix=relation.matrix @ weigher.T.tocsr())
        return relation

    def _weigher(self, name: str, position: Array, components: Array) -> sp.csr_array:
        """Matrix that sums the objects at the same position, with weights."""
        weights = self._weights(name)[components][position]
        ends = (position, np.arange(len(position)))
        return sp.csr_array((weights, ends), shape=(len(components), len(position)))

    def _weights(self, name: str) -> Array:
        """s^-p of every component."""
        return np.bincount(self.components[name]).astype(float) ** -self.power

    def spread(self, points: Mapping[str, Array]) -> dict[str, Array]:
        """Points of components, given to their members."""
        return {
            name: (self._weights(name)[:, None] * Z)[self.components[name]]
            if name in self.components
            else Z
            for name, Z in points.items()
        }


def merger(links: Mapping[str, Links], power: float = 0.0) -> Merger:
    """The merger of the must-links of every type."""
    components = {name: type_links.closure().component for name, type_links in links.items()}
    # A type with cannot-links only has as many components as objects: nothing to merge.
    return Merger({n: c for n, c in components.items() if c.max() + 1 < len(c)}, power)
