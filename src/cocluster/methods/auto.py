"""CoCluster: the front door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, BiclusterMixin, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from cocluster.data.relational import RelationalData, relational
from cocluster.linalg.matrices import is_nonnegative
from cocluster.linalg.types import Array, is_blocked
from cocluster.methods.auto_itcc import ConsensusITCC, ShiftedITCC
from cocluster.methods.base import Coclusterer
from cocluster.methods.catalogue import METHODS
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.trifactor import Callback, Interrupted
from cocluster.utils.checks import check_choice


@dataclass(eq=False, repr=False)
class CoCluster(ClusterMixin, BiclusterMixin, BaseEstimator):
    """Group the rows and the columns of data at the same time, without knowing a method's name.

    Parameters
    ----------
    n_clusters : int
        Clusters of samples.
    method : str
        A name in `cocluster.methods.METHODS`, or "auto", the same rule with links and for many
        views: information-theoretic co-clustering from a consensus of embeddings
        (`ConsensusITCC`). Dense data with negative values are shifted to begin at zero, feature
        by feature (`ShiftedITCC`); sparse ones, which that would fill, and row blocks are left to
        "fnmtf".
    n_column_clusters : int, mapping of type to int, or None
        Clusters of features; None leaves it to the method: five times ``n_clusters`` for "auto"
        (``n_clusters`` where it is left to "fnmtf"), ``n_clusters`` for methods chosen by name.
    normalize, init, random_state
        As in every method, see `Coclusterer`. A method that has no such parameter refuses a
        value other than the default.

    Attributes
    ----------
    model_ : the fitted method
    labels_, row_labels_, column_labels_, labels_by_type_, association_, objective_, ...
        Every fitted attribute of the method.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.kron([[5, 0], [1, 5]], np.ones((3, 4)))
    >>> model = CoCluster(2, random_state=0).fit(X)
    >>> model.labels_[0] == model.labels_[2], model.labels_[0] == model.labels_[3]
    (np.True_, np.False_)
    """

    n_clusters: int = 2
    method: str = "auto"
    _: KW_ONLY
    n_column_clusters: int | Mapping[str, int] | None = None
    normalize: str | None = "auto"
    init: Any = "spectral"
    random_state: Any = None

    def fit(
        self, X: Any, y: Any = None, *, links: Any = None, callback: Callback | None = None
    ) -> Self:
        """Co-cluster X: a matrix, a mapping or list of views, or `RelationalData`.

        ``links``, ``y`` and ``callback`` are those of every method, see `Coclusterer.fit`.
        """
        check_choice(self.method, "method", ("auto", *METHODS))
        # Read once, for the choice and for the fit; a method chosen by name reads for itself.
        data = relational(X) if self.method == "auto" else None
        estimator = METHODS[self.method].estimator if data is None else choose(data)
        model = estimator(**self._parameters_of(estimator))
        try:
            model._fit(X, y, links=links, callback=callback, data=data)
        except Interrupted:
            # The method has kept what it had found, see `Coclusterer`.
            self.model_ = model
            raise
        self.model_ = model
        return self

    def _parameters_of(self, estimator: type[Coclusterer]) -> dict[str, Any]:
        """Those of the parameters that a method has; others must be left as they are."""
        known = signature(estimator).parameters
        own = {name: p.default for name, p in signature(type(self)).parameters.items()}
        del own["method"]
        for name, default in own.items():
            value = getattr(self, name)
            if name not in known and not np.array_equal(value, default):
                raise ValueError(
                    f"method={self.method!r} has no {name} and would ignore {name}={value!r}; "
                    "leave it out or choose another method."
                )
        return {name: getattr(self, name) for name in own if name in known}

    def predict(self, X: Any) -> Array:
        """Cluster of each new sample."""
        check_is_fitted(self, "model_")
        return self.model_.predict(X)

    def __getattr__(self, name: str) -> Any:
        # Fitted attributes are those of the method.
        if name.endswith("_") and not name.startswith("_") and "model_" in vars(self):
            return getattr(self.model_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def choose(data: RelationalData) -> type[Coclusterer]:
    """The method that "auto" takes for some data, by their sign and storage."""
    signed = [r.matrix for r in data.relations if not is_nonnegative(r.matrix)]
    # Shifting would fill a sparse matrix, and blocks would have to be written anew.
    if any(sp.issparse(R) or is_blocked(R) for R in signed):
        return FNMTF
    return ShiftedITCC if signed else ConsensusITCC
