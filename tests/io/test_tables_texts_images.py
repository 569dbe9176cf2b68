"""Tables with traps, mixed encodings, texts and images."""

from __future__ import annotations

import json
import sys
import tracemalloc

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from cocluster.io import read


def test_long_tables_hold_modalities_and_absent_samples(tmp_path):
    rows = ["u,x,rna,1", "v,x,rna,2", "v,y,rna,3", "v,p,adt,4", "w,q,adt,5", "v,p,adt,1"]
    (tmp_path / "toy.csv").write_text("\n".join(["Sample,Feature,Modality,Value", *rows]))
    dataset = read(tmp_path / "toy.csv")
    assert dataset.sample_names.tolist() == ["u", "v", "w"]
    assert dataset.views["rna"].toarray().tolist() == [[1, 0], [2, 3]]
    assert dataset.views["adt"].toarray().tolist() == [[5, 0], [0, 5]]
    assert dataset.present["adt"].tolist() == [1, 2]
    assert dataset.feature_names["adt"].tolist() == ["p", "q"]
    assert dataset.data.relations[1].row_index.tolist() == [1, 2]


def test_missing_cells_are_nan(tmp_path):
    (tmp_path / "toy.csv").write_text("a,b\n1,\nNA,4\n")
    assert np.isnan(read(tmp_path / "toy.csv").X).tolist() == [[False, True], [True, False]]


def test_other_encodings_are_read_and_said(tmp_path):
    (tmp_path / "toy.csv").write_bytes("id,größe\nä,1\n".encode("latin-1"))
    dataset = read(tmp_path / "toy.csv")
    assert dataset.feature_names["X"].tolist() == ["größe"]
    assert "toy.csv" in dataset.notes[0]
    (tmp_path / "toy.csv").write_text("id,größe\nä,1\n", encoding="utf-8-sig")
    assert read(tmp_path / "toy.csv").notes == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3: 1 cells, but the first, 1, has 2"),
        ("a,b\n1,2\n\n3,x\n", "line 4: 'x' in column 'b' is not a number"),
        ("a,a\n1,2\n", "line 1: column 'a' is there twice"),
        ("a,b\n", "a header but no rows"),
        ("id,label\nu,1\n", "no columns of numbers"),
        ("sample,feature,value\nu,x,many\n", "line 2: 'many'"),
    ],
)
def test_broken_tables_name_the_line(tmp_path, content, message):
    (tmp_path / "toy.csv").write_text(content)
    with pytest.raises(ValueError, match=rf"toy\.csv.*{message}"):
        read(tmp_path / "toy.csv")


def test_any_column_can_be_the_label(tmp_path):
    (tmp_path / "toy.csv").write_text("Kind,b\nx,1\ny,2\n,3\n")
    dataset = read(tmp_path / "toy.csv", label="kind")
    assert dataset.labels.tolist() == [0, 1, -1]
    assert dataset.X.tolist() == [[1], [2], [3]]


def test_tables_without_rows_are_refused(tmp_path):
    import pyarrow.parquet

    empty = pyarrow.table({"a": pyarrow.array([], pyarrow.float64())})
    pyarrow.parquet.write_table(empty, tmp_path / "toy.parquet")
    with pytest.raises(ValueError, match=r"toy\.parquet has no rows"):
        read(tmp_path / "toy.parquet")


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "toy.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"\[parquet\]"):
        read(tmp_path / "toy.parquet")


@pytest.fixture
def texts(tmp_path):
    """A folder of texts in two subfolders, one of them not in UTF-8, and a hidden file."""
    folder = tmp_path / "corpus"
    for name, text in (
        ("pets/1.txt", "cat dog cat"),
        ("farm/2", "cow pig"),
        ("farm/3", "Kühe cow"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1"))
    (folder / ".hidden").write_text("secret")
    return folder


def test_a_folder_of_texts_is_counted(texts):
    dataset = read(texts)
    assert dataset.sample_names.tolist() == ["farm/2", "farm/3", "pets/1.txt"]
    assert dataset.class_names[dataset.labels].tolist() == ["farm", "farm", "pets"]
    words = dataset.feature_names["words"].tolist()
    assert words == ["cat", "cow", "dog", "kühe", "pig"]
    assert dataset.X.toarray()[2].tolist() == [2, 0, 1, 0, 0]
    assert dataset.notes == ("Not UTF-8, read as Latin-1: farm/3.",)


def test_words_are_counted_as_wished(texts):
    vectorizer = CountVectorizer(binary=True, min_df=2)
    dataset = read(texts, vectorizer=vectorizer)
    assert dataset.feature_names["words"].tolist() == ["cow"]
    assert not hasattr(vectorizer, "vocabulary_")


def test_texts_without_words_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="empty has no files"):
        read(tmp_path / "empty")
    (tmp_path / "empty" / "a.txt").write_text("...")
    with pytest.raises(ValueError, match="empty: there are no words"):
        read(tmp_path / "empty")


def test_json_lines_of_texts(tmp_path):
    rows = [{"text": "cat dog", "id": "u", "label": "pets"}, {"text": "cow", "id": 7}]
    (tmp_path / "toy.jsonl").write_text("\n\n".join(map(json.dumps, rows)))
    dataset = read(tmp_path / "toy.jsonl")
    assert dataset.sample_names.tolist() == ["u", "7"]
    assert dataset.labels.tolist() == [0, -1]
    assert dataset.X.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("line", "message"),
    [('{"text": "cut o', "not JSON"), ("[1]", "not a JSON object"), ("7", "not a JSON object")],
)
def test_broken_json_lines_are_named(tmp_path, line, message):
    (tmp_path / "toy.jsonl").write_text('{"text": "whole"}\n' + line)
    with pytest.raises(ValueError, match=rf"toy\.jsonl, line 2: {message}"):
        read(tmp_path / "toy.jsonl")


@pytest.fixture
def images(tmp_path, rng):
    """A folder of four images in two subfolders."""
    pillow = pytest.importorskip("PIL.Image")
    pytest.importorskip("skimage")
    for name in ("red/1.png", "red/2.jpg", "blue/3.png", "blue/4.gif"):
        pixels = rng.integers(0, 80, (24, 20, 3), dtype=np.uint8)
        pixels[..., 0 if name.startswith("red") else 2] += 150
        (tmp_path / "album" / name).parent.mkdir(parents=True, exist_ok=True)
        pillow.fromarray(pixels).save(tmp_path / "album" / name)
    return tmp_path / "album"


def test_a_folder_of_images_has_two_views(images):
    (images / "red" / "readme.txt").write_text("not an image")
    dataset = read(images)
    assert {v: M.shape for v, M in dataset.views.items()} == {"color": (4, 45), "texture": (4, 42)}
    assert dataset.class_names[dataset.labels].tolist() == ["blue", "blue", "red", "red"]
    red = dataset.feature_names["color"].tolist().index("mean_R")
    assert dataset.views["color"][:2, red].max() < dataset.views["color"][2:, red].min()
    assert dataset.notes == ()


def test_unreadable_images_are_named_counted_and_left_out(images):
    whole = (images / "red" / "1.png").read_bytes()
    (images / "red" / "1.png").write_bytes(whole[: len(whole) // 2])
    (images / "blue" / "5.jpg").write_bytes(b"no image")
    with pytest.warns(UserWarning, match=r"2 of 5 images cannot be read.*blue/5\.jpg, red/1\.png"):
        dataset = read(images)
    assert dataset.sample_names.tolist() == ["blue/3.png", "blue/4.gif", "red/2.jpg"]
    assert "2 of 5" in dataset.notes[0]


def peak_of_reading(folder):
    """Bytes of Python objects and arrays at the worst moment."""
    tracemalloc.start()
    read(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("seed", [0])
def test_large_images_are_held_one_at_a_time_and_bombs_are_left_out(images, monkeypatch):
    from PIL import Image

    side, peaks = 1600, []
    for number in range(6):
        Image.new("RGB", (side, side)).save(images / "red" / f"large{number}.png")
        peaks.append(peak_of_reading(images) if number in (0, 5) else 0)
    assert peaks[-1] < peaks[0] + 2 * 3 * side**2
    # A small file of very many pixels: Pillow warns, and reads it.
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", side**2 // 2 + 1)
    with pytest.warns(UserWarning, match=r"6 of 10 images cannot be read.*red/large0\.png"):
        assert len(read(images)) == 4


def test_a_folder_without_any_readable_image_is_refused(images):
    for file in images.rglob("*.*"):
        file.write_bytes(b"no image")
    with pytest.raises(ValueError, match="None of the 4 images in album"):
        read(images)
