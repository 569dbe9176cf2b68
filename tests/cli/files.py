"""Small files that have clusters."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

# Two subjects with a few words each; texts are drawn from one of them.
SUBJECTS = {
    "pets": "cat dog mouse pet food fur tail paw bark purr vet leash bowl whisker kitten puppy",
    "space": "moon orbit rocket launch star planet shuttle crew engine dock lander mars comet",
    "tea": "tea leaf cup kettle green black oolong steep boil pot saucer milk sugar lemon brew",
}


def texts(n: int = 60, seed: int = 0) -> list[tuple[str, str, str]]:
    """Name, text and subject of some documents."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        subject = list(SUBJECTS)[i % len(SUBJECTS)]
        words = rng.choice(SUBJECTS[subject].split(), size=12)
        found.append((f"doc{i:02d}.txt", " ".join(words), subject))
    return found


def write_jsonl(folder: Path, name: str = "docs.jsonl", **drawn: int) -> Path:
    """The texts, one JSON record a line."""
    lines = [json.dumps({"id": i, "text": text, "label": y}) for i, text, y in texts(**drawn)]
    file = folder / name
    file.write_text("\n".join(lines) + "\n")
    return file


def write_csv(folder: Path, rows: list[list[object]], name: str = "table.csv") -> Path:
    """Any table."""
    file = folder / name
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows(rows)
    return file


def blocks(name: str = "word", n: int = 8, m: int = 6) -> list[list[object]]:
    """A table with an id, and with two blocks of high counts."""
    X = np.kron([[9, 1], [1, 9]], np.ones((n // 2, m // 2), dtype=int)).tolist()
    head = ["id", *(f"{name}{j}" for j in range(m))]
    return [head, *([f"doc{i}", *row] for i, row in enumerate(X))]
