"""The account: its numbers are right, and it goes to JSON and back unchanged."""

from __future__ import annotations

import dataclasses
import json
from importlib.resources import files

import anndata
import jsonschema
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from msgspec.structs import replace

from cocluster import (
    Account,
    CoCluster,
    account,
    choose_n_clusters,
    explain,
    open_blocks,
    write_blocks,
)
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData
from cocluster.datasets import Dataset
from cocluster.io import read
from cocluster.linalg.types import Array
from cocluster.methods.catalogue import METHODS
from cocluster.methods.n_clusters.result import Choice, Line, Side
from cocluster.metrics import scores
from cocluster.report.compute.pictures import STEPS, Layout
from cocluster.report.images import thumbnails
from cocluster.report.report_input import Clusters, ReportInput
from cocluster.report.tables import TABLES
from tests.conftest import Blocks
from tests.report.accounts import dataset, links, texts, told


def fitted(X: Array, k: int = 3) -> CoCluster:
    return CoCluster(k, random_state=0).fit(X)


def kinds(found: Account) -> set[str]:
    return {alert.kind for alert in found.alerts}


def test_there_and_back_through_json():
    assert Account.from_dict(told().as_dict()) == told()
    assert Account.from_dict(json.loads(told().to_json())) == told()


def test_the_published_schema_is_that_of_the_values():
    published = files("cocluster.report").joinpath("account.schema.json").read_text("utf-8")
    assert json.loads(published) == Account.schema(), "run `make schema`"
    jsonschema.validate(json.loads(told().to_json()), Account.schema())


@pytest.mark.parametrize("change", [{"format": 2}, {"format": None}])
def test_other_formats_are_refused(change):
    with pytest.raises(ValueError, match="format 1"):
        Account.from_dict(told().as_dict() | change)


def test_values_of_a_wrong_type_are_refused():
    values = told().as_dict()
    values["run"]["sweeps"] = "many"
    with pytest.raises(ValueError, match=r"Expected 'int', got 'str'.*run\.sweeps"):
        Account.from_dict(values)


def test_an_account_without_newer_fields_is_read():
    values = told().as_dict()
    for cluster in values["clusters"]["samples"]:
        del cluster["traits"]
    assert not any(cluster.traits for cluster in Account.from_dict(values).samples)


def test_unknown_fields_are_refused():
    with pytest.raises(ValueError, match="'more'"):
        Account.from_dict(told().as_dict() | {"more": 1})


def test_features_and_members_are_those_of_explain():
    data = dataset()
    model = CoCluster(3, random_state=0).fit(data.data)
    found, told_too = account(model, data), explain(model, data)
    for name, clusters in told_too.types.items():
        for own, other in zip(found.clusters[name], clusters, strict=True):
            assert (own.id, own.name, own.size) == (other.id, other.name, other.size)
            for view, same in zip(own.views, other.views, strict=True):
                assert [f.name for f in view.features] == [f.name for f in same.features]
            shown = [m.position for m in own.representative]
            assert shown == [m.position for m in other.representative]


def test_what_is_known_of_the_members_is_shown():
    data = dataset()
    for own in told().samples:
        for member in (*own.representative, *own.borderline_members):
            assert member.title == data.titles[member.position]
            assert member.name == data.sample_names[member.position]
            assert member.snippet.rstrip("…") in " ".join(data.texts[member.position].split())
            cells = {name: column[member.position] for name, column in data.metadata.items()}
            # The first sample has no number of words, and none is shown.
            known = {name: str(cell) for name, cell in cells.items() if cell is not None}
            assert member.metadata == known
            assert member.class_name == data.class_names[data.labels[member.position]]


def test_certainty_is_that_of_predict_proba():
    data = dataset()
    model = CoCluster(3, random_state=0).fit(data.data)
    found = account(model, data)
    P = model.predict_proba(data.data)
    own = P[np.arange(len(P)), model.labels_]
    assert found.sure.certainty == pytest.approx(own.mean())
    assert sum(found.sure.counts) == len(own)
    for cluster in found.samples:
        assert cluster.certainty == pytest.approx(own[model.labels_ == cluster.id].mean())


def test_association_adds_up(planted: Blocks):
    model = fitted(planted.X)
    (table,) = account(model, planted.X).associations
    total = planted.X.sum()
    for i, row in enumerate(table.row_ids):
        for j, column in enumerate(table.column_ids):
            block = planted.X[model.labels_ == row][:, model.column_labels_ == column]
            expected = (
                planted.X[model.labels_ == row].sum()
                * planted.X[:, model.column_labels_ == column].sum()
                / total
            )
            assert table.sums[i][j] == pytest.approx(block.sum())
            assert table.means[i][j] == pytest.approx(block.mean())
            assert table.lift[i][j] == pytest.approx(block.sum() / expected)
    # Planted on the diagonal, so these are the blocks that matter.
    assert set(table.marked) == {(i, i) for i in range(3)}


def test_association_of_any_sign_is_a_deviation_from_the_mean(rng):
    X = rng.normal(size=(40, 12))
    X[:20, :6] += 4
    model = fitted(X, 2)
    (table,) = account(model, X).associations
    assert table.lift is None
    for i, row in enumerate(table.row_ids):
        for j, column in enumerate(table.column_ids):
            part = X[:, model.column_labels_ == column]
            deviation = (part[model.labels_ == row].mean() - part.mean()) / part.std()
            assert table.effect[i][j] == pytest.approx(deviation)


def test_a_layout_keeps_clusters_apart_and_leaves_no_cell_empty(rng):
    labels = rng.integers(0, 5, 1000)
    layout = Layout.of(Clusters.of(labels), np.arange(1000), 60)
    assert np.unique(layout.cells).tolist() == list(range(layout.cuts[-1]))
    for own, (start, end) in enumerate(zip(layout.cuts[:-1], layout.cuts[1:], strict=True)):
        inside = layout.cells[labels == layout.ids[own]]
        assert inside.min() == start
        assert inside.max() == end - 1


def test_a_small_picture_has_one_cell_for_each_entry(planted: Blocks):
    model = fitted(planted.X)
    (picture,) = account(model, planted.X).pictures
    names = [int(name) for name in picture.row_names], [int(n) for n in picture.column_names]
    X = planted.X[np.ix_(*names)]
    expected = np.outer(X.sum(axis=1), X.sum(axis=0)) / X.sum()
    more = expected.mean()
    effect = np.log2((X + more) / (expected + more)) / picture.unit
    np.testing.assert_allclose(picture.cells, np.clip(np.round(effect), -STEPS, STEPS))
    assert model.labels_[names[0]].tolist() == sorted(model.labels_.tolist())
    cuts = np.cumsum(np.bincount(model.labels_)).tolist()
    assert picture.row_cuts == (0, *cuts)


def test_sparse_and_dense_and_blocks_on_disk_give_the_same(planted: Blocks, tmp_path):
    model = fitted(planted.X)
    write_blocks(sp.csr_array(planted.X), tmp_path / "rows", rows_per_block=7)
    dense = account(model, planted.X)
    for X in (sp.csr_array(planted.X), open_blocks(tmp_path / "rows")):
        other = account(model, X)
        assert other.pictures == dense.pictures
        assert other.associations == dense.associations
        assert [c.size for c in other.samples] == [c.size for c in dense.samples]
        assert other.samples[0].views == dense.samples[0].views


def test_many_samples_are_told_from_some(planted: Blocks, monkeypatch):
    whole = account(fitted(planted.X), planted.X)
    monkeypatch.setattr("cocluster.report.report_input.MAX_INSPECTED", 25)
    monkeypatch.setattr("cocluster.report.report_input.MIN_PER_CLUSTER", 4)
    found = account(fitted(planted.X), planted.X)
    assert 25 <= found.data.looked_at < 40
    assert [c.size for c in found.samples] == [c.size for c in whole.samples]
    assert found.pictures == whole.pictures
    assert found.associations == whole.associations
    looked = set(ReportInput.of(fitted(planted.X), planted.X).inspected_rows.tolist())
    assert {m.position for c in found.samples for m in c.representative} <= looked


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_an_account(method, planted: Blocks):
    model = CoCluster(3, method, random_state=0).fit(planted.X)
    found = account(model, planted.X)
    assert sum(own.size for own in found.samples) == len(planted.X)
    assert found.run.method == method
    assert found.citation.references
    assert Account.from_dict(json.loads(found.to_json())) == found


def test_every_structure_of_data_has_an_account(data: RelationalData):
    found = account(CoCluster(3, "fnmtf", random_state=0).fit(data), data)
    assert {kind.name: kind.size for kind in found.data.types} == data.sizes
    assert len(found.pictures) == len(data.relations)
    assert Account.from_dict(json.loads(found.to_json())) == found


def test_without_data_the_model_is_told_of(planted: Blocks):
    found = account(fitted(planted.X))
    assert sum(own.size for own in found.samples) == len(planted.X)
    assert found.pictures == found.associations == ()
    assert found.to_html()


def test_labels_alone_have_an_account(planted: Blocks):
    found = account(planted.row_labels, planted.X)
    assert [own.size for own in found.samples] == np.bincount(planted.row_labels).tolist()


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_unknown_entries_say_nothing(rng, make):
    X = rng.normal(size=(60, 20)) + 5
    X[:30, :10] += 3
    known = rng.random(X.shape) < 0.7
    relation = Relation(make(np.where(known, X, 0)), "samples", "features", observed=make(known))
    data = RelationalData((relation,))
    model = CoCluster(2, random_state=0).fit(data)
    found = account(model, data)
    assert "unknown entries" in kinds(found)
    assert found.data.views[0].entries == known.sum()
    (table,) = found.associations
    means = np.where(known, X, 0).sum(axis=0) / known.sum(axis=0)
    centred = np.where(known, X - means, 0)
    for i, row in enumerate(table.row_ids):
        for j, column in enumerate(table.column_ids):
            block = centred[model.labels_ == row][:, model.column_labels_ == column]
            assert table.sums[i][j] == pytest.approx(block.sum(), abs=1e-9)
    assert found.to_html()


def test_classes_are_shown_and_never_used():
    data = dataset()
    model = CoCluster(3, random_state=0).fit(data.data)
    found = account(model, data)
    assert found.classes is not None
    expected = scores(data.labels, model.labels_)
    assert {name: getattr(found.classes, name) for name in expected} == expected
    assert np.sum(found.classes.table) == len(data)
    blind = account(model, dataclasses.replace(data, labels=None, class_names=None))
    assert blind.classes is None
    assert replace(blind, classes=None, clusters={}) == replace(found, classes=None, clusters={})


def test_links_are_counted_as_the_model_does(planted: Blocks):
    same = np.flatnonzero(planted.row_labels == 0)
    other = int(np.flatnonzero(planted.row_labels == 1)[0])
    must = [[int(same[0]), int(same[1])], [int(same[0]), other]]
    stated = (np.array(must), np.array([[int(same[2]), int(same[3])]]))
    found = account(fitted(planted.X), planted.X, links=stated)
    (own,) = found.links
    assert (own.stated, own.satisfied, own.violated, own.must, own.cannot) == (3, 1, 2, 2, 1)
    assert {(link.must, link.first, link.second) for link in own.broken} == {
        (True, str(same[0]), str(other)),
        (False, str(same[2]), str(same[3])),
    }
    assert "broken links" in kinds(found)
    model = CoCluster(3, random_state=0).fit(planted.X, links=(np.array(must[:1]), None))
    (reported,) = account(model, planted.X).links
    assert (reported.stated, reported.violated, reported.implied) == (1, 0, None)


def test_links_on_types_without_clusters_are_refused(planted: Blocks):
    with pytest.raises(ValueError, match="'authors'"):
        account(fitted(planted.X), planted.X, links={"authors": ([[0, 1]], None)})


def test_the_choice_of_a_number_is_told():
    table = (Line(2, 0.5, 0.4, 0.8, 0.01), Line(3, 0.9, 0.9, 1.0, 0.01))
    side = Side("samples", 30, 2, 3, 3, table)
    data = dataset()
    model = CoCluster(2, random_state=0).fit(data.data)
    found = account(model, data, choice=Choice((side,), "three, because", True, 0, 5))
    assert found.choice is not None
    assert found.choice.reason == "three, because"
    assert [line.k for line in found.choice.sides[0].table] == [2, 3]
    assert found.choice.trees == ()
    assert "other number" in kinds(found)


def test_refits_tell_which_clusters_are_stable(planted: Blocks):
    found = account(fitted(planted.X), planted.X, refits=2)
    assert found.sure.refits == 2
    assert found.sure.agreement is not None
    assert all(own.stability is not None for own in found.samples)
    assert all(own.stability is None for own in account(fitted(planted.X), planted.X).samples)


def test_what_is_odd_is_told(planted: Blocks):
    X = planted.X.copy()
    X[3], X[:, 4] = 0, 0
    X[7] = X[8]
    X[9] *= 1000
    found = account(planted.row_labels, X)
    assert {"empty samples", "empty features", "repeated samples", "heavy sample"} <= kinds(found)
    empty = next(alert for alert in found.alerts if alert.kind == "empty samples")
    assert (empty.level, empty.examples) == ("warning", ("3",))
    again = next(alert for alert in found.alerts if alert.kind == "repeated samples")
    assert again.examples == ("8",)
    assert not account(planted.row_labels, planted.X).alerts


def test_odd_clusters_are_told(planted: Blocks):
    lone = np.zeros(len(planted.X), dtype=int)
    lone[0] = 1
    assert {"giant cluster", "lone samples"} <= kinds(account(lone, planted.X))
    found = told()
    assert {"absent samples", "reading"} <= kinds(found)
    assert [a.level for a in found.alerts] == sorted((a.level for a in found.alerts), reverse=True)


def test_repeated_names_are_told(planted: Blocks):
    names = np.array(["same", "same", *map(str, range(len(planted.X) - 2))])
    data = Dataset("toy", {"X": planted.X}, sample_names=names)
    assert "repeated names" in kinds(account(planted.row_labels, data))


def test_names_of_people_are_kept_and_checked(planted: Blocks):
    assert told().samples[0].name == "Named <by> a person"
    assert [own.given for own in told().samples] == [True, False, False]
    with pytest.raises(ValueError, match="no cluster 9"):
        account(fitted(planted.X), planted.X, names={9: "nobody"})


def test_other_data_are_refused(planted: Blocks):
    with pytest.raises(ValueError, match="not the data of the fit"):
        account(fitted(planted.X), planted.X[:-1])


def test_the_python_that_is_shown_gives_the_same(planted: Blocks):
    model = fitted(planted.X)
    found = account(model, planted.X)
    names: dict[str, object] = {"data": planted.X}
    exec(found.reproduce.python, names)
    assert names["account"] == replace(found)


def test_the_python_that_is_shown_reads_the_file_as_it_was_read(tmp_path):
    file = tmp_path / "texts.csv"
    file.write_text("id,body\n" + "\n".join(f"{i},{text}" for i, text in enumerate(texts()[:-1])))
    given = read(file)
    data = given.select(given.canonical_order())
    found = account(CoCluster(3, random_state=0).fit(data.data), data, source=str(file))
    names: dict[str, object] = {}
    exec(found.reproduce.python, names)
    assert names["account"].clusters == found.clusters


def test_the_command_quotes_what_a_shell_would_split():
    data = dataset()
    model = CoCluster(3, random_state=0).fit(data.data)
    assert account(model, data, source="my docs").reproduce.command == (
        "cocluster fit 'my docs' -k 3 --seed 0"
    )
    assert account(model, data, source="a", command="b").reproduce.command == "b"


@pytest.mark.parametrize("part", TABLES)
def test_every_part_is_a_frame(part):
    rows = told().rows(part)
    assert len(told().to_frame(part)) == len(rows)
    assert all(list(row) == list(rows[0]) for row in rows)


def test_unknown_parts_are_refused():
    with pytest.raises(ValueError, match="clusters"):
        told().rows("nothing")


def test_thumbnails_are_shown_where_samples_are_pictures(planted: Blocks):
    found = account(fitted(planted.X), planted.X, thumbnail=lambda i: planted.X[i].reshape(5, 5))
    for own in found.samples:
        assert all(m.picture.startswith("data:image/png;") for m in own.representative)


def test_thumbnails_are_read_from_the_folder_and_from_nowhere_else(tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "pictures"
    folder.mkdir()
    for file in (folder / "a.png", tmp_path / "secret.png"):
        image.new("RGB", (300, 200), (200, 10, 10)).save(file)
    (folder / "broken.png").write_bytes(b"no picture")
    show = thumbnails(folder, ["a.png", "broken.png", "../secret.png", "gone.png"])
    assert show is not None
    assert (show(0) or "").startswith("data:image/jpeg;")
    assert [show(i) for i in (1, 2, 3)] == [None, None, None]
    assert thumbnails(folder, ["a.txt"]) is None
    assert thumbnails(folder, None) is None


def test_links_of_the_fit_are_in_the_account():
    (own,) = told().links
    assert (own.type, own.stated, own.implied) == ("samples", 3, links().n_implied)


def test_metadata_that_set_clusters_apart_are_told(planted: Blocks, rng):
    n = len(planted.row_labels)
    columns = {
        "desk": np.array([f"desk {label}" for label in planted.row_labels], dtype=object),
        "age": 100 * planted.row_labels + rng.random(n),
        "code": np.array([f"x{i}" for i in range(n)], dtype=object),
    }
    columns["desk"][:2] = [None, ""]
    model = fitted(planted.X)
    found = account(model, Dataset("words", {"X": planted.X}, metadata=columns))
    for own in found.samples:
        inside = model.labels_ == own.id
        by_column = {trait.column: trait for trait in own.traits}
        # Each group has a desk of its own, and of the desks that are not known nothing is told.
        desk, known = by_column["desk"], np.arange(n) >= 2
        has = columns["desk"] == desk.value
        assert desk.share == pytest.approx(has[inside & known].mean()) == 1
        assert desk.lift == pytest.approx(1 / has[known].mean())
        # The ages of the group in the middle are neither larger nor smaller than those of others.
        if np.median(columns["age"][inside]) // 100 == 1:
            assert "age" not in by_column
        else:
            assert by_column["age"].median == np.median(columns["age"][inside])
            assert by_column["age"].overall == np.median(columns["age"])
        # No two samples share a code.
        assert "code" not in by_column


def test_metadata_that_chance_made_are_not_told(planted: Blocks, rng):
    n = planted.X.shape[0]
    coins = {f"coin {i}": rng.integers(0, 2, n).astype(str) for i in range(10)}
    data = Dataset("coins", {"X": planted.X}, metadata=coins)
    assert all(own.traits == () for own in account(fitted(planted.X), data).samples)


def test_annotations_are_metadata(planted: Blocks):
    adata = anndata.AnnData(planted.X.astype(np.float32))
    adata.obs["group"] = pd.Categorical([f"g{label}" for label in planted.row_labels])
    adata.obs["quality"] = np.where(np.arange(adata.n_obs) % 2, 0.5, np.nan)
    model = CoCluster(3, random_state=0).fit(adata)
    found = account(model, adata)
    for own in found.samples:
        assert {trait.column for trait in own.traits} == {"group"}
        for member in own.representative:
            expected = {"group": adata.obs["group"].iloc[member.position]}
            # What is missing is not shown.
            expected |= {"quality": "0.5"} if member.position % 2 else {}
            assert member.metadata == expected


def test_trees_of_all_types_are_told_and_drawn(planted: Blocks):
    features = np.array([f"word{j}" for j in range(planted.X.shape[1])])
    data = Dataset("words", {"words": planted.X}, feature_names={"words": features})
    # The features are not judged, and have a tree all the same.
    choice = choose_n_clusters(data.data, 3, features=False, random_state=0)
    found = account(CoCluster(3, random_state=0).fit(data.data), data, choice=choice)
    assert found.choice is not None
    samples, words = found.choice.trees
    assert (samples.type, words.type) == ("samples", "words")
    assert samples.leaves == choice.rows.leaves
    assert [merge.size for merge in samples.merges][-1] == len(data)
    # A sum of the sizes below, and information is never won by merging.
    for tree in (samples, words):
        sizes = list(tree.leaves)
        for merge in tree.merges:
            sizes.append(sizes[merge.left] + sizes[merge.right])
            assert merge.size == sizes[-1]
        heights = [merge.height for merge in tree.merges]
        assert heights == sorted(heights)
        assert all(word in set(features) for text in tree.words for word in text.split(", "))
    page = found.to_html()
    assert page.count("How clusters of samples come together") > 0
    assert all(text in page for text in samples.words)
    assert len(found.rows("merges")) == len(samples.merges) + len(words.merges)
