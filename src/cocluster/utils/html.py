"""HTML as values: what is text stays text, whatever it contains."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

# Elements that have no end tag.
VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Markup, as opposed to text that has to be escaped first."""

    __slots__ = ()


def tag(name: str, *children: Any, **attributes: Any) -> Html:
    """An element with its children; texts are escaped, `Html` is not.

    An underscore at the end of an attribute is dropped, others become hyphens: ``class_`` and
    ``aria_label``. None and False leave an attribute out, True has no value.

    >>> tag("p", "1 < 2 ", tag("b", "yes"), class_="note", hidden=True, id=None)
    '<p class="note" hidden>1 &lt; 2 <b>yes</b></p>'
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        parts.append(attribute if value is True else f'{attribute}="{escape(str(value))}"')
    opening = f"<{' '.join(parts)}>"
    return Html(opening if name in VOID else f"{opening}{markup(*children)}</{name}>")


def markup(*children: Any) -> Html:
    """Children one after the other; those in lists too, None left out.

    >>> markup("a & b", [tag("br"), None], 3)
    'a &amp; b<br>3'
    """
    found = []
    for child in children:
        if isinstance(child, Html):
            found.append(str(child))
        elif isinstance(child, str):
            found.append(escape(child, quote=False))
        elif isinstance(child, Iterable):
            found.append(str(markup(*child)))
        elif child is not None:
            found.append(escape(str(child), quote=False))
    return Html("".join(found))


def small_table(title: str, head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> Html:
    """A short table with a title, for notebooks: no script, no style but that of the notebook."""
    return tag(
        "div",
        tag("p", tag("strong", title)),
        tag(
            "table",
            tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in head])),
            tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows]),
        ),
    )
