"""How many clusters: planted numbers are found, noise has none, and a search can stop and go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cocluster import choose_n_clusters, open_blocks, write_blocks
from cocluster.data.relation import Relation
from cocluster.data.relational import RelationalData, relational
from cocluster.datasets import make_blocks, make_star
from cocluster.methods.n_clusters import search, stability
from cocluster.methods.n_clusters.likelihood import dispersion
from cocluster.methods.n_clusters.result import Choice

# A choice is 70 fits; the same laws on many draws are in `benchmarks.how_many`.
SEEDS = (0,)
# Small data, so groups must be clear.
CLEAR = 8.0


@pytest.fixture(scope="module")
def X() -> sp.csr_array:
    """Counts with three groups of rows and of columns."""
    return make_blocks(120, 80, 3, contrast=CLEAR, random_state=0).X


@pytest.fixture(scope="module")
def choice(X: sp.csr_array) -> Choice:
    """What is chosen for them."""
    return choose_n_clusters(X, random_state=0)


@pytest.mark.parametrize("k", [2, 5])
def test_planted_numbers_are_found_on_both_sides(k: int, seed: int) -> None:
    planted = make_blocks(200, 150, k, contrast=CLEAR, random_state=seed)
    found = choose_n_clusters(planted.X, random_state=seed)
    assert found.complete
    for side in found.sides:
        assert abs(side.stable - k) <= 1


@pytest.mark.parametrize("bursty", [False, True])
def test_noise_has_no_groups(bursty: bool, seed: int) -> None:
    noise = make_blocks(150, 100, 1, random_state=seed).X
    if bursty:
        # Every count that is there comes again, three times on average.
        again = np.random.default_rng(seed).negative_binomial(noise.data.astype(int), 0.25)
        noise = sp.csr_array((noise.data + again, noise.indices, noise.indptr), noise.shape)
    found = choose_n_clusters(noise, random_state=seed)
    assert found.n_clusters == {"samples": 1, "features": 1}
    assert "no stable grouping" in found.reason


def test_dense_measurements_of_any_sign_are_chosen_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(3, 40))
    X = 3 * centres[rng.integers(0, 3, size=100)] + rng.normal(size=(100, 40))
    assert choose_n_clusters(X, random_state=seed).rows.stable == 3


def test_views_have_a_number_each(seed: int) -> None:
    planted = make_star(150, {"words": 100, "tags": 60}, 3, contrast=CLEAR, random_state=seed)
    found = choose_n_clusters(planted.views, random_state=seed)
    assert found.n_clusters == {"samples": 3, "words": 3, "tags": 3}
    with pytest.raises(AttributeError, match="2 types of features"):
        _ = found.columns


def test_samples_that_a_view_lacks_are_no_hindrance(seed: int) -> None:
    planted = make_star(150, {"words": 100, "tags": 60}, 3, contrast=CLEAR, random_state=seed)
    present = np.arange(20, 150)
    relations = (
        Relation(planted.views["words"], "samples", "words"),
        Relation(planted.views["tags"][present], "samples", "tags", row_index=present),
    )
    assert choose_n_clusters(RelationalData(relations), random_state=seed).rows.stable == 3


def test_few_counted_features_are_thinned_instead_of_halved(seed: int) -> None:
    planted = make_blocks(200, 12, 3, contrast=20, row_degree=200, random_state=seed)
    found = choose_n_clusters(planted.X.toarray(), random_state=seed)
    assert found.rows.stable == 3


def test_too_few_features_are_not_grouped(X: sp.csr_array) -> None:
    found = choose_n_clusters(X[:, : stability.FEWEST - 1].toarray(), random_state=0)
    assert found.columns.stable == 1
    assert "too few to look for groups" in found.reason


def test_the_same_seed_gives_the_same_choice(X: sp.csr_array, choice: Choice) -> None:
    assert choose_n_clusters(X, random_state=0) == choice
    assert choose_n_clusters(X.toarray(), random_state=0).n_clusters == choice.n_clusters


def test_tables_and_trees_are_whole(choice: Choice) -> None:
    for side in choice.sides:
        assert next(line.k for line in side.table) == 2
        assert sum(side.leaves) == side.size == side.tree[-1].size
        assert len(side.tree) == len(side.leaves) - 1
        heights = [merge.height for merge in side.tree]
        assert heights == sorted(heights)
        assert heights[-1] == pytest.approx(1)
        # Nothing in these data has a name.
        assert side.words == ("",) * len(side.leaves)
    # The likelihood has its best number where it is highest.
    by_number = {line.k: line.icl for line in choice.rows.table if line.icl is not None}
    assert max(by_number, key=lambda k: by_number[k]) == choice.rows.fine


def test_leaves_are_told_by_the_features_that_they_have(X: sp.csr_array) -> None:
    planted = make_blocks(120, 80, 3, contrast=CLEAR, random_state=0)
    names = np.array([f"{label}:{j}" for j, label in enumerate(planted.column_labels)])
    data = RelationalData(relational(X).relations, names={"features": names})
    found = choose_n_clusters(data, 3, features=False, random_state=0)
    for side in found.trees.values():
        assert len(side.words) == len(side.leaves)
        # Those of a leaf are of one group, because groups do not mix.
        for words in side.words:
            assert len({word.split(":")[0] for word in words.split(", ")}) == 1


@pytest.mark.parametrize("stop", [0, 1, 3])
def test_a_search_that_was_stopped_goes_on_as_if_it_had_not(
    X: sp.csr_array, choice: Choice, stop: int
) -> None:
    said = []

    def report(done: float, words: str) -> bool:
        said.append((done, words))
        return len(said) > stop

    first = choose_n_clusters(X, random_state=0, callback=report)
    assert not first.complete
    assert "Stopped before the end" in first.reason
    assert len(said) == stop + 1
    assert choose_n_clusters(X, resume=first) == choice


def test_reports_go_from_nothing_to_all(X: sp.csr_array) -> None:
    said: list[tuple[float, str]] = []
    choose_n_clusters(X, random_state=0, callback=lambda *told: said.append(told))
    done = [share for share, _ in said]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0.0, 1.0)
    # Within a step, too: who waits sees it go on.
    for words in {words for _, words in said[:-1]}:
        assert len({share for share, own in said if own == words}) > 2


def test_a_file_keeps_what_is_known(X: sp.csr_array, choice: Choice, tmp_path: Path) -> None:
    file = tmp_path / "choice.json"
    stopped = choose_n_clusters(
        X, random_state=0, resume=file, callback=lambda done, words: done > 0.5
    )
    assert Choice.read(file) == stopped
    # The seed is that of the file.
    assert choose_n_clusters(X, resume=file) == choice
    assert Choice.read(file) == choice


def test_what_is_done_is_not_done_again(
    X: sp.csr_array, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "default_labels", None)
    assert choose_n_clusters(X, resume=choice) == choice


def test_a_choice_is_plain_values(choice: Choice) -> None:
    assert Choice.from_dict(json.loads(json.dumps(choice.as_dict()))) == choice
    assert str(choice) == choice.reason


def test_fits_from_scratch_cost_no_more_than_ten_of_the_whole(
    X: sp.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, fit = [], search.default_labels

    def counted(data: RelationalData, k: int, m: Any, start: Any, seed: int) -> Any:
        if start is None:
            entries.append(sum(relation.matrix.size for relation in data.relations))
        return fit(data, k, m, start, seed)

    monkeypatch.setattr(search, "default_labels", counted)
    choose_n_clusters(X, random_state=0)
    assert sum(entries) <= 10 * X.nnz


def test_large_data_are_sampled(X: sp.csr_array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stability, "OBJECTS", 60)
    found = choose_n_clusters(X, random_state=0)
    assert found.rows.size == 60
    assert found.rows.stable == 3


def test_rows_need_not_be_in_memory(X: sp.csr_array, choice: Choice, tmp_path: Path) -> None:
    rows = open_blocks(write_blocks([X[:50], X[50:]], tmp_path / "rows"))
    assert choose_n_clusters(rows, random_state=0) == choice


def test_the_number_alone_can_be_asked_for(X: sp.csr_array, choice: Choice) -> None:
    alone = choose_n_clusters(X, features=False, random_state=0)
    assert alone.sides == (choice.rows,)


def test_dispersion_is_one_for_independent_counts_and_more_for_bursts(seed: int) -> None:
    planted = make_blocks(400, 200, 2, random_state=seed)
    labels = {"samples": planted.row_labels, "features": planted.column_labels}
    assert dispersion(relational(planted.X), labels)[0] == pytest.approx(1, abs=0.05)
    # Every count twice: four times the variance, twice the mean.
    assert dispersion(relational(2 * planted.X), labels)[0] == pytest.approx(2, rel=0.05)
    # A unit that is no count changes the measure as it changes the data.
    assert dispersion(relational(0.3 * planted.X), labels)[0] == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (np.ones((2, 9)), {}, "2 samples are too few"),
        (np.zeros((20, 9)), {}, "All entries are zero"),
        (np.eye(20)[:, :3], {}, "3 samples that are not empty are too few"),
        (sp.csr_array(-np.eye(20)), {}, "Sparse data with negative values"),
        (np.random.default_rng(0).random((20, 3)), {}, "3 features that are not counts"),
        (np.eye(20), {"k_max": 1}, "k_max must be at least 2"),
        (np.eye(20), {"k_max": 11}, "more than half of the 20 samples"),
        (np.full((20, 9), np.nan), {}, "NaN"),
        (np.eye(20), {"random_state": "seed"}, "random_state"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_refused(data: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        choose_n_clusters(data, **options)


def test_relations_between_other_types_are_refused() -> None:
    chain = RelationalData(
        (Relation(np.eye(20), "samples", "words"), Relation(np.eye(20), "words", "topics"))
    )
    with pytest.raises(ValueError, match="not for relation 'words' x 'topics'"):
        choose_n_clusters(chain)


def test_other_data_cannot_be_resumed_with(X: sp.csr_array, choice: Choice) -> None:
    with pytest.raises(ValueError, match="made from other data"):
        choose_n_clusters(X[:100], resume=choice)
    with pytest.raises(ValueError, match="made from other data"):
        choose_n_clusters(2 * X, resume=choice)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{}", "format None"), ("[]", "not a JSON object"), ('{"format": 1}', "cannot be read")],
)
def test_files_of_other_kinds_are_refused(
    X: sp.csr_array, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "choice.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        choose_n_clusters(X, resume=file)
