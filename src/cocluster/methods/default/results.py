"""The result of a fit: feature clusters merged to readable groups, clusters renumbered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData, row_blocks
from cocluster.linalg.partitions import Partition, as_array, as_partition
from cocluster.linalg.types import Array
from cocluster.links import Violations
from cocluster.methods.base import Coclusterer
from cocluster.methods.default.pipeline import FEATURE_CLUSTERS_PER_CLUSTER, select_method
from cocluster.methods.default.probability import (
    half_costs,
    held_out,
    sample_positions,
    temperature,
)
from cocluster.methods.default.split_merge import merge_features
from cocluster.methods.information.itcc import ITCC, InformationProblem
from cocluster.methods.numbering import number_types, renumber_associations
from cocluster.methods.starts import start_name
from cocluster.methods.task import Task, clusters_by_type
from cocluster.trifactor import RelationalProblem, Run, State
from cocluster.utils.threads import single_blas_thread


@dataclass(frozen=True, eq=False)
class FitResult:
    """The result of a fit as `CoCluster` shows it.

    Attributes
    ----------
    labels : dict of type to labels, renumbered
    associations : tuple of arrays, in the order of those numbers
    numbers : dict of type to array
        The number of each cluster (for merged types: each group) of the method.
    of_factors : bool
        Whether the clusters are the columns of the factors. Where k-means makes the labels they
        are not, and factors and associations keep the order of the method.
    groups : dict of type to Partition
        Groups of the types whose clusters were merged, renumbered.
    links_report : dict of type to `Violations`
    temperature : float or None
        See `cocluster.methods.default.probability`; None if costs imply no probabilities.
    """

    labels: dict[str, Array]
    associations: tuple[Array, ...]
    numbers: dict[str, Array]
    of_factors: bool
    groups: dict[str, Partition] = field(default_factory=dict)
    links_report: dict[str, Violations] = field(default_factory=dict)
    temperature: float | None = None

    def factors(self, model: Coclusterer) -> dict[str, Array]:
        """Return the factors of the method with renumbered columns; 0 and 1 for merged groups."""
        if not self.of_factors:
            return model.factors_
        factors = {
            name: as_array(G)[:, np.argsort(self.numbers[name])]
            for name, G in model._factors.items()
        }
        return factors | {name: G.dense() for name, G in self.groups.items()}


def summarise_fit(
    model: Coclusterer,
    task: Task,
    run: Run,
    n_groups: Mapping[str, int] | None,
    before: Array | None,
    calibrated: bool = True,
) -> FitResult:
    """Merge, renumber and calibrate what a method has fitted.

    Parameters
    ----------
    model, task, run : the method, the task it solved, and the run it kept
    n_groups : mapping of type to int, or None
        Numbers of groups that feature clusters are merged to; None leaves all as they are.
    before : array or None
        Earlier labels of the samples, whose numbers are kept.
    calibrated : bool
        Whether to find the temperature, which probabilities need. It takes as long as everything
        else on small data.
    """
    labels, associations = dict(model.labels_by_type_), tuple(model.associations_)
    groups: dict[str, Partition] = {}
    # Products of small tables, for which one thread is fastest.
    with single_blas_thread():
        if isinstance(model, ITCC) and n_groups is not None:
            problem = InformationProblem(task.data, task.links)
            groups, associations = merge_features(problem, run.state, n_groups)
        model_temperature = calibrate(model, task, run) if calibrated else None
    labels |= {name: G.labels for name, G in groups.items()}
    factors = model._factors | groups
    # Only k-means gives labels that are no columns of the factors.
    of_factors = getattr(model, "assign", "argmax") == "argmax"
    partitions = {
        name: as_partition(type_labels, factors[name].shape[1])
        for name, type_labels in labels.items()
    }
    tables = associations if of_factors else _block_sums(task.data, partitions)
    numbers = number_types(task.data, partitions, tables, before)
    if model._together and of_factors:
        numbers = dict.fromkeys(partitions, numbers[task.data.center])
    if of_factors:
        associations = renumber_associations(task.data, associations, numbers)
    return FitResult(
        labels={name: numbers[name][type_labels] for name, type_labels in labels.items()},
        associations=associations,
        numbers=numbers,
        of_factors=of_factors,
        groups={n: Partition(numbers[n][G.labels], G.n_clusters) for n, G in groups.items()},
        # Which links hold depends on the groups that are shown, not on how they are numbered.
        links_report=model.links_report_
        | {name: task.links[name].violations(labels[name]) for name in groups.keys() & task.links},
        temperature=model_temperature,
    )


def calibrate(model: Coclusterer, task: Task, run: Run) -> float | None:
    """Return the temperature of a fitted method; None if its costs imply no probabilities."""
    if isinstance(model, ITCC):
        judges = held_out(model, InformationProblem(task.data, task.links), run.state)
        return temperature(half_costs(judges))
    if model._additive:
        samples = task.data[sample_positions(len(task.data))]
        return temperature(half_costs([(model, samples)]))
    return None


def _block_sums(data: RelationalData, partitions: Mapping[str, Partition]) -> tuple[Array, ...]:
    """Sum the data over every pair of clusters, for each relation."""
    problem, state = RelationalProblem(data), State(partitions)
    return tuple(problem.cross(state, r) for r in range(len(data.relations)))


def default_labels(
    data: RelationalData,
    n_clusters: int,
    n_column_clusters: Mapping[str, int] | None,
    start: Mapping[str, Array] | None,
    seed: int,
) -> dict[str, Array]:
    """Return the labels of every type that `CoCluster` finds by default, without probabilities."""
    estimator, data = select_method(data)
    init, before = initial_labels("spectral" if start is None else dict(start), data, n_clusters)
    n_groups = clusters_by_type(data, n_clusters, n_column_clusters)
    init = without_groups(init, data, n_groups)
    fine = None if n_column_clusters is None else fine_clusters(n_groups, data, n_clusters)
    model = estimator(n_clusters, fine, init=init, random_state=seed)
    task, run = model._run(data, None, data=data)
    return summarise_fit(model, task, run, n_groups, before, calibrated=False).labels


def fine_clusters(
    n_groups: Mapping[str, int], data: RelationalData, n_clusters: int
) -> dict[str, Any]:
    """Return the numbers of feature clusters to fit, where groups are merged afterwards.

    The numbers of groups count only if they are higher than the method's own default.
    """
    default = FEATURE_CLUSTERS_PER_CLUSTER * n_clusters
    return {name: k if k > default else None for name, k in n_groups.items() if name != data.center}


def initial_labels(init: Any, data: RelationalData, n_clusters: int) -> tuple[Any, Array | None]:
    """Return the start of a fit, and the sample labels whose numbers are kept, if any.

    A fitted model becomes the labels it predicts for the data; other starts are unchanged.
    """
    if start_name(init) is not None:
        return init, None
    if hasattr(init, "predict"):
        blocks = row_blocks(data)
        init = init.predict(data if blocks is None else blocks)
        if init.max(initial=0) >= n_clusters:
            raise ValueError(
                f"The model given as init has more clusters than n_clusters={n_clusters}; ask for "
                f"at least {init.max() + 1}, or leave init out."
            )
    samples = init[0] if isinstance(init, tuple) and init else init
    before = np.asarray(samples.get(data.center) if isinstance(samples, Mapping) else samples)
    # Memberships become labels; the method refuses anything that is no start at all.
    return init, before.argmax(axis=1) if before.ndim == 2 else before


def without_groups(init: Any, data: RelationalData, n_groups: Mapping[str, int]) -> Any:
    """Drop feature groups from a start that are as few as those shown.

    They cannot start the finer clusters; features then follow from the samples. So the labels of an
    earlier `CoCluster` are a valid start.
    """
    if start_name(init) is not None or not isinstance(init, tuple | Mapping):
        return init
    by_type = dict(zip(data.types, init, strict=False)) if isinstance(init, tuple) else init
    return {
        name: values
        for name, values in by_type.items()
        if name == data.center or name not in n_groups or _n_clusters(values) > n_groups[name]
    }


def _n_clusters(labels_or_memberships: Any) -> int:
    """Return the number of clusters of labels or memberships."""
    array = np.asarray(labels_or_memberships)
    return array.shape[1] if array.ndim == 2 else int(array.max(initial=-1)) + 1
