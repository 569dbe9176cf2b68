"""Compiled functions where there is no folder to keep them in."""

from __future__ import annotations

from tests.processes import printed_by

PROGRAM = """
import numba.core.caching

# As on a machine where neither the package's folder nor any of the user's can be written.
numba.core.caching.CacheImpl._locator_classes = []

import numpy as np, scipy.sparse as sp
from cocluster import FNMTF
from cocluster.linalg import passes
{change}
X = sp.csr_array(np.random.default_rng(0).poisson(0.3, size=(60, 40)).astype(float))
print(passes.is_compiled(X), *FNMTF(3, random_state=0).fit(X).labels_)
"""


def test_without_a_folder_to_write_to_every_process_compiles_for_itself():
    compiled, *labels = printed_by(
        PROGRAM.format(change="passes.COMPILE_FROM_NONZEROS = 0")
    ).split()
    assert compiled == "True"
    assert labels == printed_by(PROGRAM.format(change="")).split()[1:]
