"""What a person changes in a clustering: merge, split, move, rename; kept by the next fit, undone.

    edits = Edits.of(model, data).merge([2, 5]).rename(2, "sports").move([17], 0)
    better = edits.refit(model)
    edits = edits.after(better)          # the same ids and names, in the new fit

An edit says what a person sees: these clusters are one, this text belongs there. What a fit has to
keep of it are links between few samples, the cores of the clusters concerned and the samples moved;
all others are free to follow the data. The fit begins at the labels as they were edited.
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
from cocluster.report.alignment import aligned
from cocluster.report.evidence import costs_of, margins
from cocluster.report.naming import checked_names
from cocluster.report.subject import Clusters, Subject, labels_of, subject_of
from cocluster.report.tables import plain
from cocluster.utils.checks import check_integer, is_integer

# Samples that stand for a cluster in links: enough for a cluster to hold together whatever happens
# to one of them, few enough to leave the others free.
CORE = 10


@dataclass(frozen=True, eq=False)
class Step:
    """One edit: "merge", "split", "part", "move", "rename" or "refit", and what it was about."""

    what: str
    about: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"{self.what}({', '.join(f'{k}={v!r}' for k, v in self.about.items())})"


@dataclass(frozen=True, eq=False)
class State:
    """A clustering as edited so far.

    Attributes
    ----------
    labels : int array of shape (n_samples,)
    names : mapping of cluster to name
        Where there is one.
    pinned : bool array of shape (n_samples,)
        Samples that the next fit has to leave together, and apart from those pinned elsewhere.
    margins : array or None
        How clearly each sample belongs to its cluster; None: nobody knows.
    """

    labels: Array
    names: Mapping[int, str]
    pinned: Array
    margins: Array | None = None

    @property
    def ids(self) -> list[int]:
        """The clusters that there are."""
        return [int(i) for i in np.unique(self.labels)]


@dataclass(frozen=True, eq=False, repr=False)
class Edits:
    """A clustering and all that a person changed in it, in order.

    A value, made by `of`: each edit gives a new one. Clusters are called by their label or name,
    samples by their position or, where they have one, their name.

    Attributes
    ----------
    states : tuple of State
        As found, and after each step.
    steps : tuple of Step
    data : RelationalData or None
        What `split` looks at, and where cores come from.

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
    def of(cls, found: Any, data: Any = None, *, names: Mapping[int, str] | None = None) -> Edits:
        """Begin with a clustering as it was found.

        Parameters
        ----------
        found : fitted model, or whole numbers as labels of the samples
        data : Dataset, matrix, frame, AnnData, views or RelationalData, optional
            The data that were fitted. Without them nothing can be split, and of clusters that are
            merged, or moved from or to, all samples are linked and not only the core.
        names : mapping of cluster to name, optional
            Such as those of an explanation.
        """
        labels = next(iter(labels_of(found).values()))
        if labels.dtype.kind not in "iu":
            raise TypeError("Edits need whole numbers as labels: number the clusters first.")
        known = checked_names(names or {}, np.unique(labels).tolist())
        pinned = np.zeros(len(labels), dtype=bool)
        if data is None:
            return cls((State(labels, known, pinned),))
        subject = subject_of(found, data)
        return cls((State(labels, known, pinned, _margins(subject)),), (), subject.data)

    @property
    def state(self) -> State:
        """The clustering with all edits."""
        return self.states[-1]

    @property
    def labels(self) -> Array:
        """Labels of the samples; clusters keep theirs, and new ones take the next numbers."""
        return self.state.labels

    @property
    def names(self) -> dict[int, str]:
        """Names of clusters, where they have one."""
        return dict(self.state.names)

    @property
    def n_clusters(self) -> int:
        """Number of clusters, for the next fit."""
        return len(self.state.ids)

    @property
    def links(self) -> Links:
        """What the next fit has to keep: pinned samples of one cluster together, others apart."""
        return Links.from_labels(np.where(self.state.pinned, Clusters.of(self.labels).codes, -1))

    @property
    def start(self) -> Array:
        """Where the next fit begins: the labels, numbered from 0 on without gaps."""
        return Clusters.of(self.labels).codes

    def merge(self, clusters: Iterable[int | str]) -> Edits:
        """Make some clusters one, which keeps the label (and the name) of the first named."""
        chosen = [self._cluster(cluster) for cluster in clusters]
        if len(set(chosen)) < len(chosen) or len(chosen) < 2:
            raise ValueError(
                f"Merging takes two or more different clusters, got {self._called(chosen)}."
            )
        first, *others = chosen
        cores = np.concatenate([self._core(cluster) for cluster in chosen])
        labels = np.where(np.isin(self.labels, others), first, self.labels)
        names = {i: name for i, name in self.names.items() if i not in others}
        for cluster in others:
            # A name is not lost if only one of them has one.
            if cluster in self.names:
                names.setdefault(first, self.names[cluster])
        return self._with(Step("merge", {"clusters": chosen}), cores, labels=labels, names=names)

    def split(self, cluster: int | str, k: int = 2) -> Edits:
        """Part a cluster in k, by co-clustering its samples; the largest part keeps the label."""
        own = self._cluster(cluster)
        check_integer(k, "k", 2)
        members = np.flatnonzero(self.labels == own)
        if len(members) < k:
            raise ValueError(
                f"Cluster {own} has {len(members)} sample{'s' * (len(members) > 1)} and cannot be "
                f"split in {k}."
            )
        return self._parted(members, k, Step("split", {"cluster": own, "k": k}))

    def part(self, samples: Iterable[int | str], k: int = 2) -> Edits:
        """Make some samples k clusters of their own, by co-clustering them alone.

        They may come from several clusters. The parts take the labels of those of which nothing is
        left, and new ones beyond, the largest part first.

        Examples
        --------
        >>> X = np.kron(np.eye(3), np.ones((4, 3))) + 1
        >>> edits = Edits.of([0] * 6 + [1] * 6, X).part(range(8), 2)
        >>> edits.labels.tolist()
        [0, 0, 0, 0, 2, 2, 2, 2, 1, 1, 1, 1]
        """
        chosen = self._samples(samples)
        check_integer(k, "k", 2)
        if len(chosen) < k:
            raise ValueError(
                f"{len(chosen)} sample{'s' * (len(chosen) > 1)} cannot be parted in {k}; choose "
                "more of them."
            )
        return self._parted(chosen, k, Step("part", {"samples": chosen.tolist(), "k": k}))

    def move(self, samples: Iterable[int | str], cluster: int | str) -> Edits:
        """Put samples into a cluster; those that are there already are held there."""
        target, chosen = self._cluster(cluster), self._samples(samples)
        left = [int(i) for i in np.unique(self.labels[chosen]) if i != target]
        emptied = [i for i in left if np.isin(np.flatnonzero(self.labels == i), chosen).all()]
        if emptied:
            raise ValueError(
                f"These are all samples of cluster {emptied[0]}: merge it with {target} instead."
            )
        labels = self.labels.copy()
        labels[chosen] = target
        # Those that are left behind stay apart from the ones that go.
        cores = [self._core(i, besides=chosen) for i in (target, *left)]
        step = Step("move", {"samples": chosen.tolist(), "cluster": target})
        return self._with(step, np.concatenate([chosen, *cores]), labels=labels)

    def rename(self, cluster: int | str, name: str) -> Edits:
        """Give a cluster a name, which no other one may have."""
        own = self._cluster(cluster)
        if not name.strip():
            raise ValueError(f"The name of cluster {own} is empty; give it a word.")
        names = checked_names({**self.names, own: name.strip()}, self.state.ids)
        step = Step("rename", {"cluster": own, "name": name.strip()})
        return self._with(step, names=names)

    def undo(self) -> Edits:
        """Take the last edit back."""
        if not self.steps:
            raise ValueError("There is no edit to undo.")
        return replace(self, states=self.states[:-1], steps=self.steps[:-1])

    def refit(self, model: Any, data: Any = None) -> Any:
        """A new fit of a model that begins with the edited labels and keeps the edits.

        Parameters
        ----------
        model : estimator
            It is cloned; the number of clusters, and where it has one, the start are those of the
            edits.
        data : optional
            By default those that the edits began with.
        """
        if data is None and self.data is None:
            raise ValueError("There are no data to fit: pass some, or begin with them.")
        twin = clone(model)
        fresh: dict[str, Any] = {"n_clusters": self.n_clusters}
        if "init" in twin.get_params(deep=False):
            fresh["init"] = self.start
        twin.set_params(**fresh)
        own = None if self.data is None else with_types_of_fit(model, self.data)
        return twin.fit(own if data is None else data, links=self.links)

    def after(self, model: Any) -> Edits:
        """Go on with the clusters of a new fit: they keep the labels and names they had.

        What was edited before stays in force, and can be undone.
        """
        labels = next(iter(labels_of(model).values()))
        if len(labels) != len(self.labels):
            raise ValueError(
                f"The fit has {len(labels):,} samples and the edits {len(self.labels):,}: go on "
                "with a fit of the same ones."
            )
        found = aligned(self.labels, labels)
        present = set(found.labels.tolist())
        names = {i: name for i, name in self.names.items() if i in present}
        clear = None if self.data is None else _margins(subject_of(model, self.data))
        step = Step("refit", {})
        return self._with(step, labels=found.labels, names=names, margins=clear)

    def to_dict(self) -> dict[str, Any]:
        """Steps, labels, names and pinned samples, ready for JSON."""
        found: dict[str, Any] = plain(
            {
                "steps": [{"what": step.what, **step.about} for step in self.steps],
                "labels": self.labels,
                "names": self.names,
                "pinned": np.flatnonzero(self.state.pinned),
            }
        )
        return found

    def _parted(self, chosen: Array, k: int, step: Step) -> Edits:
        """Co-cluster samples alone; what is left of their clusters is held apart from them."""
        if self.data is None:
            raise ValueError("Splitting looks at the data: begin with Edits.of(model, data).")
        parts, margin = _clustered(self.data[chosen], k)
        whence = np.unique(self.labels[chosen])
        left = np.unique(np.delete(self.labels, chosen))
        fresh = max(int(state.labels.max()) for state in self.states) + 1
        ids = np.array([*np.setdiff1d(whence, left), *range(fresh, fresh + k)])[:k]
        labels, clear = self.labels.copy(), np.array(self.state.margins)
        labels[chosen], clear[chosen] = ids[parts], margin
        cores = [chosen[_strongest(np.flatnonzero(parts == p), margin)] for p in range(k)]
        cores += [self._core(i, besides=chosen) for i in np.intersect1d(whence, left).tolist()]
        names = {i: name for i, name in self.names.items() if i in left or i in ids}
        pinned = np.concatenate(cores)
        return self._with(step, pinned, labels=labels, margins=clear, names=names)

    def _with(self, step: Step, pinned: Array | Sequence[int] = (), **changed: Any) -> Edits:
        """One more step; those who are pinned stay so."""
        mask = self.state.pinned.copy()
        mask[np.asarray(pinned, dtype=np.intp)] = True
        state = replace(self.state, pinned=mask, **changed)
        return replace(self, states=(*self.states, state), steps=(*self.steps, step))

    def _cluster(self, called: int | str) -> int:
        """The cluster that goes by a label or a name."""
        by_name = {name.casefold(): i for i, name in self.names.items()}
        found = called if is_integer(called) else by_name.get(str(called).casefold())
        if found not in self.state.ids:
            there = ", ".join(map(str, self.state.ids))
            raise ValueError(f"There is no cluster {called!r}; the clusters are {there}.")
        return int(found)

    def _samples(self, called: Iterable[int | str]) -> Array:
        """Positions of samples that go by position or name."""
        known = None if self.data is None else self.data.names.get(self.data.center)
        place = {} if known is None else {str(name): i for i, name in enumerate(known)}
        n, found = len(self.labels), []
        for sample in called:
            i = sample if is_integer(sample) else place.get(str(sample))
            if i is None or not 0 <= int(i) < n:
                raise ValueError(
                    f"There is no sample {sample!r}; give positions from 0 to {n - 1}"
                    + (", or names." if place else ".")
                )
            found.append(int(i))
        if not found:
            raise ValueError("No samples are chosen; name at least one.")
        return np.unique(found)

    def _core(self, cluster: int, besides: Sequence[int] | Array = ()) -> Array:
        """The samples that stand for a cluster: the clearest, or all if nobody knows."""
        members = np.setdiff1d(np.flatnonzero(self.labels == cluster), besides)
        margin = self.state.margins
        return members if margin is None else _strongest(members, margin)

    def _called(self, clusters: Sequence[int]) -> str:
        """Clusters in a sentence."""
        return " and ".join(map(str, clusters)) or "none"

    def __repr__(self) -> str:
        sizes = f"{len(self.labels):,} samples in {self.n_clusters} clusters"
        return f"Edits({'; '.join([sizes, *map(repr, self.steps)])})"


def _clustered(data: RelationalData, k: int) -> tuple[Array, Array]:
    """Samples in k parts, the largest first, and how clearly each belongs to its own."""
    # A fixed seed: the same edits give the same clusters.
    model = CoCluster(k, random_state=0).fit(data)
    order = np.argsort(-np.bincount(model.labels_, minlength=k), kind="stable")
    return np.argsort(order)[model.labels_], _margins(subject_of(model, data))


def _strongest(members: Array, margin: Array) -> Array:
    """The few members with the largest margins."""
    return np.asarray(members[np.argsort(-margin[members], kind="stable")[:CORE]])


def _margins(subject: Subject) -> Array:
    """How clearly each sample belongs to its cluster."""
    center = subject.data.center
    return margins(costs_of(subject, center), subject.clusters[center].codes)[0]
