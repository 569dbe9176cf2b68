"""The tables of an account: rows of plain values for frames, CSV files and the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

import numpy as np
from msgspec.structs import asdict

from cocluster.report.values import AccountContents, Association, Cluster
from cocluster.utils.checks import check_choice
from cocluster.utils.optional import library

Row = dict[str, Any]
ClustersByType = Mapping[str, tuple[Cluster, ...]]


def plain(value: Any) -> Any:
    """Convert arrays and tuples to lists and numpy numbers to Python numbers, at any depth.

    NaN and infinities become None, because JSON has no word for them.

    >>> plain({"a": np.arange(2), "b": (np.float64(0.5), "x", np.inf)})
    {'a': [0, 1], 'b': [0.5, 'x', None]}
    """
    if isinstance(value, Mapping):
        return {key: plain(element) for key, element in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def check_table(name: str, tables: Iterable[str]) -> str:
    """Return the name of a table; raise if there is no such table."""
    checked: str = check_choice(name, "table", tuple(tables))
    return checked


def as_frame(rows: list[Row]) -> Any:
    """Return rows as a pandas frame."""
    return library("pandas", "frames", "frames").DataFrame(rows)


def cluster_rows(clusters: ClustersByType) -> Iterator[Row]:
    """Yield a row for every cluster of every type."""
    for key, cluster in _keyed_clusters(clusters):
        yield {
            **key,
            "size": cluster.size,
            "share": cluster.share,
            "certainty": cluster.certainty,
            "borderline": cluster.borderline,
            "margin": cluster.margin,
            "stability": cluster.stability,
        }


def view_rows(clusters: ClustersByType) -> Iterator[Row]:
    """Yield a row for every view of every cluster."""
    for key, cluster in _keyed_clusters(clusters):
        for view in cluster.views:
            yield {**key, "view": view.name, "statistic": view.statistic, "share": view.share}


def feature_rows(clusters: ClustersByType) -> Iterator[Row]:
    """Yield a row for every top feature of every cluster and view."""
    for key, cluster in _keyed_clusters(clusters):
        for view in cluster.views:
            for rank, feature in enumerate(view.features, start=1):
                yield {
                    **key,
                    "view": view.name,
                    "rank": rank,
                    "feature": feature.name,
                    "score": feature.score,
                    "share": feature.share,
                    "lift": feature.lift,
                    "exclusivity": feature.exclusivity,
                }


def member_rows(clusters: ClustersByType) -> Iterator[Row]:
    """Yield a row for every typical or borderline member of every cluster."""
    for key, cluster in _keyed_clusters(clusters):
        for kind, members in (
            ("typical", cluster.representative),
            ("borderline", cluster.borderline_members),
        ):
            for member in members:
                yield {
                    **key,
                    "kind": kind,
                    "member": member.name,
                    "position": member.position,
                    "title": member.title,
                    "margin": member.margin,
                    "probability": member.probability,
                    "second": member.second,
                    "class": member.class_name,
                }


def _keyed_clusters(clusters: ClustersByType) -> Iterator[tuple[Row, Cluster]]:
    """Yield every cluster with the columns that identify it."""
    for type_name, of_type in clusters.items():
        for cluster in of_type:
            yield {"type": type_name, "cluster": cluster.id, "name": cluster.name}, cluster


def trait_rows(account: AccountContents) -> Iterator[Row]:
    """Yield a row for every trait in the metadata of the clusters of samples."""
    for cluster in account.samples:
        for trait in cluster.traits:
            yield {
                "cluster": cluster.id,
                "name": cluster.name,
                "column": trait.column,
                "value": trait.value,
                "share": trait.share,
                "lift": trait.lift,
                "median": trait.median,
                "median of all": trait.overall,
            }


def block_rows(account: AccountContents, table: Association) -> Iterator[Row]:
    """Yield a row for every block of one association."""
    marked = set(table.marked)
    for i, row in enumerate(table.row_ids):
        for j, column in enumerate(table.column_ids):
            yield {
                "rows": table.rows,
                "columns": table.columns,
                "row cluster": row,
                "row name": account.name_of(table.rows, row),
                "column cluster": column,
                "column name": account.name_of(table.columns, column),
                "sum": table.sums[i][j],
                "mean": table.means[i][j],
                "lift": None if table.lift is None else table.lift[i][j],
                "effect": table.effect[i][j],
                "marked": (i, j) in marked,
            }


def class_rows(account: AccountContents) -> Iterator[Row]:
    """Yield the number of samples of each known class in each cluster."""
    classes = account.classes
    if classes is None:
        return
    for name, counts in zip(classes.names, classes.table, strict=True):
        for cluster, count in zip(classes.cluster_ids, counts, strict=True):
            yield {
                "class": name,
                "cluster": cluster,
                "name": account.name_of(account.data.center, cluster),
                "count": count,
            }


def link_rows(account: AccountContents) -> Iterator[Row]:
    """Yield a row for the links on each type."""
    for summary in account.links:
        row = asdict(summary)
        del row["broken"]
        yield row


def broken_link_rows(account: AccountContents) -> Iterator[Row]:
    """Yield a row for every broken link that is listed."""
    for summary in account.links:
        for link in summary.broken:
            yield {
                "type": summary.type,
                "kind": "must" if link.must else "cannot",
                "first": link.first,
                "second": link.second,
                "first cluster": link.first_cluster,
                "second cluster": link.second_cluster,
            }


def candidate_rows(account: AccountContents) -> Iterator[Row]:
    """Yield a row for every number of clusters that was tried."""
    for side in account.choice.sides if account.choice else ():
        for candidate in side.table:
            row = {"type": side.type, **asdict(candidate)}
            yield {**row, "recommended": candidate.k == side.stable}


def merge_rows(account: AccountContents) -> Iterator[Row]:
    """Yield a row for every merge of every merge tree."""
    for tree in account.choice.trees if account.choice else ():
        n = len(tree.leaves)
        for i, merge in enumerate(tree.merges):
            yield {
                "type": tree.type,
                "clusters left": n - 1 - i,
                "first": merge.left,
                "second": merge.right,
                "becomes": n + i,
                "size": merge.size,
                "information lost": merge.height,
            }


def alert_rows(account: AccountContents) -> Iterator[Row]:
    """Yield a row for every alert."""
    for alert in account.alerts:
        yield {
            "level": alert.level,
            "kind": alert.kind,
            "text": alert.text,
            "examples": ", ".join(alert.examples),
        }


def certainty_rows(account: AccountContents) -> Iterator[Row]:
    """Yield the histogram of the samples by the probability of their cluster."""
    bins = pairwise(account.sure.edges)
    for (low, high), count in zip(bins, account.sure.counts, strict=False):
        yield {"from": low, "to": high, "samples": count}


def history_rows(account: AccountContents) -> Iterator[Row]:
    """Yield the objective after each sweep."""
    for sweep, value in enumerate(account.run.history, start=1):
        yield {"sweep": sweep, "objective": value}


# Tables of the clusters, which `Explanation` has as well.
CLUSTER_TABLES: dict[str, Callable[[ClustersByType], Iterator[Row]]] = {
    "clusters": cluster_rows,
    "views": view_rows,
    "features": feature_rows,
    "members": member_rows,
}
# All tables, by the name that `Account.to_frame` takes.
TABLES: dict[str, Callable[[AccountContents], Iterator[Row]]] = {
    "clusters": lambda account: cluster_rows(account.clusters),
    "features": lambda account: feature_rows(account.clusters),
    "members": lambda account: member_rows(account.clusters),
    "traits": trait_rows,
    "views": lambda account: view_rows(account.clusters),
    "associations": lambda account: chain.from_iterable(
        block_rows(account, table) for table in account.associations
    ),
    "classes": class_rows,
    "links": link_rows,
    "broken": broken_link_rows,
    "choice": candidate_rows,
    "merges": merge_rows,
    "alerts": alert_rows,
    "certainty": certainty_rows,
    "history": history_rows,
}


def table_rows(account: AccountContents, part: str) -> list[Row]:
    """Return one of the tables, a dict for each row."""
    return list(TABLES[check_table(part, TABLES)](account))


def as_csv(rows: list[Row]) -> str:
    """Return rows as CSV with a line of column names; an empty text without rows.

    >>> as_csv([{"a": 1, "b": None}, {"a": "x, y", "b": 2.5}])
    'a,b\\r\\n1,\\r\\n"x, y",2.5\\r\\n'
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [])
    if rows:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
