"""An account as tables of plain values: for frames, CSV, and the tables beside the pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from cocluster.report.values import AccountContents, Association
from cocluster.utils.checks import check_choice
from cocluster.utils.optional import library

Row = dict[str, Any]


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, numbers of numpy as those of Python; all else as it is.

    What is no number (NaN, infinity) becomes None: JSON has no word for it.

    >>> plain({"a": np.arange(2), "b": (np.float64(0.5), "x", np.inf)})
    {'a': [0, 1], 'b': [0.5, 'x', None]}
    """
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def check_table(name: str, tables: Iterable[str]) -> str:
    """The name of a table that there is."""
    found: str = check_choice(name, "table", tuple(tables))
    return found


def as_frame(rows: list[Row]) -> Any:
    """Rows as a pandas frame."""
    return library("pandas", "frames", "frames").DataFrame(rows)


def clusters(account: AccountContents) -> Iterator[Row]:
    """Every cluster of every type."""
    for name, found in account.clusters.items():
        for own in found:
            yield {
                "type": name,
                "cluster": own.id,
                "name": own.name,
                "size": own.size,
                "share": own.share,
                "certainty": own.certainty,
                "borderline": own.borderline,
                "margin": own.margin,
                "stability": own.stability,
            }


def views(account: AccountContents) -> Iterator[Row]:
    """What each view tells of each cluster."""
    for name, found in account.clusters.items():
        for own in found:
            for view in own.views:
                yield {
                    "type": name,
                    "cluster": own.id,
                    "name": own.name,
                    "view": view.name,
                    "statistic": view.statistic,
                    "share": view.share,
                }


def features(account: AccountContents) -> Iterator[Row]:
    """The top features of each cluster in each view."""
    for name, found in account.clusters.items():
        for own in found:
            for view in own.views:
                for rank, feature in enumerate(view.features, start=1):
                    yield {
                        "type": name,
                        "cluster": own.id,
                        "name": own.name,
                        "view": view.name,
                        "rank": rank,
                        "feature": feature.name,
                        "score": feature.score,
                        "share": feature.share,
                        "lift": feature.lift,
                        "exclusivity": feature.exclusivity,
                    }


def members(account: AccountContents) -> Iterator[Row]:
    """Typical and borderline members of each cluster."""
    for name, found in account.clusters.items():
        for own in found:
            kinds = {"typical": own.representative, "borderline": own.borderline_members}
            for kind, shown in kinds.items():
                for member in shown:
                    yield {
                        "type": name,
                        "cluster": own.id,
                        "name": own.name,
                        "kind": kind,
                        "member": member.name,
                        "position": member.position,
                        "title": member.title,
                        "margin": member.margin,
                        "probability": member.probability,
                        "second": member.second,
                        "class": member.class_name,
                    }


def traits(account: AccountContents) -> Iterator[Row]:
    """What sets the metadata of each cluster of samples apart."""
    for own in account.samples:
        for trait in own.traits:
            yield {
                "cluster": own.id,
                "name": own.name,
                "column": trait.column,
                "value": trait.value,
                "share": trait.share,
                "lift": trait.lift,
                "median": trait.median,
                "median of all": trait.overall,
            }


def associations(account: AccountContents) -> Iterator[Row]:
    """Every block of every relation."""
    for table in account.associations:
        yield from association(account, table)


def association(account: AccountContents, table: Association) -> Iterator[Row]:
    """Every block of one relation."""
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


def classes(account: AccountContents) -> Iterator[Row]:
    """Samples of each known class in each cluster."""
    found = account.classes
    if found is None:
        return
    for name, counts in zip(found.names, found.table, strict=True):
        for cluster, count in zip(found.cluster_ids, counts, strict=True):
            yield {
                "class": name,
                "cluster": cluster,
                "name": account.name_of(account.data.center, cluster),
                "count": count,
            }


def links(account: AccountContents) -> Iterator[Row]:
    """The links on each type."""
    for own in account.links:
        yield {
            "type": own.type,
            "stated": own.stated,
            "must": own.must,
            "cannot": own.cannot,
            "implied": own.implied,
            "satisfied": own.satisfied,
            "violated": own.violated,
        }


def broken(account: AccountContents) -> Iterator[Row]:
    """Links that are not kept."""
    for own in account.links:
        for link in own.broken:
            yield {
                "type": own.type,
                "kind": "must" if link.must else "cannot",
                "first": link.first,
                "second": link.second,
                "first cluster": link.first_cluster,
                "second cluster": link.second_cluster,
            }


def choice(account: AccountContents) -> Iterator[Row]:
    """The numbers of clusters that were tried."""
    for side in account.choice.sides if account.choice else ():
        for line in side.table:
            yield {
                "type": side.type,
                "k": line.k,
                "share": line.share,
                "stability": line.stability,
                "chance": line.chance,
                "icl": line.icl,
                "recommended": line.k == side.stable,
            }


def merges(account: AccountContents) -> Iterator[Row]:
    """How the finest clusters come together, merge by merge."""
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


def alerts(account: AccountContents) -> Iterator[Row]:
    """What is odd."""
    for alert in account.alerts:
        yield {
            "level": alert.level,
            "kind": alert.kind,
            "text": alert.text,
            "examples": ", ".join(alert.examples),
        }


def certainty(account: AccountContents) -> Iterator[Row]:
    """How many samples are how sure."""
    sure = account.sure
    for (low, high), count in zip(pairwise(sure.edges), sure.counts, strict=False):
        yield {"from": low, "to": high, "samples": count}


def history(account: AccountContents) -> Iterator[Row]:
    """The objective after each sweep."""
    for sweep, value in enumerate(account.run.history, start=1):
        yield {"sweep": sweep, "objective": value}


# By the name that `Account.to_frame` takes.
TABLES: dict[str, Callable[[AccountContents], Iterator[Row]]] = {
    "clusters": clusters,
    "features": features,
    "members": members,
    "traits": traits,
    "views": views,
    "associations": associations,
    "classes": classes,
    "links": links,
    "broken": broken,
    "choice": choice,
    "merges": merges,
    "alerts": alerts,
    "certainty": certainty,
    "history": history,
}


def rows_of(account: AccountContents, part: str) -> list[Row]:
    """One of the tables, a dict for each row."""
    return list(TABLES[check_table(part, TABLES)](account))


def as_csv(rows: list[Row]) -> str:
    """Rows as CSV with a line of names; empty without rows.

    >>> as_csv([{"a": 1, "b": None}, {"a": "x, y", "b": 2.5}])
    'a,b\\r\\n1,\\r\\n"x, y",2.5\\r\\n'
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [])
    if rows:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
