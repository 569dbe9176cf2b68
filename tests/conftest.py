"""Small planted data in every structure, and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, bipartite
from cocluster.linalg.types import Array
from tests.browsers import axe, browser  # noqa: F401  (fixtures, for all tests)

# Marked `thorough`, and left out by `make test-quick`: what takes long because it tries every
# combination (methods x containers x links), other processes, damaged files or whole benchmarks.
# Also thorough is every test with another seed than 0, the same law on another draw. The quick
# tests keep the laws of all parts, and `tests/methods/test_catalogue.py` fits every method.
THOROUGH = (
    "src",  # examples in docstrings: `make test` runs them
    "tests/benchmarks",
    "tests/blocks",
    "tests/cli",
    "tests/datasets/test_docstrings.py",
    "tests/docs",
    "tests/examples",
    "tests/fuzz",
    "tests/graphs/test_approximate_neighbours.py",
    "tests/interview",
    "tests/io",
    "tests/journeys",
    "tests/methods/factorization/test_graph_inputs.py",
    "tests/methods/factorization/test_graph_methods.py",
    "tests/methods/factorization/test_star_ssnmf.py",
    "tests/methods/n_clusters",
    "tests/methods/spectral",
    "tests/methods/default/test_pipeline.py",
    "tests/methods/default/test_embedding.py",
    "tests/methods/default/test_select_method.py",
    "tests/methods/default/test_subsample.py",
    "tests/methods/default/test_costs.py",
    "tests/methods/test_dense_sparse.py",
    "tests/methods/test_extremes.py",
    "tests/methods/test_front.py",
    "tests/methods/test_names.py",
    "tests/methods/default/test_probability.py",
    "tests/methods/test_properties.py",
    "tests/methods/test_scales.py",
    "tests/methods/test_sklearn.py",
    "tests/methods/default/test_supervision.py",
    "tests/methods/test_starts.py",
    "tests/methods/test_state.py",
    "tests/package",
    "tests/projects",
    "tests/report",
    "tests/test_notebooks.py",
    "tests/test_processes.py",
    "tests/web",
)
STRUCTURES = ("dense", "sparse", "star", "chain", "center in columns", "absent")


@dataclass(frozen=True, eq=False)
class Blocks:
    """A dense matrix of counts with planted labels, rows and columns in random order."""

    X: Array
    row_labels: Array
    column_labels: Array


def plant(
    rng: np.random.Generator, row_labels: Array, m: int, k: int, contrast: float = 8.0
) -> Blocks:
    """Poisson counts, larger where the label of the row equals the label of the column."""
    column_labels = rng.permutation(np.arange(m) % k)
    rates = 1.0 + contrast * (row_labels[:, None] == column_labels)
    return Blocks(rng.poisson(rates).astype(float), row_labels, column_labels)


def structured(kind: str, seed: int, n: int = 36) -> RelationalData:
    """Counts with planted clusters (so loose that methods have work to do) of each structure."""
    # Not the seeds of the tests: a random start must not repeat the draw of the labels.
    rng = np.random.default_rng([seed, 1])
    labels = rng.permutation(np.arange(n) % 3)
    words = plant(rng, labels, 20, 3, contrast=2.0)
    tags = plant(rng, labels, 14, 3, contrast=2.0)
    if kind == "dense":
        return bipartite(words.X)
    if kind == "sparse":
        return bipartite(sp.csr_array(words.X * (rng.random(words.X.shape) < 0.5)))
    first = Relation(words.X, "samples", "words")
    if kind == "star":
        return RelationalData((first, Relation(sp.csr_array(tags.X), "samples", "tags", 0.5)))
    if kind == "chain":
        topics = plant(rng, words.column_labels, 11, 3, contrast=2.0)
        return RelationalData((first, Relation(topics.X, "words", "topics", 2.0)))
    if kind == "center in columns":
        return RelationalData((Relation(tags.X.T, "tags", "samples"), first), "samples")
    present = rng.permutation(n)[: 2 * n // 3]
    others = np.union1d(np.setdiff1d(np.arange(n), present), present[: n // 3])
    return RelationalData(
        (
            Relation(words.X[present], "samples", "words", 1.0, present),
            Relation(sp.csr_array(tags.X[others]), "samples", "tags", 2.0, others),
        )
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Two seeds for every test that asks for one, or the SEEDS of its module.

    Tests over the whole catalogue take one: what depends on chance is tried with two in the tests
    of the parts.
    """
    given = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "seed" in metafunc.fixturenames and not any("seed" in names for names in given):
        metafunc.parametrize("seed", getattr(metafunc.module, "SEEDS", (0, 1)))


def thorough(path: Path, config: pytest.Config) -> bool:
    """Whether all tests below a path are thorough."""
    return any(path.is_relative_to(config.rootpath / name) for name in THOROUGH)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the quick tests leave out."""
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if parameters.get("seed", 0) != 0 or thorough(item.path, config):
            item.add_marker("thorough")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Not even import files that would be left out: what they need takes seconds to load."""
    quick = "not thorough" in config.option.markexpr
    # None leaves the question to others.
    return True if quick and thorough(collection_path, config) else None


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A generator for each seed."""
    return np.random.default_rng(seed)


@pytest.fixture
def planted(rng: np.random.Generator) -> Blocks:
    """Blocks that every method should find."""
    return plant(rng, rng.permutation(np.arange(40) % 3), 25, 3)


@pytest.fixture(params=STRUCTURES)
def data(request: pytest.FixtureRequest, seed: int) -> RelationalData:
    """Relational data of each structure."""
    return structured(request.param, seed)
