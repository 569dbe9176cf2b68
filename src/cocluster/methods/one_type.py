"""What methods for the samples of one matrix have in common: a door with clear refusals."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.data.relational import RelationalData, view_of
from cocluster.data.scaling import Scaling, fit_scaling
from cocluster.linalg.matrices import column_counts, is_nonnegative
from cocluster.linalg.types import Matrix
from cocluster.links import Links
from cocluster.methods.base import Coclusterer


def only_matrix(method: Coclusterer, data: RelationalData) -> Matrix:
    """The only matrix of the data, samples in rows; several, or feature clusters, are refused."""
    name = type(method).__name__
    if len(data.relations) > 1:
        raise ValueError(
            f"{name} takes one matrix, got {len(data.relations)} relations; StarSSNMF, NMTF, "
            "FNMTF and ITCC take many."
        )
    if method.n_column_clusters is not None:
        raise ValueError(f"{name} does not cluster features; leave n_column_clusters=None.")
    # As a view, because a matrix that lacks samples must have empty rows for them.
    return view_of(data, data.center)


def scaling_of_samples(X: Matrix, normalize: str | None, precomputed: bool) -> Scaling:
    """How data whose distances or cosines decide are scaled.

    "auto" is "tfidf" for occurrences (no negative entry, most entries zero) and leaves all others,
    similarities of samples among them, as they are. Raw counts are as far from each other as they
    are long; ``benchmarks/results/scalings.md`` has the evidence.
    """
    if normalize == "auto":
        occurrences = is_nonnegative(X) and 2 * column_counts(X).sum() < X.shape[0] * X.shape[1]
        normalize = "tfidf" if occurrences and not precomputed else None
    return fit_scaling(X, normalize)


def sample_links(
    method: Coclusterer, data: RelationalData, links: Mapping[str, Links]
) -> Links | None:
    """Links between samples; links between features are refused."""
    others = [name for name in links if name != data.center]
    if others:
        raise ValueError(
            f"{type(method).__name__} does not cluster {others[0]!r} and has no use for links "
            "between them; give links between samples only."
        )
    return links.get(data.center)
