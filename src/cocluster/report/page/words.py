"""Numbers as people read them, and what all sections share."""

from __future__ import annotations

import base64
from typing import Any

from cocluster.report.colours import as_hex, cluster_colour
from cocluster.report.tables import Row, as_csv
from cocluster.report.values import Id, Trait
from cocluster.utils.html import Html, tag

# Letters after which a name is cut where space is short; the whole is in its title.
LONG = 44


def percent(share: float | None) -> str:
    """A share of one, in percent.

    >>> percent(0.5), percent(0.004), percent(0.9999), percent(None)
    ('50 %', '0.4 %', '> 99.9 %', '–')
    """
    if share is None:
        return "–"
    # Near both ends whole percents would say "all" or "none" of what is not.
    if 0.999 < share < 1:
        return "> 99.9 %"
    digits = 1 if 0 < share < 0.01 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f} %"


def figure_of(value: float | None, digits: int = 3) -> str:
    """A number with few digits.

    >>> figure_of(1234.5), figure_of(0.01234), figure_of(None)
    ('1,234', '0.0123', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def times_of(lift: float | None) -> str:
    """A lift in words.

    >>> times_of(2.345), times_of(0.04)
    ('2.3×', '0.04×')
    """
    if lift is None:
        return "–"
    # One digit after the point, unless that would say nothing or too much.
    digits = 2 if lift < 0.1 else 1 if lift < 100 else 0
    return f"{lift:,.{digits}f}×"


def trait_words(trait: Trait) -> tuple[str, str]:
    """What the metadata of a cluster have more of, and how much more.

    >>> trait_words(Trait("desk", "sport", share=0.5, lift=3.0))
    ('desk: sport', '50 % here, 17 % of all')
    >>> trait_words(Trait("age", "", median=41.0, overall=30.0))
    ('age: 41', 'median; 30 in all')
    """
    if trait.lift is not None:
        everywhere = (trait.share or 0.0) / trait.lift
        often = f"{percent(trait.share)} here, {percent(everywhere)} of all"
        return f"{trait.column}: {trait.value}", often
    return (
        f"{trait.column}: {figure_of(trait.median)}",
        f"median; {figure_of(trait.overall)} in all",
    )


def several(n: int, noun: str) -> str:
    """A number with its noun.

    >>> several(1, "cluster"), several(1200, "cluster")
    ('1 cluster', '1,200 clusters')
    """
    return f"{n:,} {noun}{'s' if n != 1 else ''}"


def cut(text: str, length: int = LONG) -> str:
    """A text that is no longer than this."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def short(text: str, length: int = LONG) -> Html:
    """A name, cut where it is long; the whole is shown on hovering."""
    return tag("span", cut(text, length), title=text if len(text) > length else None, dir="auto")


def swatch(cluster: Id) -> Html:
    """A spot in the colour of a cluster."""
    colour = as_hex(cluster_colour(cluster))
    return tag("span", class_="swatch", style=f"background:{colour}", aria_hidden="true")


def bar(share: float, colour: str | None = None) -> Html:
    """A bar that is this share of its space wide; the number stands beside it."""
    paint = f";background:{colour}" if colour else ""
    width = f"width:{100 * min(max(share, 0.0), 1.0):.1f}%{paint}"
    return tag("span", tag("span", style=width), class_="bar", aria_hidden="true")


def data_table(
    caption: str, head: list[Any], rows: list[list[Any]], class_: str | None = None
) -> Html:
    """A table whose first column names the rows; in a box that scrolls where it is wide."""
    body = [
        tag("tr", tag("th", row[0], scope="row"), [tag("td", cell) for cell in row[1:]])
        for row in rows
    ]
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in head])),
        tag("tbody", body),
        class_=class_,
    )
    return scrolling(table, caption)


def scrolling(content: Html, name: str) -> Html:
    """A box that can be scrolled by keyboard, too."""
    return tag("div", content, class_="scroll", tabindex="0", role="region", aria_label=name)


def offers(rows: list[Row], part: str, file: str | None = None) -> Html:
    """Below a picture: its numbers as CSV, and the Python that gives them."""
    encoded = base64.b64encode(as_csv(rows).encode("utf-8")).decode("ascii")
    name = f"{file or part}.csv"
    return tag(
        "p",
        tag(
            "a",
            name,
            href=f"data:text/csv;charset=utf-8;base64,{encoded}",
            download=name,
            aria_label=f"Download {name}",
        ),
        " · ",
        tag("code", f'account.to_frame("{part}")'),
        class_="offers",
    )


def section(name: str, title: str, *content: Any) -> Html:
    """A section of the page with its heading."""
    heading = tag("h2", title, id=f"{name}-title")
    return tag("section", heading, content, id=name, aria_labelledby=f"{name}-title")
