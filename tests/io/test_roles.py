"""Which column is what: told by contents, said in one line, and overridden by the caller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cocluster.io import read
from cocluster.io.dataset import Dataset, Reading

ANIMALS = ["cat", "dog", "cow", "pig", "hen", "fox"]
PLACES = ["farm", "home"]
CITIES = ["Bonn", "Rome", ""]
DOCS = "doc_id,body,topic,date\n" + "".join(
    f'd{i},"The {word} is here, and it was on the table",{PLACES[i % 2]},2024-01-0{i + 1}\n'
    for i, word in enumerate(ANIMALS)
)
SURVEY = "person,age,smokes,city,income,when\n" + "".join(
    f"p{i},{20 + i},{'yes' if i % 2 else 'no'},{CITIES[i % 3]},{i}.5,2024-0{i + 1}-30\n"
    for i in range(6)
)


def table(folder: Path, content: str, **asked: Any) -> Dataset:
    """Data set of a CSV file."""
    (folder / "toy.csv").write_text(content, encoding="utf-8")
    return read(folder / "toy.csv", **asked)


def test_a_table_of_texts_is_told_in_one_line(tmp_path: Path) -> None:
    dataset = table(tmp_path, DOCS)
    expected = "id: doc_id · text: body · classes: topic (not used) · left out: date (dates)"
    assert dataset.reading.summary() == expected
    assert dataset.feature_names["words"].tolist() == sorted([*ANIMALS, "table"])
    assert dataset.sample_names.tolist() == [f"d{i}" for i in range(6)]
    assert dataset.class_names[dataset.labels].tolist() == PLACES * 3
    assert dataset.texts[1] == "The dog is here, and it was on the table"
    assert dataset.metadata["date"].tolist()[0] == "2024-01-01"
    assert "stop words (English)" in dataset.reading.counting
    new = dataset.counter.transform(["a dog, a dog and a wolf"])
    assert new.sum() == new.toarray()[0, dataset.feature_names["words"].tolist().index("dog")] == 2


def test_a_survey_becomes_numbers_and_categories(tmp_path: Path) -> None:
    dataset = table(tmp_path, SURVEY)
    assert dataset.reading.summary() == (
        "id: person · numbers: age, income · categories: smokes, city · left out: when (dates)"
    )
    assert dataset.views["X"].tolist()[1] == [21, 1.5]
    names = ["smokes=no", "smokes=yes", "city=Bonn", "city=Rome"]
    assert dataset.feature_names["categories"].tolist() == names
    found = dataset.views["categories"].toarray().tolist()
    assert found[:3] == [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 0]]
    assert len(dataset.data) == 6


@pytest.mark.parametrize(("width", "n", "first"), [("year", 1, "2024"), ("month", 6, "2024-01")])
def test_dates_are_grouped_when_asked(tmp_path: Path, width: str, n: int, first: str) -> None:
    dataset = table(tmp_path, SURVEY, dates=width)
    names = dataset.feature_names["categories"].tolist()
    assert names[4:] == [f"when={first}", *names[5:]]
    assert len(names) == 4 + n
    assert f"when (by {width})" in dataset.reading.summary()


@pytest.mark.parametrize(
    ("cells", "month"),
    [
        (["31.03.2024", "01.04.2024"], ["2024-03", "2024-04"]),
        (["3/31/2024", "4/1/2024"], ["2024-03", "2024-04"]),
        (["31/3/24", "1/4/24"], ["2024-03", "2024-04"]),
        (["2024-03-31T10:00:00Z", "2024/04/01 9:15"], ["2024-03", "2024-04"]),
    ],
)
def test_dates_of_many_countries_mean_the_same(
    tmp_path: Path, cells: list[str], month: list[str]
) -> None:
    content = f"name,when,a\nu,{cells[0]},1\nv,{cells[1]},2\n"
    dataset = table(tmp_path, content, dates="month")
    assert dataset.feature_names["categories"].tolist() == [f"when={m}" for m in month]


def test_dates_that_nobody_can_tell_are_refused(tmp_path: Path) -> None:
    content = "name,when,a\nu,1/2/2024,1\nv,3/4/2024,2\n"
    with pytest.raises(ValueError, match=r"toy\.csv: in column 'when' nobody can tell days"):
        table(tmp_path, content, dates="month")
    assert table(tmp_path, content, dates="year").views["categories"].shape == (2, 1)
    with pytest.raises(ValueError, match=r"column 'when' holds dates; say how to group them"):
        table(tmp_path, content, features=["a", "when"])
    with pytest.raises(ValueError, match="dates is 'week'"):
        table(tmp_path, content, dates="week")


@pytest.mark.parametrize("kind", ["date", "time", "nanoseconds"])
def test_dates_of_parquet_are_no_numbers(tmp_path: Path, kind: str) -> None:
    pyarrow, parquet = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    types = {
        "date": pyarrow.date32(),
        "time": pyarrow.timestamp("s"),
        "nanoseconds": pyarrow.timestamp("ns"),
    }
    days = np.array(["2024-03-31", "2023-04-01", "NaT"], dtype="datetime64[D]")
    columns = {"a": [1.0, 2.0, 3.0], "day": pyarrow.array(days).cast(types[kind])}
    parquet.write_table(pyarrow.table(columns), tmp_path / "toy.parquet")
    dataset = read(tmp_path / "toy.parquet")
    assert dataset.views["X"].tolist() == [[1], [2], [3]]
    assert dataset.reading.left_out == {"day": "dates"}
    assert [cell[:10] for cell in dataset.metadata["day"]] == ["2024-03-31", "2023-04-01", ""]
    binned = read(tmp_path / "toy.parquet", dates="year")
    assert binned.feature_names["categories"].tolist() == ["day=2023", "day=2024"]
    assert binned.views["categories"].toarray().tolist() == [[0, 1], [1, 0], [0, 0]]


def test_seconds_since_1970_are_no_numbers_if_the_name_says_so(tmp_path: Path) -> None:
    dataset = table(tmp_path, "a,b,created_time\n1,2,1700000000\n3,4,1700000009\n")
    assert dataset.reading.summary() == "numbers: a, b · left out: created_time (times)"


@pytest.mark.parametrize("name", ["y", "class", "Label"])
def test_classes_are_told_and_numbers_are_no_classes(tmp_path: Path, name: str) -> None:
    dataset = table(tmp_path, f"a,{name}\n1.5,u\n3,v\n4,u\n")
    assert dataset.labels.tolist() == [0, 1, 0]
    assert dataset.reading.summary() == f"numbers: a · classes: {name} (not used)"
    measured = table(tmp_path, f"a,{name}\n1.5,2.5\n3,1\n4,7.25\n")
    assert measured.labels is None
    assert measured.reading.numbers == ("a", name)


def test_ids_are_no_features(tmp_path: Path) -> None:
    assert table(tmp_path, "user_id,a,b\n17,1,2\n19,3,4\n").reading.id == "user_id"
    twice = table(tmp_path, "name,user_id,a,b\nu,17,1,2\nv,17,3,4\nw,19,3,5\n")
    assert twice.reading.summary() == "id: name · numbers: a, b · left out: user_id (ids)"
    counted = "\n".join(f"{i},{i % 3},{i % 2}" for i in range(1, 15))
    assert table(tmp_path, counted).sample_names.tolist() == [str(i) for i in range(1, 15)]


def test_names_that_come_twice_are_noted(tmp_path: Path) -> None:
    notes = table(tmp_path, "id,a\nu,1\nu,2\nv,3\n").notes
    assert notes == ("Names in column 'id' come more than once: 'u'.",)


def test_missing_numbers_are_noted_by_column(tmp_path: Path) -> None:
    notes = table(tmp_path, "a,b\n1,\nNA,\n?,4\n").notes
    assert notes == (
        "Numbers are missing (a: 2, b: 2); fill them in, or leave columns out by drop=.",
    )


def test_columns_that_tell_nothing_are_left_out_with_a_reason(tmp_path: Path) -> None:
    rows = "".join(f"{i},,same,{chr(97 + i)}{i},k{i % 2}\n" for i in range(5))
    dataset = table(tmp_path, f"size,nothing,kind,code,group\n{rows}")
    assert dataset.reading.left_out == {
        "nothing": "empty",
        "kind": "always the same",
        "code": "5 different values",
    }
    assert dataset.reading.categories == ("group",)


def test_a_title_names_texts_and_is_counted_with_them(tmp_path: Path) -> None:
    content = "title,body,likes\nOn cats,they sleep all day in the sun,3\nOn dogs,they bark,4\n"
    dataset = table(tmp_path, content)
    assert (
        dataset.reading.summary()
        == "id: title · title: title · text: title, body · left out: likes"
    )
    assert dataset.titles.tolist() == ["On cats", "On dogs"]
    assert {"cats", "sleep"} <= set(dataset.feature_names["words"])
    assert dataset.metadata["likes"].tolist() == [3, 4]


def test_every_role_can_be_given(tmp_path: Path) -> None:
    dataset = table(tmp_path, SURVEY, id="city", label="smokes", features=["age"])
    assert dataset.reading.summary() == (
        "id: city · numbers: age · classes: smokes (not used) · "
        "left out: person, income, when (dates)"
    )
    dataset = table(tmp_path, DOCS, text="topic", id="", label="", drop=["doc_id", "date"])
    assert dataset.reading.summary() == (
        "text: topic · left out: doc_id (dropped), date (dropped), body"
    )
    assert dataset.sample_names.tolist() == [str(line) for line in range(2, 8)]
    both = table(tmp_path, DOCS, text="body", features="topic")
    assert list(both.views) == ["words", "categories"]
    codes = table(tmp_path, "a,zone\n1,7\n2,9\n3,7\n", categories="ZONE")
    assert codes.feature_names["categories"].tolist() == ["zone=7", "zone=9"]


@pytest.mark.parametrize(
    "role", ["id", "text", "title", "label", "features", "categories", "drop", "long"]
)
def test_a_column_that_is_not_there_is_refused(tmp_path: Path, role: str) -> None:
    given = "colour,colour" if role == "long" else "colour"
    with pytest.raises(ValueError, match=r"toy\.csv has no column 'colour'; it has doc_id, body"):
        table(tmp_path, DOCS, **{role: given})


def test_a_column_of_numbers_with_a_slip_names_line_and_column(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"toy\.csv, line 4: '3\.4\.5' in column 'b' is not"):
        table(tmp_path, "a,b\n1,2\n3,4\n5,3.4.5\n")
    # Beside texts nobody counts with it.
    dataset = table(tmp_path, "text,n\nsome words,1\nmore words,2\nno more,many\n")
    assert dataset.metadata["n"].tolist() == ["1", "2", "many"]


def test_truths_are_numbers(tmp_path: Path) -> None:
    dataset = table(tmp_path, "id,p,q\na,True,false\nb,FALSE,true\n")
    assert dataset.views["X"].tolist() == [[1, 0], [0, 1]]


def test_the_order_of_rows_changes_nothing_but_the_order_of_rows(tmp_path: Path) -> None:
    for content in (DOCS, SURVEY):
        head, *rows = content.splitlines()
        first = table(tmp_path, content)
        second = table(tmp_path, "\n".join([head, *rows[::-1]]))
        assert first.reading == second.reading
        for view, X in first.views.items():
            Y = second.views[view]
            dense = [M.toarray() if hasattr(M, "toarray") else M for M in (X, Y)]
            assert np.array_equal(dense[0], dense[1][::-1])
            assert first.feature_names[view].tolist() == second.feature_names[view].tolist()


def test_options_for_columns_are_refused_where_there_are_none(tmp_path: Path) -> None:
    np.save(tmp_path / "toy.npy", np.eye(3))
    with pytest.raises(ValueError, match=r"toy\.npy has no columns to choose from; text= is for"):
        read(tmp_path / "toy.npy", text="body")


def test_a_reading_is_a_plain_value() -> None:
    reading = Reading(
        text=("a", "b"), left_out={f"c{i}": "" for i in range(9)}, details=("no header",)
    )
    assert Reading.from_json(json.loads(json.dumps(reading.to_json()))) == reading
    assert (
        reading.summary() == "text: a, b · left out: c0, c1, c2, c3, c4, ... (9 in all) · no header"
    )
    assert Reading().summary() == ""


@pytest.mark.parametrize(
    ("classes", "codes"),
    [
        (["a", "-1", "b", None], [0, -1, 1, -1]),
        ([2, -1, 0], [1, -1, 0]),
        ([1, -1, 0], [2, 0, 1]),
        ([-2, -1, 3], [0, 1, 2]),
    ],
)
def test_minus_one_is_an_unknown_class_where_it_can_be_no_other(
    tmp_path: Path, classes: list[Any], codes: list[int]
) -> None:
    records = [{"a": i, "b": 1, "class": value} for i, value in enumerate(classes)]
    (tmp_path / "toy.json").write_text(json.dumps(records))
    assert read(tmp_path / "toy.json").labels.tolist() == codes
