"""Files of links: every format gives back what was written, and says what is wrong where."""

import builtins

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from cocluster.links import Links
from tests.links.helpers import TEXT, assert_same_links, consistent_links, unhurried

RICH = [".csv", ".jsonl", ".parquet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("links")


def stated(links):
    return len(links.pairs) + len(links.labellings) > 0


@pytest.mark.parametrize("ending", RICH)
@unhurried
@given(links=consistent_links().filter(stated), data=st.data())
def test_round_trip_loses_nothing(folder, ending, links, data):
    path, n = folder / f"links{ending}", len(links)
    links.write(path)
    assert_same_links(Links.read(path, n_samples=n), links)
    ids = data.draw(st.lists(TEXT, min_size=n, max_size=n, unique_by=str.strip))
    links.write(path, ids=ids)
    named = Links.read(path, ids=ids)
    assert_same_links(named, links)
    named.write(path)
    assert_same_links(Links.read(path, ids=ids), links)


@unhurried
@given(links=consistent_links())
def test_the_tab_file_holds_signed_pairs(folder, links):
    path = folder / "links.tsv"
    signed = links.signs != 0
    plain = Links.from_signed(links.pairs[signed], links.signs[signed], len(links))
    if not stated(plain):
        return
    plain.write(path)
    assert_same_links(Links.read(path, n_samples=len(links)), plain)
    path.write_text(path.read_text().replace("\t", " "))
    assert_same_links(Links.read(path, n_samples=len(links)), plain)


@pytest.mark.parametrize(
    "links",
    [
        Links.from_pairs([[0, 1]], n_samples=2, weights=[2.0]),
        Links.from_labels([0, 1]),
        Links.from_signed([[0, 1]], [0], 2),
        Links(2, [[0, 1]], [1], [1.0], details={"note": ["seen"]}),
    ],
    ids=["weights", "labels", "unsure", "details"],
)
def test_the_tab_file_refuses_what_it_would_lose(tmp_path, links):
    with pytest.raises(ValueError, match=r"write \.csv"):
        links.write(tmp_path / "links.tsv")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "links.tsv"
    Links.from_pairs([[0, 1]], n_samples=2).write(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="line breaks"):
        Links.from_pairs([[0, 1]], n_samples=2).write(path, ids=["a\tb", "c"])
    assert path.read_bytes() == before


def read_text(tmp_path, text, ending=".csv", **options):
    path = tmp_path / f"links{ending}"
    path.write_text(text, encoding="utf-8")
    return Links.read(path, **options)


@pytest.mark.parametrize(
    ("word", "sign"),
    [
        *((word, 1) for word in ("must-link", "Must_Link", "ML", "same", " Match ", "1", "+1")),
        *((word, -1) for word in ("cannot-link", "CANNOT LINK", "cl", "Different", "distinct")),
        ("-1", -1),
        ("Unsure", 0),
    ],
)
def test_all_words_for_a_relation(tmp_path, word, sign):
    links = read_text(tmp_path, f"a,b,relation\n0,1,{word}\n")
    assert links.signs.tolist() == [sign]


def test_without_header_columns_come_in_the_usual_order(tmp_path):
    links = read_text(tmp_path, "0,1,ml\n\n1,2,cl,0.5,ann,today\n")
    assert links.weights.tolist() == [1, 0.5]
    assert links.details == {"source": ("", "ann"), "time": ("", "today")}


def test_columns_in_any_order_and_other_columns_are_kept(tmp_path):
    links = read_text(tmp_path, "\ufeffkind,B,A,round\nml,1,0,7\n")
    assert_array_equal(links.must_link, [[0, 1]])
    assert links.details == {"round": ("7",)}


def test_files_that_count_from_one(tmp_path):
    links = read_text(tmp_path, "1\t3\t1\n2 3 -1\n", ".txt", base=1)
    assert_array_equal(links.must_link, [[0, 2]])
    assert_array_equal(links.cannot_link, [[1, 2]])


def test_blanks_around_ids_do_not_matter_unless_they_are_part_of_one(tmp_path):
    links = read_text(tmp_path, "x, y,ml\n y,z ,ml\n", ids=["x", "y", "z", " y"])
    assert_array_equal(links.must_link, [[0, 3], [3, 2]])
    assert_array_equal(read_text(tmp_path, "x, y,ml\n", ids=["x", "y"]).must_link, [[0, 1]])


def test_labels_by_name(tmp_path):
    links = read_text(tmp_path, "x,sport,label\nz,sport,label\ny,art,label\n", ids=["x", "y", "z"])
    assert_same_links(links, Links.from_labels([0, 1, 0]))


def test_numbers_in_json_are_positions_words_or_ids(tmp_path):
    text = '{"a": 10, "b": 30, "relation": -1, "weight": 2}\n'
    links = read_text(tmp_path, text, ".jsonl", ids=[10, 20, 30])
    assert_array_equal(links.cannot_link, [[0, 2]])
    assert links.weights.tolist() == [2]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "links.csv is empty"),
        ("a,b,relation\n", {}, "links.csv is empty"),
        ("a,relation\n0,ml\n", {}, "line 1: no b given"),
        ("a,b,relation\n0,1,ml\n0,1\n", {}, "line 3: expected 3 to 3 columns .* found 2"),
        ("0,1,perhaps\n", {}, "line 1: 'perhaps' is not a relation"),
        ("0,1,ml\n0,x,ml\n", {}, "line 2: 'x' is not a position; pass ids="),
        ("0,1,ml\n0,4,ml\n", {"n_samples": 4}, "line 2: position 4 is out of range.* 0 to 3"),
        ("0,1,ml\n", {"base": 1}, r"line 1: position 0 is out of range.*\(base=1\)"),
        ("0,1,ml\n2,2,ml\n", {}, "line 2: '2' is linked with itself"),
        ("0,1,ml,-3\n", {}, "line 1: weight '-3' is not a positive number"),
        ("0,1,ml,nan\n", {}, "line 1: weight 'nan' is not a positive number"),
        ("0,1,ml,heavy\n", {}, "line 1: weight 'heavy' is not a positive number"),
        ("0,s,label\n0,t,label\n", {}, "line 2: '0' has a second label"),
        ("0,1,ml\n", {"ids": ["0", "1", "1"]}, "ids must be unique, '1'"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(tmp_path, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_text(tmp_path, text, **options)


def test_the_first_ten_unknown_ids_are_named_with_their_lines(tmp_path):
    text = "".join(f"x,new{i},same\n" for i in range(12))
    with pytest.raises(ValueError, match="names 12 samples") as error:
        read_text(tmp_path, text, ids=["x", "y"])
    assert "'new0' (line 1)" in str(error.value)
    assert "'new9' (line 10), ..." in str(error.value)
    assert "new10" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 0, "b": 1, "relation": "ml"}\n{"a"\n', "line 2: not JSON"),
        ("[0, 1]\n", "line 1: not a JSON object"),
        ('{"a": 0, "relation": "ml"}\n', "line 1: no b given"),
    ],
)
def test_malformed_json_lines(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_text(tmp_path, text, ".jsonl")


def test_malformed_tab_line(tmp_path):
    with pytest.raises(ValueError, match="line 2: expected 3 columns"):
        read_text(tmp_path, "0\t1\t1\n0\t1\n", ".tsv")


@pytest.mark.parametrize("relation", ["label:" + "9" * 5000, "label:\u00b2", "x" * 9000])
def test_relations_that_nobody_wrote(tmp_path, relation):
    with pytest.raises(ValueError, match=r"line 2: .* is not a relation") as caught:
        read_text(tmp_path, f"a,b,relation\n0,x,{relation}\n")
    assert len(str(caught.value)) < 400


def test_one_label_cannot_ask_for_the_memory(tmp_path):
    far = "a,b,relation\n2000000000,x,label\n"
    with pytest.raises(ValueError, match=r"as far as 2,000,000,000: .*pass n_samples="):
        read_text(tmp_path, far)
    # Pairs take no room but their own.
    assert read_text(tmp_path, far.replace("x,label", "1,same")).n_samples == 2_000_000_001


def test_damaged_parquet_is_said_in_our_words(tmp_path):
    file = tmp_path / "links.parquet"
    Links.from_pairs([(0, 1)], n_samples=3).write(file)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"^links\.parquet cannot be read"):
        Links.read(file)


def test_unknown_ending(tmp_path):
    with pytest.raises(ValueError, match=r"unknown ending '\.xls'"):
        Links.read(tmp_path / "links.xls")


def test_nothing_to_write(tmp_path):
    with pytest.raises(ValueError, match="no links to write"):
        Links.from_pairs(n_samples=3).write(tmp_path / "links.csv")


def test_parquet_names_the_extra_it_needs(tmp_path, monkeypatch):
    real = builtins.__import__

    def without_pyarrow(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    with pytest.raises(ImportError, match=r"\[parquet\]"):
        Links.from_labels([0, 0]).write(tmp_path / "links.parquet")


def test_positions_are_numbers_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    Links.from_pairs([[0, 1]], n_samples=2).write(tmp_path / "links.parquet")
    assert parquet.read_table(tmp_path / "links.parquet")["a"].to_pylist() == np.array([0]).tolist()


def test_a_file_called_part_is_left_alone(tmp_path):
    other = tmp_path / "links.csv.part"
    other.write_text("mine")
    Links.from_labels([0, 0]).write(tmp_path / "links.csv")
    assert other.read_text() == "mine"


def test_an_unknown_id_is_named_at_its_first_line(tmp_path):
    with pytest.raises(ValueError, match=r"names 1 samples .*'z' \(line 1\)"):
        read_text(tmp_path, "z,x,same\nx,y,same\ny,z,same\n", ids=["x", "y"])


@pytest.mark.parametrize(
    ("ending", "content", "message"),
    [
        (".csv", b"0,1_0,ml\n", "line 1: '1_0' is not a position"),
        (".csv", b"0,1,ml,1_0\n", "line 1: weight '1_0' is not a positive number"),
        (".csv", b"0,99999999999999999999,ml\n", "line 1: position 9+ is out of range"),
        (".csv", b'0,1,"' + b"x" * 200_000 + b'"\n', "cannot be read .*field larger"),
        (".csv", b"0,\xff,ml\n", "links.csv cannot be read"),
        (".jsonl", b"[" * 100_000, "line 1: JSON that cannot be read"),
        (".jsonl", b"\xff\n", "links.jsonl cannot be read"),
        (".parquet", b"PAR1 and no more", "links.parquet"),
    ],
)
def test_errors_of_other_libraries_name_the_file(tmp_path, ending, content, message):
    path = tmp_path / f"links{ending}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        Links.read(path)
