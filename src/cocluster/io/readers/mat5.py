"""What is in a MATLAB file of versions 5 to 7, looked at before scipy reads it.

scipy's compiled reader trusts such a file: a type that does not exist ends the interpreter, and a
size takes as much memory as it says. So the file is walked through here as scipy does it, one
element after the other, and nothing is kept but sizes and names.

A file is a header and variables. A variable is a tag (kind, size) and an element, which may be
compressed. A matrix is made of elements: flags (its class), dimensions, name, then its values; a
cell array has matrices instead of values.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import IO

# The length of the header of a file, the last two bytes of which tell the order of bytes.
HEADER_BYTES = 128
ORDERS = {b"IM": "<", b"MI": ">"}
# Numbers of the kinds of elements.
INT8, INT32, UINT32, MATRIX, COMPRESSED, UTF8 = 1, 5, 6, 14, 15, 16
# Bytes of a value of each kind that holds numbers or letters.
WIDTHS = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8, 16: 1, 17: 2, 18: 4}
# Classes of matrices: cells, letters, sparse ones, and numbers of all kinds. Others (structures,
# objects, functions) are no data.
CELL, CHAR, SPARSE = 1, 4, 5
NUMBERS = range(6, 16)
# The bit of the flags that says that there are imaginary parts, too.
IMAGINARY = 0x0800
# What numpy allows, and how deep cells may lie in cells: views are one level deep.
MOST_AXES, DEEPEST = 32, 5
# Bytes that are unpacked or skipped at a time.
_STEP = 1 << 20


@dataclass(frozen=True)
class Variable:
    """What a file says of a variable.

    ``places`` is how many values, or rows and columns of sparse matrices, it takes in memory, with
    all that is inside of it. ``plain`` is whether it holds nothing but numbers and letters, in
    cells or not: only such ones are fit to be read.
    """

    name: str
    places: int
    plain: bool


def variables_in(stream: IO[bytes], refuse: Callable[[int], None]) -> Iterator[Variable]:
    """The variables of a file; ValueError or EOFError if it is damaged.

    ``refuse`` is told what a compressed variable becomes, before it is unpacked: it raises if that
    is too much.
    """
    order = ORDERS[stream.read(HEADER_BYTES)[-2:]]
    while tag := stream.read(8):
        kind, size = struct.unpack(f"{order}II", _whole(tag, 8))
        start = stream.tell()
        if kind == COMPRESSED:
            source = _Elements(order, _inflated(stream, size), refuse=refuse)
            kind, _ = source.tag()
        else:
            source = _Elements(order, stream.read, left=size)
        if kind != MATRIX:
            raise ValueError(f"an element of kind {kind} stands where a variable should")
        yield _matrix(source, 0)
        stream.seek(start + size)


def _matrix(source: _Elements, depth: int) -> Variable:
    """One matrix, up to the end of its values."""
    if source.tag() != (UINT32, 8):
        raise ValueError("a variable has no flags")
    flags, _ = source.numbers("II")
    kind, size = source.tag()
    if kind not in (INT32, UINT32) or not 0 < size <= 4 * MOST_AXES:
        raise ValueError("a variable has no dimensions")
    shape = source.numbers("i" * (size // 4), size)
    if min(shape) < 0:
        raise ValueError(f"a variable has the dimensions {shape}")
    kind, size = source.tag()
    if kind not in (INT8, UTF8):
        raise ValueError("a variable has no name")
    name = source.values(size).decode("latin-1")
    return _contents(source, flags, shape, name, depth)


def _contents(
    source: _Elements, flags: int, shape: tuple[int, ...], name: str, depth: int
) -> Variable:
    """The values of a matrix."""
    sort, parts = flags & 0xFF, 2 if flags & IMAGINARY else 1
    if sort == CELL:
        return _cells(source, prod(shape), name, depth)
    if sort in NUMBERS or sort == CHAR:
        taken = sum(source.skip_values() for _ in range(parts))
        return Variable(name, max(taken, prod(shape)), True)
    if sort == SPARSE:
        taken = sum(source.skip_values() for _ in range(2 + parts))
        return Variable(name, max(taken, sum(shape)), True)
    # What follows is not read, because nobody asks for it.
    return Variable(name, 0, False)


def _cells(source: _Elements, count: int, name: str, depth: int) -> Variable:
    """The matrices of a cell array."""
    if depth == DEEPEST:
        raise ValueError(f"cells lie more than {DEEPEST} deep in cells")
    places, plain = count, True
    for _ in range(count):
        kind, size = source.tag()
        if kind != MATRIX:
            raise ValueError(f"an element of kind {kind} stands where a cell should")
        if size == 0:
            continue  # an empty cell
        inside = _matrix(source, depth + 1)
        places, plain = places + inside.places, plain and inside.plain
        if not plain:
            break  # where it ends is not known
    return Variable(name, places, plain)


class _Elements:
    """Elements of a variable that has so many bytes ``left``; of a compressed one nobody knows."""

    def __init__(
        self,
        order: str,
        read: Callable[[int], bytes],
        left: float = float("inf"),
        refuse: Callable[[int], None] = lambda taken: None,
    ) -> None:
        self._order, self._read, self._left, self._refuse = order, read, left, refuse
        self._taken = 0
        # Bytes of a small element that stand in its tag.
        self._small = b""

    def tag(self) -> tuple[int, int]:
        """Kind and size of the next element; a small one has its values in the tag."""
        first, second = struct.unpack(f"{self._order}II", self._bytes(8))
        self._small = b""
        if first >> 16:
            self._small = struct.pack(f"{self._order}I", second)
            return first & 0xFFFF, first >> 16
        return first, second

    def values(self, size: int) -> bytes:
        """Values of the element whose tag was read; what fills up eight bytes is left out."""
        if self._small:
            return _whole(self._small[:size], size)
        return self._bytes(size + -size % 8)[:size]

    def numbers(self, form: str, size: int = 8) -> tuple[int, ...]:
        """Values of an element as numbers."""
        return struct.unpack(self._order + form, _whole(self.values(size), struct.calcsize(form)))

    def skip_values(self) -> int:
        """Go past an element of values; returns how many there are."""
        kind, size = self.tag()
        if kind not in WIDTHS:
            raise ValueError(f"values are of the kind {kind}, which does not exist")
        if self._small:
            _whole(self._small[:size], size)
        else:
            self._announce(size)
            rest = size + -size % 8
            while rest and (piece := self._read(min(rest, _STEP))):
                rest -= len(piece)
            # scipy asks for what fills up eight bytes, but files may end before.
            if rest >= 8:
                raise EOFError(f"{rest:,} bytes of values are missing")
        return size // WIDTHS[kind]

    def _bytes(self, size: int) -> bytes:
        """The next bytes."""
        self._announce(size)
        return _whole(self._read(size), size)

    def _announce(self, size: int) -> None:
        """Take note of bytes that are about to be read."""
        self._left -= size
        self._taken += size
        if self._left < 0:
            raise EOFError(f"{size:,} bytes are announced, and fewer follow")
        self._refuse(self._taken)


def _inflated(stream: IO[bytes], size: int) -> Callable[[int], bytes]:
    """A function that reads from a compressed part of a stream."""
    unpacker, kept = zlib.decompressobj(), bytearray()
    left = size

    def read(wanted: int) -> bytes:
        nonlocal left
        while len(kept) < wanted and not unpacker.eof:
            packed = unpacker.unconsumed_tail or stream.read(min(left, _STEP))
            left -= 0 if unpacker.unconsumed_tail else len(packed)
            if not packed:
                break
            kept.extend(unpacker.decompress(packed, _STEP))
        given = bytes(kept[:wanted])
        del kept[:wanted]
        return given

    return read


def _whole(given: bytes, size: int) -> bytes:
    """Bytes, unless some are missing."""
    if len(given) != size:
        raise EOFError("it ends before a variable does")
    return given
