"""Extreme eigenvectors and singular vectors, without missing copies of a repeated value."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from cocluster.linalg.matrices import safe_inverse
from cocluster.linalg.types import Array, Matrix

# Up to this size a dense solver is faster, and repeated eigenvalues are no trouble to it.
DENSE_SIZE = 1000
# Up to this size a dense solver is what remains where eigenvalues lie too close for the iteration,
# as those of a graph whose samples are hardly similar to any other do.
LAST_DENSE_SIZE = 4000
# Relative precision of eigenvalues that is asked of the iteration: residuals then stay well below
# the limit at which we warn.
TOLERANCE = 1e-8
# Larger residuals are reported, and eigenvalues that differ by less count as copies of one.
RESIDUAL_LIMIT = 1e-6


def smallest_eigenvectors(
    L: Matrix | LinearOperator,
    n_components: int,
    rng: np.random.Generator,
    residual_limit: float = RESIDUAL_LIMIT,
    tol: float = TOLERANCE,
) -> tuple[Array, Array]:
    r"""Eigenvectors of the smallest eigenvalues of a symmetric matrix or operator.

    Parameters
    ----------
    L : ndarray, csr_array or LinearOperator of shape (n, n), symmetric
    n_components : int
        Number of eigenvectors, at most n.
    rng : numpy Generator
        Draws the start of the iteration. The same state gives the same vectors.
    residual_limit : float
        Residuals :math:`\|Lz - \lambda z\|` above this, relative to the eigenvalues, cause a
        ``ConvergenceWarning``.
    tol : float
        Relative precision of the eigenvalues. Where it is coarser than ``residual_limit``, nothing
        is warned of: little was asked for.

    Returns
    -------
    values : ndarray of shape (n_components,), ascending
    vectors : ndarray of shape (n, n_components)
        Orthonormal; the largest entry of each is positive.

    Notes
    -----
    The Lanczos iteration of ARPACK starts from one vector and can miss copies of a repeated
    eigenvalue, which is what well separated clusters have. So the search is repeated in the
    complement of what was found until it finds nothing smaller. Where the iteration takes longer
    than a dense solver would, matrices of size up to `LAST_DENSE_SIZE` are left to that.
    """
    n = L.shape[0]
    if not 1 <= n_components <= n:
        raise ValueError(f"n_components={n_components} must be between 1 and the size, {n}.")
    # ARPACK needs a basis of several times the wanted vectors, which must be fewer than n.
    if n <= DENSE_SIZE or 3 * n_components >= n:
        values, vectors = _dense(L, n_components)
    else:
        values, vectors = _iterated(L, n_components, rng, tol)
    residual = np.linalg.norm(L @ vectors - vectors * values, axis=0).max()
    allowed = residual_limit if tol < residual_limit else np.inf
    if residual > allowed * max(1.0, float(np.abs(values).max())):
        warnings.warn(
            f"Eigenvectors have a residual of {residual:.1e}; labels made from them may be poor.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return values, vectors * signs(vectors)


def truncated_svd(
    X: Any, n_components: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    r"""Leading singular triplets, :math:`X V = U \operatorname{diag}(s)`.

    From the eigenvectors of the smaller of :math:`X X^T` and :math:`X^T X`, which are never formed
    for large X. Where a singular value is zero, the vector of the longer side is zero too.

    Returns
    -------
    U : ndarray of shape (n, n_components); the largest entry of each column is positive
    s : ndarray of shape (n_components,), descending
    V : ndarray of shape (d, n_components)
    """
    if X.shape[0] < X.shape[1]:
        V, s, U = truncated_svd(X.T, n_components, rng)
        sign = signs(U)
        return U * sign, s, V * sign
    # Negative, because the largest are wanted; the operator takes float64 from ARPACK and gives X
    # its own precision, in which products are faster.
    d = X.shape[1]
    negative_gram = LinearOperator(
        (d, d),
        matvec=lambda z: -(X.T @ (X @ z.astype(X.dtype))),
        matmat=lambda Z: -(X.T @ (X @ Z.astype(X.dtype))),
        dtype=np.float64,
    )
    # In single precision residuals cannot be smaller than the rounding of the products.
    limit = max(RESIDUAL_LIMIT, 1e4 * float(np.finfo(X.dtype).eps))
    _, V = smallest_eigenvectors(negative_gram, n_components, rng, limit)
    U = np.asarray(X @ V.astype(X.dtype))
    s = np.linalg.norm(U, axis=0)
    # The squares of singular values were computed, so half the digits are left for small ones:
    # below that they are rounding, and their vectors would be noise blown up to unit length.
    s[s < s.max(initial=0.0) * np.sqrt(np.finfo(X.dtype).eps)] = 0.0
    U *= safe_inverse(s)
    sign = signs(U)
    return U * sign, s, V * sign


def signs(vectors: Array) -> Array:
    """Signs that make the largest entry of each column positive."""
    # Column by column: the sizes of all entries at once would take as much room as the vectors.
    return np.array([-1.0 if _largest(vector) < 0 else 1.0 for vector in vectors.T])


def _largest(vector: Array) -> Any:
    """The largest entry by size; of entries that are equal but for rounding, the first."""
    size = np.abs(vector)
    return vector[np.argmax(size >= size.max(initial=0.0) * (1 - 1e-6))]


def _dense(L: Any, r: int) -> tuple[Array, Array]:
    """The r smallest eigenpairs of the matrix that L stands for."""
    found = eigh(np.asarray(L @ np.eye(L.shape[0])), subset_by_index=(0, r - 1))
    return found[0], found[1]


def _iterated(L: Any, r: int, rng: np.random.Generator, tol: float) -> tuple[Array, Array]:
    """Search by iteration, and what remains where that does not converge."""
    n = L.shape[0]
    try:
        # About as many restarts as take the time of a dense solver; larger matrices have no way out
        # and get ARPACK's own limit.
        return _lanczos(L, r, rng, tol, max(50, n // 30) if n <= LAST_DENSE_SIZE else None)
    except ArpackNoConvergence as error:
        if n <= LAST_DENSE_SIZE:
            return _dense(L, r)
        raise ValueError(
            f"The {r} smallest eigenvalues of a matrix of size {n} lie too close to be told apart: "
            "the data (or the graph, as with a very small bandwidth) hardly connect the samples. "
            "Use another scaling, a larger bandwidth or more neighbours."
        ) from error


def _lanczos(
    L: Any, r: int, rng: np.random.Generator, tol: float, maxiter: int | None
) -> tuple[Array, Array]:
    """Search by ARPACK, again in the complement of the found vectors until none is missing."""
    values, vectors = _arpack(L, r, rng, tol, maxiter)
    # Copies of a value differ by as much as the precision that was asked for.
    alike = max(RESIDUAL_LIMIT, 10 * tol)
    while _lowest(_without(L, values, vectors), r, rng) < values[-1] - alike:
        more, others = _arpack(_without(L, values, vectors), r, rng, tol, maxiter)
        values, vectors = np.append(values, more), np.hstack([vectors, others])
        order = np.argsort(values, kind="stable")[:r]
        values, vectors = values[order], vectors[:, order]
    return values, vectors


def _arpack(
    L: Any, r: int, rng: np.random.Generator, tol: float = TOLERANCE, maxiter: int | None = None
) -> tuple[Array, Array]:
    """The r smallest eigenpairs as one Lanczos run sees them."""
    n = L.shape[0]
    # A basis of four times the wanted vectors needs the fewest products with clustered spectra.
    size = min(n, max(4 * r, 40))
    start = rng.standard_normal(n)
    values, vectors = eigsh(L, r, which="SA", v0=start, ncv=size, tol=tol, maxiter=maxiter)
    order = np.argsort(values)
    return values[order], vectors[:, order]


def _lowest(L: Any, r: int, rng: np.random.Generator) -> float:
    """A rough smallest eigenvalue."""
    # Two digits and one restart: an eigenvalue that lies apart from the others shows up soon, and
    # only such a one is looked for.
    try:
        values, _ = _arpack(L, r, rng, tol=1e-2, maxiter=1)
    except ArpackNoConvergence as error:
        values = error.eigenvalues
    return float(values.min(initial=np.inf))


def _without(L: Any, values: Array, vectors: Array) -> LinearOperator:
    """L with the eigenvalues of the given vectors lifted above the largest of them."""
    lift = 2.0 * (values[-1] - values) + 1.0
    return LinearOperator(
        L.shape,
        matvec=lambda z: L @ z + vectors @ (lift * (vectors.T @ z)),
        dtype=np.float64,
    )
