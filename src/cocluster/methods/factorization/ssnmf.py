"""SSNMF: semi-supervised factorisation of a similarity between samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import Tags

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.graphs.kernels import Kernel, kernel_matrix
from cocluster.graphs.similarity import (
    Gram,
    LinkedSimilarity,
    checked_similarity,
    linked_similarity,
)
from cocluster.linalg.matrices import gram, is_nonnegative, squared_norm
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, Factor, Matrix, is_blocked, is_spread
from cocluster.methods.base import Start, Task
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.one_type import only_matrix, sample_links
from cocluster.trifactor import (
    BlockQuadratic,
    FactorSpec,
    NonNegative,
    NonNegativeAssociation,
    Run,
    State,
    TriFactorProblem,
    ties_and_pairs,
)
from cocluster.utils.checks import check_choice

# Operations on sparse entries, about 20 ns each.
NORM_WORK = 2e8
NEED_NONNEGATIVE = ("linear", "cosine", "precomputed")
AFFINITIES = (*NEED_NONNEGATIVE, "rbf")


@dataclass(frozen=True, eq=False)
class SymmetricProblem(TriFactorProblem):
    """A symmetric relation of a type with itself: its two sides are one, so one product does."""

    @cached_property
    def data_norm(self) -> float:
        """‖A‖², which only shifts the objective; 0 if it would take longer than many sweeps."""
        A = self.data.relations[0].matrix
        costly = isinstance(A, Gram | LinkedSimilarity) and A.norm_work() > NORM_WORK
        return 0.0 if costly else squared_norm(A)

    def touching(self, name: str) -> Iterator[tuple[int, str]]:
        """The relation, once."""
        yield 0, "cols"

    def product(self, state: State, r: int, side: str) -> Array:
        """A G, whichever side is asked for."""
        product: Factor = super().product(state, r, "rows")
        if is_spread(product):
            product = state.products[r, "rows"] = product.made()
        return product


class SSNMF(SoftTriFactorEstimator):
    r"""Semi-supervised non-negative factorisation of a similarity matrix.

    .. math:: \min_{G, S \ge 0} \|\tilde A - G S G^T\|^2

    with :math:`\tilde A` the similarity of the samples in which must-linked pairs are raised and
    cannot-linked pairs are lowered, [1]_, Eq. (3); S by Eq. (4) with exponent 1/2, G by Eq. (5)
    with exponent 1/4.

    Parameters
    ----------
    affinity : {"linear", "cosine", "rbf", "precomputed"} or callable
        A = X Xᵀ; the same with rows of length one; exp(-gamma d²); X is A itself (new samples
        then come as their similarities to those of the fit); or a function of (X, Y) that returns
        the similarities of their rows.
    gamma : float or None
        Of the rbf affinity; None is the inverse of the mean squared distance.
    link : {"replace", "add"}
        Linked pairs get the largest similarity and 0; or the weight of the link, in units of the
        largest similarity, is added or subtracted, down to 0.
    association : {"diagonal", "full"}
        Whether S starts (and so stays) diagonal, as in the paper.

    Other parameters are those of `SoftTriFactorEstimator`; ``n_column_clusters`` must be left
    None, features are not clustered. ``normalize="auto"`` leaves the data as they are.

    Notes
    -----
    * Guaranteed: the objective never rises. Without links it is plain symmetric factorisation.
    * Cost of a sweep: with the linear and cosine affinities two passes over the entries of X
      and one over the links, the n x n matrix is never formed: A G = X (Xᵀ G) + C G with C
      sparse. The results are those of the matrix. Other affinities cost n² for each cluster.
    * The constant ‖X Xᵀ‖² of the objective takes Σ_i nnz_i² operations, nnz_i the non-zeros of
      row i. Beyond 2e8 (20,000 rows of 100 non-zeros) it is left out, so `objective_` is negative;
      neither the steps nor the choice among starts depend on it.
    * The similarity takes links as they are stated, not those they imply: with few links the
      implied blocks of largest similarity become clusters of their own (England-Heart with .2 %
      of the pairs: accuracy .96 stated, .70 implied).
    * Beyond the paper, must-linked samples share a row of G, as in every factorisation here.
      With similarities alone a large class whose must-links are raised can fall apart (re0,
      housing, interest and jobs: accuracy .54 with 10 % of the pairs, .94 with shared rows).
    * The paper prints the links with the signs reversed; its experiments raise must-links and
      lower cannot-links, and so do we.

    References
    ----------
    .. [1] Chen, Rege, Dong, Hua. Non-negative matrix factorization for semi-supervised data
       clustering. Knowledge and Information Systems 17, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((3, 2)))
    >>> model = SSNMF(2, random_state=0).fit(X, links=([[0, 1]], [[0, 3]]))
    >>> model.labels_[0] == model.labels_[1], model.labels_[0] == model.labels_[3]
    (np.True_, np.False_)
    """

    _nonnegative = True
    _auto_normalization = None

    def __init__(
        self,
        n_clusters: int = 2,
        n_column_clusters: None = None,
        *,
        affinity: str | Kernel = "linear",
        gamma: float | None = None,
        link: str = "replace",
        association: str = "diagonal",
        normalize: str | None = "auto",
        init: Any = "spectral",
        n_init: int = 1,
        assign: str = "argmax",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            n_column_clusters,
            normalize=normalize,
            init=init,
            n_init=n_init,
            assign=assign,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.affinity = affinity
        self.gamma = gamma
        self.link = link
        self.association = association

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not callable(self.affinity):
            check_choice(self.affinity, "affinity", AFFINITIES)
        check_choice(self.link, "link", ("replace", "add"))
        check_choice(self.association, "association", ("diagonal", "full"))
        # Kernels of data of any sign may well be non-negative; these are not.
        self._nonnegative = self.affinity in NEED_NONNEGATIVE

    def _best_run(self, task: Task) -> Run:
        own = sample_links(self, task.data, task.links)
        A = linked_similarity(self._similarity(only_matrix(self, task.data)), own, self.link)
        self._ties = None if own is None else ties_and_pairs(own)[0]
        center = task.data.center
        self._factorised = RelationalData((Relation(A, center, center),), center)
        return super()._best_run(task)

    def _similarity(self, X: Matrix) -> Matrix:
        """A, in the form that is cheapest."""
        if self.affinity == "linear":
            return Gram(X)
        if self.affinity == "cosine":
            return Gram(unit_rows(X))
        if self.affinity == "precomputed":
            return checked_similarity(X)
        if is_blocked(X):
            raise ValueError(
                f"affinity={self.affinity!r} needs the data in memory; row blocks and Dask "
                "collections take 'linear' and 'cosine'."
            )
        A = kernel_matrix(X, self.affinity, gamma=self.gamma)
        if not is_nonnegative(A):
            raise ValueError("The affinity has negative values; SSNMF needs similarities >= 0.")
        return A

    def _problem(self, data: RelationalData, clusters: Mapping[str, int]) -> TriFactorProblem:
        constraint = NonNegative(exponent=0.25, ties=self._ties)
        factors = {data.center: FactorSpec(clusters[data.center], constraint)}
        rule = NonNegativeAssociation(exponent=0.5, diagonal=self.association == "diagonal")
        return SymmetricProblem(self._factorised, factors, rule)

    def _solve(self, task: Task, start: Start) -> Run:
        # Links are in the similarity already.
        return super()._solve(replace(task, links={}), start)

    def _store(self, data: RelationalData, run: Run) -> None:
        super()._store(self._factorised, run)
        del self._factorised, self._ties
        X, G = only_matrix(self, data), self._factors[data.center]
        self._gram = gram(G)
        self._coding = G @ self.association_.astype(G.dtype)
        if self.affinity in ("linear", "cosine"):
            self._coding = self._similarity(X).X.T @ self._coding
        elif self.affinity != "precomputed":
            self._training = X

    def _new_block(self, X: Any) -> BlockQuadratic:
        """New samples by their similarities to those of the fit: a ≈ g S Gᵀ."""
        new = only_matrix(self, self._new_data(X))
        if self.affinity == "cosine":
            new = unit_rows(new)
        elif self.affinity not in ("linear", "precomputed"):
            new = kernel_matrix(new, self.affinity, self._training, gamma=self.gamma)
        S = self.association_
        return BlockQuadratic(np.asarray(new @ self._coding), S @ self._gram @ S.T)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity in NEED_NONNEGATIVE
        return tags
