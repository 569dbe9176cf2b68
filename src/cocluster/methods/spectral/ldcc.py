"""LDCC: locally discriminative co-clustering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

import numpy as np

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import degree_scales
from cocluster.linalg.types import Array
from cocluster.methods.spectral.base import Points
from cocluster.methods.spectral.bipartite import BipartiteSpectral
from cocluster.methods.spectral.ldcc_embedding import joint_embedding
from cocluster.utils.checks import check_choice, check_integer, check_number


@dataclass(eq=False, repr=False)
class LDCC(BipartiteSpectral):
    r"""Locally discriminative co-clustering.

    .. math:: \min_{G^T G = I} tr\, G^T \begin{pmatrix} \alpha L^S & -X^N \\
              -(X^N)^T & \beta L^F \end{pmatrix} G, \qquad X^N = D_r^{-1/2} X D_c^{-1/2}

    (Eq. 20 of [1]_): samples and features that go together get equal rows of G, and within every
    small neighbourhood of samples (of features) the rows can be predicted linearly from the data.
    The smallest eigenvectors solve it, and k-means on their rows, at unit length, finds clusters
    of samples and features together.

    Parameters
    ----------
    n_clusters : int
        Clusters of samples and features, one set for both.
    n_components : int or None
        The r of the paper, the number of eigenvectors; None: ``n_clusters``. More of them hold
        ever more noise (CSTR: accuracy .91 with 4 or 5, .55 with 40).
    n_neighbors : int
        Neighbours of an object in its patch, besides itself.
    ridge : float
        λ of the local regressions.
    patch_scale : {"unit", "given"}
        Whether patches are made of samples and features at unit length, or as they are in the
        (normalised) data. The paper leaves it open; ``normalize="l2"`` with "given" has samples at
        unit length and features as they are then, which was better with many classes (20
        Newsgroups, accuracy with 7 classes 70.6 to 72.5, with 10 classes 63.6 to 66.3).
    row_strength, column_strength : float
        α and β. With both zero the method is spectral clustering of the degree-scaled data.
    normalize : {"auto", None, "l2", "tfidf", "degree"}
        "auto" takes the data as they are: X^N and the patches have scales of their own.
    n_init : int
        Starts of k-means; the one with the lowest objective is kept.
    random_state : int, RandomState or None

    Attributes are those of `SpectralCoclusterer`.

    Notes
    -----
    * By default patches are made of samples (features) of unit length, so that λ, α and β do not
      depend on the scale of the data and short documents or rare words do not become neighbours
      of all others: the diagonal of L is then about n_neighbors / (n_neighbors + 1) on the average,
      whatever the data. The paper leaves the scale open; for X of rows and columns of
      length c, its α = β equals ours and its λ is :math:`c^2` times ours.
    * Samples joined by must-links are contracted: one row, their sum. Cannot-links cost in
      k-means. Features may have links too: ``links={"features": ...}``.
    * A sample's neighbours are all other samples where there are too few.
    * New samples lie at the mean of the points of their features, mapped as in
      `SpectralCoclusterer`.
    * Cost: a search for neighbours, then some hundred products with X and the Laplacians. Nothing
      larger than a few times the data is formed; above 20,000 objects the neighbours are
      approximate (extra ``ann``).

    References
    ----------
    .. [1] Zhang, Wang, Chen, et al., "Locally Discriminative Coclustering", IEEE TKDE 24(6), 2012.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 1], [1, 5]], np.ones((4, 4)))
    >>> model = LDCC(2, n_neighbors=2, random_state=0).fit(X)
    >>> model.labels_[0] == model.column_labels_[0], model.labels_[0] == model.labels_[7]
    (np.True_, np.False_)
    """

    _: KW_ONLY
    n_components: int | None = None
    n_neighbors: int = 5
    ridge: float = 1.0
    patch_scale: str = "unit"
    row_strength: float = 1.0
    column_strength: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.n_neighbors, "n_neighbors")
        if self.n_components is not None:
            check_integer(self.n_components, "n_components")
        check_choice(self.patch_scale, "patch_scale", ("unit", "given"))
        for name in ("row_strength", "column_strength"):
            check_number(getattr(self, name), name)
        if check_number(self.ridge, "ridge") == 0:
            raise ValueError("ridge must be positive: use a small number such as 1e-3.")

    def _clusters(self, data: RelationalData) -> dict[str, int]:
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must be less than n_samples={len(data)}; choose "
                "fewer neighbours."
            )
        return super()._clusters(data)

    def _embed(
        self, data: RelationalData, clusters: Mapping[str, int], rng: np.random.Generator
    ) -> tuple[Points, None]:
        X = self._matrix(data)
        vectors = joint_embedding(
            X,
            min(self.n_components or clusters[data.center], sum(X.shape)),
            rng,
            n_neighbors=self.n_neighbors,
            row_strength=self.row_strength,
            column_strength=self.column_strength,
            ridge=self.ridge,
            unit_patches=self.patch_scale == "unit",
        )
        # As in BSGP: the eigenvectors of the degree-scaled data are D^1/2 times the indicators.
        scaled: list[Array] = [
            scale[:, None] * Z for scale, Z in zip(degree_scales(X), vectors, strict=True)
        ]
        return dict(zip(data.types, scaled, strict=True)), None
