"""Everything that the page does, through its interface: what it shows, edits, undoes, and keeps."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")

from cocluster.projects import open_project
from cocluster.web.desk import Desk
from cocluster.web.routes import ENDPOINTS
from tests.web.projects import HARM, Client, answered, awaited, guarded, made


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    opened = Desk(made(tmp_path_factory.mktemp("web") / "news"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
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
    before = (desk.project.folder / "links.csv").exists()
    assert not before
    for expected in (1, 2, 3):
        question = client.get("/question").json()["question"]
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
    before = client.get("/project").json()["answers"]
    found = client.get("/question", kind="place").json()
    question = found["question"]
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
    assert client.get("/project").json()["answers"] == before
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
    assert client.post("/undo").status == 200
    assert client.post("/undo").status == 200


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


def test_exports_and_imports(client: Client, desk: Desk):
    page = client.get("/report")
    assert page.headers["content-disposition"].startswith("attachment")
    assert b"After all" in page.body
    told = client.get("/links/file").body.decode()
    text = "a,b,relation\ndoc010,doc014,must-link\n"
    found = client.post("/links/file", name="mine.csv", text=text)
    assert found.status == 200
    assert (found.json()["must"], found.json()["cannot"]) == (1, 0)
    assert client.get("/links/file").body.decode() != told
    assert client.post("/undo").status == 200
    assert client.get("/links/file").body.decode() == told


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


def test_the_map_is_drawn_once(client: Client, desk: Desk):
    assert client.get("/map").json() == {"ready": False}
    job = client.post("/map").json()["job"]
    known = desk.asking.get(job["id"])
    assert known is not None
    known.over.wait()
    places = client.get("/map").json()
    assert len(places["x"]) == len(places["clusters"]) == places["total"]
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
