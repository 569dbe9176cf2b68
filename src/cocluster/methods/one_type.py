"""What methods for the samples of one matrix have in common: a door with clear refusals."""

from __future__ import annotations

from collections.abc import Mapping

from cocluster.data.relational import RelationalData, view_of
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
