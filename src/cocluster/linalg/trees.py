"""Values of any depth as plain JSON beside arrays, and back: what pickle does, without its danger.

    plain, arrays = taken_apart(value, known)
    value = put_together(plain, arrays, known)

Plain values stay as they are; everything else becomes a JSON object of one of these forms:

    {"list": [...]}, {"tuple": [...]}, {"set": [...]}, {"frozenset": [...]}
    {"dict": [[key, value], ...]}             keys may be of any kind
    {"number": 1.5, "dtype": "float32"}       a number of numpy
    {"float": "nan"}                          what JSON has no word for
    {"array": "name"}                         one of the arrays
    {"objects": [...], "shape": [...]}        an array of objects, such as names
    {"sparse": "csr_array", "shape": [...], "parts": {...}}
    {"is": "Scaling", "of": {...}}            an object of a known class, with its attributes

Only classes that the reader names can come back, and nothing of them runs: the attributes are put
where they were. So a file of a stranger can hold wrong numbers, but no program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.checked import in_bounds
from cocluster.linalg.types import Array
from cocluster.utils.text import shorten

# Of each layout of scipy the arrays that it is made of.
_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
}
# Plain in JSON and in Python alike.
_PLAIN = (type(None), bool, int, str)
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}
# Letters of an array's name that are kept: it tells where in the value the array was.
_NAME_LENGTH = 60


class Known(Protocol):
    """The classes whose objects may be taken apart and put together."""

    def name_of(self, kind: type) -> str | None:
        """The name that a class has in files; None if its objects cannot be kept."""

    def kind_of(self, name: str) -> type:
        """The class of a name; ValueError if there is none."""

    def renamed_attributes(self, name: str) -> Mapping[str, str]:
        """Attributes of a class that had another name in files of earlier versions."""

    def codec_of(self, name: str) -> Codec | None:
        """How objects of a class are kept, if not by their attributes."""


@dataclass(frozen=True)
class Codec:
    """How objects of a class become a value that can be kept, and come back."""

    take: Callable[[Any], Any]
    make: Callable[[Any], Any]


def taken_apart(value: Any, known: Known) -> tuple[Any, dict[str, Array]]:
    """A value as JSON and arrays; TypeError names the part of it that cannot be kept.

    An array that is used twice is kept once.
    """
    taker = _Taker(known)
    return taker.plain(value, ""), taker.arrays


def put_together(plain: Any, arrays: Mapping[str, Array], known: Known) -> Any:
    """The value that was taken apart; ValueError, KeyError or TypeError if it was tampered with."""
    return _Maker(known, arrays).value(plain)


@dataclass(eq=False)
class _Taker:
    """Takes a value apart."""

    known: Known
    arrays: dict[str, Array] = field(default_factory=dict)
    # Arrays by identity, with the array itself: an identity is only unique while its object lives.
    _names: dict[int, tuple[str, Array]] = field(default_factory=dict)

    def plain(self, value: Any, path: str) -> Any:
        """A value as JSON."""
        if type(value) in _PLAIN:
            return value
        if type(value) is float:
            return value if isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return {"number": self.plain(value.item(), path), "dtype": str(value.dtype)}
        if isinstance(value, np.ndarray):
            return self._array(value, path)
        if sp.issparse(value):
            return self._sparse(value, path)
        kind = type(value).__name__
        if kind in _SEQUENCES and type(value) is _SEQUENCES[kind]:
            return {kind: [self.plain(part, f"{path}.{i}") for i, part in enumerate(value)]}
        if isinstance(value, Mapping):
            items = value.items()
            return {"dict": [[self.plain(k, path), self.plain(v, f"{path}.{k}")] for k, v in items]}
        return self._object(value, path)

    def _array(self, array: Array, path: str) -> Any:
        """An array, by its name; of objects, one by one."""
        if array.dtype == object:
            flat = [self.plain(part, f"{path}.{i}") for i, part in enumerate(array.ravel())]
            return {"objects": flat, "shape": list(array.shape)}
        if id(array) not in self._names:
            name = re.sub(r"[^A-Za-z0-9_.]", "_", f"{len(self.arrays)}{path}")[:_NAME_LENGTH]
            self.arrays[name] = array
            self._names[id(array)] = (name, array)
        return {"array": self._names[id(array)][0]}

    def _sparse(self, matrix: Any, path: str) -> Any:
        """A sparse matrix, by its arrays."""
        kept = matrix if matrix.format in _PARTS else matrix.tocsr()
        parts = {part: getattr(kept, part) for part in _PARTS[kept.format]}
        return {
            "sparse": type(kept).__name__,
            "shape": [int(size) for size in kept.shape],
            "parts": {part: self._array(own, f"{path}.{part}") for part, own in parts.items()},
        }

    def _object(self, value: Any, path: str) -> Any:
        """An object of a known class."""
        name = self.known.name_of(type(value))
        if name is None:
            what = f"{path.strip('.') or 'it'} is {value!r:.60}"
            raise TypeError(f"{what}, of type {type(value).__name__}, which no file can hold")
        codec = self.known.codec_of(name)
        if codec is not None:
            return {"is": name, "made of": self.plain(codec.take(value), path)}
        own = {key: self.plain(part, f"{path}.{key}") for key, part in _state(value).items()}
        return {"is": name, "of": own}


def _state(value: Any) -> dict[str, Any]:
    """What an object is made of: the fields of a value; all attributes of an estimator."""
    # A frozen value may have computed things on the way, which it can compute again.
    if _frozen(type(value)):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return dict(vars(value))


def _frozen(kind: type) -> bool:
    """Whether objects of a class are values, which are their fields and nothing else."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def _completed(kind: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The fields of a value; those that an earlier version did not have are as by default."""
    known = {each.name: each for each in fields(kind)}
    if not state.keys() <= known.keys():
        raise ValueError(f"{kind.__name__} has no {shorten(min(state.keys() - known.keys()))}")
    for name in known.keys() - state.keys():
        default, make = known[name].default, known[name].default_factory
        if default is MISSING and make is MISSING:
            raise ValueError(f"{kind.__name__} lacks {name}")
        state[name] = make() if make is not MISSING else default
    return state


@dataclass(eq=False)
class _Maker:
    """Puts a value together."""

    known: Known
    arrays: Mapping[str, Array]

    def value(self, plain: Any) -> Any:
        """The value of some JSON."""
        if not isinstance(plain, dict):
            return plain
        form = next(iter(plain))
        if form in _SEQUENCES:
            return _SEQUENCES[form]([self.value(part) for part in plain[form]])
        return getattr(self, _FORMS[form])(plain)

    def _dict(self, plain: Any) -> Any:
        return {self.value(key): self.value(part) for key, part in plain["dict"]}

    def _float(self, plain: Any) -> Any:
        return float(plain["float"])

    def _number(self, plain: Any) -> Any:
        return np.dtype(plain["dtype"]).type(self.value(plain["number"]))

    def _array(self, plain: Any) -> Any:
        return self.arrays[plain["array"]]

    def _objects(self, plain: Any) -> Any:
        array = np.empty(len(plain["objects"]), dtype=object)
        for i, part in enumerate(plain["objects"]):
            array[i] = self.value(part)
        return array.reshape(plain["shape"])

    def _sparse(self, plain: Any) -> Any:
        layout, _, kind = plain["sparse"].partition("_")
        if layout not in _PARTS or kind not in ("array", "matrix"):
            raise ValueError(f"a sparse matrix is kept as {plain['sparse']!r}")
        data, *places = (self._array(plain["parts"][part]) for part in _PARTS[layout])
        entries = (data, tuple(places)) if layout == "coo" else (data, *places)
        made = getattr(sp, plain["sparse"])(entries, shape=tuple(plain["shape"]))
        return in_bounds(made)

    def _object(self, plain: Any) -> Any:
        name = plain["is"]
        kind = self.known.kind_of(name)
        codec = self.known.codec_of(name)
        if codec is not None:
            return codec.make(self.value(plain["made of"]))
        # Not called: a constructor would judge and change what has been judged before.
        made: Any = object.__new__(kind)
        renamed = self.known.renamed_attributes(name)
        state = {renamed.get(key, key): self.value(part) for key, part in plain["of"].items()}
        made.__dict__.update(_completed(kind, state) if _frozen(kind) else state)
        return made


_FORMS = {
    "dict": "_dict",
    "float": "_float",
    "number": "_number",
    "array": "_array",
    "objects": "_objects",
    "sparse": "_sparse",
    "is": "_object",
}
