"""HTML elements made from values; texts are escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

# Elements without an end tag.
VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """HTML markup; any other string is text that must be escaped."""

    __slots__ = ()


def tag(name: str, *children: Any, **attributes: Any) -> Html:
    """Return an HTML element with its children; texts are escaped, `Html` is not.

    An underscore at the end of an attribute is dropped, others become hyphens: ``class_`` and
    ``aria_label``. None and False omit an attribute; True omits its value.

    >>> tag("p", "1 < 2 ", tag("b", "yes"), class_="note", hidden=True, id=None)
    '<p class="note" hidden>1 &lt; 2 <b>yes</b></p>'
    """
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        words.append(attribute if value is True else f'{attribute}="{escape(str(value))}"')
    opening = f"<{' '.join(words)}>"
    return Html(opening if name in VOID else f"{opening}{markup(*children)}</{name}>")


def markup(*children: Any) -> Html:
    """Concatenate children and lists of children; None is omitted.

    >>> markup("a & b", [tag("br"), None], 3)
    'a &amp; b<br>3'
    """
    fragments = []
    for child in children:
        if isinstance(child, Html):
            fragments.append(str(child))
        elif isinstance(child, str):
            fragments.append(escape(child, quote=False))
        elif isinstance(child, Iterable):
            fragments.append(str(markup(*child)))
        elif child is not None:
            fragments.append(escape(str(child), quote=False))
    return Html("".join(fragments))


def small_table(title: str, head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> Html:
    """Return a short table with a title for notebooks, without script and style."""
    return tag(
        "div",
        tag("p", tag("strong", title)),
        tag(
            "table",
            tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in head])),
            tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows]),
        ),
    )
