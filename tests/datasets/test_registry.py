"""The table of data sets, and the data sets it leads to."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.datasets import dataset_info, fetch, list_datasets
from cocluster.io.dataset import Dataset

KINDS = ("text", "gene", "image", "uci", "multi")


@pytest.mark.parametrize("info", list_datasets(), ids=lambda info: info.name)
def test_every_entry_says_what_a_user_must_know(info):
    assert info.file == f"{info.kind}/{info.name}.npz"
    assert len(info.sha256) == len("00" * 32)
    assert int(info.sha256, 16)
    assert len({n for n, _ in info.shapes.values()}) == 1
    assert set(info.keys) <= set(info.shapes)
    assert info.origin
    assert info.licence


def test_kinds_divide_the_list():
    by_kind = [info for kind in KINDS for info in list_datasets(kind)]
    assert sorted(i.name for i in by_kind) == sorted(i.name for i in list_datasets())
    with pytest.raises(ValueError, match=r"no kind 'texts'.*text, gene"):
        list_datasets("texts")


@pytest.mark.parametrize(
    ("asked", "near"),
    [("reo", "re0"), ("RE0", "re0"), ("coil20", "coil20_1440x1024"), ("classic", "classic3")],
)
def test_the_nearest_name_is_suggested(asked, near):
    with pytest.raises(ValueError, match=f"no data set '{asked}'.*{near}"):
        dataset_info(asked)


def test_a_name_unlike_all_others_leads_to_the_list():
    with pytest.raises(ValueError, match="list_datasets"):
        dataset_info("???")


@pytest.fixture
def three() -> Dataset:
    """Two views of five samples, one of which lacks two of them."""
    return Dataset(
        "three",
        {"words": np.arange(10.0).reshape(5, 2), "tags": sp.csr_array(np.eye(3))},
        labels=np.array([0, 1, 2, 1, 0]),
        class_names=np.array(["a", "b", "c"]),
        sample_names=np.array(list("vwxyz")),
        present={"tags": np.array([4, 0, 2])},
        masks={"train": np.array([True, True, False, False, True]), "keep": np.ones(2, bool)},
    )


def test_selected_samples_keep_what_belongs_to_them(three):
    subset = three.select([4, 1, 2])
    assert subset.sample_names.tolist() == ["z", "w", "x"]
    assert subset.labels.tolist() == [0, 1, 2]
    assert subset.masks["train"].tolist() == [True, True, False]
    assert subset.masks["keep"].tolist() == [True, True]
    relation = subset.data.relations[1]
    assert relation.row_index.tolist() == [0, 2]
    assert relation.matrix.toarray().tolist() == [[1, 0, 0], [0, 0, 1]]


def test_classes_are_numbered_in_the_order_given(three):
    subset = three.of_classes(["c", "a"])
    assert subset.sample_names.tolist() == ["v", "x", "z"]
    assert subset.labels.tolist() == [1, 0, 1]
    assert subset.class_names.tolist() == ["c", "a"]
    with pytest.raises(ValueError, match=r"no class 'd'.*a, b, c"):
        three.of_classes(["d"])


def test_data_of_several_views_has_no_single_matrix(three):
    with pytest.raises(AttributeError, match="words, tags"):
        _ = three.X


@pytest.mark.parametrize("broken", [{"labels": np.zeros(3)}, {"views": {"words": np.ones((4, 2))}}])
def test_data_sets_that_do_not_fit_together_are_refused(three, broken):
    fields = {"views": three.views, "present": three.present, "labels": three.labels} | broken
    with pytest.raises(ValueError, match=r"5 samples|4 samples"):
        Dataset("broken", **fields)


@pytest.mark.slow
@pytest.mark.parametrize("info", list_datasets(), ids=lambda info: info.name)
def test_files_hold_what_the_table_says(info):
    if not os.environ.get("COCLUSTER_DATA"):
        pytest.skip("COCLUSTER_DATA names no folder of data sets.")
    dataset = fetch(info.name)
    assert {view: X.shape for view, X in dataset.views.items()} == info.shapes
    assert dataset.n_classes == info.classes
    for view, names in dataset.feature_names.items():
        assert len(names) == info.shapes[view][1]
