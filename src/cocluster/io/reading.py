"""How a file was read, as a plain value that says so in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cocluster.utils.texts import shortened

# Names that a line shows of each kind of column: whoever wants all has the value itself.
SHOWN = 5


def some(names: Iterable[str], shown: int = SHOWN) -> str:
    """The first few of some names, and how many there are if that is not all.

    >>> some(["a", "b"]), some("abcdefg", 3)
    ('a, b', 'a, b, c, ... (7 in all)')
    """
    every = list(names)
    more = f", ... ({len(every):,} in all)" if len(every) > shown else ""
    return ", ".join(map(shortened, every[:shown])) + more


@dataclass(frozen=True)
class Reading:
    """Which part of a file was taken for what.

    Attributes
    ----------
    id, title, label : str
        Columns (or keys, variables, ...) of the names, titles and classes; empty without one.
        Classes are kept for comparison and never used.
    text : tuple of str
        Columns whose words are counted.
    numbers, categories : tuple of str
        Columns of numbers, and of words that become one column for each value.
    entries : tuple of str
        Of a long file the columns of sample, feature, value and view.
    left_out : mapping of str to str
        Columns that take no part, and why; `Dataset.metadata` has them still.
    details : tuple of str
        What else was found: a decimal comma, a sheet, a file without a header.
    counting : str
        How words were counted, see `cocluster.preprocessing.WordCounter.told`.

    Examples
    --------
    >>> reading = Reading(id="doc_id", text=("body",), label="topic", left_out={"date": "dates"})
    >>> reading.told()
    'id: doc_id · text: body · classes: topic (not used) · left out: date (dates)'
    >>> Reading.from_json(reading.to_json()) == reading
    True
    """

    id: str = ""
    title: str = ""
    text: tuple[str, ...] = ()
    label: str = ""
    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    details: tuple[str, ...] = ()
    counting: str = ""

    def told(self) -> str:
        """What was taken for what, in one line; empty if there is nothing to tell."""
        left_out = [f"{name} ({why})" if why else name for name, why in self.left_out.items()]
        entries = [shortened(name) for name in self.entries]
        parts = {
            "id": shortened(self.id),
            "title": shortened(self.title),
            "text": some(self.text),
            "entries": " x ".join(entries[:2]) + "".join(f", {e}" for e in entries[2:]),
            "numbers": some(self.numbers),
            "categories": some(self.categories),
            "classes": f"{shortened(self.label)} (not used)" if self.label else "",
            "left out": some(left_out),
        }
        named = [f"{what}: {names}" for what, names in parts.items() if names]
        return " · ".join([*named, *self.details])

    def to_json(self) -> dict[str, Any]:
        """Plain values, from which `from_json` makes the same."""
        return asdict(self)

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Reading:
        """What `to_json` saved, also after JSON has made lists of its tuples."""
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in saved.items()
        }
        return cls(**values)
