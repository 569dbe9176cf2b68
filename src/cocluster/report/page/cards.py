"""A card for each co-cluster: what sets it apart, who is typical, who is on its border."""

from __future__ import annotations

from cocluster.report.colours import as_hex, cluster_colour
from cocluster.report.page.words import (
    bar,
    figure_of,
    offers,
    percent,
    section,
    short,
    swatch,
    times_of,
    trait_words,
)
from cocluster.report.tables import rows_of
from cocluster.report.values import AccountContents, Cluster, ClusterView, Member
from cocluster.utils.html import Html, markup, tag


def cards(account: AccountContents) -> Html:
    """All clusters of the samples, then the groups of the other types."""
    search = tag(
        "p",
        tag("label", "Search in clusters: ", for_="search"),
        tag("input", id="search", type="search", autocomplete="off"),
        " ",
        tag("span", id="found", role="status"),
        id="searching",
        hidden=True,
    )
    return section(
        "clusters",
        "Clusters",
        search,
        [_card(account, own) for own in account.samples],
        offers(rows_of(account, "features"), "features"),
        offers(rows_of(account, "members"), "members"),
        offers(rows_of(account, "traits"), "traits")
        if any(own.traits for own in account.samples)
        else None,
        _groups(account),
    )


def _card(account: AccountContents, own: Cluster) -> Html:
    """One cluster."""
    colour = as_hex(cluster_colour(own.id))
    return tag(
        "article",
        tag("h3", swatch(own.id), tag("span", own.name, dir="auto")),
        tag("p", _facts(account, own), class_="facts"),
        _views_share(own),
        _traits(own),
        tag(
            "div",
            tag("div", [_view(own, view) for view in own.views if view.features], class_="views"),
            _members(account, "Typical", own.representative),
            _members(account, "Least sure", own.borderline_members),
            class_="card-body",
        ),
        id=f"cluster-{own.id}",
        class_="card",
        style=f"--own:{colour}",
    )


def _facts(account: AccountContents, own: Cluster) -> Html:
    """Size, how sure, and the groups of features it goes with."""
    facts: list[str] = [
        f"cluster {own.id}",
        f"{own.size:,} {account.data.center} ({percent(own.share)})",
    ]
    if own.certainty is not None:
        facts.append(f"{percent(own.certainty)} sure, {own.borderline:,} on the border")
    if own.stability is not None:
        facts.append(f"{percent(own.stability)} found again in refits")
    if own.given:
        facts.append("named by a person")
    groups = [
        f"{group.type} “{group.name}” "
        + (times_of(group.lift) if group.lift is not None else f"{group.effect:+.1f} sd")
        for group in own.groups
    ]
    if groups:
        facts.append("goes with " + ", ".join(groups))
    return markup(" · ".join(facts))


def _views_share(own: Cluster) -> Html | None:
    """How much each view tells, where there are several."""
    if len(own.views) < 2:
        return None
    shares = [f"{view.name} {percent(view.share)}" for view in own.views]
    return tag("p", "Told by ", ", ".join(shares), class_="small")


def _traits(own: Cluster) -> Html | None:
    """What sets the metadata of the members apart."""
    if not own.traits:
        return None
    items = []
    for trait in own.traits:
        what, much = trait_words(trait)
        items.append(tag("li", tag("b", short(what), dir="auto"), " ", tag("span", much)))
    title = f"Metadata of {own.name}"
    return tag("ul", items, class_="traits", aria_label=title)


def _view(own: Cluster, view: ClusterView) -> Html:
    """The top features of one view, as a table with bars."""
    best = max((f.score or 0.0 for f in view.features), default=0.0) or 1.0
    rows = [
        tag(
            "tr",
            tag("th", short(feature.name, 28), scope="row"),
            tag("td", bar((feature.score or 0.0) / best, "var(--own)"), class_="size"),
            tag("td", percent(feature.share), class_="number"),
            tag("td", times_of(feature.lift), class_="number"),
        )
        for feature in view.features
    ]
    head = [
        tag("th", view.name, scope="col"),
        tag("th", "score", scope="col"),
        tag("th", "share", scope="col", class_="number", title="members that have it"),
        tag("th", "lift", scope="col", class_="number", title="over the share in all data"),
    ]
    # Means of signed data have no share and no lift.
    return tag(
        "table",
        tag("caption", f"Top {view.name} of {own.name}, by {view.statistic}", class_="hidden"),
        tag("thead", tag("tr", head)),
        tag("tbody", rows),
        class_="features",
    )


def _members(account: AccountContents, title: str, members: tuple[Member, ...]) -> Html | None:
    """Some members."""
    if not members:
        return None
    return tag(
        "div",
        tag("h4", title),
        tag("ul", [tag("li", _member(account, member)) for member in members], class_="members"),
    )


def _member(account: AccountContents, member: Member) -> Html:
    """Name, title, the beginning of the text, metadata, how sure."""
    sure = (
        f"{percent(member.probability)} sure"
        if member.probability is not None
        else f"margin {figure_of(member.margin)}"
    )
    second = account.name_of(account.data.center, member.second)
    facts = [sure, *([f"else “{second}”"] if second else [])]
    facts += [f"class {member.class_name}"] if member.class_name else []
    facts += [f"{name}: {value}" for name, value in member.metadata.items()]
    image = None
    if member.picture:
        image = tag("img", src=member.picture, alt=f"picture of {member.name}", loading="lazy")
    return markup(
        image,
        tag("b", member.title or member.name, dir="auto"),
        [" ", tag("span", member.name, class_="small")] if member.title else None,
        tag("p", member.snippet, class_="snippet", dir="auto") if member.snippet else None,
        tag("p", " · ".join(facts), class_="small", dir="auto"),
    )


def _groups(account: AccountContents) -> Html | None:
    """The groups of the other types, each with its clearest members."""
    others = [name for name in account.clusters if name != account.data.center]
    if not others:
        return None
    tables = []
    for name in others:
        rows = [
            tag(
                "tr",
                tag("th", swatch(own.id), short(own.name), scope="row"),
                tag("td", f"{own.size:,}", class_="number"),
                tag("td", ", ".join(m.name for m in own.representative), dir="auto"),
            )
            for own in account.clusters[name]
        ]
        table = tag(
            "table",
            tag("caption", f"Groups of {name}"),
            tag(
                "thead",
                tag(
                    "tr",
                    tag("th", "group", scope="col"),
                    tag("th", "size", scope="col", class_="number"),
                    tag("th", "clearest members", scope="col"),
                ),
            ),
            tag("tbody", rows),
        )
        tables.append(tag("div", table, class_="panel"))
    return tag("div", tag("h3", "Groups of features"), tables, id="groups")
