"""Texts in folders and lines: encodings, what is no text, and one matrix whatever the file."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

from cocluster import CoCluster
from cocluster.io import read
from cocluster.io.dataset import Dataset
from cocluster.metrics import accuracy

DOCS = {
    "farm/1": "The cow was in the barn and ate.\nShe gave milk, and the pig was there",
    "farm/2": "From: ann@example.org\nSubject: pigs\n\nA pig and a cow were in the barn",
    "pets/3": "The cat was on the mat, “asleep”,\r\nand the dog was not, naïve",
    "pets/4": "A dog ate and a cat drank milk",
}
CODES = [0, 0, 1, 1]


def as_folder(folder: Path) -> Path:
    """A document a file, each in another encoding."""
    encodings = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]
    for (name, text), encoding in zip(DOCS.items(), encodings, strict=True):
        (folder / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "toy" / name).write_bytes(text.encode(encoding))
    return folder / "toy"


def rows() -> list[dict[str, str]]:
    """Records in another order than that of their names."""
    return [
        {"id": name, "label": name[:4], "text": DOCS[name]} for name in sorted(DOCS, reverse=True)
    ]


def as_json_lines(folder: Path) -> Path:
    """A document a line."""
    (folder / "toy.jsonl").write_text("\n".join(map(json.dumps, rows())))
    return folder / "toy.jsonl"


def as_json(folder: Path) -> Path:
    """A list of documents."""
    (folder / "toy.json").write_text(json.dumps(rows()))
    return folder / "toy.json"


def as_csv(folder: Path) -> Path:
    """A document a row."""
    with (folder / "toy.csv").open("w", newline="", encoding="utf-16") as file:
        writer = csv.DictWriter(file, ["id", "label", "text"], delimiter=";")
        writer.writeheader()
        writer.writerows(rows())
    return folder / "toy.csv"


def as_excel(folder: Path) -> Path:
    """A document a row."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "label", "text"], *(list(record.values()) for record in rows())):
        book.active.append(row)
    book.save(folder / "toy.xlsx")
    return folder / "toy.xlsx"


@pytest.mark.parametrize("write", [as_folder, as_json_lines, as_json, as_csv, as_excel])
def test_the_same_texts_give_the_same_matrix_up_to_the_order_of_rows(
    tmp_path: Path, write: object
) -> None:
    dataset: Dataset = read(write(tmp_path))  # type: ignore[operator]
    order = np.argsort(dataset.sample_names)
    assert dataset.sample_names[order].tolist() == list(DOCS)
    same = dataset.select(order)
    words = ["asleep", "ate", "barn", "cat", "cow", "dog", "drank", "gave", "mat", "milk", "naïve",
             "pig"]  # fmt: skip
    assert same.feature_names["words"].tolist() == words
    expected = [[text.lower().count(word) for word in words] for text in DOCS.values()]
    expected[1][words.index("pig")] = 1  # the subject of a letter is no part of it
    assert same.X.toarray().tolist() == expected
    assert same.labels.tolist() == CODES
    assert [text.replace("\r", "") for text in DOCS.values()] == same.texts.tolist()


def test_the_canonical_order_is_that_of_the_texts(tmp_path: Path) -> None:
    folder, lines = read(as_folder(tmp_path)), read(as_json_lines(tmp_path))
    first, second = (dataset.select(dataset.canonical_order()) for dataset in (folder, lines))
    assert first.sample_names.tolist() == second.sample_names.tolist()
    assert np.array_equal(first.X.toarray(), second.X.toarray())


def test_subjects_of_letters_are_titles(tmp_path: Path) -> None:
    letters = [f"From: ann\nSubject: about {word}\n\nDear Bob, a {word}" for word in ("ox", "hen")]
    (tmp_path / "toy.json").write_text(json.dumps(letters))
    dataset = read(tmp_path / "toy.json")
    assert dataset.titles.tolist() == ["about ox", "about hen"]
    assert "mail headers of 2 texts" in dataset.reading.counting


def test_a_document_a_line(tmp_path: Path) -> None:
    (tmp_path / "toy.txt").write_bytes("a cat\r\n\r\nthe dog, a cat\r\n".encode("utf-16"))
    dataset = read(tmp_path / "toy.txt")
    assert dataset.texts.tolist() == ["a cat", "the dog, a cat"]
    assert dataset.sample_names.tolist() == ["1", "3"]
    assert dataset.reading.summary() == "id: line · text: contents"


def test_texts_without_a_word_that_counts_are_noted(tmp_path: Path) -> None:
    (tmp_path / "toy.txt").write_text("a cat\n...\nthe and of\nthe cat and dog\n")
    (note,) = read(tmp_path / "toy.txt").notes
    assert note.endswith("nothing tells where they belong: 2, 3.")


@pytest.mark.parametrize("ending", [".pdf", ".docx", ".doc", ".odt", ".rtf", ".xls", ".ods"])
def test_documents_are_refused_by_name_with_what_to_do(tmp_path: Path, ending: str) -> None:
    folder = as_folder(tmp_path)
    (tmp_path / f"one{ending}").write_bytes(b"%PDF\0")
    with pytest.raises(ValueError, match=rf"one{ending}: .* files are not read; first "):
        read(tmp_path / f"one{ending}")
    (folder / f"one{ending}").write_bytes(b"%PDF\0")
    dataset = read(folder)
    assert dataset.sample_names.tolist() == list(DOCS)
    assert f"No plain text, left out: one{ending};" in dataset.notes[-1]
    for i in range(5):
        (folder / f"{i}{ending}").write_bytes(b"%PDF\0")
    with pytest.raises(ValueError, match=rf"0{ending}: .* files are not read; first "):
        read(folder)


def test_files_that_are_no_text_are_known_by_their_bytes(tmp_path: Path) -> None:
    folder = as_folder(tmp_path)
    (folder / "program").write_bytes(bytes(range(256)) * 9)
    dataset = read(folder)
    assert dataset.sample_names.tolist() == list(DOCS)
    assert "program" in dataset.notes[-1]


def test_a_folder_with_one_file_of_data_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "README.md").write_text("Numbers.")
    (tmp_path / "toy" / "data.csv").write_text("a,b\n1,2\n")
    assert read(tmp_path / "toy").X.tolist() == [[1, 2]]


def real_texts() -> Path:
    """Raw articles of twenty newsgroups."""
    folder = os.environ.get("COCLUSTER_DATA")
    if not folder:
        pytest.skip("COCLUSTER_DATA names no folder of data sets.")
    return Path(folder) / "text" / "ng20_mini_raw.jsonl.gz"


@pytest.mark.slow
def test_groups_of_raw_articles_are_found_without_an_option() -> None:
    dataset = read(real_texts())
    found = [CoCluster(20, random_state=seed).fit(dataset.data).labels_ for seed in range(5)]
    # Bare counts of all words give .26, sensible ones of the bodies .49.
    assert np.mean([accuracy(dataset.labels, labels) for labels in found]) >= 0.48


@pytest.mark.slow
def test_raw_articles_give_the_same_matrix_whatever_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    illegal = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE
    with gzip.open(real_texts(), "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    # What a cell of Excel can hold, so that all files have the same texts.
    docs = {r["id"]: illegal.sub(" ", r["text"])[:32_000] for r in records}
    monkeypatch.setitem(globals(), "DOCS", docs)
    first, *others = (read(write(tmp_path)) for write in (as_json_lines, as_csv, as_excel))
    for dataset in others:
        assert np.array_equal(first.sample_names, dataset.sample_names)
        assert np.array_equal(first.feature_names["words"], dataset.feature_names["words"])
        assert (first.X != dataset.X).nnz == 0
    for name, text in docs.items():
        (tmp_path / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / name).write_text(text, encoding="utf-8", newline="")
    folder = read(tmp_path / "toy")
    order = np.argsort(first.sample_names)
    assert np.array_equal(first.sample_names[order], folder.sample_names)
    assert (first.X[order] != folder.X).nnz == 0
