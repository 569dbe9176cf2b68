"""States of a relational problem, and the data products they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.assignment import assigns, reassigned
from cocluster.linalg.matrices import column_sums, inner, times
from cocluster.linalg.partitions import is_hard
from cocluster.linalg.types import Array, Factor, is_blocked


@dataclass(frozen=True, eq=False)
class State:
    """Factors by type, associations by relation, and the data products they have cost so far."""

    factors: Mapping[str, Any]
    associations: tuple[Array, ...] = ()
    products: dict[tuple[int, str], Array] = field(default_factory=dict)
    # Those of relations with unknown entries, see `cocluster.trifactor.losses`.
    known: dict[tuple[int, str], Any] = field(default_factory=dict)
    # The objective of this state, by problem; a state made from this one begins with none.
    objectives: dict[Any, float] = field(default_factory=dict, init=False)


@dataclass(frozen=True, eq=False)
class RelationalProblem:
    """Data whose types have factors; every product with a relation is made once per factor."""

    data: RelationalData

    @property
    def constant(self) -> float:
        """Every part of the objective can be lowered, unless a problem says otherwise."""
        return 0.0

    @cached_property
    def margins(self) -> list[Array]:
        """Sums of the columns of each relation."""
        return [column_sums(relation.matrix) for relation in self.data.relations]

    def touching(self, name: str) -> Iterator[tuple[int, str]]:
        """Relations of a type: (number, side of the other type)."""
        for r, relation in enumerate(self.data.relations):
            if relation.rows == name:
                yield r, "cols"
            if relation.cols == name:
                yield r, "rows"

    def part(self, state: State, r: int, side: str) -> Any:
        """The factor on one side of a relation: only the rows of objects that it has."""
        relation = self.data.relations[r]
        if side == "cols":
            return state.factors[relation.cols]
        G = state.factors[relation.rows]
        return G if relation.row_index is None else G[relation.row_index]

    def rows_of(self, r: int, other: str) -> Array | slice:
        """Objects that a relation has on the side opposite to ``other``, as an index."""
        index = self.data.relations[r].row_index if other == "cols" else None
        return slice(None) if index is None else index

    def product(self, state: State, r: int, side: str) -> Array:
        """R @ G_cols (side "cols") or Rᵀ @ G_rows (side "rows"), computed once per factor."""
        if (r, side) not in state.products:
            R = self.data.relations[r].matrix
            G = self.part(state, r, side)
            state.products[r, side] = times(R if side == "cols" else R.T, G)
        return state.products[r, side]

    def cross(self, state: State, r: int) -> Array:
        """G_rowsᵀ R G_cols, from a product with R that is known already or is needed next."""
        relation = self.data.relations[r]
        # After the rows the columns move, which takes Rᵀ G_rows. Where a pass over R is costly,
        # that product is made now and serves both.
        soon = is_blocked(relation.matrix) or self.in_one_pass(relation.rows, state)
        if (r, "rows") in state.products or soon:
            return inner(self.part(state, r, "cols"), self.product(state, r, "rows")).T
        return inner(self.part(state, r, "rows"), self.product(state, r, "cols"))

    def in_one_pass(self, name: str, state: State) -> bool:
        """Whether one pass over the data gives the labels of a type and their product with them.

        It does for the rows of a single matrix with hard clusters on both sides, if the matrix is
        large: in blocks, or large enough for compiled passes.
        """
        if len(self.data.relations) > 1:
            return False
        (relation,) = self.data.relations
        hard = all(is_hard(G) for G in state.factors.values())
        whole = relation.row_index is None and relation.rows != relation.cols
        whole = whole and relation.observed is None
        return relation.rows == name and hard and whole and assigns(relation.matrix)

    def reassigned(self, name: str, state: State, codes: Array, bias: Array) -> State:
        """Every object to the k with the least bias_k + codes_k · (R H)_i; see `in_one_pass`.

        R H itself, as long as the data, is never held.
        """
        (relation,) = self.data.relations
        G, H = state.factors[name], state.factors[relation.cols]
        sums = self.product(state, 0, "rows")
        G, change = reassigned(relation.matrix, G, H, codes, bias)
        moved = self.replaced(state, name, G)
        # In C order, as the kernels that read it next want it: the change comes transposed.
        moved.products[0, "rows"] = np.add(sums, change, order="C")
        return moved

    def replaced(self, state: State, name: str, G: Factor) -> State:
        """The state with one factor replaced; products that used the old one are dropped."""
        touched = list(self.touching(name))

        def stays(key: tuple[int, str]) -> bool:
            """Of the relations of this type, what was made with the factor on the other side."""
            return all(key[0] != r or key[1] == other for r, other in touched)

        products = {key: value for key, value in state.products.items() if stays(key)}
        known = {key: value for key, value in state.known.items() if stays(key)}
        return State({**state.factors, name: G}, state.associations, products, known)
