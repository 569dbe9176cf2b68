"""An account as Markdown: for a README, a pull request, or a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cocluster.report.formatting import lift, number, percent, trait_words
from cocluster.report.values import AccountContents

# Features of a cluster that a line of the table has room for.
FEATURES = 8


def as_markdown(account: AccountContents) -> str:
    """Return a summary: clusters, associations, scores, alerts, how to reproduce."""
    sizes = ", ".join(f"{kind.size:,} {kind.name}" for kind in account.data.types)
    run = account.run
    how = f"{run.name or run.method}, {run.sweeps} sweeps"
    parts = [
        f"# {_text(account.title)}",
        f"{_text(sizes)}; {len(account.samples)} clusters by {_text(how)}.",
        _clusters(account),
        *_traits(account),
        *_sure(account),
        *_classes(account),
        *_links(account),
        *_alerts(account),
        *_again(account),
    ]
    return "\n\n".join(parts) + "\n"


def _clusters(account: AccountContents) -> str:
    """Return the table of the clusters with their top features in every view."""
    views = list(dict.fromkeys(v.name for cluster in account.samples for v in cluster.views))
    rows = []
    for cluster in account.samples:
        by_name = {view.name: view for view in cluster.views}
        features = [
            ", ".join(f.name for f in by_name[view].features[:FEATURES]) if view in by_name else ""
            for view in views
        ]
        rows.append(
            [cluster.id, cluster.name, f"{cluster.size:,}", percent(cluster.certainty), *features]
        )
    return _table(["cluster", "name", account.data.center, "sure", *views], rows)


def _traits(account: AccountContents) -> Iterable[str]:
    """Yield the traits of the clusters in the metadata."""
    lines = []
    for cluster in account.samples:
        parts = ["{} ({})".format(*trait_words(trait)) for trait in cluster.traits]
        if parts:
            lines.append(f"- “{_text(cluster.name)}”: {_text('; '.join(parts))}")
    if lines:
        yield "## Metadata"
        yield "\n".join(lines)


def _sure(account: AccountContents) -> Iterable[str]:
    """Yield the certainty of the samples, and the association of the clusters."""
    certainty = account.sure
    if certainty.certainty is not None:
        mean = percent(certainty.certainty)
        yield f"The mean probability is {mean}; {certainty.borderline:,} samples are borderline."
    if certainty.agreement is not None:
        share = percent(certainty.agreement)
        yield f"{share} of the samples stay in their cluster over {certainty.refits} refits."
    if account.associations:
        yield "## What goes with what"
    for table in account.associations:
        lines = []
        for i, j in table.marked:
            row = account.name_of(table.rows, table.row_ids[i])
            column = account.name_of(table.columns, table.column_ids[j])
            much = None if table.lift is None else lift(table.lift[i][j])
            lines.append(
                f"- {table.rows} “{_text(row)}” with {table.columns} “{_text(column)}”: "
                + (much or f"{table.effect[i][j]:+.1f} sd")
            )
        yield "\n".join(lines)


def _classes(account: AccountContents) -> Iterable[str]:
    """Yield the scores against known classes, and the choice of the number of clusters."""
    classes = account.classes
    if classes is not None:
        yield (
            f"Against {len(classes.names)} known classes, which were not used: accuracy "
            f"{classes.accuracy:.3f}, NMI {classes.nmi:.3f}, ARI {classes.ari:.3f}, purity "
            f"{classes.purity:.3f}."
        )
    if account.choice is not None:
        yield f"Number of clusters: {_text(account.choice.reason)}"


def _links(account: AccountContents) -> Iterable[str]:
    """Yield the numbers of links that are kept and broken."""
    for links in account.links:
        yield (
            f"Links on {links.type}: {links.stated:,} stated, {links.satisfied:,} kept, "
            f"{links.violated:,} broken."
        )


def _alerts(account: AccountContents) -> Iterable[str]:
    """Yield the alerts."""
    if account.alerts:
        yield "## Alerts"
        yield "\n".join(f"- {_text(alert.text)}" for alert in account.alerts)


def _again(account: AccountContents) -> Iterable[str]:
    """Yield the command, the code, the versions and the references."""
    yield "## How to reproduce this result"
    for kind, text in (("sh", account.reproduce.command), ("python", account.reproduce.python)):
        if text:
            yield f"```{kind}\n{text}\n```"
    yield f"Objective {number(account.run.objective, 6)}; " + ", ".join(
        f"{name} {version}" for name, version in account.run.versions.items()
    )
    for reference in account.citation.references:
        yield f"Method: {_text(reference)}"


def _table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [_line(head), "|" + "---|" * len(head), *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    """Return one row of a table."""
    return "| " + " | ".join(_text(str(cell)) for cell in cells) + " |"


def _text(text: str) -> str:
    """Return a text on one line with all markup escaped."""
    line = " ".join(text.split())
    for sign in "\\`*_[]<>|#":
        line = line.replace(sign, "\\" + sign)
    return line
