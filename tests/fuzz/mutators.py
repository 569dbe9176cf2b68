"""Damage with regard to structure: archives are unpacked, JSON parsed, headers rewritten.

A change of a random byte of a packed file is found by its check sum at once. So what is packed is
unpacked, damaged inside and packed again; only one time in four the bytes themselves are changed.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import struct
import warnings
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import Any

from tests.fuzz.trees import packed, unpacked

# Longest case: damage shows in small files, and large ones only take time.
LONGEST = 200_000
# Numbers at which something changes: signs, widths, and sizes that ask for memory.
NUMBERS = (
    0, 1, 2, 3, 4, 7, 8, 15, 16, 64, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536, 10**6,
    2**24, 10**8, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, -1, -2, -128, -(2**31),
)  # fmt: skip
# Words that mean something to one reader or another.
WORDS = (
    b"\0", b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b" ", b"\xff\xfe", b"\xef\xbb\xbf",
    b"\xfe\xff", b"{", b"}", b"[", b"]", b"<", b">", b"%", b"@", b"null", b"true", b"1e999",
    b"-1e999", b"nan", b"inf", b"-0", b"1_0", b"0x10", b"9" * 30, b"9" * 5000, b"1e-400",
    b"2024-13-45", b"31/31/2024", b"1.234,5",
    b"\\ud800", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xc2\x85", b"id",
    b"label", b"class", b"text", b"title", b"X", b"samples", b"sample", b"feature", b"value", b"..",
    b"/", b"\\", b"step", b"undo", b"must-link", b"label:99999999999", b"edit:", b"relation",
    b"nested", b"complex", b"symmetric", b"array", b"pattern", b"numeric", b"relational",
    b"date", b"string",
)  # fmt: skip
JSON_VALUES: tuple[Any, ...] = (
    None, True, False, "", "x", "samples", "\ud800", "1", "nan", [], {}, [[]], [None], {"": None},
    1.5, -1, 0, 1, 1e308, 10**30, float("nan"), float("inf"), [1, 2, 3], "a" * 300, 2**31, -(2**63),
)  # fmt: skip
ARCHIVES = (".zip", ".npz", ".xlsx")
TEXTS = (".csv", ".tsv", ".txt", ".arff", ".mtx", ".jsonl", ".xml", ".rels", ".clabel", ".rclass")


def mutated(data: bytes, name: str, rng: random.Random) -> bytes:
    """An input damaged in one to four places; the ending of the name tells its structure."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = _once(data, name, rng)
    return data[:LONGEST]


def _once(data: bytes, name: str, rng: random.Random) -> bytes:
    """One change."""
    ending = PurePosixPath(name).suffix.lower()
    if rng.random() < 0.25:
        return _bytes(data, rng)
    try:
        if ending == ".tree":
            return _tree(data, rng)
        if ending in ARCHIVES:
            return _archive(data, rng)
        if ending == ".gz":
            inner = mutated(gzip.decompress(data), name[: -len(".gz")], rng)
            return gzip.compress(inner, 1, mtime=0)
        if ending == ".json":
            return _json(data, rng)
        if ending == ".jsonl":
            return _json_line(data, rng)
        if ending == ".npy":
            return _npy(data, rng)
        if ending == ".mat" and not data[:1].isdigit():
            return _matlab(data, rng)
    except Exception:  # it is damaged so much already that it has no structure
        return _bytes(data, rng)
    if ending in (*TEXTS, ".mat"):
        return _text(data, rng)
    return _bytes(data, rng)


def _bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, put in, taken out, doubled, or cut off."""
    a, b = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    # Small pieces mostly: large ones leave little of the file.
    b = min(b, a + rng.choice((1, 2, 4, 8, 64, len(data))))
    kind = rng.randrange(8)
    if kind == 0:
        return data[:a]
    if kind == 1:
        return data[:a] + data[b:]
    if kind == 2:
        return data[:a] + rng.choice(WORDS) + data[a:]
    if kind == 3:
        return data[:b] + data[a:b] * rng.choice((1, 2, 100)) + data[b:]
    if kind == 4:
        return data[:a] + rng.randbytes(b - a) + data[b:]
    if kind == 5 and data:
        a = min(a, len(data) - 1)
        return data[:a] + bytes([data[a] ^ (1 << rng.randrange(8))]) + data[a + 1 :]
    return _number(data, rng)


def _number(data: bytes, rng: random.Random) -> bytes:
    """A binary number overwritten, mostly where numbers stand in binary formats."""
    letter, width = rng.choice((("b", 1), ("h", 2), ("i", 4), ("i", 4), ("q", 8)))
    order = rng.choice("<<>")
    place = rng.randint(0, max(len(data) - width, 0))
    place -= place % width if rng.random() < 0.7 else 0
    value = rng.choice(NUMBERS) & ((1 << (8 * width)) - 1)
    raw = struct.pack(order + letter.upper(), value)
    return data[:place] + raw + data[place + width :]


def _text(data: bytes, rng: random.Random) -> bytes:
    """A word, a number or a line changed."""
    if rng.random() < 0.4:
        return _bytes(data, rng)
    if rng.random() < 0.3:
        lines = data.split(b"\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i] = rng.choice((lines[j], b"", lines[i] + lines[j], lines[i] * 50))
        return b"\n".join(lines)
    found = list(re.finditer(rb"[-+.\w]+", data))
    if not found:
        return _bytes(data, rng)
    word = rng.choice(found)
    other = rng.choice((*WORDS, *(str(n).encode() for n in NUMBERS), rng.choice(found)[0]))
    return data[: word.start()] + other + data[word.end() :]


def _archive(data: bytes, rng: random.Random) -> bytes:
    """A member of an archive damaged, renamed, doubled or taken out."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    if not members:
        return _bytes(data, rng)
    i = rng.randrange(len(members))
    name, content = members[i]
    kind = rng.randrange(10)
    if kind == 0:
        del members[i]
    elif kind == 1:
        members[i] = (_renamed(name, rng), content)
    elif kind == 2:
        members.append((_renamed(name, rng), content))
    else:
        members[i] = (name, mutated(content, name, rng))
    kept = io.BytesIO()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with warnings.catch_warnings(), zipfile.ZipFile(kept, "w", method) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for other, content in members:
            archive.writestr(zipfile.ZipInfo(other), content, method)
    return kept.getvalue()


def _renamed(name: str, rng: random.Random) -> str:
    """Another name for a file."""
    place = PurePosixPath(name)
    word = rng.choice(WORDS).decode("latin-1")
    return rng.choice(
        (
            word,
            f"{place.stem}{word}",
            f"{place.stem}{rng.choice((*ARCHIVES, *TEXTS, '.npy', '.png', '.GZ', ''))}",
            f"{word}/{name}",
            name.upper(),
            "n" * 300 + place.suffix,
            "/".join("abcdefgh" * 4) + place.suffix,
        )
    )


def _tree(data: bytes, rng: random.Random) -> bytes:
    """A file of a folder damaged, renamed, doubled or taken out."""
    tree = unpacked(data)
    name = rng.choice(list(tree))
    kind = rng.randrange(10)
    if kind == 0:
        del tree[name]
    elif kind == 1:
        tree[_renamed(name, rng)] = tree.pop(name)
    elif kind == 2:
        tree[_renamed(name, rng)] = tree[name]
    else:
        # Files of zarr that say what is in the others have no ending.
        kind_of = ".json" if PurePosixPath(name).name in (".zarray", ".zgroup", ".zattrs") else name
        tree[name] = mutated(tree[name], kind_of, rng)
    return packed(tree)


def _json(data: bytes, rng: random.Random) -> bytes:
    """A value of a JSON tree replaced, taken out, wrapped or doubled."""
    if rng.random() < 0.2:
        return _text(data, rng)
    tree = json.loads(data)
    return json.dumps(_changed(tree, rng)).encode()


def _json_line(data: bytes, rng: random.Random) -> bytes:
    """A line of JSON changed, or the text of it."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    if rng.random() < 0.4 or not lines[i].strip():
        return _text(data, rng)
    lines[i] = _json(lines[i], rng)
    return b"\n".join(lines)


def _changed(value: Any, rng: random.Random) -> Any:
    """A JSON value with one change somewhere inside it."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        return _changed_at(value, key, rng)
    if isinstance(value, list) and value and rng.random() < 0.9:
        copied = dict(enumerate(value))
        return list(_changed_at(copied, rng.randrange(len(value)), rng).values())
    if isinstance(value, str) and rng.random() < 0.5:
        raw = _text(value.encode(errors="replace"), rng)
        return raw.decode("utf-8", "surrogateescape")
    return rng.choice((*JSON_VALUES, *NUMBERS, [value], {"x": value}))


def _changed_at(values: dict[Any, Any], key: Any, rng: random.Random) -> dict[Any, Any]:
    """Values with one of them changed, taken out or doubled."""
    kind = rng.randrange(12)
    if kind == 0:
        return {k: v for k, v in values.items() if k != key}
    if kind == 1 and isinstance(key, str):
        return {(rng.choice(("", "x", "samples", key + "2")) if k == key else k): v
                for k, v in values.items()}  # fmt: skip
    if kind == 2 and isinstance(key, int):
        return {**values, len(values): values[key]}
    return {**values, key: _changed(values[key], rng)}


def _npy(data: bytes, rng: random.Random) -> bytes:
    """The header of an array rewritten, or its numbers."""
    start = 8 + 2 + struct.unpack("<H", data[8:10])[0]
    if rng.random() < 0.5:
        return data[:start] + _number(data[start:], rng)
    header = data[10:start].decode("latin-1")
    descr = rng.choice(
        (
            "<f8",
            "<f4",
            ">f8",
            "<i8",
            "<i4",
            "|b1",
            "|O",
            "<U4",
            "|S3",
            "<c16",
            "<M8[s]",
            "|V8",
            "<f2",
        )
    )
    shape = tuple(rng.choice(NUMBERS) for _ in range(rng.randrange(4)))
    change = rng.randrange(4)
    if change == 0:
        header = re.sub(r"'descr': '[^']*'", f"'descr': '{descr}'", header)
    elif change == 1:
        header = re.sub(r"'shape': \([^)]*\)", f"'shape': {shape}", header)
    elif change == 2:
        header = header.replace("False", rng.choice(("True", "None", "7")))
    else:
        header = _text(header.encode("latin-1"), rng).decode("latin-1")
    raw = header.encode("latin-1")[:65535]
    return data[:8] + struct.pack("<H", len(raw)) + raw + data[start:]


def _matlab(data: bytes, rng: random.Random) -> bytes:
    """A variable of a MATLAB file changed, also inside of compressed ones."""
    place = 128
    parts = []
    while place + 8 <= len(data):
        kind, size = struct.unpack("<II", data[place : place + 8])
        parts.append((kind, data[place + 8 : place + 8 + size]))
        place += 8 + size
    if not parts:
        return _bytes(data, rng)
    i = rng.randrange(len(parts))
    kind, content = parts[i]
    compressed = 15
    if kind == compressed:
        inner = zlib.decompress(content)
        changed = rng.choice((_number, _number, _bytes))(inner, rng)
        parts[i] = (kind, zlib.compress(changed))
    else:
        parts[i] = (kind, rng.choice((_number, _number, _bytes))(content, rng))
    return data[:128] + b"".join(struct.pack("<II", k, len(c)) + c for k, c in parts)
