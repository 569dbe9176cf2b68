"""Account of a run as text for a terminal: the overview table, details of a cluster, alerts."""

from __future__ import annotations

from typing import Any

from cocluster.cli.terminal import bold, cut, printable, table, width
from cocluster.report.formatting import trait_words

# Number of features per cluster in the overview.
FEATURES = 6
# Longest line of a sample in a list, in characters.
SNIPPET = 160


def overview(account: Any) -> str:
    """Return a table of the clusters: number, size, certainty, name and top features."""
    rows = []
    for cluster in account.samples:
        features = [f.name for view in cluster.views for f in view.features][:FEATURES]
        rows.append(
            [cluster.id, cluster.size, _percent(cluster), cluster.name, ", ".join(features)]
        )
    return table(["cluster", "size", "sure", "name", "top features"], rows)


def _percent(cluster: Any) -> str:
    """Format the certainty of a cluster; empty if unknown."""
    return "" if cluster.certainty is None else f"{cluster.certainty:.0%}"


def details(account: Any, cluster: Any) -> str:
    """Return the description of a cluster: features, groups, metadata and typical samples."""
    size = f"{cluster.size:,} of {sum(c.size for c in account.samples):,} samples"
    sure = f", {cluster.certainty:.0%} sure" if cluster.certainty is not None else ""
    lines = [bold(printable(f"{cluster.id}: {cluster.name}")) + f" ({size}{sure})"]
    for view in cluster.views:
        names = ", ".join(feature.name for feature in view.features) or "nothing in particular"
        # With several views, show the share of the information that each one contributes.
        tells = f" (tell {view.share:.0%})" if len(cluster.views) > 1 else ""
        lines.append(f"  {printable(view.name)}{tells}: {printable(names)}")
    goes = [f"{g.size:,} {g.type} “{g.name}”" for g in cluster.groups[:3]]
    if goes:
        lines.append(f"  goes with: {printable(', '.join(goes))}")
    traits = ["{} ({})".format(*trait_words(trait)) for trait in cluster.traits]
    if traits:
        lines.append(f"  metadata: {printable('; '.join(traits))}")
    for title, members in (
        ("typical", cluster.representative),
        ("least sure", cluster.borderline_members),
    ):
        if members:
            lines.append(f"  {title}:")
            lines += [f"    {_member(account, member)}" for member in members]
    return "\n".join(lines)


def _member(account: Any, member: Any) -> str:
    """Return the line of a sample in a list."""
    second = account.name_of(account.data.center, member.second)
    fields = [
        member.name,
        "" if member.probability is None else f"{member.probability:.0%} sure",
        f"else “{second}”" if second else "",
        " ".join(field for field in (member.title, member.snippet) if field),
    ]
    line = printable(" · ".join(field for field in fields if field))
    return cut(line, min(width() - 4, SNIPPET))


def alerts(account: Any) -> list[str]:
    """Return the alerts of an account, one line each."""
    return [
        f"{alert.level}: {printable(alert.text)}"
        + (f" ({printable(', '.join(alert.examples))})" if alert.examples else "")
        for alert in account.alerts
    ]
