"""The account of a fit: one plain value between a model and everything that shows it.

    model + data + links + names   --account(...)-->   Account   -->   page, notebook, tables, JSON

An `Account` knows no HTML, no terminal and no server. Whatever shows it computes nothing; a new
section is one function here in `cocluster.report.parts` that computes it, and one that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cocluster.linalg.types import Array
from cocluster.report.encoding import decoded, encoded
from cocluster.report.parts.alerts import alerts_part
from cocluster.report.parts.association import association_part
from cocluster.report.parts.choice import choice_part
from cocluster.report.parts.classes import classes_part
from cocluster.report.parts.clusters import (
    clusters_part,
    explanation_of,
    sure_part,
    with_groups,
)
from cocluster.report.parts.data import data_part
from cocluster.report.parts.links import links_part
from cocluster.report.parts.material import Material
from cocluster.report.parts.members import Album
from cocluster.report.parts.method import citation_part, reproduce_part
from cocluster.report.parts.picture import pictures_part
from cocluster.report.parts.run import run_part
from cocluster.report.parts.values import (
    Alert,
    Association,
    Citation,
    Classes,
    ClusterShown,
    Data,
    HowMany,
    LinksShown,
    Picture,
    Reproduce,
    Run,
    Sure,
)
from cocluster.report.sureness import sureness

# Of the values: raised whenever older ones could not be read as they are.
FORMAT = 1


@dataclass(frozen=True)
class Account:
    """All that is to be told of a fit, as plain values; `account` makes it.

    Attributes
    ----------
    format : int
        1; others are refused.
    title : str
    data : Data
    run : Run
    sure : Sure
    clusters : dict of type to tuple of ClusterShown
        The samples first.
    associations : tuple of Association
    pictures : tuple of Picture
    links : tuple of LinksShown
    classes : Classes or None
    choice : HowMany or None
    alerts : tuple of Alert
    reproduce : Reproduce
    citation : Citation
    """

    format: int
    title: str
    data: Data
    run: Run
    sure: Sure
    clusters: dict[str, tuple[ClusterShown, ...]]
    associations: tuple[Association, ...]
    pictures: tuple[Picture, ...]
    links: tuple[LinksShown, ...]
    classes: Classes | None
    choice: HowMany | None
    alerts: tuple[Alert, ...]
    reproduce: Reproduce
    citation: Citation

    @property
    def samples(self) -> tuple[ClusterShown, ...]:
        """The clusters of the samples."""
        return self.clusters[self.data.center]

    def as_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, texts and numbers; `from_dict` gives back the same."""
        found: dict[str, Any] = encoded(self)
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Account:
        """The inverse of `as_dict`, also after JSON."""
        if values.get("format") != FORMAT:
            raise ValueError(
                f"An account of format {values.get('format')} cannot be read by this version, "
                f"which knows format {FORMAT}; install the version that wrote it, or make the "
                "account again."
            )
        found: Account = decoded(cls, values)
        return found

    def to_json(self, indent: int | None = None) -> str:
        """The values of `as_dict` as JSON; its schema is ``report/account.schema.json``."""
        return json.dumps(self.as_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


def account(
    model: Any,
    data: Any = None,
    *,
    links: Any = None,
    names: Mapping[Any, str] | None = None,
    choice: Any = None,
    seconds: float | None = None,
    title: str | None = None,
    source: str | None = None,
    command: str | None = None,
    thumbnail: Callable[[int], Array | None] | None = None,
    n_features: int = 10,
    n_members: int = 5,
    refits: int = 0,
) -> Account:
    """Put all that is to be told of a fit into one plain value.

    Parameters
    ----------
    model : fitted model, labels of the samples, or mapping of type to labels
    data : Dataset, matrix, frame, AnnData, views, RelationalData or row blocks, optional
        What the model was fitted to. Without, only what the model itself knows is told.
    links : Links, tuple or mapping of type to either, optional
        Those of the fit. Without, what the model reports of them is told.
    names : mapping of cluster to name, optional
        Names that people gave to clusters of samples.
    choice : Choice, optional
        What `choose_n_clusters` returned.
    seconds : float, optional
        What the fit took.
    title : str, optional
        Of the report; by default the name of the data.
    source, command : str, optional
        The file or folder that was read, and the command that was typed: for how to reproduce.
    thumbnail : callable of position to image array or None, optional
        Where the samples are pictures: a small one, of shape (h, w) or (h, w, 3), from 0 to 255.
    n_features, n_members : int
        Most features, and most members of each kind, of each cluster.
    refits : int
        How often parts of the samples are fitted anew to see which clusters are stable: each
        costs about as much as the fit.

    Returns
    -------
    Account

    Examples
    --------
    >>> import numpy as np, cocluster
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + 1
    >>> found = cocluster.account(cocluster.CoCluster(2, random_state=0).fit(X), X, title="toy")
    >>> [(cluster.id, cluster.size) for cluster in found.samples]
    [(0, 3), (1, 3)]
    >>> cocluster.report.account.Account.from_dict(found.as_dict()) == found
    True
    """
    found = Material.of(model, data)
    given = names or {}
    told = explanation_of(found, given, n_features, n_members)
    refitted = None
    if refits and data is not None:
        refitted = sureness(model, data, links=links, n_refits=refits)
    about, tables = data_part(found, title), association_part(found)
    clusters = clusters_part(found, told, given, Album(found, thumbnail), refitted)
    linked, chosen = links_part(found, links), choice_part(choice)
    return Account(
        format=FORMAT,
        title=title or about.name,
        data=about,
        run=run_part(found, seconds),
        sure=sure_part(found, refitted, refits),
        clusters=with_groups(clusters, tables),
        associations=tables,
        pictures=pictures_part(found),
        links=linked,
        classes=classes_part(found),
        choice=chosen,
        alerts=alerts_part(found, clusters, linked, chosen),
        reproduce=reproduce_part(found, source, command),
        citation=citation_part(found),
    )
