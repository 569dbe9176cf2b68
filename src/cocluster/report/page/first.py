"""The first screen: what is in the data, how sure, what is odd, how to get it again."""

from __future__ import annotations

from cocluster.report.colours import as_hex, cluster_colour
from cocluster.report.page.matrix import overview
from cocluster.report.page.words import bar, offers, percent, section, several, swatch
from cocluster.report.tables import rows_of
from cocluster.report.values import AccountContents
from cocluster.utils.html import Html, markup, tag


def lead(account: AccountContents) -> Html:
    """The whole in one sentence."""
    run, sizes = account.run, [f"{t.size:,} {t.name}" for t in account.data.types]
    joined = " and ".join(filter(None, [", ".join(sizes[:-1]), sizes[-1]]))
    found = tag("strong", several(len(account.samples), "cluster"))
    took = f" in {run.seconds:,.1f} s" if run.seconds is not None else ""
    return markup(f"{joined} in ", found, f", found by {run.name or run.method}{took}.")


def first_screen(account: AccountContents) -> Html:
    """Names and sizes, the picture, how sure, alerts, how to reproduce."""
    return section(
        "overview",
        "What is in the data",
        tag(
            "div",
            tag("div", _panel("names", _names(account))),
            tag("div", _panel("look", overview(account)), _panel("sure", _sure(account))),
            tag("div", _panel("alerts", _alerts(account)), _panel("again", _again(account))),
            class_="first",
        ),
    )


def _panel(name: str, content: Html) -> Html:
    """A box of its own."""
    return tag("div", content, class_=f"panel {name}")


def _names(account: AccountContents) -> Html:
    """The clusters of the samples: name, size, how sure."""
    largest = max(cluster.share for cluster in account.samples)
    rows = []
    for own in account.samples:
        link = tag("a", own.name, href=f"#cluster-{own.id}", title=own.name, dir="auto")
        size = [
            bar(own.share / largest, as_hex(cluster_colour(own.id))),
            tag("span", f"{own.size:,}", class_="number"),
        ]
        rows.append(
            tag(
                "tr",
                tag("th", swatch(own.id), link, scope="row"),
                tag("td", size, class_="size"),
                tag("td", percent(own.certainty), class_="number"),
            )
        )
    head = [
        tag("th", text, scope="col", class_=class_)
        for text, class_ in (("cluster", None), (account.data.center, None), ("sure", "number"))
    ]
    table = tag(
        "table",
        tag("caption", "Clusters, their sizes and how sure they are", class_="hidden"),
        tag("thead", tag("tr", head)),
        tag("tbody", rows),
    )
    return markup(table, offers(rows_of(account, "clusters"), "clusters"))


def _sure(account: AccountContents) -> Html:
    """How sure the clusters are."""
    sure = account.sure
    lines: list[Html] = []
    if sure.certainty is None:
        lines.append(tag("p", "This method does not say how probable a cluster is."))
    else:
        lines.append(
            tag(
                "p",
                tag("strong", percent(sure.certainty), class_="big"),
                " is the mean probability of the cluster that a sample is in. ",
                tag("strong", f"{sure.borderline:,}"),
                f" of {account.data.types[0].size:,} are borderline.",
            )
        )
        lines.append(_histogram(account))
    if sure.agreement is not None:
        lines.append(
            tag(
                "p",
                tag("strong", percent(sure.agreement)),
                f" stay in their cluster when parts are fitted anew ({sure.refits} refits).",
            )
        )
    if sure.outliers:
        shown = ", ".join(sure.outliers[:5])
        lines.append(tag("p", f"{len(sure.outliers):,} fit no cluster, such as {shown}."))
    return markup(tag("h3", "How sure"), lines)


def _histogram(account: AccountContents) -> Html:
    """Samples by the probability of their cluster."""
    sure = account.sure
    highest = max(*sure.counts, 1)
    bars = [
        tag("span", style=f"height:{100 * count / highest:.1f}%", title=f"{count:,}")
        for count in sure.counts
    ]
    rows = rows_of(account, "certainty")
    told = ", ".join(f"{r['samples']:,} up to {r['to']:.2f}" for r in rows if r["samples"])
    return markup(
        tag("div", bars, class_="bars", role="img", aria_label=f"Samples by probability: {told}"),
        tag("p", tag("span", "0 %"), tag("span", "100 %"), class_="axis", aria_hidden="true"),
        offers(rows, "certainty"),
    )


def _alerts(account: AccountContents) -> Html:
    """What was odd."""
    if not account.alerts:
        return markup(tag("h3", "Alerts"), tag("p", "Nothing odd was found in the data."))
    items = [
        tag(
            "li",
            tag("strong", "Warning: " if alert.level == "warning" else "Note: "),
            alert.text,
            f" ({', '.join(alert.examples)})" if alert.examples else "",
            class_=alert.level,
        )
        for alert in account.alerts
    ]
    return markup(tag("h3", f"Alerts ({len(items)})"), tag("ul", items))


def _again(account: AccountContents) -> Html:
    """How to reproduce."""
    again = account.reproduce
    parts = [tag("h3", "How to get this again")]
    for text, name in ((again.command, "Command"), (again.python, "Python")):
        if text:
            code = tag("pre", tag("code", text), tabindex="0", role="region", aria_label=name)
            parts += [code]
    versions = ", ".join(f"{name} {version}" for name, version in account.run.versions.items())
    return markup(parts, tag("p", versions, class_="small"))
