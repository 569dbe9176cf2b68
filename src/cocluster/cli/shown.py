"""Parts of an account as text for a terminal: shown, not computed."""

from __future__ import annotations

from typing import Any

from cocluster.cli.terminal import bold, cut, printable, table, width
from cocluster.report.page.words import trait_words

# Features that the overview shows of each cluster.
FEATURES = 6
# Letters of a text or name in a list.
SNIPPET = 160


def overview(account: Any) -> str:
    """A line for each cluster of samples: number, size, how sure, name, top features."""
    rows = []
    for cluster in account.samples:
        features = [f.name for view in cluster.views for f in view.features][:FEATURES]
        rows.append(
            [cluster.id, cluster.size, _percent(cluster), cluster.name, ", ".join(features)]
        )
    return table(["cluster", "size", "sure", "name", "top features"], rows)


def _percent(cluster: Any) -> str:
    """How sure a cluster is, where that is known."""
    return "" if cluster.certainty is None else f"{cluster.certainty:.0%}"


def details(account: Any, cluster: Any) -> str:
    """All that is told of one cluster."""
    size = f"{cluster.size:,} of {sum(c.size for c in account.samples):,} samples"
    sure = f", {cluster.certainty:.0%} sure" if cluster.certainty is not None else ""
    lines = [bold(printable(f"{cluster.id}: {cluster.name}")) + f" ({size}{sure})"]
    for view in cluster.views:
        names = ", ".join(feature.name for feature in view.features) or "nothing in particular"
        # Of several views it is said how much of what is known of the cluster each one tells.
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
    """A sample in a list."""
    second = account.name_of(account.data.center, member.second)
    parts = [
        member.name,
        "" if member.probability is None else f"{member.probability:.0%} sure",
        f"else “{second}”" if second else "",
        " ".join(part for part in (member.title, member.snippet) if part),
    ]
    line = printable(" · ".join(part for part in parts if part))
    return cut(line, min(width() - 4, SNIPPET))


def alerts(account: Any) -> list[str]:
    """What was odd, a line each."""
    return [
        f"{alert.level}: {printable(alert.text)}"
        + (f" ({printable(', '.join(alert.examples))})" if alert.examples else "")
        for alert in account.alerts
    ]
