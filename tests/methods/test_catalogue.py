"""The table of methods, and what is made from it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import cocluster
from cocluster import Links
from cocluster.methods.catalogue import METHODS, as_markdown


def test_the_table_has_a_line_for_every_method_as_wide_as_its_head() -> None:
    head, _, *lines = as_markdown().splitlines()
    assert [line.split("`")[1] for line in lines] == list(METHODS)
    assert {line.count("|") for line in lines} == {head.count("|")}


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_exported_and_keep_what_they_promise(name: str) -> None:
    method = METHODS[name]
    assert method.name in cocluster.__all__
    assert method.estimator.__name__ == method.name
    signed = np.random.default_rng(0).normal(size=(12, 6))
    model = method.estimator(2, random_state=0)
    if method.negative:
        model.fit(signed)
    else:
        with pytest.raises(ValueError, match="Negative values"):
            model.fit(signed)
        model.fit(abs(signed))
    assert hasattr(model, "column_labels_") == method.feature_clusters
    assert hasattr(model, "membership_") == method.soft


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_sparse_data_and_links(name: str) -> None:
    method = METHODS[name]
    assert method.sparse
    assert method.links
    X = np.kron([[9.0, 1.0], [1.0, 9.0]], np.ones((5, 4))) + np.eye(10, 8)
    links = Links.from_pairs([(0, 9)], [(0, 5)], n_samples=10)
    model = method.estimator(2, random_state=0).fit(sp.csr_array(X), links=links)
    assert model.links_report_["samples"].n_stated == 2
    # In SS-KK a link is a term of the kernel, which other terms can outweigh.
    assert model.labels_[0] == model.labels_[9] or name == "kernelkmeans"
