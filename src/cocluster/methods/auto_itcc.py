"""What `CoCluster` does by default: ITCC from a start that several embeddings agree on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.data.scaling import fit_scaling
from cocluster.linalg.kmeans import kmeans_labels
from cocluster.linalg.matrices import (
    column_sums,
    entrywise,
    inverse_root,
    is_nonnegative,
    scaled,
    times,
)
from cocluster.linalg.partitions import Ties, as_partition
from cocluster.linalg.rowwise import rowwise
from cocluster.linalg.subspace import start_scaled, unit_rows
from cocluster.linalg.types import Array, InMemory, Matrix, is_spread
from cocluster.methods.base import Form, Scale, Start, Task, clusters_by_type
from cocluster.methods.information.itcc import ITCC
from cocluster.methods.starts import Labels, given_start, singular_vectors, start_name
from cocluster.utils.named import by_name

# On the leaderboard scores rise from one to five, and ten gain nothing more.
FEATURE_CLUSTERS_PER_CLUSTER = 5
# Data with more entries have the first of the three embeddings only: the others double the time.
THREE_UP_TO_ENTRIES = 1_000_000


@dataclass(eq=False, repr=False)
class ConsensusITCC(ITCC):
    r"""Information-theoretic co-clustering from a consensus of embeddings.

    The objective, links and predictions are those of `ITCC`. Three things differ, each chosen
    from the leaderboard (``benchmarks/leaderboard``):

    * The start is k-means on three embeddings of the samples side by side, each with rows of unit
      length: singular vectors of :math:`D_r^{-1/2} X D_c^{-1/2}`, the same for
      :math:`\log(1 + X)`, and those of :math:`D^{-1/2} Y`, Y the tf-idf rows of unit length and
      D the degrees of :math:`Y Y^T` (normalised cut of the cosines). Several views have them
      each. Data with more than 1,000,000 entries in all have the first alone.
      Must-linked samples begin at the direction of their sum.
    * ``n_column_clusters=None`` means five times ``n_clusters``, at most one for each feature:
      finer profiles tell samples better apart.
    * Several relations count alike (times their weights), whatever their units.

    Parameters and attributes are those of `ITCC`, but for ``tol``: by default a run ends with the
    first sweep that wins less than a thousandth of the objective. The many small sweeps after it
    change no score by more than half a point.
    """

    _: KW_ONLY
    tol: float = 1e-3

    @property
    def method_name(self) -> str:
        """What `CoCluster` does by default has no name of its own."""
        return "auto"

    def _scaled(self, data: RelationalData, form: Form) -> RelationalData:
        data = super()._scaled(data, form)
        # The weight of an only relation changes nothing.
        if len(data.relations) == 1:
            return data
        return replace(data, relations=tuple(_balanced(r) for r in data.relations))

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        counts = clusters_by_type(data, self.n_clusters, self.n_column_clusters)
        given = by_name(self.n_column_clusters, counts)
        many = FEATURE_CLUSTERS_PER_CLUSTER * counts[data.center]
        for name in counts:
            if name != data.center and given.get(name) is None:
                counts[name] = min(many, data.size(name))
        return counts

    def _starts(self, task: Task) -> Iterator[Start]:
        if start_name(self.init) != "spectral":
            yield from super()._starts(task)
            return
        seeds = task.rng.integers(2**31 - 1, size=self.n_init).tolist()
        center = task.data.center
        Z = consensus_embedding(task.data, task.clusters[center], seeds[0])
        if center in task.links:
            # Linked samples at one point, so that k-means cannot part them.
            Z = unit_rows(Ties(task.links[center].closure().component).pooled(Z))
        for seed in seeds:
            yield _start(task.data, task.clusters, Z, seed)


@dataclass(eq=False, repr=False)
class ShiftedITCC(ConsensusITCC):
    """`ConsensusITCC` for dense data of any sign: features below zero are shifted up to zero.

    A new value below all those of the fit counts as the least of them.
    """

    _nonnegative: ClassVar[bool] = False
    _blockwise: ClassVar[bool] = False

    def _fit_scaling(self, R: Matrix) -> Shifted:
        floor = _floor(R)
        return Shifted(floor, super()._fit_scaling(_above(R, floor)))


@dataclass(frozen=True, eq=False)
class Shifted:
    """A scaling of data whose features are first counted from a floor, value by value."""

    floor: Array | float
    scaling: Scale

    def apply(self, R: Matrix) -> Matrix:
        """The shifted matrix in its scale."""
        return self.scaling.apply(_above(R, self.floor))


def shifted(data: RelationalData) -> RelationalData:
    """The data with every feature that goes below zero shifted up to begin there."""
    return data.map(lambda R: _above(R, _floor(R)))


def _floor(R: InMemory) -> Array | float:
    """Least value of every feature, or 0 where that is positive or the matrix sparse."""
    return 0.0 if sp.issparse(R) else np.minimum(R.min(axis=0), 0)


def _above(R: InMemory, floor: Array | float) -> InMemory:
    """R counted from the floor; lower values, which only new data have, count as the floor."""
    if sp.issparse(R):
        # A floor would fill the matrix: negative values of a sparse view count as nothing.
        return R if is_nonnegative(R) else sp.csr_array(R.maximum(0))
    return np.maximum(R - floor, 0)


def _balanced(relation: Relation) -> Relation:
    """The relation with a weight that makes up for its total."""
    total = float(column_sums(relation.matrix).sum())
    return replace(relation, weight=relation.weight / total) if total > 0 else relation


def consensus_embedding(data: RelationalData, k: int, seed: int) -> Any:
    """Embeddings of the samples from all relations whose rows they are, side by side.

    Samples absent from a relation lie at the origin there.
    """
    blocks = []
    few = sum(_entries(relation.matrix) for relation in data.relations) <= THREE_UP_TO_ENTRIES
    for relation in data.relations:
        if relation.rows != data.center:
            continue
        X, index = relation.matrix, relation.row_index
        for Z in _embeddings(X, k, seed, few):
            if index is not None:
                present, Z = Z, np.zeros((len(data), Z.shape[1]), Z.dtype)
                Z[index] = present
            blocks.append(Z)
    first, *others = blocks
    if is_spread(first):
        width = sum(Z.shape[1] for Z in blocks)
        return first.map(_beside, along=tuple(others), width=width)
    return np.hstack(blocks)


def _entries(R: Any) -> int:
    """Number of stored entries: ``size`` of a sparse matrix does not count the others."""
    return int(R.size)


def _beside(*parts: Array) -> Array:
    """Parts side by side."""
    return np.hstack(parts)


def _embeddings(X: Matrix, k: int, seed: int, few: bool) -> Iterator[Any]:
    """Unit rows of the singular vectors of X scaled in one way, or in three if entries are few."""
    yield _embedding(start_scaled(X), k, seed)
    if few:
        logs = rowwise(partial(entrywise, np.log1p), X)
        yield _embedding(start_scaled(logs), k, seed)
        yield _embedding(_cosine_scaled(X), k, seed)


def _cosine_scaled(X: Matrix) -> Matrix:
    """D^-1/2 Y, with Y the tf-idf rows of X and D the degrees of Y Y^T."""
    Y = fit_scaling(X, "tfidf").apply(X)
    return rowwise(_over_similarity, Y, column_sums(Y))


def _over_similarity(Y: Matrix, whole: Array) -> Matrix:
    """Rows divided by the root of their product with the sum of all rows."""
    return scaled(Y, row_scale=inverse_root(Y @ whole))


def _embedding(Y: Matrix, k: int, seed: int) -> Any:
    """Unit rows of the k weighted left singular vectors after the first."""
    return unit_rows(singular_vectors(Y, k, seed)[0])


def _start(data: RelationalData, clusters: Mapping[str, int], Z: Any, seed: int) -> Labels:
    """Samples by k-means in the embedding, features by their profile over the samples' clusters."""
    # Features follow from the samples, for which the embeddings were made: one k-means is enough.
    start = {data.center: kmeans_labels(Z, clusters[data.center], seed)}
    G = as_partition(start[data.center], clusters[data.center])
    for r in data.relations:
        if r.rows == data.center and r.cols not in start:
            profile = times(r.matrix.T, G if r.row_index is None else G[r.row_index])
            start[r.cols] = kmeans_labels(unit_rows(profile), clusters[r.cols], seed, n_init=1)
    return given_start(data, clusters, start)
