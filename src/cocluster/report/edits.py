"""Edits of a clustering by a person: merge, split, move, rename and undo; the next fit keeps them.

    edits = Edits.of(model, data).merge([2, 5]).rename(2, "sports").move([17], 0)
    better = edits.refit(model)
    edits = edits.after(better)          # the same ids and names, in the new fit

An edit becomes links between few samples: the cores of the clusters concerned, and the samples that
were moved. A refit starts from the edited labels and keeps these links; all other samples are free
to follow the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from cocluster.data.relational import RelationalData
from cocluster.linalg.types import Array
from cocluster.links import Links
from cocluster.methods.cocluster import CoCluster
from cocluster.methods.default.probability import with_types_of_fit
from cocluster.report.cluster_names import check_names
from cocluster.report.compare import align
from cocluster.report.evidence import margins, object_costs
from cocluster.report.formatting import counted
from cocluster.report.report_input import Clusters, ReportInput, labels_by_type
from cocluster.report.tables import plain
from cocluster.utils.checks import check_integer, is_integer

# Samples that represent a cluster in links: enough to hold the cluster together, few enough to
# leave the others free.
CORE_SIZE = 10


@dataclass(frozen=True, eq=False)
class Step:
    """One edit: "merge", "split", "part", "move", "rename" or "refit", with its arguments."""

    what: str
    arguments: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"{self.what}({', '.join(f'{k}={v!r}' for k, v in self.arguments.items())})"


@dataclass(frozen=True, eq=False)
class State:
    """A clustering after some edits.

    Attributes
    ----------
    labels : int array of shape (n_samples,)
    names : mapping of cluster to name
        Names of the clusters that have one.
    pinned : bool array of shape (n_samples,)
        Samples that the next fit keeps together within a cluster, and apart between clusters.
    margins : array or None
        Margin of each sample; None if unknown.
    """

    labels: Array
    names: Mapping[int, str]
    pinned: Array
    margins: Array | None = None

    @property
    def ids(self) -> list[int]:
        """Ids of the clusters."""
        return [int(i) for i in np.unique(self.labels)]


@dataclass(frozen=True, eq=False, repr=False)
class Edits:
    """A clustering and the edits of a person, in order.

    `of` returns a value without edits, and each edit returns a new value. Clusters are identified
    by their label or name, samples by their position or name.

    Attributes
    ----------
    states : tuple of State
        The clustering of the fit, and after each step.
    steps : tuple of Step
    data : RelationalData or None
        Data for `split` and for margins.

    Examples
    --------
    >>> edits = Edits.of([0, 0, 1, 1, 2]).merge([0, 2]).rename(0, "tea").move([2], "tea")
    >>> edits.labels.tolist(), edits.names
    ([0, 0, 0, 1, 0], {0: 'tea'})
    >>> edits.undo().undo()
    Edits(5 samples in 2 clusters; merge(clusters=[0, 2]))
    """

    states: tuple[State, ...]
    steps: tuple[Step, ...] = ()
    data: RelationalData | None = None

    @classmethod
    def of(cls, model: Any, data: Any = None, *, names: Mapping[int, str] | None = None) -> Edits:
        """Return the clustering of a fit without any edits.

        Parameters
        ----------
        model : fitted model, or whole numbers as labels of the samples
        data : Dataset, matrix, frame, AnnData, views or RelationalData, optional
            The data that were fitted. Without them, clusters cannot be split, and all samples of
            an edited cluster are linked instead of its core only.
        names : mapping of cluster to name, optional
            Names of clusters, such as those of an explanation.
        """
        labels = next(iter(labels_by_type(model).values()))
        if labels.dtype.kind not in "iu":
            raise TypeError("Edits need whole numbers as labels: number the clusters first.")
        checked = check_names(names or {}, np.unique(labels).tolist())
        pinned = np.zeros(len(labels), dtype=bool)
        if data is None:
            return cls((State(labels, checked, pinned),))
        source = ReportInput.of(model, data, in_memory=True)
        return cls((State(labels, checked, pinned, _sample_margins(source)),), (), source.data)

    @property
    def state(self) -> State:
        """The clustering after all edits."""
        return self.states[-1]

    @property
    def labels(self) -> Array:
        """Labels of the samples; clusters keep theirs, and new ones take the next numbers."""
        return self.state.labels

    @property
    def names(self) -> dict[int, str]:
        """Names of clusters by their labels."""
        return dict(self.state.names)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the next fit."""
        return len(self.state.ids)

    @property
    def links(self) -> Links:
        """Links for the next fit: pinned samples of a cluster together, and clusters apart."""
        return Links.from_labels(np.where(self.state.pinned, Clusters.of(self.labels).codes, -1))

    @property
    def start(self) -> Array:
        """Start of the next fit: the labels, numbered from 0 on without gaps."""
        return Clusters.of(self.labels).codes

    def merge(self, clusters: Iterable[int | str]) -> Edits:
        """Merge clusters into one, which keeps the label and the name of the first."""
        merged = [self._cluster_id(cluster) for cluster in clusters]
        if len(set(merged)) < len(merged) or len(merged) < 2:
            listed = " and ".join(map(str, merged)) or "none"
            raise ValueError(f"Merging takes two or more different clusters, got {listed}.")
        first, *others = merged
        cores = np.concatenate([self._core(cluster) for cluster in merged])
        labels = np.where(np.isin(self.labels, others), first, self.labels)
        names = {i: name for i, name in self.names.items() if i not in others}
        for cluster in others:
            # If the first has no name, it takes that of another.
            if cluster in self.names:
                names.setdefault(first, self.names[cluster])
        return self._add(Step("merge", {"clusters": merged}), cores, labels=labels, names=names)

    def split(self, cluster: int | str, k: int = 2) -> Edits:
        """Split a cluster by co-clustering its samples; the largest part keeps the label."""
        parent = self._cluster_id(cluster)
        check_integer(k, "k", 2)
        members = np.flatnonzero(self.labels == parent)
        if len(members) < k:
            raise ValueError(
                f"Cluster {parent} has {counted(len(members), 'sample')} and cannot be "
                f"split in {k}."
            )
        return self._recluster(members, k, Step("split", {"cluster": parent, "k": k}))

    def part(self, samples: Iterable[int | str], k: int = 2) -> Edits:
        """Make k new clusters of some samples by co-clustering them alone.

        The samples may come from several clusters. The parts take the labels of clusters that
        become empty, then new labels, the largest part first.

        Examples
        --------
        >>> X = np.kron(np.eye(3), np.ones((4, 3))) + 1
        >>> edits = Edits.of([0] * 6 + [1] * 6, X).part(range(8), 2)
        >>> edits.labels.tolist()
        [0, 0, 0, 0, 2, 2, 2, 2, 1, 1, 1, 1]
        """
        positions = self._positions(samples)
        check_integer(k, "k", 2)
        if len(positions) < k:
            raise ValueError(
                f"{counted(len(positions), 'sample')} cannot be parted in {k}; choose more of them."
            )
        step = Step("part", {"samples": positions.tolist(), "k": k})
        return self._recluster(positions, k, step)

    def move(self, samples: Iterable[int | str], cluster: int | str) -> Edits:
        """Move samples to a cluster; samples that are in it already are pinned there."""
        target, positions = self._cluster_id(cluster), self._positions(samples)
        origins = [int(i) for i in np.unique(self.labels[positions]) if i != target]
        emptied = [i for i in origins if np.isin(np.flatnonzero(self.labels == i), positions).all()]
        if emptied:
            raise ValueError(
                f"These are all samples of cluster {emptied[0]}: merge it with {target} instead."
            )
        labels = self.labels.copy()
        labels[positions] = target
        # The cores of the old clusters are pinned too, so that they stay apart from the moved ones.
        cores = [self._core(i, excluded=positions) for i in (target, *origins)]
        step = Step("move", {"samples": positions.tolist(), "cluster": target})
        return self._add(step, np.concatenate([positions, *cores]), labels=labels)

    def rename(self, cluster: int | str, name: str) -> Edits:
        """Give a cluster a name, which no other cluster may have."""
        renamed = self._cluster_id(cluster)
        if not name.strip():
            raise ValueError(f"The name of cluster {renamed} is empty; give it a word.")
        names = check_names({**self.names, renamed: name.strip()}, self.state.ids)
        step = Step("rename", {"cluster": renamed, "name": name.strip()})
        return self._add(step, names=names)

    def undo(self) -> Edits:
        """Undo the last edit."""
        if not self.steps:
            raise ValueError("There is no edit to undo.")
        return replace(self, states=self.states[:-1], steps=self.steps[:-1])

    def refit(self, model: Any, data: Any = None) -> Any:
        """Fit a clone of a model from the edited labels, with links that keep the edits.

        Parameters
        ----------
        model : estimator
            The clone has the number of clusters of the edits and, if it has the parameter
            ``init``, starts from their labels.
        data : optional
            By default the data of `of`.
        """
        refitted = clone(model).set_params(n_clusters=self.n_clusters)
        if "init" in refitted.get_params(deep=False):
            refitted.set_params(init=self.start)
        if data is None:
            if self.data is None:
                raise ValueError("There are no data to fit: pass some, or begin with them.")
            data = with_types_of_fit(model, self.data)
        return refitted.fit(data, links=self.links)

    def after(self, model: Any) -> Edits:
        """Continue with the clusters of a new fit, which keep their labels and names.

        Earlier edits stay in force and can be undone.
        """
        labels = next(iter(labels_by_type(model).values()))
        if len(labels) != len(self.labels):
            raise ValueError(
                f"The fit has {len(labels):,} samples and the edits {len(self.labels):,}: go on "
                "with a fit of the same ones."
            )
        aligned = align(self.labels, labels).labels
        names = {i: name for i, name in self.names.items() if i in aligned}
        margin = None if self.data is None else _fitted_margins(model, self.data)
        return self._add(Step("refit", {}), labels=aligned, names=names, margins=margin)

    def to_dict(self) -> dict[str, Any]:
        """Return steps, labels, names and pinned samples, ready for JSON."""
        values: dict[str, Any] = plain(
            {
                "steps": [{"what": step.what, **step.arguments} for step in self.steps],
                "labels": self.labels,
                "names": self.names,
                "pinned": np.flatnonzero(self.state.pinned),
            }
        )
        return values

    def _recluster(self, positions: Array, k: int, step: Step) -> Edits:
        """Co-cluster samples alone, and keep the rest of their clusters apart from them."""
        if self.data is None:
            raise ValueError("Splitting looks at the data: begin with Edits.of(model, data).")
        sublabels, submargins = _subclusters(self.data[positions], k)
        origins = np.unique(self.labels[positions])
        remaining = np.unique(np.delete(self.labels, positions))
        unused = max(int(state.labels.max()) for state in self.states) + 1
        ids = np.array([*np.setdiff1d(origins, remaining), *range(unused, unused + k)])[:k]
        labels, margin = self.labels.copy(), np.array(self.state.margins)
        labels[positions], margin[positions] = ids[sublabels], submargins
        cores = [positions[_clearest(np.flatnonzero(sublabels == c), submargins)] for c in range(k)]
        for cluster in np.intersect1d(origins, remaining).tolist():
            cores.append(self._core(cluster, excluded=positions))
        names = {i: name for i, name in self.names.items() if i in remaining or i in ids}
        pinned = np.concatenate(cores)
        return self._add(step, pinned, labels=labels, margins=margin, names=names)

    def _add(self, step: Step, pinned: Array | Sequence[int] = (), **changed: Any) -> Edits:
        """Return the edits with one more step; samples that are pinned stay pinned."""
        mask = self.state.pinned.copy()
        mask[np.asarray(pinned, dtype=np.intp)] = True
        state = replace(self.state, pinned=mask, **changed)
        return replace(self, states=(*self.states, state), steps=(*self.steps, step))

    def _cluster_id(self, cluster: int | str) -> int:
        """Return the id of a cluster given by its label or name."""
        by_name = {name.casefold(): i for i, name in self.names.items()}
        label = cluster if is_integer(cluster) else by_name.get(str(cluster).casefold())
        if label not in self.state.ids:
            ids = ", ".join(map(str, self.state.ids))
            raise ValueError(f"There is no cluster {cluster!r}; the clusters are {ids}.")
        return int(label)

    def _positions(self, samples: Iterable[int | str]) -> Array:
        """Return the positions of samples given by position or name."""
        names = None if self.data is None else self.data.names.get(self.data.center)
        by_name = {} if names is None else {str(name): i for i, name in enumerate(names)}
        n, positions = len(self.labels), []
        for sample in samples:
            i = sample if is_integer(sample) else by_name.get(str(sample))
            if i is None or not 0 <= int(i) < n:
                raise ValueError(
                    f"There is no sample {sample!r}; give positions from 0 to {n - 1}"
                    + (", or names." if by_name else ".")
                )
            positions.append(int(i))
        if not positions:
            raise ValueError("No samples are chosen; name at least one.")
        return np.unique(positions)

    def _core(self, cluster: int, excluded: Sequence[int] | Array = ()) -> Array:
        """Return the samples with the largest margins in a cluster; all without margins."""
        members = np.setdiff1d(np.flatnonzero(self.labels == cluster), excluded)
        margin = self.state.margins
        return members if margin is None else _clearest(members, margin)

    def __repr__(self) -> str:
        sizes = f"{len(self.labels):,} samples in {self.n_clusters} clusters"
        return f"Edits({'; '.join([sizes, *map(repr, self.steps)])})"


def _subclusters(data: RelationalData, k: int) -> tuple[Array, Array]:
    """Co-cluster samples; return labels by decreasing size, and margins."""
    # A fixed seed, so that the same edits give the same clusters.
    model = CoCluster(k, random_state=0).fit(data)
    order = np.argsort(-np.bincount(model.labels_, minlength=k), kind="stable")
    return np.argsort(order)[model.labels_], _fitted_margins(model, data)


def _clearest(members: Array, margin: Array) -> Array:
    """Return the few members with the largest margins."""
    return np.asarray(members[np.argsort(-margin[members], kind="stable")[:CORE_SIZE]])


def _fitted_margins(model: Any, data: RelationalData) -> Array:
    """Return the margin of each sample in the clusters of a model."""
    return _sample_margins(ReportInput.of(model, data, in_memory=True))


def _sample_margins(source: ReportInput) -> Array:
    """Return the margin of each sample."""
    return margins(object_costs(source, source.center), source.sample_clusters.codes)[0]
