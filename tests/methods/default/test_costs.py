"""What a sample costs in a cluster is what the method goes by."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cocluster import FNMTF, ITCC, NMTF, CoCluster
from cocluster.data.relational import bipartite
from cocluster.methods.catalogue import METHODS
from cocluster.methods.default.probability import costs, has_costs

SEEDS = (0,)


@pytest.mark.parametrize("name", METHODS)
def test_the_cheapest_cluster_is_the_one_that_is_predicted(name, planted):
    model = CoCluster(3, method=name, random_state=0).fit(planted.X)
    found = costs(model, bipartite(planted.X))
    assert found.shape == (40, 3)
    assert_array_equal(found.argmin(axis=1), model.predict(planted.X))


@pytest.mark.parametrize("method", [ITCC, FNMTF, CoCluster])
def test_the_cheapest_cluster_is_predicted_from_every_structure(method, data):
    model = method(3, random_state=0).fit(data)
    assert_array_equal(costs(model, data.oriented()).argmin(axis=1), model.predict(data))


def test_k_means_on_a_factor_judges_by_its_own_means(planted):
    model = NMTF(3, assign="kmeans", random_state=0).fit(planted.X)
    found = costs(model, bipartite(planted.X))
    assert_array_equal(found.argmin(axis=1), model.predict(planted.X))


def test_squared_distances_differ_as_those_to_the_prototypes(planted):
    model = FNMTF(3, normalize=None, random_state=0).fit(planted.X)
    prototypes = model.association_[:, model.column_labels_]
    distances = ((planted.X[:, None, :] - prototypes) ** 2).sum(axis=2)
    found = costs(model, bipartite(planted.X))
    assert_allclose(found - found[:, [0]], distances - distances[:, [0]], rtol=1e-9, atol=1e-9)


def test_columns_follow_the_numbers_that_are_shown(planted):
    model = CoCluster(3, random_state=0).fit(planted.X)
    renumbered = copy.copy(model)
    renumbered.labels_ = np.array([2, 0, 1])[model.labels_]
    data = bipartite(planted.X)
    assert_array_equal(costs(renumbered, data)[:, [2, 0, 1]], costs(model, data))


def test_names_of_features_make_no_difference(planted):
    frame = pd.DataFrame(planted.X, columns=[f"word {j}" for j in range(planted.X.shape[1])])
    model = NMTF(3, random_state=0).fit(frame)
    expected = costs(NMTF(3, random_state=0).fit(planted.X), bipartite(planted.X))
    assert_allclose(costs(model, bipartite(frame)), expected)


def test_types_may_have_other_names(planted):
    model = ITCC(3, random_state=0).fit(planted.X)
    words = bipartite(planted.X, "documents", "words")
    assert_array_equal(costs(model, words), costs(model, bipartite(planted.X)))


def test_what_is_no_method_of_the_catalogue_is_refused(planted):
    model = ITCC(3, random_state=0).fit(planted.X)
    assert has_costs(model)
    assert not has_costs(SimpleNamespace())
    with pytest.raises(TypeError, match="SimpleNamespace has no costs"):
        costs(SimpleNamespace(**vars(model)), bipartite(planted.X))
