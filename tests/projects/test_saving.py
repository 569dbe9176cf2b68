"""A model that was saved and loaded is the same model, whatever it is."""

from __future__ import annotations

import inspect
import json
import os

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

import cocluster
from cocluster import CoCluster, TriFactorization, load, open_project
from cocluster.graphs import knn_graph
from cocluster.io import read
from cocluster.io.dataset import Dataset, Reading
from cocluster.io.models import read_value, write_value
from cocluster.methods.catalogue import METHODS
from cocluster.trifactor import Indicator, Unconstrained
from cocluster.utils.files import new_file
from tests.conftest import plant

SEEDS = (0,)
DATA = ("dense", "sparse", "views")
# Links that no method breaks: the question is whether they are kept, not whether they help.
LINKS = ([(0, 1)], [(0, 20)])


def counts(kind, rng):
    """Planted counts, some rows of which were not in the fit."""
    labels = np.arange(40) % 2
    one, other = (plant(rng, labels, m, 2).X for m in (16, 9))
    if kind == "views":
        return {"words": one[:30], "tags": other[:30]}, {"words": one, "tags": other}
    make = sp.csr_array if kind == "sparse" else np.asarray
    return make(one[:30]), make(one)


@pytest.mark.parametrize("links", [None, LINKS])
@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("name", ["auto", *METHODS])
def test_every_method_predicts_as_before_to_the_bit(name, kind, links, rng, tmp_path):
    if kind == "views" and name != "auto" and not METHODS[name].many_types:
        pytest.skip("one matrix only")
    X, new = counts(kind, rng)
    estimators = [CoCluster(2, name, random_state=0)]
    if name != "auto":
        estimators.append(METHODS[name].estimator(2, random_state=0))
    for number, estimator in enumerate(estimators):
        # Whether a fit has ended makes no difference, and these take hundreds of sweeps.
        if name in ("drcc", "snmtf", "rmc"):
            estimator.set_params(max_iter=5)
        model = estimator.fit(X, links=links)
        again = load(model.save(tmp_path / str(number)))
        assert type(again) is type(model)
        assert_array_equal(again.labels_, model.labels_)
        assert_array_equal(again.predict(new), model.predict(new))
        # What decides the labels is the same number, not only nearly.
        costs = [getattr(each, "model_", each)._costs(new) for each in (again, model)]
        assert_array_equal(*costs)
        for one, other in zip(again.associations_, model.associations_, strict=True):
            assert_array_equal(one, other)
        assert str(again.get_params()) == str(model.get_params())
        assert {t: v.n_satisfied for t, v in again.links_report_.items()} == {
            t: v.n_satisfied for t, v in model.links_report_.items()
        }


def test_what_was_given_as_a_parameter_comes_back(rng, tmp_path):
    X, new = counts("dense", rng)
    parts = {"samples": Indicator(), "features": Unconstrained()}
    state = np.random.RandomState(3)
    model = TriFactorization(2, constraint=parts, random_state=state).fit(X)
    again = load(model.save(tmp_path / "parts"))
    assert type(again.constraint["samples"]) is Indicator
    assert again.random_state.randint(100) == model.random_state.randint(100)
    assert_array_equal(again.predict(new), model.predict(new))
    # A model may start from another one.
    follower = CoCluster(2, init=CoCluster(2, random_state=0).fit(X), random_state=0).fit(X)
    assert_array_equal(
        load(follower.save(tmp_path / "f")).init.predict(new), follower.init.predict(new)
    )


@pytest.mark.parametrize("biases", [False, True])
def test_a_model_of_unknown_entries_completes_as_before(biases, rng, tmp_path):
    X = np.where(rng.random((30, 8)) < 0.3, np.nan, rng.normal(size=(30, 8)))
    model = CoCluster(3, biases=biases, random_state=0).fit(X)
    assert_array_equal(load(model.save(tmp_path / "m")).complete(), model.complete())


def test_graphs_of_a_fit_are_not_needed_afterwards(rng, tmp_path):
    X, new = counts("dense", rng)
    graph = knn_graph(X, 5)
    for method in METHODS.values():
        if "graphs" in inspect.signature(method.estimator.fit).parameters:
            model = method.estimator(2, random_state=0).fit(X, graphs={"samples": graph})
            again = load(model.save(tmp_path / method.name))
            assert_array_equal(again.predict(new), model.predict(new))


def test_names_of_samples_features_and_views_are_kept(rng, tmp_path):
    X, _ = counts("dense", rng)
    names = np.array([f"doc{i}" for i in range(30)], dtype=object)
    words = np.array([f"word{j}" for j in range(16)], dtype=object)
    dataset = Dataset("toy", {"a/b": X}, sample_names=names, feature_names={"a/b": words})
    model = CoCluster(2, random_state=0).fit(dataset.data)
    for folder in (model.save(tmp_path / "bare"), model.save(tmp_path / "data", dataset)):
        run = open_project(folder).run()
        assert list(run.labels()) == names.tolist()
        assert list(run.labels("a/b")) == words.tolist()
        assert load(folder).model_._form.names["a/b"].tolist() == words.tolist()
    stored = open_project(tmp_path / "data").dataset
    assert stored.sample_names.tolist() == names.tolist()
    assert_array_equal(stored.X, X)
    told = open_project(tmp_path / "data").account
    assert sum(cluster.size for cluster in told.samples) == len(names)
    assert (tmp_path / "data" / "report.html").exists()


def test_new_texts_are_counted_as_the_first_ones(tmp_path):
    texts = ["the cat and a dog", "a dog barks", "moon and rocket", "a rocket to the moon"] * 6
    file = tmp_path / "texts.jsonl"
    file.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    dataset = read(file)
    model = CoCluster(2, random_state=0).fit(dataset.data)
    project = open_project(model.save(tmp_path / "texts", dataset))
    assert project.dataset.texts.tolist() == texts
    new = ["my dog", "that moon"]
    counter = project.dataset.counter
    assert_array_equal(counter.words_, dataset.counter.words_)
    counted = Dataset(
        "new", {"words": counter.transform(new)}, feature_names={"words": counter.words_}
    )
    assert_array_equal(project.model.predict(counted.data), model.labels_[[1, 2]])


def test_any_letter_of_a_name_survives(rng, tmp_path):
    X, _ = counts("dense", rng)
    names = np.array([f"\ud800 {i} \u2028 é" for i in range(30)], dtype=object)
    view = "x" * 300
    dataset = Dataset("toy", {view: X}, sample_names=names)
    folder = CoCluster(2, random_state=0).fit(dataset.data).save(tmp_path / "odd", dataset)
    assert open_project(folder).dataset.sample_names.tolist() == names.tolist()
    assert len(open_project(folder).run().labels(view)) == X.shape[1]


# What a damaged run may call the file of its labels: no name, its own folder, a file elsewhere.
@pytest.mark.parametrize("files", ["x", {"samples": 1}, {"samples": ""}, {"samples": "../out.csv"}])
def test_labels_are_read_from_files_of_the_run_only(files, rng, tmp_path):
    X, _ = counts("dense", rng)
    run = open_project(CoCluster(2, random_state=0).fit(X).save(tmp_path / "toy")).run()
    (run.folder.parent / "out.csv").write_text("name,cluster\nsecret,1\n")
    place = run.folder / "run.json"
    place.write_text(json.dumps({**run.about, "files": files}))
    with pytest.raises(ValueError, match=run.folder.name):
        run.labels()


def test_what_cannot_be_kept_is_named_and_nothing_is_left(rng, tmp_path):
    X, _ = counts("dense", rng)
    model = CoCluster(2, random_state=0).fit(X)
    model.init = print
    with pytest.raises(TypeError, match="init is <built-in function print>"):
        model.save(tmp_path / "model")
    with pytest.raises(NotFittedError):
        CoCluster(2).save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_an_existing_folder_is_replaced_only_when_asked(rng, tmp_path):
    X, new = counts("dense", rng)
    folder = CoCluster(2, random_state=0).fit(X).save(tmp_path / "model")
    other = CoCluster(3, random_state=0).fit(X)
    with pytest.raises(FileExistsError, match="exists already"):
        other.save(folder)
    assert load(folder).n_clusters == 2
    assert_array_equal(load(other.save(folder, force=True)).predict(new), other.predict(new))
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("file", ["project.json", "runs/001/model.json", "runs/001/run.json"])
def test_a_newer_format_is_refused_with_a_sentence(file, rng, tmp_path):
    folder = CoCluster(2, random_state=0).fit(counts("dense", rng)[0]).save(tmp_path / "model")
    content = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(content | {"format": 2}))
    with pytest.raises(ValueError, match=r"has format 2.*install the version that wrote it"):
        open_project(folder).run().about, load(folder)


def edited(plain, change):
    """JSON in which one change is made wherever it fits."""
    if isinstance(plain, dict):
        return {k: edited(v, change) for k, v in change(plain).items()}
    return [edited(part, change) for part in plain] if isinstance(plain, list) else plain


CHANGES = {
    "another class": lambda d: {**d, "is": "Popen"} if "is" in d else d,
    "a missing array": lambda d: {"array": "none"} if "array" in d else d,
    "another form": lambda d: {"call": []} if "tuple" in d else d,
    "no attributes": lambda d: {"is": d["is"]} if "is" in d else d,
    "another dtype": lambda d: {**d, "dtype": "O8x"} if "dtype" in d else {**d, "tuple": 3},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_was_tampered_with_is_refused(change, rng, tmp_path):
    folder = CoCluster(2, random_state=0).fit(counts("dense", rng)[0]).save(tmp_path / "model")
    file = folder / "runs" / "001" / "model.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"value": edited(content["value"], CHANGES[change])}))
    with pytest.raises(ValueError, match=r"001/model\.json cannot be read"):
        load(folder)


def test_indices_of_a_sparse_matrix_are_looked_at(rng, tmp_path):
    X, _ = counts("sparse", rng)
    folder = CoCluster(2, random_state=0).fit(X).save(tmp_path / "model", X)
    file = folder / "data" / "matrices.npz"
    arrays = dict(np.load(file))
    name = next(key for key in arrays if key.endswith("indices"))
    np.savez(file, **arrays | {name: arrays[name] + 1000})
    with pytest.raises(ValueError, match="cannot be read"):
        getattr(open_project(folder), "dataset")  # noqa: B009


def all_of(folder):
    """Everything that a project holds."""
    project = open_project(folder)
    return project.names, project.run().about, project.model, project.dataset.data


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("project.json", b"\xff\xfe{"),
        ("names.csv", b"a,b\n1,2\n"),
        ("names.csv", b"cluster,name\nfirst,x\n"),
        ("names.csv", b"cluster,name\n\xff,x\n"),
        ("runs/001/run.json", b"\x80"),
        ("runs/001/model.json", b"\x80"),
        ("runs/001/model.json", b'{"format": 1}'),
        ("runs/001/model.npz", b"PK nothing"),
        ("data/samples.jsonl", b'{"id": "a", "metadata": []}\n'),
        ("data/matrices.json", b'{"format": 1, "value": [1]}'),
    ],
)
def test_damaged_files_are_named_in_full(file, content, rng, tmp_path):
    data = Dataset("toy", {"X": rng.poisson(3, (6, 4)) + 1.0})
    model = CoCluster(2, random_state=0).fit(data.data)
    folder = model.save(tmp_path / "toy", data=data)
    (folder / file).write_bytes(content)
    with pytest.raises(ValueError, match=r"toy") as caught:
        all_of(folder)
    # The arrays of a model are named by the file that speaks of them.
    assert str(folder / file).replace(".npz", ".json") in str(caught.value)
    assert str(caught.value).count("cannot be read") <= 1


def test_values_of_another_kind_are_neither_models_nor_data(rng, tmp_path):
    data = Dataset("toy", {"X": rng.poisson(3, (6, 4)) + 1.0})
    model = CoCluster(2, random_state=0).fit(data.data)
    folder = model.save(tmp_path / "toy", data=data)
    run = folder / "runs" / "001"
    write_value(run, "model", {"a": 1})
    with pytest.raises(ValueError, match=r"model\.json holds no fitted model"):
        _ = open_project(folder).model
    for value in ({"a": 1}, Dataset("toy", {"X": np.array([[b"a"], [b"b"]])})):
        write_value(folder / "data", "matrices", value)
        with pytest.raises(ValueError, match=r"matrices\.json holds no matrices of numbers"):
            _ = open_project(folder).dataset


def test_fields_of_another_version_are_filled_in_or_refused(tmp_path):
    write_value(tmp_path, "reading", Reading())
    file = tmp_path / "reading.json"
    content = json.loads(file.read_text())
    held = content["value"]["of"].pop("left_out")
    file.write_text(json.dumps(content))
    assert read_value(tmp_path, "reading") == Reading()
    content["value"]["of"]["heft_out"] = held
    file.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="Reading has no heft_out"):
        read_value(tmp_path, "reading")


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_what_a_killed_writer_has_left_is_gone_when_a_project_is_opened(rng, tmp_path):
    folder = CoCluster(2, random_state=0).fit(rng.random((6, 4))).save(tmp_path / "saved")
    # Under this name a process would write that has this one's number but began at another time.
    with new_file(folder / "talk.json") as unfinished:
        unfinished.touch()
        name = unfinished.name.split("-")
        left = unfinished.with_name("-".join([*name[:2], f"{os.getpid()}.1", *name[3:]]))
    left.touch()
    open_project(folder)
    assert not left.exists()


def test_no_such_folder_and_no_project(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        load(tmp_path / "none")
    with pytest.raises(ValueError, match="no project of cocluster"):
        cocluster.load(tmp_path)


@pytest.mark.parametrize(
    "name", ["links.csv", "names.csv", "report.html", "talk.json", "project.json", "runs", "data"]
)
@pytest.mark.parametrize("kind", ["symbolic", "hard", "pipe"])
def test_a_project_with_links_to_other_places_is_refused(name, kind, rng, tmp_path):
    X = rng.random((6, 4))
    folder = CoCluster(2, random_state=0).fit(X).save(tmp_path / "saved", data=X)
    entry, outside = folder / name, tmp_path / "outside"
    if entry.exists():
        entry.rename(outside)
    else:
        outside.write_text("")
    if kind == "symbolic":
        entry.symlink_to(outside)
    elif kind == "hard" and outside.is_file():
        entry.hardlink_to(outside)
    elif kind == "pipe" and name != "project.json":
        os.mkfifo(entry)
    else:
        return  # a folder has no second name, and a project file that is a pipe is no project
    with pytest.raises(PermissionError, match="outside this folder"):
        open_project(folder)
