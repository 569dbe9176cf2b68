"""Everything that the page does, through its interface: what it shows, edits, undoes, and keeps."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette")

from cocluster.projects import open_project
from cocluster.projects.changing import undo
from cocluster.projects.restoring import restored
from cocluster.report import sorted_matrix
from cocluster.web.desk import Desk
from cocluster.web.routes import ENDPOINTS
from tests.web.projects import HARM, Client, answered, awaited, dataset, guarded, kept, made


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A project for one test alone: each may run without the others, in any order."""
    opened = Desk(made(tmp_path / "news"))
    yield opened
    opened.close()


@pytest.fixture
def client(desk: Desk) -> Client:
    return Client(*guarded(desk))


def labels(desk: Desk) -> list[int]:
    """Clusters of the samples, read anew."""
    return open_project(desk.folder).model.labels_.tolist()


def test_the_account_is_the_one_of_the_project(client: Client, desk: Desk):
    told = client.get("/account").json()
    assert told == json.loads(desk.project.run().account.to_json())
    assert client.get("/account", run=99).status == 404
    table = client.get("/tables/clusters")
    rows = list(csv.DictReader(io.StringIO(table.body.decode())))
    sizes = {int(row["cluster"]): int(row["size"]) for row in rows if row["type"] == "samples"}
    assert sizes == {own["id"]: own["size"] for own in told["clusters"]["samples"]}


def test_a_text_is_given_as_text(client: Client, desk: Desk):
    place = next(i for i, name in enumerate(desk.project.ids) if name == "doc000")
    assert client.get(f"/samples/{place}").json()["text"].startswith(HARM)


def test_what_is_wrong_is_said_in_a_sentence(client: Client):
    for path, given in (
        ("/fits", {"method": "none"}),
        ("/fits", {"clusters": 1_000}),
        ("/fits", {"options": {"nonsense": 1}}),
        ("/fits", {"clusters": "three"}),
        ("/clusters/merge", {"clusters": [0, 77]}),
        ("/clusters/merge", {"clusters": [0]}),
        ("/links", {"i": 0, "j": 0, "relation": "same"}),
        ("/links", {"i": 0, "j": 1, "relation": "like"}),
        ("/links/file", {"name": "../x.csv", "text": "a"}),
        ("/links/file", {"name": "x.csv", "text": "a,b,relation\ndoc000,nobody,same\n"}),
        ("/undo", {"more": 1}),
    ):
        found = client.post(path, **given)
        assert found.status in (409, 422), (path, given, found.body)
        assert found.json()["error"]


def test_whole_numbers_may_have_a_point(client: Client):
    # As JSON has it: 0.0 is 0. A sample linked with itself is refused, but not for its spelling.
    assert client.post("/links", i=0.0, j=0.0, relation="same").status == 409
    assert client.post("/links", i=0.5, j=0, relation="same").status == 422
    assert client.post("/links", i="0", j=0, relation="same").status == 422
    assert client.post("/links", i=1e300, j=0, relation="same").status == 422


def test_samples_that_there_are_not(client: Client):
    assert client.post("/clusters/not-here", samples=[10**6]).status == 404
    assert client.post("/clusters/move", samples=[10**6], cluster=0).status == 404
    assert client.post("/clusters/together", samples=[0, 10**6]).status == 404
    assert client.post("/answers", i=0, j=10**6, answer="same").status == 404


def test_brackets_in_brackets_are_no_request(client: Client):
    headers = {**client.headers, "content-type": "application/json"}
    body = b'{"i": ' + b"[" * 100_000
    found = answered(client.app, "POST", "/api/v1/links", headers, (body,))
    assert found.status == 422
    assert found.json()["error"]


def test_answers_undo_and_redo(client: Client, desk: Desk):
    for expected in (1, 2, 3):
        question = client.get("/question", kind="pair").json()["question"]
        classes = desk.project.dataset.labels
        assert classes is not None
        same = classes[question["i"]] == classes[question["j"]]
        told = client.post(
            "/answers",
            i=question["i"],
            j=question["j"],
            answer="same" if same else "different",
        )
        assert told.status == 200
        assert client.get("/project").json()["answers"] == expected
    now = open_project(desk.folder).links
    assert now is not None
    for expected in (2, 1, 0):
        assert client.post("/undo").status == 200
        assert client.get("/project").json()["answers"] == expected
    assert client.post("/undo").status == 409
    for _ in range(3):
        assert client.post("/redo").status == 200
    assert client.post("/redo").status == 409
    again = open_project(desk.folder).links
    assert again is not None
    assert again.pairs.tolist() == now.pairs.tolist()
    assert again.signs.tolist() == now.signs.tolist()


def test_placements(client: Client, desk: Desk):
    found = client.get("/question", kind="place").json()
    question = found["question"]
    # Where there are more than a few clusters it is the kind that is asked for by default.
    assert client.get("/question").json() == found
    assert [one["position"] for one in found["options"]] == question["options"]
    given = {"sample": question["sample"], "among": question["options"]}
    for more, expected in (
        ({"group": question["options"][0]}, {"must-link"}),
        ({}, {"cannot-link"}),
        ({"unsure": True}, {"unsure"}),
    ):
        told = client.post("/answers/place", **given, **more)
        assert told.status == 200, told.body
        lines = client.get("/links").json()["lines"]
        said = [line["relation"] for line in lines if line["step"] == told.json()["step"]]
        assert set(said) == expected
        assert len(said) == (len(question["options"]) if not more else 1)
        # The interview follows there and back.
        assert client.get("/question", kind="place").status == 200
        assert client.post("/undo").status == 200
        assert client.get("/question", kind="place").json()["question"] == question
    assert client.get("/project").json()["answers"] == 0
    nobody = next(i for i in range(60) if i not in question["options"])
    assert client.post("/answers/place", **given, group=nobody).status == 409


def test_a_contradiction_is_refused_with_its_chain(client: Client, desk: Desk):
    told = client.post("/links", i=50, j=51, relation="same")
    assert told.status == 200
    refused = client.post("/links", i=51, j=50, relation="different")
    assert refused.status == 409
    assert str(desk.project.ids[50]) in refused.json()["error"]
    # Any line can be taken back, and that can be undone, too.
    step = told.json()["step"]
    assert client.delete(f"/links/{step}").status == 200
    assert client.delete(f"/links/{step}").status == 404
    assert client.post("/links", i=51, j=50, relation="different").status == 200
    assert client.post("/undo").status == 200
    assert client.post("/undo").status == 200
    lines = client.get("/links").json()["lines"]
    assert next(line["relation"] for line in lines if line["in_force"]) == "must-link"


def test_lines_that_are_not_kept_say_why(client: Client, desk: Desk):
    own = np.array(labels(desk))
    a, companion = np.flatnonzero(own == 0)[:2].tolist()
    b = int(np.flatnonzero(own == 1)[0])
    for i, j, relation in ((a, b, "same"), (a, companion, "same")):
        assert client.post("/links", i=i, j=j, relation=relation).status == 200
    broken = [line for line in client.get("/links").json()["lines"] if line["violated"]]
    (why,) = (line["why"] for line in broken if set(line["positions"]) == {a, b})
    told = {one["position"]: one for one in why}
    assert (told[a]["cluster"], told[b]["cluster"]) == (0, 1)
    assert [one["id"] for one in told[a]["with"]] == [str(desk.project.ids[companion])]
    assert told[b]["with"] == []


def test_a_contradiction_shows_the_step_of_every_link_of_its_chain(tmp_path: Path):
    project = made(tmp_path / "news")
    chain = [("doc001", "doc002", "must-link"), ("doc002", "doc003", "must-link")]
    said = [*chain, ("doc001", "doc003", "cannot-link")]
    # As another program, or a person, may have written it.
    lines = "".join(f"{','.join(line)}\n" for line in said)
    (project.folder / "links.csv").write_text(f"a,b,relation\n{lines}")
    desk = Desk(open_project(project.folder))
    client = Client(*guarded(desk))
    (found,) = client.get("/links").json()["conflicts"]
    apart = found["different"]
    assert {apart["a"]["id"], apart["b"]["id"]} == {"doc001", "doc003"}
    linked = {frozenset((link["a"]["id"], link["b"]["id"])) for link in found["same"]}
    assert linked == {frozenset(line[:2]) for line in chain}
    # Any of them can be taken back by its step, after which nothing contradicts.
    steps = [apart["step"], *(link["step"] for link in found["same"])]
    assert len(set(steps)) == len(said)
    assert client.delete(f"/links/{steps[1]}").status == 200
    assert client.get("/links").json()["conflicts"] == []
    desk.close()


def test_what_was_redone_is_undone_elsewhere_with_its_step(tmp_path: Path):
    """`cocluster edit undo` goes back over edits that the page has undone and redone."""
    opened = Desk(made(tmp_path / "news"))
    client, project = Client(*guarded(opened)), opened.project
    before = labels(opened)
    for path, given in (("merge", {"clusters": [0, 1]}), ("rename", {"cluster": 0, "name": "A"})):
        awaited(client, client.post(f"/clusters/{path}", **given))
    awaited(client, client.post("/clusters/merge", clusters=[1, 2]))
    # Back and forth twice: what is redone then was redone before.
    for way in 2 * (3 * ["/undo"] + 3 * ["/redo"]):
        assert client.post(way).status == 200
    opened.close()
    assert len(project.ledger.steps()) == 1
    with project.writing():
        undone = [undo(project)[2].split()[0] for _ in range(3)]
    assert undone == ["merge", "rename", "merge"]
    assert project.ledger.steps() == {}
    assert labels(opened) == before


def test_edits_make_runs_that_are_undone_and_redone(client: Client, desk: Desk):
    before, k = labels(desk), len(client.get("/account").json()["clusters"]["samples"])
    job = awaited(client, client.post("/clusters/merge", clusters=[0, 1]))
    assert job["result"]["run"] == desk.last
    merged = labels(desk)
    assert len(set(merged)) == k - 1
    awaited(client, client.post("/clusters/rename", cluster=0, name="Both"))
    names = {own["id"]: own["name"] for own in client.get("/account").json()["clusters"]["samples"]}
    assert names[0] == "Both"
    assert client.get("/project").json()["undo"] == "rename 0 Both"
    assert client.post("/undo").status == 200
    assert client.post("/undo").status == 200
    assert labels(desk) == before
    assert client.get("/project").json()["redo"] == "merge 0 1"
    assert client.post("/redo").status == 200
    assert labels(desk) == merged
    assert client.post("/redo").status == 200
    names = {own["id"]: own["name"] for own in client.get("/account").json()["clusters"]["samples"]}
    assert names[0] == "Both"
    # What was redone is undone once more.
    assert client.post("/undo").status == 200
    assert client.post("/undo").status == 200
    assert labels(desk) == before


def test_splitting_moving_and_not_here(client: Client, desk: Desk):
    k = len(set(labels(desk)))
    awaited(client, client.post("/clusters/split", cluster=0, parts=2))
    assert len(set(labels(desk))) == k + 1
    assert client.post("/undo").status == 200
    own = labels(desk)
    sample = own.index(0)
    awaited(client, client.post("/clusters/move", samples=[sample], cluster=1))
    moved = client.get(f"/samples/{sample}").json()["cluster"]
    members = [i for i, label in enumerate(own) if label == 1]
    assert moved == np.bincount(np.array(labels(desk))[members]).argmax()
    assert client.post("/undo").status == 200
    said = client.post("/clusters/not-here", samples=[sample])
    assert said.status == 200
    assert said.json()["links"] > 0
    assert client.post("/undo").status == 200


def test_a_look_inside_changes_nothing_and_is_what_parting_does(client: Client, desk: Desk):
    before, runs = labels(desk), desk.project.runs
    k = len(set(before))
    # Two clusters, but for one sample.
    chosen = [i for i, label in enumerate(before) if label in (0, 1)][1:]
    found = client.post("/inside", samples=chosen, parts=3).json()
    assert found["samples"] == chosen
    sizes = [part["size"] for part in found["parts"]]
    assert sizes == sorted(sizes, reverse=True)
    assert {part["id"]: part["size"] for part in found["parts"]} == Counter(found["labels"])
    for part in found["parts"]:
        own = [i for i, label in zip(chosen, found["labels"], strict=True) if label == part["id"]]
        assert {one["position"] for one in part["typical"]} <= set(own)
        assert set(part["features"]) == {"words"}
    assert (labels(desk), desk.project.runs) == (before, runs)
    awaited(client, client.post("/clusters/part", samples=chosen, parts=3))
    after = np.array(labels(desk))
    assert len(set(after.tolist())) == k + 2
    # The core of each part stays together.
    for part in found["parts"]:
        typical = [one["position"] for one in part["typical"]]
        assert len(set(after[typical])) == 1
    assert client.get("/project").json()["undo"] == f"part {len(chosen)} samples in 3"
    assert client.post("/undo").status == 200
    assert labels(desk) == before
    for path in ("/inside", "/clusters/part"):
        assert client.post(path, samples=[0, 1], parts=3).status == 409
        assert client.post(path, samples=[0, 10_000]).status == 404


def test_fits_refits_comparisons_and_choices(client: Client, desk: Desk):
    first = desk.last
    job = awaited(client, client.post("/fits", clusters=3, method="itcc"))
    assert job["history"]
    second = job["result"]["run"]
    found = client.get("/compare", first=first, second=second).json()
    assert sum(flow["count"] for flow in found["flows"]) == found["samples"]
    assert found["moved"] == len(found["moved_samples"])
    assert client.get("/compare", first=first, second=first).json()["moved"] == 0
    assert client.post("/undo").status == 200
    assert client.get("/project").json()["redo"].startswith("fit")
    again = awaited(client, client.post("/refit"))
    assert open_project(desk.folder).run(again["result"]["run"]).about["parent"] > second


def test_a_fit_is_cancelled_and_nothing_is_left_of_it(client: Client, desk: Desk):
    before = desk.project.runs
    number = client.post("/choices", most=15).json()["job"]["id"]
    waiting = client.post("/fits", clusters=3).json()["job"]["id"]
    assert client.delete(f"/jobs/{waiting}").json()["job"]["state"] == "cancelled"
    assert client.delete(f"/jobs/{number}").json()["job"]["state"] == "cancelled"
    assert client.get("/jobs/999").status == 404
    assert desk.project.runs == before
    # Others go on in a new process.
    awaited(client, client.post("/clusters/rename", cluster=1, name="After all"))


def test_exports_and_imports(client: Client):
    awaited(client, client.post("/clusters/rename", cluster=1, name="A name of mine"))
    page = client.get("/report")
    assert page.headers["content-disposition"].startswith("attachment")
    assert b"A name of mine" in page.body
    told = client.get("/links/file").body.decode()
    text = "a,b,relation\ndoc010,doc014,must-link\n"
    found = client.post("/links/file", name="mine.csv", text=text)
    assert found.status == 200
    assert (found.json()["must"], found.json()["cannot"]) == (1, 0)
    assert client.get("/links/file").body.decode() != told
    assert client.post("/undo").status == 200
    assert client.get("/links/file").body.decode() == told


def test_samples_of_numbers_are_asked_about_side_by_side(tmp_path: Path):
    data = replace(dataset(), texts=None)
    desk = Desk(kept(tmp_path / "numbers", data))
    found = Client(*guarded(desk)).get("/question", kind="pair").json()
    (own,) = found["contrast"]
    i, j = found["question"]["i"], found["question"]["j"]
    features = {name: place for place, name in enumerate(data.feature_names["words"].tolist())}
    X = desk.project.dataset.X
    for line in own["differ"] + own["alike"]:
        f = features[line["name"]]
        assert line["values"] == [X[i, f], X[j, f]]
    desk.close()


def test_pictures_are_those_of_the_folder_that_was_read(tmp_path: Path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "album"
    folder.mkdir()
    names = [f"{i:03d}.png" for i in range(60)]
    for name in names[:10]:
        image.new("RGB", (40, 30), (200, 10, 10)).save(folder / name)
    image.new("RGB", (40, 30)).save(tmp_path / "secret.png")
    names[20] = "../secret.png"
    data = replace(dataset(), texts=None, titles=None, sample_names=np.array(names, dtype=object))
    desk = Desk(kept(tmp_path / "project", data, source=str(folder)))
    client = Client(*guarded(desk))
    assert client.get("/project").json()["pictures"]
    places = {str(name): i for i, name in enumerate(desk.project.ids)}
    shown = client.get(f"/samples/{places['003.png']}/picture")
    assert (shown.status, shown.headers["content-type"]) == (200, "image/jpeg")
    assert image.open(io.BytesIO(shown.body)).size == (40, 30)
    for name in ("030.png", "../secret.png"):
        assert client.get(f"/samples/{places[name]}/picture").status == 404
    desk.close()


def test_searching_and_cells(client: Client, desk: Desk):
    found = client.get("/search", text="gen").json()
    (gene,) = found["columns"]
    assert gene["name"] == "gene"
    place = gene["place"]
    cell = client.get("/cell", r0=0, r1=1, c0=place, c1=place + 1).json()
    assert cell["column"]["names"] == ["gene"]
    i = next(i for i, name in enumerate(desk.project.ids) if name in cell["row"]["names"][0])
    column = desk.project.dataset.feature_names["words"].tolist().index("gene")
    assert cell["value"] == desk.project.dataset.X[i, column]
    assert client.get("/tile", r0=5, r1=5, c0=0, c1=1, height=1, width=1).status == 409
    answer = client.get("/tile", r0=0, r1=60, c0=0, c1=20, height=30, width=10)
    head, _, cells = answer.body.partition(b"\n")
    edges = json.loads(head)
    assert len(cells) == (len(edges["rows"]) - 1) * (len(edges["columns"]) - 1)


def test_what_is_known_of_the_samples_lies_beside_the_rows(client: Client, desk: Desk):
    assert client.get("/project").json()["columns"] == ["place", "known classes"]
    found = client.get("/strip", name="known classes", r0=0, r1=60, height=60).json()
    classes = ["sport", "politics", "biology", "music"]
    assert sorted(found["values"]) == sorted(classes)
    rows = desk.sorted(desk.last, "words").rows.order
    truth = desk.project.dataset.labels
    assert truth is not None
    shown = [found["values"][code] for code in found["cells"]]
    assert shown == [classes[truth[i]] for i in rows]
    counts = np.array(found["counts"])
    sizes = client.get("/account").json()["clusters"]["samples"]
    assert counts.sum(axis=1).tolist() == [own["size"] for own in sizes]
    # Cells of several rows show what most of them are.
    few = client.get("/strip", name="known classes", r0=10, r1=31, height=3).json()
    for start, end, code in zip(few["rows"], few["rows"][1:], few["cells"], strict=False):
        own = Counter(shown[start:end])
        assert own[found["values"][code]] == max(own.values())
    assert client.get("/strip", name="nothing", r0=0, r1=60, height=60).status == 404
    assert client.get("/strip", name="place", r0=0, r1=61, height=60).status == 409


def test_what_is_known_of_the_features_lies_above_the_columns(client: Client, desk: Desk):
    assert client.get("/matrix").json()["beside_columns"] == ["letters"]
    given = {"side": "columns", "name": "letters", "r0": 0, "r1": 28, "height": 28}
    found = client.get("/strip", **given).json()
    order = desk.sorted(desk.last, "words").columns.order
    words = desk.project.dataset.feature_names["words"][order]
    assert [found["values"][code] for code in found["cells"]] == [str(len(w)) for w in words]
    # How often each group of words has which.
    cuts = client.get("/matrix").json()["columns"]["cuts"]
    assert np.sum(found["counts"], axis=1).tolist() == np.diff(cuts).tolist()
    assert client.get("/strip", **{**given, "r1": 29}).status == 409
    assert client.get("/strip", **{**given, "name": "place"}).status == 404


def test_the_first_picture_of_large_data_needs_no_entries(tmp_path: Path, monkeypatch):
    small = Desk(made(tmp_path / "small"))
    monkeypatch.setattr(sorted_matrix, "DIRECT", 0)
    monkeypatch.setattr(sorted_matrix, "STORED_GRID_SIZE", (30, 14))
    large = Desk(made(tmp_path / "large"))
    whole = {"r0": 0, "r1": 60, "c0": 0, "c1": 28, "height": 30, "width": 14}
    near = {"r0": 0, "r1": 10, "c0": 0, "c1": 10, "height": 10, "width": 10}

    def shown(desk: Desk, part: dict[str, int]) -> tuple[dict[str, Any], bytes]:
        head, _, cells = Client(*guarded(desk)).get("/tile", **part).body.partition(b"\n")
        return json.loads(head), cells

    assert set(large.project.run().grids) == {"words"}
    with monkeypatch.context() as waiting:
        # The matrix is being sorted, for ever.
        waiting.setattr(large, "_sorted_lately", lambda run, view: Future())
        borders = [Client(*guarded(desk)).get("/matrix").json() for desk in (large, small)]
        assert borders[0] == borders[1]
        assert shown(large, whole) == shown(small, whole)
        assert shown(large, near)[0]["rough"]
    large.sorted(1, "words")

    def summed_again(*given: Any) -> None:
        raise AssertionError("Whoever zooms waits for the sums of all entries.")

    monkeypatch.setattr(sorted_matrix.SortedMatrix, "grid", summed_again)
    half = {**whole, "r1": 30, "c1": 14}
    assert [shown(large, part)[0]["rough"] for part in (near, half)] == [False, False]
    assert shown(large, near) == shown(small, near)
    # A run that is made the last one again has them, too.
    with large.project.writing():
        assert set(large.project.run(restored(large.project, 1)).grids) == {"words"}
    large.close()
    small.close()


def test_the_map_is_drawn_once(client: Client, desk: Desk):
    assert client.get("/map").json() == {"ready": False}
    job = client.post("/map").json()["job"]
    known = desk.asking.get(job["id"])
    assert known is not None
    known.over.wait()
    places = client.get("/map").json()
    assert len(places["x"]) == len(places["clusters"]) == places["total"]
    assert set(places["metadata"]) == {"place", "known classes"}
    assert set(places["metadata"]["place"]["values"]) == {f"city {i}" for i in range(5)}
    assert client.post("/map").json() == {"job": None}


def test_another_writer_is_waited_for_and_then_named(client: Client, desk: Desk, monkeypatch):
    monkeypatch.setattr("cocluster.web.shelf.PATIENCE", 0.1)
    with desk.project.writing():
        refused = client.post("/links", i=1, j=2, relation="unsure")
    assert refused.status == 409
    assert "another process" in refused.json()["error"]


def test_what_a_killed_server_has_written_can_be_undone(client: Client, desk: Desk):
    file = desk.project.folder / "history.json"
    before = file.read_bytes()
    client.post("/links", i=3, j=7, relation="unsure")
    file.write_bytes(before)
    assert "doc" in client.get("/project").json()["undo"]
    assert client.post("/undo").status == 200


def test_two_servers_on_one_project_see_each_other(client: Client, desk: Desk):
    other = Desk(open_project(desk.folder))
    second = Client(*guarded(other))
    for i, own in enumerate((client, second, client, second)):
        assert own.post("/links", i=20, j=30 + i, relation="unsure").status == 200
    lines = [line for line in client.get("/links").json()["lines"] if line["in_force"]]
    assert lines == [line for line in second.get("/links").json()["lines"] if line["in_force"]]
    assert {line["relation"] for line in lines[:4]} == {"unsure"}
    # What one has done, the other undoes.
    for own in (second, second, client, client):
        assert own.post("/undo").status == 200
    left = [line["step"] for line in client.get("/links").json()["lines"] if line["in_force"]]
    assert left == [line["step"] for line in lines[4:]]
    other.close()


def test_the_document_names_every_endpoint(client: Client):
    document = client.get("/openapi.json").json()
    listed = {(m.upper(), path) for path, own in document["paths"].items() for m in own}
    assert listed == {(one.method, one.path) for one in ENDPOINTS}
    names = [own["operationId"] for path in document["paths"].values() for own in path.values()]
    assert len(set(names)) == len(names)


def test_vendored_modules_are_those_of_the_lock():
    import hashlib

    import cocluster.web

    folder = Path(cocluster.web.__file__).parent / "static" / "vendor"
    lock = json.loads((folder / "lock.json").read_text())
    assert {file.name for file in folder.glob("*.js")} == set(lock)
    for name, about in lock.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == about["sha256"]
