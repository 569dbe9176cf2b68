"""An account in a notebook: a short table, without a script."""

from __future__ import annotations

from cocluster.report.page.first import lead
from cocluster.report.page.words import percent, swatch
from cocluster.report.values import AccountContents, Cluster
from cocluster.utils.html import Html, markup, small_table, tag

# Features of a cluster that a line has room for.
FEATURES = 6
# A swatch has its shape from the style of the page, which a notebook lacks.
SHAPE = "display:inline-block;width:.75em;height:.75em;border-radius:3px;margin-right:.5em;"


def as_notebook(account: AccountContents) -> Html:
    """Names, sizes, how sure, and the first features."""
    rows = [
        [
            markup(_swatch(own), own.name),
            f"{own.size:,}",
            percent(own.certainty),
            ", ".join(f.name for f in own.views[0].features[:FEATURES]) if own.views else "",
        ]
        for own in account.samples
    ]
    table = small_table(account.title, ["cluster", account.data.center, "sure", "features"], rows)
    alerts = [tag("li", alert.text) for alert in account.alerts]
    return markup(tag("p", lead(account)), table, tag("ul", alerts) if alerts else None)


def _swatch(own: Cluster) -> Html:
    """A spot in the colour of the cluster."""
    return Html(swatch(own.id).replace('style="', f'style="{SHAPE}'))
