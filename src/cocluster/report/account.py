"""The account of a fit: one plain value between a model and everything that shows it.

    model + data + links + names   --account(...)-->   Account   -->   page, notebook, tables, JSON

An `Account` knows no HTML, no terminal and no server. Surfaces show it and compute nothing: a new
section is a function in `cocluster.report.compute` and a template in ``report/templates``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from cocluster.linalg.types import Array
from cocluster.report.compute.alerts import find_alerts
from cocluster.report.compute.associations import compute_associations
from cocluster.report.compute.clusters import add_groups, describe_clusters, summarise_certainty
from cocluster.report.compute.data import compare_with_classes, describe_data, summarise_links
from cocluster.report.compute.pictures import draw_pictures
from cocluster.report.compute.run import (
    cite_method,
    describe_choice,
    describe_reproduction,
    describe_run,
)
from cocluster.report.evidence import sample_certainty
from cocluster.report.formatting import cluster_lines
from cocluster.report.markdown import as_markdown
from cocluster.report.page import notebook_table, page
from cocluster.report.report_input import ReportInput
from cocluster.report.sureness import sureness
from cocluster.report.tables import Row, as_frame, plain, table_rows
from cocluster.report.values import FORMAT, AccountContents


class Account(AccountContents, frozen=True):
    """Everything the report and the pages show of a fit; `account` makes it.

    What it holds is in `AccountContents`. Print it for an overview; notebooks show it as a table.

    Parameters are its parts, and `account` fills them in: see ``Account.schema()``.

    Examples
    --------
    >>> import numpy as np, cocluster
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + 1
    >>> account = cocluster.account(cocluster.CoCluster(2, random_state=0).fit(X), X, title="toy")
    >>> account.title, [cluster.size for cluster in account.samples]
    ('toy', [3, 3])
    >>> Account.from_dict(account.as_dict()) == account
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
        """Return one part as a table, a dict for each row.

        Parameters
        ----------
        part : {"clusters", "features", "members", "traits", "views", "associations", "classes", \
"links", "broken", "choice", "merges", "alerts", "certainty", "history"}
        """
        return table_rows(self, part)

    def to_frame(self, part: str = "clusters") -> Any:
        """Return one part (see `rows`) as a pandas frame."""
        return as_frame(self.rows(part))

    def to_markdown(self) -> str:
        """Return a summary of the account as Markdown."""
        return as_markdown(self)

    def to_html(self) -> str:
        """Return the report: one HTML page that needs nothing else; see `cocluster.report.page`."""
        return page(self)

    def __str__(self) -> str:
        return cluster_lines(self.samples)

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
    """Return the account of a fit: everything that the report and the pages show.

    Parameters
    ----------
    model : fitted model, labels of the samples, or mapping of type to labels
    data : Dataset, matrix, frame, AnnData, views, RelationalData or row blocks, optional
        The data that the model was fitted to. Without them, the account has the labels and the
        course of the run only.
    links : Links, tuple or mapping of type to either, optional
        The links of the fit; by default those that the model reports on.
    names : mapping of cluster to name, optional
        Names that people gave to clusters of samples.
    choice : Choice, optional
        The result of `choose_n_clusters`.
    seconds : float, optional
        Duration of the fit.
    title : str, optional
        Title of the report; by default the name of the data.
    source, command : str, optional
        The file or folder that was read, and the command that was typed, to reproduce the fit.
    options : mapping, optional
        How the source was read, as arguments of `cocluster.io.read`.
    thumbnail : callable of position to image array, address or None, optional
        A small image of a sample, of shape (h, w) or (h, w, 3), from 0 to 255, or its ``data:``
        address, such as `cocluster.report.images.thumbnails` gives.
    n_features, n_members : int
        Most features, and most members of each kind, of each cluster.
    refits : int
        Number of refits of parts of the samples, which show how stable the clusters are. Each
        takes about as long as the fit.

    Returns
    -------
    Account

    Examples
    --------
    >>> import numpy as np, cocluster
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + 1
    >>> account = cocluster.account(cocluster.CoCluster(2, random_state=0).fit(X), X, title="toy")
    >>> [(cluster.id, cluster.size) for cluster in account.samples]
    [(0, 3), (1, 3)]
    >>> cocluster.report.account.Account.from_dict(account.as_dict()) == account
    True
    """
    report_input = ReportInput.of(model, data)
    refitted = None
    if refits and data is not None:
        refitted = sureness(model, data, links=links, n_refits=refits)
    certainty = sample_certainty(report_input)
    clusters = describe_clusters(
        report_input, names or {}, n_features, n_members, thumbnail, certainty, refitted
    )
    described = describe_data(report_input, title)
    run = describe_run(report_input, seconds)
    number = describe_choice(choice, run.n_clusters)
    associations = compute_associations(report_input)
    link_summaries = summarise_links(report_input, links)
    return Account(
        format=FORMAT,
        title=title or described.name,
        data=described,
        run=run,
        sure=summarise_certainty(report_input, certainty, refitted, refits),
        clusters=add_groups(clusters, associations),
        associations=associations,
        pictures=draw_pictures(report_input),
        links=link_summaries,
        classes=compare_with_classes(report_input),
        choice=number,
        alerts=find_alerts(report_input, clusters, link_summaries, number),
        reproduce=describe_reproduction(report_input, source, options or {}, command),
        citation=cite_method(report_input),
    )
