"""Where the samples lie in the plane: computed once from the data alone, the same for every run."""

from __future__ import annotations

import numpy as np
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

from cocluster.data.relational import relational
from cocluster.linalg.types import Array
from cocluster.methods.starts import spectral_embedding
from cocluster.methods.task import clusters_by_type
from cocluster.projects import Project
from cocluster.utils.files import new_file

FILE = "map.npy"
# Samples that are laid out with each other; all others lie by their nearest among these. More take
# minutes, and a screen has no room for them.
LANDMARKS, NEAREST = 3_000, 3
# Dimensions of the embedding: neighbours among the samples are seen well before they are used up.
DIMENSIONS = 20
# The map of the same data is always the same.
SEED = 0


def read_map(project: Project) -> Array | None:
    """Places of the samples, from 0 to 1; None if nobody has drawn the map yet."""
    file = project.folder / FILE
    if not file.exists():
        return None
    places: Array = np.load(file, allow_pickle=False)
    return places if places.shape == (len(project.dataset), 2) else None


def write_map(project: Project) -> None:
    """Draw the map and keep it in the project."""
    places = plane(embedded(project)).astype(np.float32)
    with new_file(project.folder / FILE) as unfinished, unfinished.open("wb") as opened:
        np.save(opened, places, allow_pickle=False)


def embedded(project: Project) -> Array:
    """The samples in the space that clusters are found in."""
    data = relational(project.dataset.data).oriented()
    k = min(DIMENSIONS, *data.sizes.values())
    clusters = clusters_by_type(data, k, None)
    return spectral_embedding(data, clusters, SEED)[data.center]


def plane(Z: Array) -> Array:
    """Points of any space in the plane, neighbours near each other, from 0 to 1."""
    n = len(Z)
    rng = np.random.default_rng(SEED)
    chosen = np.sort(rng.choice(n, min(n, LANDMARKS), replace=False))
    # Of fewer than a handful nobody can say who is whose neighbour.
    flat = _laid_out(Z[chosen]) if len(chosen) > NEAREST + 1 else np.resize(Z, (n, 2))
    if len(chosen) < n:
        found = NearestNeighbors(n_neighbors=NEAREST).fit(Z[chosen])
        places = np.asarray(flat[found.kneighbors(Z, return_distance=False)].mean(axis=1))
        places[chosen] = flat
    else:
        places = flat
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.where(high > low, high - low, 1))


def _laid_out(Z: Array) -> Array:
    """t-SNE, started from the first two dimensions."""
    # A tenth of the points is as far as one can see in small data.
    perplexity = min(30.0, max(2.0, len(Z) / 10))
    start = "pca" if min(Z.shape) > 1 else "random"
    model = TSNE(2, perplexity=perplexity, init=start, random_state=SEED)
    return np.asarray(model.fit_transform(Z))
