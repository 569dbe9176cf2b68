"""The table of known data sets: `list_datasets`, and the entry of a name."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class DatasetInfo:
    """Registry entry of a data set, available without its file.

    Attributes
    ----------
    name : str
    kind : {"text", "gene", "image", "uci", "multi"}
    file : str
        Path of the file below a folder of data sets.
    sha256 : str
        Checksum of the file.
    shapes : mapping of view to (n_samples, n_features)
    classes : int
        Number of classes; 0 where there are no reference labels.
    origin : str
        Public repository and path of the file it was made from.
    licence : str
        What the origin says of its licence.
    notes : str
        Agreement with the papers, and traps.
    keys : mapping of view to str
        What the file calls a view, where that differs.
    """

    name: str
    kind: str
    file: str
    sha256: str
    shapes: Mapping[str, tuple[int, int]]
    classes: int
    origin: str
    licence: str
    notes: str
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples, and of features of all views together."""
        return next(iter(self.shapes.values()))[0], sum(m for _, m in self.shapes.values())


def list_datasets(kind: str | None = None) -> tuple[DatasetInfo, ...]:
    """List the data sets, optionally of one kind ("text", "gene", "image", "uci" or "multi").

    Each `DatasetInfo` tells size, origin and licence; `fetch` loads one by its name.

    Parameters
    ----------
    kind : str, optional

    Returns
    -------
    tuple of DatasetInfo

    Examples
    --------
    >>> [info.name for info in list_datasets("uci")]
    ['iris_150x4', 'letters_IJL_x16', 'soybean_small_47x35']
    """
    kinds = dict.fromkeys(info.kind for info in _registry().values())
    if kind is not None and kind not in kinds:
        raise ValueError(
            f"There is no kind {kind!r} of data sets; the kinds are {', '.join(kinds)}."
        )
    return tuple(info for info in _registry().values() if kind in (None, info.kind))


def dataset_info(name: str) -> DatasetInfo:
    """Return the entry of a data set; suggest the nearest names if there is none.

    Parameters
    ----------
    name : str

    Returns
    -------
    DatasetInfo

    Examples
    --------
    >>> dataset_info("re0").shape
    (1504, 2886)
    """
    registry = _registry()
    if name in registry:
        return registry[name]
    # Mostly a misprint, or a name whose size was left out ("iris" for "iris_150x4").
    near = nearest(name, tuple(registry))
    hint = f"did you mean {' or '.join(near)}?" if near else "see list_datasets()."
    raise ValueError(f"There is no data set {name!r}; {hint}")


def nearest(name: str, known: tuple[str, ...]) -> list[str]:
    """Find at most three known names that start with `name` or else are spelled like it."""
    lower = {word.lower(): word for word in known}
    # Every name starts with nothing: no suggestion is better than the first three.
    starting = [word for low, word in lower.items() if low.startswith(name.lower() or "?")]
    alike = get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
    return starting[:3] or [lower[word] for word in alike]


@cache
def _registry() -> dict[str, DatasetInfo]:
    """Entries by name, read once."""
    text = files("cocluster.datasets").joinpath("registry.toml").read_text(encoding="utf-8")
    return {
        name: DatasetInfo(
            name=name, shapes={k: (n, m) for k, (n, m) in entry.pop("shapes").items()}, **entry
        )
        for name, entry in tomllib.loads(text).items()
    }
