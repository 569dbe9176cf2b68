"""The methods under test, and what is needed to treat them alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.methods.base import Coclusterer
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.factorization.nmf import NMF, SemiNMF
from cocluster.methods.factorization.nmtf import NMTF
from cocluster.methods.factorization.onmtf import ONMTF
from cocluster.methods.information.cmrf import CMRF
from cocluster.methods.information.itcc import ITCC

HARD: list[type[Coclusterer]] = [FNMTF, ITCC, CMRF]
SOFT: list[type[Coclusterer]] = [NMTF, ONMTF, NMF, SemiNMF]
METHODS = HARD + SOFT
# Their objective never rises; that of ONMTF may, a little.
MONOTONE = [method for method in METHODS if method is not ONMTF]
# Each type has clusters of its own; the two-factor models share one set.
THREE_FACTORS = [FNMTF, ITCC, CMRF, NMTF, ONMTF]
SIGNED = [FNMTF, SemiNMF]


def same_partition(one: Array, other: Array) -> bool:
    """Whether two labelings differ at most in the names of the clusters."""
    pairs = set(zip(np.asarray(one).tolist(), np.asarray(other).tolist(), strict=True))
    return len(pairs) == len(set(map(int, one))) == len(set(map(int, other)))


def fitted(method: type[Coclusterer], X: Any, k: int = 3, **parameters: Any) -> Coclusterer:
    """The method fitted with a fixed seed."""
    return method(k, random_state=0, **parameters).fit(X)
