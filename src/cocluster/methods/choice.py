"""What "auto" does with some data: which method, and in which storage.

Both follow from the numbers alone. The same data, dense or sparse, integers or floats, go the same
way, and unless they are large they reach the method as the same bytes.
"""

from __future__ import annotations

from dataclasses import replace
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
    is_nonnegative,
    values_of,
)
from cocluster.linalg.types import Matrix, is_operator
from cocluster.methods.auto_itcc import ConsensusITCC, ShiftedITCC
from cocluster.methods.base import Coclusterer
from cocluster.methods.factorization.fnmtf import FNMTF


def chosen(data: RelationalData) -> tuple[type[Coclusterer], RelationalData]:
    """The method that "auto" takes for some data, and the data as that method is given them.

    Without negative values it is `ConsensusITCC`. With some it is `ShiftedITCC`, which counts every
    feature from its least value and so fills what was sparse; where that would be more than
    50,000,000 entries, and less than a quarter of them are not zero, it is `FNMTF`; and so it is
    for data with unknown entries.
    """
    if any(r.observed is not None for r in data.relations):
        return FNMTF, data
    signed = [r.matrix for r in data.relations if not is_nonnegative(r.matrix)]
    if not all(_may_be_dense(R) for R in signed):
        return FNMTF, data
    stored = replace(data, relations=tuple(_by_content(r) for r in data.relations))
    return (ShiftedITCC if signed else ConsensusITCC), stored


def _may_be_dense(R: Matrix) -> bool:
    """Whether all entries of a matrix can be held or read, zeros too."""
    return may_be_dense(R) or _is_full(R)


def _is_full(R: Any) -> bool:
    """Whether so many entries are not zero that a dense array serves best."""
    # In memory the entries are counted where they are; blocks know the counts of their columns.
    there = column_counts(R).sum() if is_operator(R) else np.count_nonzero(values_of(R))
    return bool(there > DENSE_FROM_SHARE * prod(R.shape))


def _by_content(relation: Relation) -> Relation:
    """The relation with its matrix dense or sparse by what it holds, not by how it came."""
    R = relation.matrix
    # Of large data no second copy is made, and what is not in memory stays where it is.
    if is_operator(R) or not may_be_dense(R):
        return relation
    return replace(relation, matrix=as_dense(R) if _is_full(R) else as_sparse(R))
