"""The same data in every format, whole and broken."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from cocluster.io import read
from tests.io import writers
from tests.io.writers import (
    BINARY,
    CODES,
    FEATURES,
    LABELLED,
    MATRICES,
    NAMED,
    NAMES,
    STRICT,
    X,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning:anndata", "ignore::UserWarning:anndata"
)


SPARSE = [writers.sparse_npz, writers.market, writers.arff_sparse]


def of(writer):
    """Name of a writer, for test ids."""
    return writer.__name__


@pytest.mark.parametrize("writer", MATRICES, ids=of)
def test_every_format_gives_the_same_matrix(writer, tmp_path):
    dataset = read(writer(tmp_path))
    found = dataset.X.toarray() if sp.issparse(dataset.X) else dataset.X
    assert np.array_equal(found, X)
    assert dataset.name == "toy"
    assert dataset.data.sizes["samples"] == len(X)


@pytest.mark.parametrize("writer", LABELLED, ids=of)
def test_classes_are_found(writer, tmp_path):
    label = "label" if writer is writers.h5ad else None
    dataset = read(writer(tmp_path), label=label)
    assert dataset.labels.tolist() == CODES
    assert dataset.class_names.tolist() in (["a", "b"], ["1", "2"])


@pytest.mark.parametrize("writer", NAMED, ids=of)
def test_names_are_kept(writer, tmp_path):
    dataset = read(writer(tmp_path))
    (names,) = dataset.feature_names.values()
    assert names.tolist() == FEATURES
    if dataset.sample_names is not None:
        assert dataset.sample_names.tolist() == NAMES


@pytest.mark.parametrize(
    "writer", [writers.sparse_npz, writers.market, writers.arff_sparse], ids=of
)
def test_sparse_files_stay_sparse(writer, tmp_path):
    assert isinstance(read(writer(tmp_path)).X, sp.csr_array)


@pytest.mark.parametrize("kept", [0.3, 0.7])
@pytest.mark.parametrize("writer", [*BINARY, *STRICT], ids=of)
def test_cut_off_files_are_named(writer, kept, tmp_path):
    file = writer(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ValueError, match=r"toy\."):
        read(file)


@pytest.mark.parametrize("writer", MATRICES, ids=of)
def test_files_of_another_kind_are_named(writer, tmp_path):
    file = writer(tmp_path)
    file.write_bytes(b"<html>\nnot found\n</html>" * 20)
    with pytest.raises(ValueError, match=r"toy\."):
        read(file)


@pytest.mark.parametrize("writer", [*MATRICES, writers.json_lines], ids=of)
def test_empty_files_are_named(writer, tmp_path):
    file = writer(tmp_path)
    file.write_bytes(b"")
    with pytest.raises(ValueError, match=r"toy\..* is empty"):
        read(file)


@pytest.mark.parametrize("writer", [w for w in LABELLED if w is not writers.cluto_sparse], ids=of)
def test_a_label_that_is_not_there_is_refused(writer, tmp_path):
    with pytest.raises(ValueError, match=r"toy.* has no .*'colour'"):
        read(writer(tmp_path), label="colour")


def test_unknown_endings_and_missing_files(tmp_path):
    for name in ("toy.what", "toy.gz", "toy.what.gz"):
        (tmp_path / name).write_text("?")
        with pytest.raises(ValueError, match=rf"{name}: .*\.npz.*\.csv"):
            read(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        read(tmp_path / "toy.csv")


def test_npz_refuses_pickled_objects(tmp_path):
    np.savez(tmp_path / "toy.npz", X=np.array([{}, []], dtype=object))
    with pytest.raises(ValueError, match=r"toy\.npz.*pickle"):
        read(tmp_path / "toy.npz")


def test_npz_without_a_matrix_says_what_it_holds(tmp_path):
    np.savez(tmp_path / "toy.npz", numbers=np.arange(3))
    with pytest.raises(ValueError, match=r"toy\.npz holds no matrix.*numbers"):
        read(tmp_path / "toy.npz")


@pytest.mark.parametrize("stored", [{}, {"class_names": [f"c{i}" for i in range(12)]}])
def test_a_dozen_numbered_classes_keep_their_order(tmp_path, stored):
    labels = np.arange(12)
    np.savez(tmp_path / "toy.npz", X=np.ones((12, 2)), labels=labels, **stored)
    dataset = read(tmp_path / "toy.npz")
    assert dataset.labels.tolist() == labels.tolist()
    assert dataset.class_names[11] in ("11", "c11")


def test_npz_of_several_sparse_views(tmp_path):
    parts = {}
    for name, M in (("words", X), ("tags", X[:, :2])):
        A = sp.csr_array(M)
        parts |= {f"{name}_data": A.data, f"{name}_indices": A.indices}
        parts |= {f"{name}_indptr": A.indptr, f"{name}_shape": A.shape}
    np.savez(tmp_path / "toy.npz", **parts)
    dataset = read(tmp_path / "toy.npz")
    assert np.array_equal(dataset.views["tags"].toarray(), X[:, :2])
    assert dataset.data.types == ("samples", "words", "tags")


def test_matlab_cells_are_views(tmp_path):
    cells = np.empty((1, 2), dtype=object)
    cells[0, 0], cells[0, 1] = X, sp.csc_array(X[:, :2])
    scipy.io.savemat(tmp_path / "toy.mat", {"X": cells, "Y": [[1], [2], [1], [2]]})
    dataset = read(tmp_path / "toy.mat")
    assert {view: M.shape for view, M in dataset.views.items()} == {
        "view0": (4, 3),
        "view1": (4, 2),
    }


def test_matlab_without_a_known_variable_says_what_it_holds(tmp_path):
    scipy.io.savemat(tmp_path / "toy.mat", {"pixels": X})
    with pytest.raises(ValueError, match=r"toy\.mat has none.*pixels"):
        read(tmp_path / "toy.mat")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("4 3 5\n1 1\n\n", "announces 4 rows but 2"),
        ("1 3 2\n1 1\n", "announces 2 entries but there are 1"),
        ("1 3 1\n4 1\n", "line 2: expected pairs"),
        ("1 3 1\n1\n", "line 2: expected pairs"),
        ("1 3\n1 2\n", "line 2: expected 3 values, found 2"),
        ("2 2\n1 2\n3 x\n", "line 3: 'x' is not a number"),
    ],
)
def test_broken_cluto_files_name_the_line(tmp_path, content, message):
    (tmp_path / "toy.mat").write_text(content)
    with pytest.raises(ValueError, match=rf"toy\.mat.*{message}"):
        read(tmp_path / "toy.mat")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("1,2,a\n", "line 8: expected 4 values, found 3"),
        ("1,x,3,a\n", "line 8: 'x' is not a number"),
        ("1,2,3,a\n{0 1, 9 2}\n", "line 9: expected .*below 4"),
        ("{0 1, 2\n", "line 8: expected"),
        ("", "no @attribute lines"),
    ],
)
def test_broken_arff_files_name_the_line(tmp_path, body, message):
    (tmp_path / "toy.arff").write_text(writers.HEADER + body)
    with pytest.raises(ValueError, match=rf"toy\.arff.*{message}"):
        read(tmp_path / "toy.arff")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("numeric", "string", "line 3: only attributes of numbers"),
        ("REAL", "{x, y}", "'kind' holds words|'f2' holds words"),
    ],
)
def test_arff_attributes_that_are_no_features_are_refused(tmp_path, old, new, message):
    (tmp_path / "toy.arff").write_text(writers.HEADER.replace(old, new) + "1,2,3,a\n")
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "toy.arff")


def test_arff_question_marks_are_missing(tmp_path):
    (tmp_path / "toy.arff").write_text(writers.HEADER + "1,?,3,?\n1,2,3,a\n")
    dataset = read(tmp_path / "toy.arff")
    assert np.isnan(dataset.X[0, 1])
    assert dataset.labels.tolist() == [-1, 0]


# Before 0.4, mudata announces that columns will not be pulled; here are none.
@pytest.mark.filterwarnings("ignore:From 0.4 .update:FutureWarning")
def test_modalities_of_h5mu_are_matched_by_name(tmp_path):
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    import pandas

    def part(rows, columns):
        obs = pandas.DataFrame(index=[NAMES[i] for i in rows])
        known = {"kind": [f"{columns} kind", None, "other"]}
        var = pandas.DataFrame(known, index=[f"{columns}{j}" for j in range(3)])
        return anndata.AnnData(X[rows], obs, var)

    data = mudata.MuData({"rna": part([0, 1, 2], "g"), "adt": part([3, 1], "p")})
    data.write_h5mu(tmp_path / "toy.h5mu")
    dataset = read(tmp_path / "toy.h5mu")
    place = {name: i for i, name in enumerate(dataset.sample_names)}
    assert dataset.present["adt"].tolist() == [place["s4"], place["s2"]]
    assert np.array_equal(dataset.views["adt"], X[[3, 1]])
    assert len(dataset.data) == 4
    # What is known of the features of each, and what is not.
    for view, letter in (("rna", "g"), ("adt", "p")):
        assert dataset.feature_metadata[view]["kind"].tolist() == [f"{letter} kind", "", "other"]


def test_a_cut_off_h5mu_is_named(tmp_path):
    pytest.importorskip("mudata")
    (tmp_path / "toy.h5mu").write_bytes(b"\x89HDF\r\n\x1a\nbroken")
    with pytest.raises(ValueError, match=r"toy\.h5mu"):
        read(tmp_path / "toy.h5mu")
