"""What "auto" does with some data: which method, and in which storage.

Both follow from the numbers alone. The same data, dense or sparse, integers or floats, go the same
way, and unless they are large they reach the method as the same bytes.
"""

from __future__ import annotations

from cocluster.data.relational import RelationalData
from cocluster.data.shifting import may_be_dense
from cocluster.data.storage import by_content, is_full
from cocluster.linalg.matrices import is_nonnegative
from cocluster.linalg.types import Matrix
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
    return (ShiftedITCC if signed else ConsensusITCC), by_content(data)


def _may_be_dense(R: Matrix) -> bool:
    """Whether all entries of a matrix can be held or read, zeros too."""
    return may_be_dense(R) or is_full(R)
