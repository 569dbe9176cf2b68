"""From what a method found to what people read: few column groups, numbers that mean something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cocluster.data.relational import RelationalData, blocks_of
from cocluster.linalg.partitions import Partition, as_array, as_partition
from cocluster.linalg.types import Array
from cocluster.links import Violations
from cocluster.methods import numbering
from cocluster.methods.auto_itcc import FEATURE_CLUSTERS_PER_CLUSTER
from cocluster.methods.base import Coclusterer
from cocluster.methods.columns import readable
from cocluster.methods.information.itcc import ITCC, InformationProblem
from cocluster.methods.probability import held_out, sampled_rows, temperature
from cocluster.methods.starts import start_name
from cocluster.methods.task import Task
from cocluster.trifactor import RelationalProblem, Run, State
from cocluster.utils.threads import single_blas_thread


@dataclass(frozen=True, eq=False)
class Findings:
    """What a fit of `CoCluster` shows.

    Attributes
    ----------
    labels : dict of type to labels, with the numbers shown
    associations : tuple of arrays, in the order of those numbers
    numbers : dict of type to array
        The number shown for each cluster (for merged types: each group) of the method.
    of_factors : bool
        Whether the clusters are the columns of the factors. Where k-means makes the labels they
        are not, and factors and associations keep the order of the method.
    groups : dict of type to Partition
        Groups of the types whose clusters were merged, with the numbers shown.
    links_report : dict of type to `Violations`
    temperature : float or None
        See `cocluster.methods.probability`; None where costs say nothing about probabilities.
    """

    labels: dict[str, Array]
    associations: tuple[Array, ...]
    numbers: dict[str, Array]
    of_factors: bool
    groups: dict[str, Partition] = field(default_factory=dict)
    links_report: dict[str, Violations] = field(default_factory=dict)
    temperature: float | None = None


def findings(
    model: Coclusterer,
    task: Task,
    run: Run,
    wanted: Mapping[str, int] | None,
    before: Array | None,
    calibrated: bool = True,
) -> Findings:
    """What to show of a fitted method.

    Parameters
    ----------
    model, task, run : the method, what it solved, and the run it kept
    wanted : mapping of type to int, or None
        Numbers of groups that feature clusters are merged to; None leaves all as they are.
    before : array or None
        Earlier labels of the samples, whose numbers are kept.
    calibrated : bool
        Whether the temperature is found, which probabilities need.
    """
    labels, associations = dict(model.labels_by_type_), tuple(model.associations_)
    groups: dict[str, Partition] = {}
    degree: float | None = None
    # Products of small tables, for which one thread is fastest.
    with single_blas_thread():
        if isinstance(model, ITCC):
            problem = InformationProblem(task.data, task.links)
            if wanted is not None:
                groups, associations = readable(problem, run.state, wanted)
            if calibrated:
                degree = temperature(held_out(model, problem, run.state))
        elif model._additive and calibrated:
            degree = temperature([(model, task.data[sampled_rows(len(task.data))])])
    labels |= {name: G.labels for name, G in groups.items()}
    factors = model._factors | groups
    # Only k-means gives labels that are no columns of the factors.
    of_factors = getattr(model, "assign", "argmax") == "argmax"
    parts = {name: as_partition(own, factors[name].shape[1]) for name, own in labels.items()}
    tables = associations if of_factors else _tables(task.data, parts)
    together = model._together and of_factors
    numbers = _numbers(task.data, parts, tables, before, together)
    return Findings(
        labels={name: numbers[name][own] for name, own in labels.items()},
        associations=_renumbered(task.data, associations, numbers) if of_factors else associations,
        numbers=numbers,
        of_factors=of_factors,
        groups={n: Partition(numbers[n][G.labels], G.n_clusters) for n, G in groups.items()},
        # Which links hold depends on the groups that are shown, not on how they are numbered.
        links_report=model.links_report_
        | {
            name: task.links[name].violations(labels[name]) for name in groups if name in task.links
        },
        temperature=degree,
    )


def _tables(data: RelationalData, parts: Mapping[str, Partition]) -> tuple[Array, ...]:
    """Sums of the data over every pair of clusters, for each relation."""
    problem, state = RelationalProblem(data), State(parts)
    return tuple(problem.cross(state, r) for r in range(len(data.relations)))


def _numbers(
    data: RelationalData,
    parts: Mapping[str, Partition],
    tables: tuple[Array, ...],
    before: Array | None,
    together: bool,
) -> dict[str, Array]:
    """Samples by size, or as before; all other types along the diagonal of their association."""
    center, *others = parts
    own, k = parts[center].labels, parts[center].n_clusters
    first = numbering.by_size(own, k) if before is None else numbering.as_before(own, before, k)
    if together:
        return dict.fromkeys(parts, first)
    numbers = {center: first}
    # Nearest types first: each has an association with one that is numbered already.
    while others:
        found = {name: _association_with(data, tables, numbers, name) for name in others}
        for name, S in found.items():
            if S is not None:
                numbers[name] = numbering.diagonal(S)
                others.remove(name)
    return numbers


def _association_with(
    data: RelationalData, associations: tuple[Array, ...], numbers: Mapping[str, Array], name: str
) -> Array | None:
    """Association of a type (in the columns) with a type that has its numbers, in their order."""
    for relation, S in zip(data.relations, associations, strict=False):
        if relation.cols == name and relation.rows in numbers:
            return np.asarray(S[np.argsort(numbers[relation.rows])])
        if relation.rows == name and relation.cols in numbers:
            return np.asarray(S.T[np.argsort(numbers[relation.cols])])
    return None


def _renumbered(
    data: RelationalData, associations: tuple[Array, ...], numbers: Mapping[str, Array]
) -> tuple[Array, ...]:
    """Associations with rows and columns in the order of the numbers."""
    # Methods of one type may have an association for none of the relations.
    pairs = zip(data.relations, associations, strict=False)
    return tuple(
        S[np.ix_(np.argsort(numbers[r.rows]), np.argsort(numbers[r.cols]))] for r, S in pairs
    )


def factors_shown(model: Coclusterer, found: Findings) -> dict[str, Array]:
    """Factors of the method with columns in the order of the numbers; of groups, 0 and 1."""
    if not found.of_factors:
        return model.factors_
    factors = {
        name: as_array(G)[:, np.argsort(found.numbers[name])] for name, G in model._factors.items()
    }
    return factors | {name: G.dense() for name, G in found.groups.items()}


def finer(wanted: Any, data: RelationalData, n_clusters: int) -> Any:
    """Numbers of clusters for the method, where groups are merged afterwards.

    Those asked for count only where they are more than the method would take of itself.
    """
    own = FEATURE_CLUSTERS_PER_CLUSTER * n_clusters
    return {name: k if k > own else None for name, k in wanted.items() if name != data.center}


def start_of(init: Any, data: RelationalData, n_clusters: int) -> tuple[Any, Array | None]:
    """Where to begin, and the labels whose numbers are kept, if any.

    A fitted model becomes the labels it predicts for the data; all else stays as it is.
    """
    if start_name(init) is not None:
        return init, None
    if hasattr(init, "predict"):
        blocks = blocks_of(data)
        init = init.predict(data if blocks is None else blocks)
        if init.max(initial=0) >= n_clusters:
            raise ValueError(
                f"The model given as init has more clusters than n_clusters={n_clusters}; ask for "
                f"at least {init.max() + 1}, or leave init out."
            )
    given = init[0] if isinstance(init, tuple) and init else init
    given = given.get(data.center) if isinstance(given, Mapping) else given
    before = np.asarray(given)
    # Memberships become labels; what is no start at all is refused by the method.
    return init, before.argmax(axis=1) if before.ndim == 2 else before


def without_groups(init: Any, data: RelationalData, wanted: Mapping[str, int]) -> Any:
    """A start without feature groups as few as are shown: they cannot begin the finer clusters.

    Features then follow from the samples. So the labels of an earlier `CoCluster` are a start.
    """
    if start_name(init) is not None or not isinstance(init, tuple | Mapping):
        return init
    named = dict(zip(data.types, init, strict=False)) if isinstance(init, tuple) else init
    return {
        name: values
        for name, values in named.items()
        if name == data.center or name not in wanted or _n_clusters(values) > wanted[name]
    }


def _n_clusters(values: Any) -> int:
    """Number of clusters that labels or memberships speak of."""
    array = np.asarray(values)
    return array.shape[1] if array.ndim == 2 else int(array.max(initial=-1)) + 1
