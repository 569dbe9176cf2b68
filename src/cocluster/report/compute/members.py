"""What a person wants to see of a sample: title, the beginning of the text, a picture, metadata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cocluster.linalg.types import Array
from cocluster.report.compute.material import Material
from cocluster.report.images import data_address
from cocluster.utils.text import is_missing

# Letters of a text that are shown: three or four lines.
SNIPPET = 240
# Columns of metadata beside a sample, and letters of each: the rest is in the data.
COLUMNS, CELL = 6, 80
# Numbers from here on are written whole: 12345.0 is no 1.234e+04.
LARGE = 1e4


@dataclass(frozen=True, eq=False)
class Album:
    """Looks samples up by their position.

    Attributes
    ----------
    found : Material
    thumbnail : callable of position to image or address, or None
    """

    found: Material
    thumbnail: Callable[[int], Array | str | None] | None = None

    @staticmethod
    def empty() -> dict[str, Any]:
        """What is known of an object that is no sample: nothing but its name."""
        return {"title": "", "snippet": "", "picture": "", "metadata": {}, "class_name": ""}

    def page(self, position: int) -> dict[str, Any]:
        """The fields of `Member` that describe a sample."""
        known = self.empty()
        image = None if self.thumbnail is None else self.thumbnail(position)
        if image is not None:
            known["picture"] = image if isinstance(image, str) else data_address(image)
        about = self.found.described
        if about is None:
            return known
        if about.titles is not None:
            known["title"] = _cut(str(about.titles[position]), CELL)
        if about.texts is not None:
            known["snippet"] = _cut(self._body(position), SNIPPET)
        if about.labels is not None and about.labels[position] >= 0:
            code = int(about.labels[position])
            names = about.class_names
            known["class_name"] = str(code if names is None else names[code])
        columns = list(about.metadata.items())[:COLUMNS]
        known["metadata"] = {
            str(name): _cut(shown_value(cells[position]), CELL)
            for name, cells in columns
            if not is_missing(cells[position]) and cells[position] != ""
        }
        return known

    def _body(self, position: int) -> str:
        """The text without mail headers and shared lines, if those were left out of the counts."""
        about = self.found.described
        text = "" if about is None else str(about.texts[position])
        bodies = getattr(getattr(about, "counter", None), "bodies", None)
        return (str(bodies([text])[0]) or text) if bodies is not None else text


def shown_value(cell: Any) -> str:
    """A value of the metadata as people write it.

    >>> shown_value(3.0), shown_value(0.123456789), shown_value("0.50")
    ('3', '0.1235', '0.50')
    """
    # Digits of single-precision numbers beyond the fourth are noise to who looks at a sample.
    number = isinstance(cell, float | np.floating)
    return f"{cell:.4g}" if number and abs(cell) < LARGE else f"{cell:.0f}" if number else str(cell)


def _cut(text: str, length: int) -> str:
    """A text on one line, no longer than this."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
