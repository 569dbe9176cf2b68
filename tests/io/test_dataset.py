"""A data set keeps what came with its samples, and takes further views."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest

from cocluster import CoCluster
from cocluster.io import read
from cocluster.io.dataset import Dataset
from cocluster.preprocessing import sentence_model

TEXTS = ["cat dog", "dog cow", "cow cat", "cat cat"]
NAMES = ["u", "v", "w", "x"]
E = np.arange(8.0).reshape(4, 2)


@pytest.fixture
def texts(tmp_path: Path) -> Dataset:
    """Four texts with names, titles, classes and dates."""
    cells = enumerate(zip(NAMES, TEXTS, strict=True), start=1)
    rows = [f"{name},t {name},{text},{name}{name},2024-03-0{i}" for i, (name, text) in cells]
    (tmp_path / "toy.csv").write_text("\n".join(["id,title,text,label,day", *rows]))
    return read(tmp_path / "toy.csv", text="text")


def test_a_part_of_the_samples_keeps_all_that_is_known_of_them(texts: Dataset) -> None:
    whole = texts.with_view("numbers", E)
    part = whole.select([2, 0])
    assert part.texts.tolist() == [TEXTS[2], TEXTS[0]]
    assert part.titles.tolist() == ["t w", "t u"]
    assert part.metadata["day"].tolist() == ["2024-03-03", "2024-03-01"]
    assert part.class_names[part.labels].tolist() == ["ww", "uu"]
    assert (part.reading, part.counter) == (whole.reading, whole.counter)
    assert np.array_equal(part.views["numbers"], E[[2, 0]])
    assert np.array_equal(
        part.counter.transform(part.texts).toarray(), part.views["words"].toarray()
    )


def frame(names: list[str]) -> Any:
    """Rows of E by name."""
    return pandas.DataFrame(E[[NAMES.index(n) if n in NAMES else 0 for n in names]], index=names)


@pytest.mark.parametrize(
    ("given", "how"),
    [
        (E, "position"),
        (E.tolist(), "position"),
        (pandas.DataFrame(E), "position"),
        (frame(NAMES[::-1]), "name"),
        (frame(["z", *NAMES[::-1]]), "name"),
        (Dataset("other", {"X": E[::-1]}, sample_names=np.array(NAMES[::-1])), "name"),
        (lambda texts: [E[TEXTS.index(text)] for text in texts], "position"),
    ],
    ids=["array", "list", "frame", "index", "more", "data set", "callable"],
)
def test_a_view_is_matched_to_the_samples(texts: Dataset, given: Any, how: str) -> None:
    found = texts.with_view("numbers", given)
    assert np.array_equal(found.views["numbers"], E)
    assert found.reading.summary().endswith(f"numbers: rows matched by {how}")
    assert found.data.types == ("samples", "words", "numbers")


def test_a_view_may_lack_samples(texts: Dataset) -> None:
    found = texts.with_view("numbers", frame(["x", "u"]))
    assert found.present["numbers"].tolist() == [0, 3]
    assert np.array_equal(found.views["numbers"], E[[0, 3]])
    assert found.data.relations[1].row_index.tolist() == [0, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (E[:3], r"View 'more' has 3 rows but 'toy' 4 samples"),
        (frame(["p", "q"]), r"no row for any sample of 'toy': its first is called 'p'"),
        (frame(["u", "u", "v", "w"]), "several rows of one name"),
    ],
)
def test_views_that_do_not_fit_are_refused(texts: Dataset, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        texts.with_view("more", given)


def test_names_of_views_and_of_samples_must_tell_them_apart(texts: Dataset) -> None:
    with pytest.raises(ValueError, match="has a view 'words' already"):
        texts.with_view("words", E)
    with pytest.raises(ValueError, match="is called 'samples', as its rows are"):
        texts.with_view("samples", E)
    twins = replace(texts, sample_names=np.array(["u", "u", "v", "w"]))
    with pytest.raises(ValueError, match="share names"):
        twins.with_view("more", frame(NAMES))
    bare = replace(texts, texts=None)
    with pytest.raises(ValueError, match="has no texts to make 'more' of"):
        bare.with_view("more", len)


def test_views_are_read_beside_a_file(texts: Dataset, tmp_path: Path) -> None:
    np.save(tmp_path / "emb.npy", E)
    frame(NAMES[::-1]).to_csv(tmp_path / "emb.csv", index_label="id")
    for given in (tmp_path / "emb.npy", str(tmp_path / "emb.csv"), E):
        found = read(tmp_path / "toy.csv", view={"embeddings": given})
        assert np.array_equal(found.views["embeddings"], E)
    CoCluster(2, random_state=0).fit(found.data)


def test_a_model_of_sentences_makes_a_view(texts: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(texts: list[str], normalize_embeddings: bool) -> Any:
        return np.array([[len(text), 1.0] for text in texts])

    fake = SimpleNamespace(SentenceTransformer=lambda name: SimpleNamespace(encode=encode))
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    found = texts.with_view("embeddings", sentence_model("any"))
    assert found.views["embeddings"][:, 0].tolist() == [len(text) for text in TEXTS]


def test_a_view_is_made_of_what_is_counted(tmp_path: Path) -> None:
    (tmp_path / "toy.txt").write_text("a cat")
    (tmp_path / "toy" / "group").mkdir(parents=True)
    letter = "From: ann\nNewsgroups: rec.pets\n\nDear Bob, a cat"
    (tmp_path / "toy" / "group" / "1").write_text(letter)
    (tmp_path / "toy" / "2").write_text("a dog")
    seen: list[str] = []

    def embed(texts: list[str]) -> Any:
        seen.extend(texts)
        return np.eye(len(texts))

    read(tmp_path / "toy", view={"more": embed})
    assert seen == ["a dog", "Dear Bob, a cat"]


def test_cells_for_each_feature():
    with pytest.raises(ValueError, match="2 features but 3 cells of 'kind'"):
        Dataset("toy", {"X": np.eye(2)}, feature_metadata={"X": {"kind": np.array(list("abc"))}})


@pytest.mark.parametrize("field", ["texts", "titles", "metadata"])
def test_there_is_one_of_everything_for_each_sample(field: str) -> None:
    values = np.array(["one"], dtype=object)
    given: Any = {"day": values} if field == "metadata" else values
    with pytest.raises(ValueError, match=r"'toy' has 2 samples but 1 "):
        Dataset("toy", {"X": np.eye(2)}, **{field: given})
