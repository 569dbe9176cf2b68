"""Tables whose cells are coloured: associations of clusters, and known classes."""

from __future__ import annotations

from collections.abc import Sequence

from cocluster.report.colours import Colour, as_hex, ink_on, signed_colour
from cocluster.report.page.words import (
    figure_of,
    offers,
    percent,
    scrolling,
    section,
    short,
    swatch,
    times_of,
)
from cocluster.report.tables import association, rows_of
from cocluster.report.values import AccountContents, Association, Id
from cocluster.utils.html import Html, tag

# log2 of a lift, or standard deviations, at which a cell has its full colour: eight times as much
# as expected is much.
FULL = 3.0
# Colour of a class that is in one cluster only.
MANY: Colour = (66, 146, 198)


def associations(account: AccountContents) -> Html | None:
    """Which clusters go with which groups."""
    if not account.associations:
        return None
    about = (
        "How much of the data lies in each block, compared with what the sizes of its row and "
        "column lead one to expect. Framed blocks carry most of what the clusters know of each "
        "other."
    )
    figures = []
    for table in account.associations:
        name = f"{table.rows} by {table.columns}"
        figures.append(
            tag(
                "figure",
                tag("h3", name),
                scrolling(_heat(account, table), f"Association of {name}"),
                offers(
                    list(association(account, table)),
                    "associations",
                    f"association-{table.rows}-{table.columns}",
                ),
            )
        )
    return section("association", "What goes with what", tag("p", about), figures)


def _heat(account: AccountContents, table: Association) -> Html:
    """One relation as a table of coloured cells."""
    marked, rows = set(table.marked), []
    for i, row in enumerate(table.row_ids):
        cells = []
        for j in range(len(table.column_ids)):
            lift = None if table.lift is None else table.lift[i][j]
            text = times_of(lift) if lift is not None else f"{table.effect[i][j]:+.1f}"
            total = figure_of(table.sums[i][j])
            cells.append(
                _cell(
                    text,
                    signed_colour(table.effect[i][j] / FULL),
                    title=f"sum {total}",
                    class_="marked" if (i, j) in marked else None,
                )
            )
        rows.append(tag("tr", _side(account, table.rows, row), cells))
    head = [_top(account, table.columns, column) for column in table.column_ids]
    unit = "lift" if table.lift is not None else "standard deviations from the mean"
    return tag(
        "table",
        tag("caption", f"{table.rows} in rows, {table.columns} in columns; {unit}"),
        tag("thead", tag("tr", tag("td", class_="corner"), head)),
        tag("tbody", rows),
        class_="heat",
    )


def classes(account: AccountContents) -> Html | None:
    """Known classes beside the clusters."""
    found = account.classes
    if found is None:
        return None
    totals = [max(sum(row), 1) for row in found.table]
    rows = [
        tag(
            "tr",
            tag("th", short(name, 28), scope="row"),
            [_count(count, count / total) for count in counts],
        )
        for name, counts, total in zip(found.names, found.table, totals, strict=True)
    ]
    head = [_top(account, account.data.center, cluster) for cluster in found.cluster_ids]
    table = tag(
        "table",
        tag("caption", "Samples of each class (rows) in each cluster (columns)"),
        tag("thead", tag("tr", tag("td", class_="corner"), head)),
        tag("tbody", rows),
        class_="heat",
    )
    told = [
        ("accuracy", percent(found.accuracy)),
        ("NMI", f"{found.nmi:.3f}"),
        ("ARI", f"{found.ari:.3f}"),
        ("purity", percent(found.purity)),
    ]
    return section(
        "classes",
        "Beside the known classes",
        tag(
            "p",
            f"The class of {found.known:,} {account.data.center} is known. It is shown here and "
            "was not used to find the clusters. NMI is divided by the larger entropy.",
        ),
        tag("dl", [tag("div", tag("dt", k), tag("dd", v)) for k, v in told], class_="scores"),
        tag("figure", scrolling(table, "Classes and clusters")),
        offers(rows_of(account, "classes"), "classes"),
    )


def _side(account: AccountContents, kind: str, cluster: Id) -> Html:
    """Name of a row."""
    return tag("th", swatch(cluster), short(account.name_of(kind, cluster), 32), scope="row")


def _top(account: AccountContents, kind: str, cluster: Id) -> Html:
    """Name of a column, which stands upright."""
    name = short(account.name_of(kind, cluster), 24)
    return tag("th", tag("span", swatch(cluster), name), scope="col", class_="upright")


def _count(count: int, share: float) -> Html:
    """Samples of a class in a cluster, darker the larger their share of the class."""
    mixed = tuple(round(255 + share * (part - 255)) for part in MANY)
    return _cell(f"{count:,}" if count else "", _as_colour(mixed))


def _as_colour(parts: Sequence[int]) -> Colour:
    """Three numbers as a colour."""
    red, green, blue = parts
    return red, green, blue


def _cell(text: str, colour: Colour, **attributes: str | None) -> Html:
    """A cell with its colour, and ink that can be read on it."""
    style = f"background:{as_hex(colour)};color:{ink_on(colour)}"
    return tag("td", text, style=style, **attributes)
