"""SSNMF: semi-supervised factorisation of a similarity between samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, row_blocks
from cocluster.graphs.kernels import Kernel, kernel_matrix
from cocluster.graphs.similarity import (
    Gram,
    checked_similarity,
    linked_similarity,
    norm_work,
)
from cocluster.linalg.matrices import gram, squared_norm
from cocluster.linalg.partitions import Ties, made
from cocluster.linalg.subspace import unit_rows
from cocluster.linalg.types import Array, Matrix
from cocluster.methods.base import only_matrix, sample_links
from cocluster.methods.factorization.base import SoftTriFactorEstimator
from cocluster.methods.starts import starts
from cocluster.methods.task import Start, Task
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
from cocluster.utils.checks import check_choice, check_number

# Most operations on sparse entries that the norm of a similarity may take, else it is left out: at
# 20 ns each, four seconds for a constant that no step depends on.
NORM_WORK = 2e8
# Affinities that are products of rows, so that the matrix of them is never formed.
FROM_PRODUCTS = ("linear", "cosine")
AFFINITIES = (*FROM_PRODUCTS, "precomputed", "rbf")


@dataclass(frozen=True, eq=False, kw_only=True)
class SimilarityTask(Task):
    """A task whose data are the similarities of the samples, links included."""

    # The data the similarities were made of.
    given: RelationalData
    # Must-linked samples, which share a row of the factor.
    ties: Ties | None


@dataclass(frozen=True, eq=False)
class SymmetricProblem(TriFactorProblem):
    """A symmetric relation of a type with itself: its two sides are one, so one product does."""

    @cached_property
    def data_norm(self) -> float:
        """‖A‖², which only shifts the objective; 0 if it would take longer than many sweeps."""
        A = self.data.relations[0].matrix
        return 0.0 if norm_work(A) > NORM_WORK else squared_norm(A)

    def touching(self, name: str) -> Iterator[tuple[int, str]]:
        """The relation, once."""
        yield 0, "cols"

    def product(self, state: State, r: int, side: str) -> Array:
        """A G, for either side."""
        # Both sides use it: on a cluster it is computed once and kept with the workers.
        product = state.products[r, "rows"] = made(super().product(state, r, "rows"))
        return product


@dataclass(eq=False, repr=False)
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
        Linked pairs get the largest similarity and 0 (the smallest, if that is negative); or the
        weight of the link, in units of the largest similarity, is added or subtracted, down to 0.
    link_weight : float or None
        Share of that change that is made; 1 is the paper's. None is 1 with "add"; with "replace" it
        is 1 for pairs drawn from all samples, and less where few samples have many links each, as
        a partial labelling gives them: at full weight they become clusters of their own.
    ties : bool
        Whether must-linked samples share a row of G, see Notes. With False and ``link_weight=1``
        the method is the paper's own.
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
    * A similarity (precomputed, or of a function) may be signed: its negative entries push apart.
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

    n_column_clusters: None = None
    _: KW_ONLY
    affinity: str | Kernel = "linear"
    gamma: float | None = None
    link: str = "replace"
    link_weight: float | None = None
    ties: bool = True
    association: str = "diagonal"

    _nonnegative: ClassVar[bool] = True
    _auto_normalization: ClassVar[str | None] = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not callable(self.affinity):
            check_choice(self.affinity, "affinity", AFFINITIES)
        check_choice(self.link, "link", ("replace", "add"))
        if self.link_weight is not None:
            check_number(self.link_weight, "link_weight")
        check_choice(self.association, "association", ("diagonal", "full"))

    def _needs_nonnegative(self) -> bool:
        # Products of signed rows are signed as well, and their smallest entry is not looked for.
        return self.affinity in FROM_PRODUCTS

    def _check_blocks(self, data: RelationalData, clusters: Mapping[str, int]) -> None:
        super()._check_blocks(data, clusters)
        formed = self.affinity not in (*FROM_PRODUCTS, "precomputed")
        if formed and row_blocks(data) is not None:
            raise ValueError(
                f"affinity={self.affinity!r} needs the data in memory; row blocks and Dask "
                "collections take 'linear' and 'cosine'."
            )

    def _prepared(self, task: Task) -> SimilarityTask:
        links, X = sample_links(self, task.data, task.links), only_matrix(self, task.data)
        A = linked_similarity(self._similarity(X), links, self.link, self.link_weight)
        center = task.data.center
        return task.extended(
            SimilarityTask,
            data=RelationalData((Relation(A, center, center),), center),
            links={},  # they are in the similarity already
            given=task.data,
            ties=ties_and_pairs(links)[0] if links is not None and self.ties else None,
        )

    def _similarity(self, X: Matrix) -> Matrix:
        """A, in the form that is cheapest."""
        if self.affinity in FROM_PRODUCTS:
            return Gram(self._rows(X))
        if self.affinity == "precomputed":
            return checked_similarity(X)
        return kernel_matrix(X, self.affinity, gamma=self.gamma)

    def _rows(self, X: Matrix) -> Matrix:
        """The rows whose products are the similarities."""
        return unit_rows(X) if self.affinity == "cosine" else X

    def _starts(self, task: Any) -> Iterator[Start]:
        # Found in the data, whose singular vectors cost less than those of the similarities.
        yield from starts(task.given, task.clusters, self.init, self.n_init, task.rng)

    def _problem(self, task: Any) -> TriFactorProblem:
        center = task.data.center
        # A fourth root: the model is quartic in G, and larger steps can raise the objective.
        constraint = NonNegative(exponent=0.25, ties=task.ties)
        factors = {center: FactorSpec(task.clusters[center], constraint)}
        rule = NonNegativeAssociation(exponent=0.5, diagonal=self.association == "diagonal")
        return SymmetricProblem(task.data, factors, rule)

    def _store(self, task: Any, run: Run) -> None:
        super()._store(task, run)
        X, G = only_matrix(self, task.given), self._factors[task.data.center]
        self._gram, self._training = gram(G), None
        # G S: the linear term of a new sample is its similarities a times this.
        self._coding = G @ self.association_.astype(G.dtype)
        if self.affinity in FROM_PRODUCTS:
            self._coding = self._rows(X).T @ self._coding
        elif self.affinity != "precomputed":
            self._training = X

    def _new_block(self, data: RelationalData) -> BlockQuadratic:
        """New samples by their similarities to those of the fit: a ≈ g S Gᵀ."""
        new = only_matrix(self, data)
        if self.affinity in FROM_PRODUCTS:
            new = self._rows(new)
        elif self.affinity != "precomputed":
            new = kernel_matrix(new, self.affinity, self._training, gamma=self.gamma)
        S = self.association_
        return BlockQuadratic(np.asarray(new @ self._coding), S @ self._gram @ S.T)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags
