"""An account as Markdown: for a README, a pull request, or a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cocluster.report.formatting import lift, number, percent, trait_words
from cocluster.report.values import AccountContents

# Features of a cluster that a line of the table has room for.
FEATURES = 8


def as_markdown(account: AccountContents) -> str:
    """The account in short: clusters, what goes with what, scores, alerts, how to reproduce."""
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
    """The clusters with their top features, view by view."""
    views = list(dict.fromkeys(v.name for own in account.samples for v in own.views))
    rows = []
    for own in account.samples:
        by_name = {view.name: view for view in own.views}
        features = [
            ", ".join(f.name for f in by_name[view].features[:FEATURES]) if view in by_name else ""
            for view in views
        ]
        rows.append([own.id, own.name, f"{own.size:,}", percent(own.certainty), *features])
    return _table(["cluster", "name", account.data.center, "sure", *views], rows)


def _traits(account: AccountContents) -> Iterable[str]:
    """What sets the metadata of clusters apart."""
    lines = []
    for own in account.samples:
        parts = ["{} ({})".format(*trait_words(trait)) for trait in own.traits]
        if parts:
            lines.append(f"- “{_text(own.name)}”: {_text('; '.join(parts))}")
    if lines:
        yield "## Metadata"
        yield "\n".join(lines)


def _sure(account: AccountContents) -> Iterable[str]:
    """How sure, where it is known."""
    sure = account.sure
    if sure.certainty is not None:
        yield f"Mean probability {percent(sure.certainty)}; {sure.borderline:,} borderline."
    if sure.agreement is not None:
        yield f"{percent(sure.agreement)} stay in their cluster over {sure.refits} refits."
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
    """Scores against known classes."""
    found = account.classes
    if found is not None:
        yield (
            f"Against {len(found.names)} known classes, which were not used: accuracy "
            f"{found.accuracy:.3f}, NMI {found.nmi:.3f}, ARI {found.ari:.3f}, purity "
            f"{found.purity:.3f}."
        )
    if account.choice is not None:
        yield f"Number of clusters: {_text(account.choice.reason)}"


def _links(account: AccountContents) -> Iterable[str]:
    """Links kept and broken."""
    for own in account.links:
        yield (
            f"Links on {own.type}: {own.stated:,} stated, {own.satisfied:,} kept, "
            f"{own.violated:,} broken."
        )


def _alerts(account: AccountContents) -> Iterable[str]:
    """What is odd."""
    if account.alerts:
        yield "## Alerts"
        yield "\n".join(f"- {_text(alert.text)}" for alert in account.alerts)


def _again(account: AccountContents) -> Iterable[str]:
    """How to reproduce, and what to cite."""
    yield "## How to get this again"
    for kind, text in (("sh", account.reproduce.command), ("python", account.reproduce.python)):
        if text:
            yield f"```{kind}\n{text}\n```"
    yield f"Objective {number(account.run.objective, 6)}; " + ", ".join(
        f"{name} {version}" for name, version in account.run.versions.items()
    )
    for reference in account.citation.references:
        yield f"Method: {_text(reference)}"


def _table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table of cells."""
    lines = [_line(head), "|" + "---|" * len(head), *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    """One row of a table."""
    return "| " + " | ".join(_text(str(cell)) for cell in cells) + " |"


def _text(text: str) -> str:
    """Text on one line that means itself: no markup, no end of a cell."""
    line = " ".join(text.split())
    for sign in "\\`*_[]<>|#":
        line = line.replace(sign, "\\" + sign)
    return line
