"""Storage, dense or sparse, chosen by the entries of a matrix and not by its container.

Products of dense and of sparse arrays add the same numbers in another order, and so differ in the
last digit. Where many things are equal, as in data of few ones and many zeros, that digit decides:
between two clusters that cost the same, or among the singular vectors of one singular value. So
that the same numbers give the same labels, methods are given them in the same storage.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.data.shifting import may_be_dense
from cocluster.linalg.matrices import (
    DENSE_FROM_SHARE,
    as_dense,
    as_sparse,
    column_counts,
    values_of,
)
from cocluster.linalg.types import is_operator


def is_full(R: Any) -> bool:
    """Whether so many entries are not zero that a dense array serves best."""
    # In memory the entries are counted where they are; blocks know the counts of their columns.
    there = column_counts(R).sum() if is_operator(R) else np.count_nonzero(values_of(R))
    return bool(there > DENSE_FROM_SHARE * prod(R.shape))


def by_content(data: RelationalData) -> RelationalData:
    """Store full matrices dense and all others sparse, unless they are large."""
    return data.derive(_store_relation(r, as_dense) for r in data.relations)


def without_zeros(data: RelationalData) -> RelationalData:
    """Store matrices that are not full as sparse ones, unless they are large.

    Full ones stay as they are, for those who promise that sparse data are never filled. They have
    so many different entries that the last digit decides next to nothing.
    """
    return data.derive(_store_relation(r, _identity) for r in data.relations)


def _identity(R: Any) -> Any:
    """Return a matrix unchanged."""
    return R


def _store_relation(relation: Relation, if_full: Any) -> Relation:
    """Store a full matrix by ``if_full``, and any other as a sparse one."""
    R = relation.matrix
    # Of large data no second copy is made, and what is not in memory stays where it is. A mask goes
    # with its matrix, and both stay as they are.
    if is_operator(R) or not may_be_dense(R) or relation.observed is not None:
        return relation
    stored = if_full(R) if is_full(R) else as_sparse(R)
    return relation if stored is R else relation.derive(matrix=stored)
