"""The whole page, put together."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from string import Template

from cocluster.report.page.blocks import associations, classes
from cocluster.report.page.cards import cards
from cocluster.report.page.charts import choice
from cocluster.report.page.first import first_screen, lead
from cocluster.report.page.matrix import matrices
from cocluster.report.page.rest import data, links, method
from cocluster.report.values import AccountContents
from cocluster.utils.html import Html, markup, tag

# In the order of the page: what each section is called in the menu, and the function that shows
# it. One that returns None has nothing to show.
SECTIONS = (
    ("overview", "Overview", first_screen),
    ("clusters", "Clusters", cards),
    ("association", "Association", associations),
    ("matrix", "Picture", matrices),
    ("choice", "How many", choice),
    ("links", "Links", links),
    ("classes", "Classes", classes),
    ("data", "Data", data),
    ("method", "Method", method),
)


def page(account: AccountContents) -> str:
    """The report on an account: one HTML file that needs nothing else.

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
    >>> made = page(cocluster.account(cocluster.CoCluster(2, random_state=0).fit(X), X))
    >>> made.startswith("<!doctype html>")
    True
    """
    shown = [(name, title, show(account)) for name, title, show in SECTIONS]
    shown = [part for part in shown if part[2] is not None]
    menu = [tag("li", tag("a", title, href=f"#{name}")) for name, title, _ in shown]
    style, script = _file("style.css"), _file("script.js")
    return Template(_file("template.html")).substitute(
        title=markup(account.title),
        policy=_policy(script),
        style=style,
        lead=lead(account),
        menu=markup(menu),
        sections=markup([content for _, _, content in shown]),
        version=markup(account.run.versions.get("cocluster", "")),
        script=script,
    )


def _file(name: str) -> str:
    """A file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> Html:
    """What the page may do: run this script and no other, and load nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return Html(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
