"""Array types shared by all modules."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

Array = np.ndarray
Matrix = np.ndarray | sp.csr_array
