"""The data as a picture: rows and columns sorted by cluster.

The picture is an image of one pixel for each cell, in an SVG that is stretched to its space; lines
and strips of colour lie over and beside it. A script zooms by changing what part is shown, so that
the page without the script has the same picture. What the script needs to know is in the image
itself (its colours are numbers), and in one block of JSON with the names.
"""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np

from cocluster.report.colours import as_hex, cluster_colour, signed_colour
from cocluster.report.compute.pictures import STEPS
from cocluster.report.images import data_address
from cocluster.report.page.words import cut, offers, section
from cocluster.report.tables import association
from cocluster.report.values import AccountContents, Id, Picture
from cocluster.utils.html import Html, markup, tag

# Colour of every step, from -STEPS to STEPS.
PALETTE = [signed_colour(step / STEPS) for step in range(-STEPS, STEPS + 1)]

# Clusters with less of a side than this have no room for their name; the script knows it, too.
ROOM = 0.018


def overview(account: AccountContents) -> Html:
    """The first view, small: on the first screen."""
    if not account.pictures:
        return tag("p", "No picture: the account was made without data.")
    picture = account.pictures[0]
    return tag(
        "figure",
        _frame(account, 0, picture, small=True),
        tag(
            "figcaption",
            f"{picture.n_rows:,} {picture.rows} by {picture.n_columns:,} {picture.columns}, sorted "
            "by cluster. ",
            _legend(picture),
            " ",
            tag("a", "Look closer", href="#matrix"),
        ),
    )


def matrices(account: AccountContents) -> Html | None:
    """All views, large, to be zoomed into."""
    if not account.pictures:
        return None
    figures = [
        _zoomable(account, number, picture) for number, picture in enumerate(account.pictures)
    ]
    about = (
        "Each cell sums up some rows and columns. Red cells have more than the sizes of their row "
        "and column lead one to expect, blue cells less."
    )
    names = [
        {"rows": p.row_names, "columns": p.column_names, "unit": p.unit, "kind": p.kind}
        for p in account.pictures
    ]
    # No "<" inside: it might end the script.
    config = json.dumps({"steps": STEPS, "palette": PALETTE, "pictures": names})
    data = tag("script", Html(config.replace("<", "\\u003c")), type="application/json", id="cells")
    return section("matrix", "The data, sorted", tag("p", about), figures, data)


def _zoomable(account: AccountContents, number: int, picture: Picture) -> Html:
    """One view with its buttons, names and numbers."""
    name = f"{picture.rows} by {picture.columns}"
    buttons = [
        tag("button", text, type="button", data_zoom=action, aria_label=f"{label}: {name}")
        for text, action, label in (
            ("+", "in", "Zoom in"),
            ("−", "out", "Zoom out"),
            ("all", "all", "Show all"),
            ("cells.csv", "csv", "Download the cells"),
        )
    ]
    table = next(
        (t for t in account.associations if (t.rows, t.columns) == (picture.rows, picture.columns)),
        None,
    )
    hint = "Drag to zoom, double click for a block; keys: arrows, + − 0."
    return tag(
        "figure",
        tag("h3", name),
        tag("div", buttons, tag("span", hint, class_="small"), class_="tools", hidden=True),
        _frame(account, number, picture, small=False),
        tag("p", "Point at a cell to see what it holds.", class_="told", hidden=True),
        tag("figcaption", _legend(picture)),
        None
        if table is None
        else offers(list(association(account, table)), "associations", f"blocks-{picture.view}"),
        class_="zoom",
        data_picture=number,
    )


def _frame(account: AccountContents, number: int, picture: Picture, small: bool) -> Html:
    """The image with strips of colour and names at its sides."""
    n, m = picture.row_cuts[-1], picture.column_cuts[-1]
    label = (
        f"{picture.n_rows:,} {picture.rows} in {max(len(picture.row_ids), 1)} clusters by "
        f"{picture.n_columns:,} {picture.columns} in {max(len(picture.column_ids), 1)} groups"
    )
    # The image is in the page once; the small picture shows the same.
    inside = (
        Html(f'<use href="#image-{number}"/>')
        if small
        else tag(
            "image",
            id=f"image-{number}",
            href=_image(picture),
            width=m,
            height=n,
            preserveAspectRatio="none",
            style="image-rendering:pixelated",
        )
    )
    cells = _svg(
        (m, n),
        inside,
        _lines(picture),
        role="img",
        aria_label=label,
    )
    top = _svg((m, 1), _strips(picture.column_ids, picture.column_cuts, across=True))
    left = _svg((1, n), _strips(picture.row_ids, picture.row_cuts, across=False))
    sides = [] if small else [_names(account, picture, across) for across in (True, False)]
    return tag(
        "div",
        tag("div", top, class_="top"),
        tag("div", left, class_="left"),
        tag("div", cells, class_="window"),
        sides,
        class_="frame small-frame" if small else "frame",
        **(
            {} if small else {"tabindex": "0", "role": "group", "aria_label": f"Picture of {label}"}
        ),
    )


def _svg(size: tuple[int, int], *content: Html, **attributes: str) -> Html:
    """A drawing that is stretched to its space."""
    hidden = {} if "role" in attributes else {"aria_hidden": "true"}
    return tag(
        "svg",
        content,
        viewBox=f"0 0 {max(size[0], 1)} {max(size[1], 1)}",
        preserveAspectRatio="none",
        **hidden,
        **attributes,
    )


def _image(picture: Picture) -> str:
    """The cells as an image whose colours are numbers."""
    return data_address(np.array(picture.cells) + STEPS, PALETTE)


def _lines(picture: Picture) -> Html:
    """Borders between clusters."""
    n, m = picture.row_cuts[-1], picture.column_cuts[-1]
    over = [f"M0 {at}H{m}" for at in picture.row_cuts[1:-1]]
    down = [f"M{at} 0V{n}" for at in picture.column_cuts[1:-1]]
    return tag("path", d="".join([*over, *down]), class_="borders")


def _strips(ids: tuple[Id, ...], cuts: tuple[int, ...], across: bool) -> Html:
    """The colours of the clusters along a side."""
    rects = []
    for own, (start, end) in zip(ids, pairwise(cuts), strict=False):
        place = (
            {"x": start, "width": end - start, "y": 0, "height": 1}
            if across
            else {"y": start, "height": end - start, "x": 0, "width": 1}
        )
        rects.append(tag("rect", fill=as_hex(cluster_colour(own)), **place))
    return markup(rects)


def _names(account: AccountContents, picture: Picture, across: bool) -> Html:
    """The names of the clusters along a side; the script moves them when it zooms."""
    ids = picture.column_ids if across else picture.row_ids
    cuts = picture.column_cuts if across else picture.row_cuts
    kind = picture.columns if across else picture.rows
    labels = []
    for own, (start, end) in zip(ids, pairwise(cuts), strict=False):
        name = account.name_of(kind, own)
        place = f"{100 * start / cuts[-1]:.2f}%", f"{100 * (end - start) / cuts[-1]:.2f}%"
        style = "left:{};width:{}" if across else "top:{};height:{}"
        labels.append(
            tag(
                "span",
                tag("span", cut(name, 28)),
                title=name,
                style=style.format(*place),
                class_="thin" if end - start < ROOM * cuts[-1] else None,
                data_from=start,
                data_to=end,
            )
        )
    return tag("div", labels, class_="across" if across else "down", aria_hidden="true")


def _legend(picture: Picture) -> Html:
    """What the colours mean."""
    end = picture.unit * STEPS
    many = f"{2**end:.1f}×" if picture.kind == "log2 lift" else f"+{end:.1f} sd"
    few = f"1/{2**end:.1f}" if picture.kind == "log2 lift" else f"−{end:.1f} sd"
    return tag(
        "span",
        f"{few} ",
        tag("span", class_="ramp", aria_hidden="true"),
        f" {many} of what is expected. "
        if picture.kind == "log2 lift"
        else f" {many} from the mean of the column. ",
        class_="legend",
    )
