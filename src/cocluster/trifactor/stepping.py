"""One step of a factor, in memory or spread over the workers of a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cocluster.linalg.matrices import inner
from cocluster.linalg.types import Array, Factor, is_spread
from cocluster.trifactor.block import BlockQuadratic, positive_part
from cocluster.trifactor.constraints import Constraint, Orthogonal


def stepped(constraint: Any, G: Factor, block: BlockQuadratic) -> Factor:
    """A factor no worse for the block than G.

    Given A and B the rows of a factor move independently of each other, so a spread factor moves
    where it lives; rows that are linked with others are few and move together, here.
    """
    if not is_spread(G):
        return constraint.step(G, block)
    linear: Factor = block.linear
    if isinstance(constraint, Orthogonal):
        block = replace(block, moment=inner(G, linear.map(positive_part)))
    alone, linked = replace(constraint, ties=None), _linked_rows(constraint, block)
    moved = G.map(_step_rows, alone, block.gram, block.moment, along=(linear,), hard=G.hard)
    moved = moved.made()
    if not linked.size:
        return moved
    L = None if block.laplacian is None else block.laplacian[linked][:, linked]
    part = replace(block, linear=linear[linked], laplacian=L)
    ties = None if constraint.ties is None else constraint.ties.among(linked)
    return moved.put(linked, replace(constraint, ties=ties).step(G[linked], part))


def _step_rows(
    G: Factor, A: Array, constraint: Constraint, B: Array, moment: Array | None
) -> Factor:
    """A step of the rows of one part."""
    return constraint.step(G, BlockQuadratic(A, B, moment=moment))


def _linked_rows(constraint: Any, block: BlockQuadratic) -> Array:
    """Rows that share a factor row with others, or have pairwise terms."""
    none = np.empty(0, np.intp)
    tied = none if constraint.ties is None else constraint.ties.tied
    L = block.laplacian
    return np.union1d(tied, none if L is None else np.flatnonzero(np.diff(L.indptr)))
