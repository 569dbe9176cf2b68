"""The one list of methods: what each is, takes and gives.

TSVM (transductive support vector machines), with which some papers compare, is not in it: it is a
classifier, which needs labels of every class, knows no pairs and finds no clusters without them.
It lives in `benchmarks.baselines`, for the papers' tables.

EMDA (entropic mirror descent), with which Li et al. 2012 weigh the graphs of RMC, is not in it
either: the weights it approaches step by step are those of a projection on the simplex, which `RMC`
computes exactly. A test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any


@dataclass(frozen=True)
class Method:
    """A row of the table.

    Attributes
    ----------
    name : name of the class, as ``from cocluster import ...`` takes it
    paper : authors and year
    cost : what a sweep costs, in words
    many_types : whether it takes several views, or relations between any types
    feature_clusters : whether features are clustered, too
    links : whether it takes must-links and cannot-links
    sparse : whether sparse data stay sparse
    negative, blocks, unknown, graphs, title, soft : what the class itself says, see the properties
    """

    name: str
    paper: str
    cost: str
    many_types: bool = True
    feature_clusters: bool = True
    links: bool = True
    sparse: bool = True

    @property
    def estimator(self) -> type[Any]:
        """The class, loaded when first asked for."""
        # By the front door, because the methods themselves look into this list.
        return getattr(import_module("cocluster"), self.name)

    @property
    def negative(self) -> bool:
        """Whether it takes data of any sign."""
        return not self.estimator._nonnegative

    @property
    def blocks(self) -> bool:
        """Whether it takes row blocks on disk and Dask collections."""
        return bool(self.estimator._blockwise)

    @property
    def unknown(self) -> bool:
        """Whether it takes data of which some entries are unknown."""
        return bool(self.estimator._unknown)

    @property
    def graphs(self) -> bool:
        """Whether graphs of samples and features can be given to its `fit`."""
        return "graphs" in signature(self.estimator.fit).parameters

    @property
    def title(self) -> str:
        """First line of the method's docstring."""
        return (self.estimator.__doc__ or "").strip().splitlines()[0].rstrip(".")

    @property
    def soft(self) -> bool:
        """Whether it gives memberships, not only labels."""
        return hasattr(self.estimator, "transform")


# By the name that `CoCluster(method=...)`, the command line and the pages use. Costs are those of
# a sweep; what can be read off an estimator (its sign, blocks, title) is not written down twice.
METHODS = {
    "fnmtf": Method("FNMTF", "Wang et al. 2011", "1 or 2 passes over the non-zeros"),
    "lpfnmtf": Method("LPFNMTF", "Wang et al. 2011", "2 passes over the non-zeros"),
    "itcc": Method("ITCC", "Dhillon et al. 2003", "1 or 2 passes over the non-zeros"),
    "cmrf": Method("CMRF", "Bekkerman and Jeon 2007", "2 passes, objects one by one"),
    "nmtf": Method("NMTF", "Long et al. 2005", "2 products with k columns"),
    "onmtf": Method("ONMTF", "Ding et al. 2006", "2 products with k columns"),
    "nmf": Method("NMF", "Lee and Seung 2000", "2 products with k columns"),
    "seminmf": Method("SemiNMF", "Ding et al. 2010", "2 products with k columns"),
    "gnmf": Method("GNMF", "Cai et al. 2011", "2 products with k columns, 1 of a graph"),
    "drcc": Method("DRCC", "Gu and Zhou 2009", "2 products with k columns, 1 of each graph"),
    "snmtf": Method("SNMTF", "Wang et al. 2011", "2 products with k columns, 1 of each graph"),
    "osntf": Method("OSNTF", "Wang et al. 2011", "2 products with k columns, 1 of each graph"),
    "rmc": Method("RMC", "Li et al. 2012", "2 products with k columns, 2 passes over the graphs"),
    "ssnmf": Method(
        "SSNMF",
        "Chen et al. 2008",
        "1 product of similarities with k columns",
        many_types=False,
        feature_clusters=False,
    ),
    "starssnmf": Method("StarSSNMF", "Chen et al. 2010", "2 products with k columns"),
    "bsgp": Method("BSGP", "Dhillon 2001", "products with X, k-means", many_types=False),
    "ldcc": Method(
        "LDCC", "Zhang et al. 2012", "products with X and two graphs, k-means", many_types=False
    ),
    "src": Method("SRC", "Long et al. 2006", "2 products with k columns, k-means"),
    "ncut": Method(
        "NCut",
        "Shi and Malik 2000",
        "products with a graph, k-means",
        many_types=False,
        feature_clusters=False,
    ),
    "kernelkmeans": Method(
        "KernelKMeans",
        "Chen et al. 2008",
        "1 pass over the kernel",
        many_types=False,
        feature_clusters=False,
    ),
}


def as_markdown() -> str:
    """The table, as the documentation shows it."""

    def yes(value: bool) -> str:
        return "yes" if value else ""

    kinds = ("any sign", "many types", "features too", "soft", "by blocks")
    heads = ("name", "class", "what", *kinds, "cost of a sweep")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, method in METHODS.items():
        marks = (
            method.negative,
            method.many_types,
            method.feature_clusters,
            method.soft,
            method.blocks,
        )
        cells = [f"`{name}`", f"`{method.name}`", f"{method.title} ({method.paper})"]
        lines.append("| " + " | ".join([*cells, *map(yes, marks), method.cost]) + " |")
    return "\n".join(lines)
