"""Render formulas as MathML, which browsers display without scripts, fonts or a network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def inline(self: Any, node: nodes.Element) -> None:
    """Render an inline formula."""
    self.body.append(to_mathml(node, as_block=False))
    raise nodes.SkipNode


def display(self: Any, node: nodes.Element) -> None:
    """Render a displayed formula."""
    self.body.append(f'<div class="formula" tabindex="0">{to_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def to_mathml(node: nodes.Element, as_block: bool) -> str:
    """Return a formula as MathML; if its LaTeX is not supported, warn and return the source."""
    try:
        formula: str = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("%s in the formula %s", error, node.astext(), location=node)
        return f"<code>{escape(node.astext())}</code>"
    return formula


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer for HTML pages."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
