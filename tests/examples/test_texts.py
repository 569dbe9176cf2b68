"""The example of texts tells what it read and names what it found, with one view or two."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from examples import texts

DOCS = ["the cat and the dog are pets", "a rocket is in orbit with the moon"] * 12


@pytest.mark.parametrize("options", [[], ["--model", "any"]])
def test_groups_are_named_by_their_words(
    options: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def encode(texts: list[str], normalize_embeddings: bool) -> Any:
        return np.array([[1.0, "cat" in text, "moon" in text] for text in texts])

    fake = SimpleNamespace(SentenceTransformer=lambda name: SimpleNamespace(encode=encode))
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    (tmp_path / "toy.txt").write_text("\n".join(DOCS))
    texts.main([str(tmp_path / "toy.txt"), "-k", "2", *options])
    told, counting, *groups = capsys.readouterr().out.splitlines()
    assert told.startswith("id: line · text: contents")
    assert ("embeddings" in told) == bool(options)
    assert "stop words (English)" in counting
    found = [set(group.split("  ")[-1].split(", ")) for group in groups]
    assert sorted(found, key=min) == [{"cat", "dog", "pets"}, {"moon", "orbit", "rocket"}]
