"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def inline(self: Any, node: nodes.Element) -> None:
    """A formula in a line."""
    self.body.append(drawn(node, as_block=False))
    raise nodes.SkipNode


def display(self: Any, node: nodes.Element) -> None:
    """A formula on a line of its own."""
    self.body.append(f'<div class="formula" tabindex="0">{drawn(node, as_block=True)}</div>')
    raise nodes.SkipNode


def drawn(node: nodes.Element, as_block: bool) -> str:
    """The formula, or as it was written, with a warning, where LaTeX is used that is not known."""
    try:
        formula: str = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("%s in the formula %s", error, node.astext(), location=node)
        return f"<code>{escape(node.astext())}</code>"
    return formula


def setup(app: Any) -> dict[str, bool]:
    """Offer it as a way in which HTML pages have formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
