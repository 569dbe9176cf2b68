"""Leading singular vectors by a block Krylov space.

From random directions Q on, the blocks Q, AQ, A²Q, ... of A = XᵀX are all kept, orthogonal to each
other, and the vectors are looked for in the space of all of them (Rayleigh-Ritz). Subspace
iteration, which keeps the last block only, takes the same products and stays far behind where the
wanted singular values lie close above those of noise: with 50 clusters in 100,000 x 10,000 it led
to .16 of the rows being right; this leads to .80, where .81 is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cocluster.linalg.delegating import delegating
from cocluster.linalg.eigen import signs
from cocluster.linalg.types import Array, Matrix, is_blocked
from cocluster.utils.threads import single_blas_thread

# A block is about half as wide as vectors are wanted: twice as many blocks of half the width make a
# space of the same dimension with twice the power of A. Its width is a multiple of 8, because so
# many single-precision numbers fill a register: 10 columns cost as much as 16.
BLOCK_MULTIPLE = 8
# A vector v is good enough when ‖Av - λv‖ is at most this part of λ: it is then exact for a matrix
# that differs from A by no more, and noise does far more to it. With 50 clusters as above the start
# has .61 of the rows right at .05 and .68 at .02, and a fit from either .81; at .1 it has .78.
TOLERANCE = 0.05
# Blocks at most: values that lie dense, as those of noise do, take long to tell apart, and their
# vectors are worth little.
MOST_BLOCKS = 20

Draw = Callable[[int], Array]


def leading_vectors(
    X: Matrix,
    size: int,
    rng: np.random.Generator,
    known: Array | None = None,
    columns: Array | None = None,
    precise: int | None = None,
) -> tuple[Array, Array]:
    r"""Right singular vectors of the largest singular values, and these values.

    The search ends when every vector has a residual :math:`\|X^T X v - \sigma^2 v\|` of at most
    .05 σ², or after 20 blocks. A block costs two products with X, which are one pass over a matrix
    in blocks. All blocks are held in memory: at most ``10 size`` vectors of the shorter side of X
    (160 if that is more); of the columns where X is in blocks.

    Parameters
    ----------
    X : matrix of shape (n, m), in memory or in blocks
    size : int
        Number of vectors; fewer are found where there are fewer.
    rng : numpy Generator
        Draws the start of the search, on the columns: another order of the rows changes nothing.
    known : array of shape (m, c), optional
        Orthonormal right singular vectors of value 1 that are not looked for: those found are
        orthogonal to them.
    columns : bool array of shape (m,), optional
        Columns to look at, which must be whole connected components of X: in the others, the
        vectors are zero.
    precise : int, optional
        How many of the vectors must be that good; all by default. The others are what the search
        for these has found of them.

    Returns
    -------
    arrays of shape (m, size) and (size,); the largest entry of each vector is positive

    Examples
    --------
    >>> X = np.diag([3.0, 2.0, 1.0])
    >>> leading_vectors(X, 2, np.random.default_rng(0))[1].round(2)
    array([3., 2.])
    """
    m, dtype = X.shape[1], np.result_type(X.dtype, np.float32)
    known = np.zeros((m, 0), dtype) if known is None else known.astype(dtype)
    inside = np.ones(m, bool) if columns is None else columns

    def draw(width: int) -> Array:
        Q = rng.standard_normal((m, width)).astype(dtype, copy=False)
        Q[~inside] = 0
        return Q

    # As many orthogonal directions as there can be.
    room = max(min(int(inside.sum()), X.shape[0]) - known.shape[1], 0)
    size = min(size, room)
    with single_blas_thread():
        if X.shape[0] >= m or is_blocked(X):
            V, values = _leading(X, size, known, draw, room, precise)
        else:
            # The shorter side has the smaller space, and the longer side's vectors follow from it.
            U, values = _leading(X.T, size, X @ known, lambda n: X @ draw(n), room, precise)
            V = X.T @ U
            V *= np.divide(1, values, out=np.zeros_like(values), where=values > 0)
    # In place, for of wide data these vectors are much larger than the data.
    V *= signs(V).astype(dtype)
    return V, values


def _leading(
    X: Any, size: int, known: Array, draw: Draw, room: int, precise: int | None
) -> tuple[Array, Array]:
    """The same for the columns of X, with a function that draws directions to begin with."""
    width = -(-size // (2 * BLOCK_MULTIPLE)) * BLOCK_MULTIPLE
    K, T, values = known[:, :0], np.zeros((0, 0)), [np.zeros(0)] * 2
    Q = _orthonormal(draw(min(width, room)), known)[0]
    for _ in range(MOST_BLOCKS):
        K = np.hstack([K, Q])
        # A Q = K C + Q' R: the new block tells all that is new in Kᵀ A K, and what leaves the space
        # tells the residuals.
        basis = np.hstack([known, K])
        Q, C, R = _orthonormal(squared_times(X, Q), basis)
        T = _bordered(T, C[known.shape[1] :])
        found, W = _largest(T, size)
        values.append(found)
        residuals = np.linalg.norm(R @ W[len(W) - R.shape[1] :], axis=0)
        missing = min(width, room - K.shape[1]) - Q.shape[1]
        if missing > 0:
            # The space holds A Q already. Of a value that is repeated more often than a block is
            # wide it has some copies only: new directions bring in the others.
            Q = np.hstack([Q, _orthonormal(draw(missing), np.hstack([basis, Q]))[0]])
        if not Q.shape[1] or (
            len(found) == size and _good(residuals[:precise], values, known.dtype)
        ):
            break
    return K @ W.astype(K.dtype), np.sqrt(np.maximum(found, 0)).astype(K.dtype)


def _good(residuals: Array, history: list[Array], dtype: np.dtype) -> bool:
    """Whether residuals are small and values have settled, given the values of every block.

    Copies of a repeated value that a block was too narrow for are found two blocks after the new
    directions that bring them in: values must be what they were then.
    """
    earlier, _, values = (found[: len(residuals)] for found in history[-3:])
    # Rounding of the products, which are of the size of the largest value.
    rounding = 100 * np.finfo(dtype).eps * values[0]
    settled = len(earlier) == len(values) and (values - earlier <= TOLERANCE * values + rounding)
    return bool(np.all(settled & (residuals <= TOLERANCE * values + rounding)))


def _orthonormal(Z: Array, K: Array) -> tuple[Array, Array, Array]:
    """Q, C and R with Z = K C + Q R, Q orthonormal and orthogonal to K, which is orthonormal.

    Q has fewer columns than Z where some depend on others or lie in K.
    """
    # In double precision: these are small, and all that is asked of Z is in them.
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z, dtype=np.float64).max(initial=0.0))
    C = K.T @ Z
    Z = Z - K @ C
    squares, E = np.linalg.eigh((Z.T @ Z).astype(np.float64))
    # Shorter ones are rounding: the squares of their lengths have no digit left.
    own = squares > np.finfo(Z.dtype).eps * max(length, np.finfo(Z.dtype).tiny) ** 2
    lengths, E = np.sqrt(squares[own][::-1]), E[:, own][:, ::-1]
    Q = Z @ (E / lengths).astype(Z.dtype)
    # Once more, for short columns have lost digits: twice is enough.
    again = K.T @ Q
    Q, R = np.linalg.qr(Q - K @ again)
    turned = lengths[:, None] * E.T
    return Q, C + again @ turned, R @ turned


def _bordered(T: Array, C: Array) -> Array:
    """Kᵀ A K for a space that has grown by a block, C the products with that block."""
    size, width = C.shape
    grown = np.zeros((size, size))
    grown[: size - width, : size - width] = T
    grown[:, size - width :] = C
    grown[size - width :] = C.T
    return grown


def _largest(T: Array, size: int) -> tuple[Array, Array]:
    """The largest eigenvalues in falling order, and their vectors."""
    values, W = np.linalg.eigh(T)
    return values[::-1][:size], W[:, ::-1][:, :size]


@delegating
def squared_times(X: Any, Q: Array) -> Array:
    """XᵀX Q; of a matrix in blocks in one pass."""
    return np.asarray(X.T @ (X @ Q))
