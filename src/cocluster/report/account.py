"""The account of a fit: one plain value between a model and everything that shows it.

    model + data + links + names   --account(...)-->   Account   -->   page, notebook, tables, JSON

An `Account` knows no HTML, no terminal and no server. Whatever shows it computes nothing; a new
section is one function here in `cocluster.report.compute` that computes it, and one that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from cocluster.linalg.types import Array
from cocluster.report.compute.alerts import alerts_part
from cocluster.report.compute.associations import association_part
from cocluster.report.compute.classes import classes_part
from cocluster.report.compute.clusters import (
    clusters_part,
    explanation_of,
    sure_part,
    with_groups,
)
from cocluster.report.compute.data import data_part
from cocluster.report.compute.links import links_part
from cocluster.report.compute.material import Material
from cocluster.report.compute.members import Album
from cocluster.report.compute.method import citation_part, reproduce_part
from cocluster.report.compute.n_clusters import choice_part
from cocluster.report.compute.pictures import pictures_part
from cocluster.report.compute.run import run_part
from cocluster.report.markdown import as_markdown
from cocluster.report.page import notebook_table, page
from cocluster.report.sureness import sureness
from cocluster.report.tables import Row, as_frame, plain, rows_of
from cocluster.report.values import FORMAT, AccountContents


class Account(AccountContents, frozen=True):
    """Everything the report and the pages show of a fit; `account` makes it.

    What it holds is in `AccountContents`. Print it for an overview; notebooks show it as a table.

    Parameters are its parts, and `account` fills them in: see ``Account.schema()``.

    Examples
    --------
    >>> import numpy as np, cocluster
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + 1
    >>> told = cocluster.account(cocluster.CoCluster(2, random_state=0).fit(X), X, title="toy")
    >>> told.title, [cluster.size for cluster in told.samples]
    ('toy', [3, 3])
    >>> Account.from_dict(told.as_dict()) == told
    True
    """

    def as_dict(self) -> dict[str, Any]:
        """Return the account as dicts, lists, texts and numbers; `from_dict` is the inverse."""
        values: dict[str, Any] = plain(msgspec.to_builtins(self, str_keys=True, enc_hook=plain))
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Account:
        """Return the account that `as_dict` wrote, also after JSON; raise if a type is wrong."""
        if values.get("format") != FORMAT:
            raise ValueError(
                f"An account of format {values.get('format')} cannot be read by this version, "
                f"which knows format {FORMAT}; install the version that wrote it, or make the "
                "account again."
            )
        try:
            return msgspec.convert(values, cls)
        except msgspec.ValidationError as error:
            reason = str(error).replace("`", "'")
            raise ValueError(f"The account cannot be read: {reason}.") from error

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON schema of `as_dict`, which is also ``report/account.schema.json``."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            # Defaults that are tuples become lists, as in a file.
            **plain(msgspec.json.schema(cls)),
            "title": "Account of a co-clustering",
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the account as JSON; its schema is ``report/account.schema.json``."""
        # msgspec refuses lone surrogates, which names of files may hold; json writes them.
        return json.dumps(self.as_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def rows(self, part: str) -> list[Row]:
        """One part as a table, a dict for each row.

        Parameters
        ----------
        part : {"clusters", "features", "members", "traits", "views", "associations", "classes", \
"links", "broken", "choice", "merges", "alerts", "certainty", "history"}
        """
        return rows_of(self, part)

    def to_frame(self, part: str = "clusters") -> Any:
        """One part (see `rows`) as a pandas frame."""
        return as_frame(self.rows(part))

    def to_markdown(self) -> str:
        """The account in short, as Markdown."""
        return as_markdown(self)

    def to_html(self) -> str:
        """The report: one HTML page that needs nothing else; see `cocluster.report.page`."""
        return page(self)

    def __str__(self) -> str:
        lines = [
            f"{own.id} {own.name} ({own.size:,}): "
            + ", ".join(f.name for view in own.views[:1] for f in view.features)
            for own in self.samples
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{kind.name}: {kind.size}" for kind in self.data.types)
        return f"Account({self.title}; {sizes}; {len(self.samples)} clusters)"

    def _repr_html_(self) -> str:
        return notebook_table(self)


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
    options: Mapping[str, Any] | None = None,
    command: str | None = None,
    thumbnail: Callable[[int], Array | str | None] | None = None,
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
    options : mapping, optional
        How the source was read, as arguments of `cocluster.io.read`.
    thumbnail : callable of position to image array, address or None, optional
        Where the samples are pictures: a small one, of shape (h, w) or (h, w, 3), from 0 to 255, or
        as a ``data:`` address, such as `cocluster.report.images.thumbnails` gives.
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
    linked = links_part(found, links)
    chosen = choice_part(choice, {name: len(own) for name, own in found.clusters.items()})
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
        reproduce=reproduce_part(found, source, options or {}, command),
        citation=citation_part(found),
    )
