"""The report as one HTML file that needs nothing else, and the table that notebooks show.

A page shows an account and computes nothing. Every section is a Jinja template in ``templates``
of the name that `SECTIONS` gives it; ``static`` has the style sheet and the script, which are put
into the file as they are. Without JavaScript, only zooming, hovering and searching are missing.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from cocluster.report import formatting
from cocluster.report.charts import LinePlot, TreePlot
from cocluster.report.colours import Colour, as_hex, cluster_colour, ink_on, signed_colour
from cocluster.report.compute.pictures import STEPS
from cocluster.report.images import data_address
from cocluster.report.tables import Row, as_csv, block_rows, table_rows
from cocluster.report.values import AccountContents, Picture

if TYPE_CHECKING:
    from jinja2 import Environment

# Sections in the order of the page: the name of the template, and the title in the menu. A
# template that renders nothing has no section.
SECTIONS = {
    "overview": "Overview",
    "clusters": "Clusters",
    "association": "Association",
    "matrix": "Picture",
    "choice": "How many",
    "links": "Links",
    "classes": "Classes",
    "data": "Data",
    "method": "Method",
}

# Colour of every step of a cell, from -STEPS to STEPS.
PALETTE = [signed_colour(step / STEPS) for step in range(-STEPS, STEPS + 1)]
# log2 of a lift, or standard deviations, at which a block has its full colour: eight times as
# much as expected.
FULL_EFFECT = 3.0
# Colour of a cell that holds a whole class.
CLASS_COLOUR: Colour = (66, 146, 198)


def page(account: AccountContents) -> str:
    """Return the report on an account: one HTML file that needs nothing else.

    Parameters
    ----------
    account : Account

    Returns
    -------
    str
        A whole page. It makes no request, and its text is text: scripts in the data do not run.

    Examples
    --------
    >>> import numpy as np, cocluster
    >>> from cocluster.report.page import page
    >>> X = np.kron(np.eye(2), np.ones((3, 2))) + 1
    >>> html = page(cocluster.account(cocluster.CoCluster(2, random_state=0).fit(X), X))
    >>> html.startswith("<!doctype html>")
    True
    """
    from markupsafe import Markup

    # Each section is rendered on its own, so that the menu lists only those that show something.
    rendered = {name: _render(name, account) for name in SECTIONS}
    sections = [
        (name, title, Markup(rendered[name]))
        for name, title in SECTIONS.items()
        if rendered[name].strip()
    ]
    style, script = (static_file(name) for name in ("style.css", "script.js"))
    return _render(
        "page",
        account,
        sections=sections,
        policy=_security_policy(script),
        style=Markup(style),
        script=Markup(script),
    )


def notebook_table(account: AccountContents) -> str:
    """Return the HTML that a notebook shows of an account: a short table without a script."""
    return _render("notebook", account)


def static_file(name: str) -> str:
    """Return the text of a file in ``static``."""
    return files("cocluster.report").joinpath("static", name).read_text(encoding="utf-8")


def _render(template: str, account: AccountContents, **context: Any) -> str:
    """Render a template for an account."""
    return (
        _environment()
        .get_template(f"{template}.html.j2")
        .render(account=account, rows=partial(table_rows, account), **context)
    )


@cache
def _environment() -> Environment:
    """Return the Jinja environment: every text is escaped, and a misspelt name is an error."""
    # Imported here, because most uses of the library show no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("cocluster.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": formatting.percent,
        "number": formatting.number,
        "thousands": formatting.thousands,
        "lift": formatting.lift,
        "counted": formatting.counted,
        "shorten": formatting.shorten,
        "trait_words": formatting.trait_words,
        "px": "{:.1f}".format,
        "colour": lambda cluster: as_hex(cluster_colour(cluster)),
        "csv_address": _csv_address,
        "image_address": _image_address,
        "effect_style": lambda effect: _cell_style(signed_colour(effect / FULL_EFFECT)),
        "share_style": lambda share: _cell_style(_class_colour(share)),
    }
    environment.globals |= {
        "steps": STEPS,
        "block_rows": lambda account, table: list(block_rows(account, table)),
        "matrix_config": _matrix_config,
        "line_plot": LinePlot,
        "tree_plot": TreePlot,
    }
    return environment


def _security_policy(script: str) -> str:
    """Return the content policy of the page: it may run this script only, and load nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def _csv_address(rows: list[Row]) -> str:
    """Return the rows of a table as the address of a CSV file."""
    encoded = base64.b64encode(as_csv(rows).encode("utf-8")).decode("ascii")
    return f"data:text/csv;charset=utf-8;base64,{encoded}"


def _image_address(picture: Picture) -> str:
    """Return the cells of a picture as the address of an image; the script reads its colours."""
    return data_address(np.array(picture.cells) + STEPS, PALETTE)


def _matrix_config(account: AccountContents) -> dict[str, Any]:
    """Return what the script needs to name the cells: colours, units, and names of objects."""
    pictures = [
        {"rows": p.row_names, "columns": p.column_names, "unit": p.unit, "kind": p.kind}
        for p in account.pictures
    ]
    return {"steps": STEPS, "palette": PALETTE, "pictures": pictures}


def _class_colour(share: float) -> Colour:
    """Return the colour of a share of a class, from white to `CLASS_COLOUR`."""
    red, green, blue = (round(255 + share * (channel - 255)) for channel in CLASS_COLOUR)
    return red, green, blue


def _cell_style(colour: Colour) -> str:
    """Return the style of a cell of a heat map, with ink that can be read on its colour."""
    return f"background:{as_hex(colour)};color:{ink_on(colour)}"
