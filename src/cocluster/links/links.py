"""Links: all must-link and cannot-link supervision on one type of object."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from cocluster.data.relational import RelationalData
from cocluster.linalg.matrices import row_key
from cocluster.linalg.types import Array
from cocluster.links.closure import (
    Closure,
    Conflict,
    chain_within,
    close,
    find_conflicts,
    greedy_clique,
    symmetric,
)
from cocluster.links.files import read_links, write_links
from cocluster.links.labelling import Labelling, draw_pairs, draw_subset, group_codes, label_codes
from cocluster.links.subset import subset
from cocluster.links.validate import (
    as_details,
    as_ids,
    as_pairs,
    as_signs,
    as_weights,
    check_length,
    check_pairs,
    common_ids,
    no_pairs,
    stack_details,
)
from cocluster.links.violations import Violations, count_violations
from cocluster.utils.checks import RandomState, broadcast, generator
from cocluster.utils.html import small_table

# Samples named at either end of a long chain in a message: enough to see where it begins and ends.
CHAIN_SHOWN = 4


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """Must-links and cannot-links between the samples of one type, immutable.

    A must-link says that two samples belong to the same cluster, a cannot-link that they belong
    to different ones. Every estimator takes them as ``fit(X, links=links)``. They are mostly made
    by `from_pairs`, `from_labels`, `from_groups` or `read`, seldom by this constructor; ``a | b``
    holds the links of both, and ``links[rows]`` those between some of the samples.

    Links may contradict each other, so that contradictions can be read, shown and repaired;
    `check` refuses them, and so does every estimator.

    Parameters
    ----------
    n_samples : int
        Number of samples of the type.
    pairs : array of shape (n_pairs, 2)
        Pairs of positions stated one by one.
    signs : array of shape (n_pairs,)
        +1 must-link, -1 cannot-link, 0 unsure (kept, not used).
    weights : array of shape (n_pairs,)
        Positive weights of the pairs.
    labellings : tuple of Labelling
        Partial labellings; the pairs they stand for are held implicitly and weigh 1.
    details : mapping from a name to one text per pair
        What else a file says of a pair (source, time, note).
    ids : sequence of n_samples ids, optional
        Names used in messages and files instead of positions.

    Examples
    --------
    >>> links = Links.from_pairs([[0, 1], [1, 2]], [[2, 3]], n_samples=5)
    >>> links
    Links(n_samples=5, n_must=2, n_cannot=1)
    >>> links.n_implied
    6
    >>> links[[0, 2, 3]].must_link.tolist()
    [[0, 1]]
    """

    n_samples: int
    pairs: Array
    signs: Array
    weights: Array
    labellings: tuple[Labelling, ...] = ()
    details: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ids: Array | None = None

    def __post_init__(self) -> None:
        pairs = as_pairs(self.pairs, "pairs")
        check_pairs(pairs, self.n_samples)
        for labelling in self.labellings:
            check_length(labelling.codes, self.n_samples, "a labelling")
        arrays = {
            "pairs": pairs,
            "signs": as_signs(self.signs, len(pairs)),
            "weights": as_weights(self.weights, len(pairs)),
            "ids": as_ids(self.ids, self.n_samples),
        }
        for array in arrays.values():
            if array is not None:
                array.flags.writeable = False  # the closure of the links is computed once
        vars(self).update(
            arrays,
            # A labelling without members states no link, and no file could hold it.
            labellings=tuple(lab for lab in self.labellings if len(lab.members)),
            details=as_details(self.details, len(pairs)),
        )

    @classmethod
    def from_pairs(
        cls,
        must_link: object = None,
        cannot_link: object = None,
        *,
        n_samples: int,
        weights: object = None,
    ) -> Links:
        """Links from two lists of pairs of positions.

        Parameters
        ----------
        must_link, cannot_link : array-like of shape (p, 2) and (q, 2), optional
            Pairs that belong together, and pairs that do not.
        n_samples : int
            Number of samples that the positions count.
        weights : array-like of shape (p + q,), optional
            Positive weights, those of the must-links first; 1 by default.
        """
        must = as_pairs(must_link, "must_link")
        cannot = as_pairs(cannot_link, "cannot_link")
        signs = np.repeat([1, -1], [len(must), len(cannot)])
        pairs = np.concatenate([must, cannot])
        return cls(n_samples, pairs, signs, as_weights(weights, len(pairs)))

    @classmethod
    def from_signed(cls, pairs: object, y: object, n_samples: int) -> Links:
        """Links from pairs of positions with +1 (must-link), -1 (cannot-link) or 0 (unsure) each.

        It is the form in which metric-learn holds constraints.
        """
        ends = as_pairs(pairs, "pairs")
        return cls(n_samples, ends, np.asarray(y), np.ones(len(ends)))

    @classmethod
    def from_labels(
        cls,
        y: object,
        unlabeled: object = -1,
        *,
        fraction: float | None = None,
        how: Literal["pairs", "samples"] = "pairs",
        random_state: RandomState = None,
    ) -> Links:
        """Links from a partial labelling: same label must-link, different labels cannot-link.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels, numbers or names; ``unlabeled``, None and NaN mark unknown ones.
        unlabeled : object
            Mark of unknown labels.
        fraction : float in (0, 1], optional
            Share that is drawn at random; None takes everything.
        how : {"pairs", "samples"}
            What the fraction is of. "pairs" draws pairs of labelled samples and lists them, as if
            people had been asked about random pairs. "samples" draws samples and takes all pairs
            among them, as if people had labelled random samples.
        random_state : None, int, RandomState or Generator
            Source of the draw.

        Examples
        --------
        >>> Links.from_labels(["tea", "coffee", None, "tea"])
        Links(n_samples=4, n_must=1, n_cannot=2)
        """
        codes = label_codes(y, unlabeled)
        n = len(codes)
        if how not in ("pairs", "samples"):
            raise ValueError(f'how must be "pairs" or "samples", got {how!r}.')
        if fraction is not None and not 0 < fraction <= 1:
            raise ValueError(f"fraction must be in (0, 1], got {fraction}.")
        if fraction is None or fraction == 1:
            # All pairs, however many, at the price of one number per sample.
            return cls(n, *no_pairs(), (Labelling(codes),))
        rng = generator(random_state)
        if how == "samples":
            drawn = Labelling(draw_subset(codes, fraction, rng))
            return cls(n, *no_pairs(), (drawn,))
        labelled = np.flatnonzero(codes >= 0)
        pairs = labelled[draw_pairs(len(labelled), fraction, rng)]
        return cls.from_signed(pairs, np.where(codes[pairs[:, 0]] == codes[pairs[:, 1]], 1, -1), n)

    @classmethod
    def from_groups(
        cls, groups: Iterable[Iterable[int]], *, n_samples: int, distinct: bool = False
    ) -> Links:
        """Links from lists of positions that belong together.

        ``distinct=True`` says that different groups are also apart; by default nothing is said
        of them, and groups that share a sample belong together as a whole.

        Examples
        --------
        >>> Links.from_groups([[0, 1], [1, 2], [3, 4]], n_samples=6)
        Links(n_samples=6, n_must=4, n_cannot=0)
        """
        codes = group_codes([list(group) for group in groups], n_samples, distinct)
        return cls(n_samples, *no_pairs(), (Labelling(codes, distinct),))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        ids: Sequence[object] | Array | None = None,
        n_samples: int | None = None,
        base: int = 0,
    ) -> Links:
        """Links from a file; see :mod:`cocluster.links.files` for the formats.

        Parameters
        ----------
        path : path
            ``.csv``, ``.jsonl``, ``.parquet``, or the three-column ``.tsv``/``.txt`` of COP-KMeans.
        ids : sequence of n_samples ids, optional
            The file names samples by these; by default by position.
        n_samples : int, optional
            Number of samples; by default as many as ``ids`` or the largest position ask for.
        base : int
            Position of the first sample in the file (1 for files written by R).
        """
        return cls(**read_links(path, ids, n_samples, base))

    def write(
        self, path: str | os.PathLike[str], ids: Sequence[object] | Array | None = None
    ) -> None:
        """Write to a file, which `read` turns into the same links again.

        The ending of the name chooses the format, as in `read`. The file appears only when it is
        complete. ``ids`` are written instead of positions; by default those of the links.
        """
        names = self.ids if ids is None else as_ids(ids, self.n_samples)
        write_links(path, self, names)

    def __getitem__(self, key: Any) -> Links:
        """Links between the chosen samples, those implied through dropped samples included."""
        positions = self._selected_positions(row_key(key))
        # The id of a sample that is selected twice would not be unique.
        repeated = np.bincount(positions).max(initial=1) > 1
        ids = None if self.ids is None or repeated else self.ids[positions]
        return Links(**subset(self, self.closure(), positions), ids=ids)

    def _selected_positions(self, rows: Any) -> Array:
        """Return the positions of the selected samples."""
        positions = np.arange(self.n_samples)
        if isinstance(rows, slice):
            return positions[rows]
        if np.ndim(rows) != 1:
            raise TypeError("Links are indexed by a slice, a mask or an array of positions.")
        # As an array, because numpy takes a tuple for one index per axis; an empty list would
        # become an array of floats.
        return positions[np.asarray(rows) if len(rows) else slice(0, 0)]

    def extended(self, n_samples: int, ids: Sequence[object] | Array | None = None) -> Links:
        """Return the links on more samples; nothing links the samples that are added.

        >>> Links.from_pairs([[0, 1]], n_samples=2).extended(4)
        Links(n_samples=4, n_must=1, n_cannot=0)
        """
        n_added = n_samples - self.n_samples
        if n_added < 0:
            raise ValueError(f"The links are on {self.n_samples} samples, more than {n_samples}.")
        unlabelled = np.full(n_added, -1)
        labellings = tuple(
            Labelling(np.concatenate([labelling.codes, unlabelled]), labelling.distinct)
            for labelling in self.labellings
        )
        names = as_ids(ids, n_samples)
        return replace(self, n_samples=n_samples, labellings=labellings, ids=names)

    def __or__(self, other: object) -> Links:
        """Return the links of both."""
        if not isinstance(other, Links):
            return NotImplemented
        check_length(other, self.n_samples, "the other links")
        ids = common_ids(self.ids, other.ids)
        return Links(
            self.n_samples,
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.signs, other.signs]),
            np.concatenate([self.weights, other.weights]),
            self.labellings + other.labellings,
            stack_details((self.details, len(self.pairs)), (other.details, len(other.pairs))),
            ids,
        )

    def __len__(self) -> int:
        return self.n_samples

    @property
    def shape(self) -> tuple[int]:
        """One entry per sample, for scikit-learn's splitters."""
        return (self.n_samples,)

    def __repr__(self) -> str:
        return f"Links(n_samples={self.n_samples}, n_must={self.n_must}, n_cannot={self.n_cannot})"

    def _repr_html_(self) -> str:
        rows = [
            ["samples", f"{self.n_samples:,}"],
            ["must-links", f"{self.n_must:,}"],
            ["cannot-links", f"{self.n_cannot:,}"],
            ["unsure", f"{int((self.signs == 0).sum()):,}"],
            ["contradictions", f"{len(self.conflicts()):,}"],
        ]
        return str(small_table("Links", ["", "number"], rows))

    @property
    def n_must(self) -> int:
        """Number of stated must-links, those that labellings stand for included."""
        return int((self.signs == 1).sum()) + sum(lab.n_must for lab in self.labellings)

    @property
    def n_cannot(self) -> int:
        """Number of stated cannot-links, those that labellings stand for included."""
        return int((self.signs == -1).sum()) + sum(lab.n_cannot for lab in self.labellings)

    @property
    def n_implied(self) -> int:
        """Number of different pairs whose answer is known: stated, or a consequence.

        If a and b are the same and b and c are the same, so are a and c; if a and b are the same
        and b and c are different, so are a and c.
        """
        return self.closure().n_pairs

    @property
    def must_link(self) -> Array:
        """All stated must-links, shape (n_must, 2); refused if labellings make it too long."""
        listed = [lab.must_link() for lab in self.labellings]
        return np.concatenate([self.pairs[self.signs == 1], *listed])

    @property
    def cannot_link(self) -> Array:
        """All stated cannot-links, shape (n_cannot, 2); refused if labellings make it too long."""
        listed = [lab.cannot_link() for lab in self.labellings]
        return np.concatenate([self.pairs[self.signs == -1], *listed])

    @property
    def must_weights(self) -> Array:
        """Weights of `must_link`."""
        return self._signed_weights(1, sum(lab.n_must for lab in self.labellings))

    @property
    def cannot_weights(self) -> Array:
        """Weights of `cannot_link`."""
        return self._signed_weights(-1, sum(lab.n_cannot for lab in self.labellings))

    def _signed_weights(self, sign: int, n_implicit: int) -> Array:
        """Weights of the stated pairs of one sign, then ones for those of labellings."""
        return np.concatenate([self.weights[self.signs == sign], np.ones(n_implicit)])

    def must_edges(self) -> Array:
        """Fewest pairs that join each must-link component, shape (n_samples - n_components, 2)."""
        return chain_within(np.arange(self.n_samples), self.closure().component)

    def must_matrix(self) -> sp.csr_array:
        """Symmetric (n_samples, n_samples) weights of the stated must-links."""
        return symmetric(self.must_link, self.must_weights, self.n_samples)

    def cannot_matrix(self) -> sp.csr_array:
        """Symmetric (n_samples, n_samples) weights of the stated cannot-links."""
        return symmetric(self.cannot_link, self.cannot_weights, self.n_samples)

    def closure(self) -> Closure:
        """Everything that follows from the links, computed at the first call."""
        return self._cached_closure

    @cached_property
    def _cached_closure(self) -> Closure:
        """The closure, kept because the links cannot change."""
        must, cannot = self.signs == 1, self.signs == -1
        return close(
            self.n_samples,
            self.pairs[must],
            self.pairs[cannot],
            self.weights[cannot],
            self.labellings,
        )

    def _contradictions(self) -> Iterator[Conflict]:
        """Contradictions, each found when asked for."""
        must, cannot = self.pairs[self.signs == 1], self.pairs[self.signs == -1]
        return find_conflicts(self.n_samples, must, cannot, self.labellings)

    def conflicts(self) -> tuple[Conflict, ...]:
        """All contradictions, each with a chain of must-links that leads to it; see `Conflict`.

        Cannot-linked samples that must-links join. Empty if `check` is content.
        """
        return tuple(self._contradictions())

    def violations(self, labels: object) -> Violations:
        """Stated links that a clustering breaks; ``labels`` has one cluster per sample.

        Examples
        --------
        >>> links = Links.from_pairs([[0, 1]], [[1, 2]], n_samples=3)
        >>> links.violations([0, 1, 1]).n_violated
        2
        """
        values = np.asarray(labels)
        check_length(values, self.n_samples, "labels")
        return count_violations(values, self.pairs, self.signs, self.weights, self.labellings)

    def minimum_clusters(self) -> int:
        """A number of clusters below which the links cannot all hold.

        The size of a clique of components that are all cannot-linked with each other, found
        greedily: more clusters than this may be needed, as with graph colouring.
        """
        return max(len(self._clique()), min(self.n_samples, 1))

    def _clique(self) -> Array:
        """Find a large clique of components that are pairwise cannot-linked."""
        closure = self.closure()
        # Distinct groups of one labelling are a clique already; a search might find a smaller one.
        of_groups = [
            np.unique(closure.component[lab.first_members()])
            for lab in self.labellings
            if lab.distinct
        ]
        return max([greedy_clique(closure.cannot_matrix()), *of_groups], key=len)

    def check(self, n_clusters: int | None = None) -> None:
        """Raise ValueError if the links contradict each other or need more clusters.

        The message names the samples of a contradiction and the chain of must-links that joins
        them, or the samples that are all cannot-linked with each other.
        """
        conflict = next(self._contradictions(), None)
        if conflict is not None:
            raise ValueError(self._explain(conflict))
        if n_clusters is not None and n_clusters < self.minimum_clusters():
            # One sample of each component stands for it in the message.
            clique = np.unique(self.closure().component, return_index=True)[1][self._clique()]
            names = ", ".join(self._sample_names(np.sort(clique).tolist()))
            raise ValueError(
                f"{n_clusters} clusters are too few: the {len(clique)} samples {names} are all "
                f"cannot-linked with each other, use at least {len(clique)} clusters or remove "
                "links."
            )

    def _explain(self, conflict: Conflict) -> str:
        """Explain a contradiction in one sentence that names the chain of must-links."""
        first, last = (self._sample_name(i) for i in conflict.pair)
        if len(conflict.chain) == 1:
            return f"samples {first} and {last} are both must-linked and cannot-linked: keep one."
        chain = [conflict.pair[0], *(b for _, b in conflict.chain)]
        return (
            f"samples {first} and {last} are cannot-linked, but {len(conflict.chain)} must-links "
            f"join them: {' - '.join(self._sample_names(chain))}; remove one of these pairs."
        )

    def _sample_names(self, samples: list[int]) -> list[str]:
        """Return the names of samples, without those in the middle of a long list."""
        if len(samples) <= 2 * CHAIN_SHOWN:
            return [self._sample_name(i) for i in samples]
        omission = f"({len(samples) - 2 * CHAIN_SHOWN:,} more)"
        ends = self._sample_names(samples[:CHAIN_SHOWN]), self._sample_names(samples[-CHAIN_SHOWN:])
        return [*ends[0], omission, *ends[1]]

    def _sample_name(self, sample: int) -> str:
        """Return the id of a sample if there are ids, else its position."""
        return str(sample) if self.ids is None else repr(self.ids[sample])


def as_links(
    links: object, y: object, n_samples: int, *, n_clusters: int | None = None
) -> Links | None:
    """Check the supervision passed to an estimator and return it as Links; None if there is none.

    Parameters
    ----------
    links : Links, tuple or None
        Links, or the plain tuple ``(must_link, cannot_link)`` of arrays of shape (p, 2).
    y : array-like of shape (n_samples,) or None
        Partial labelling, -1 = unknown.
    n_samples : int
        Number of samples of the data.
    n_clusters : int, optional
        Number of clusters that is asked for; refused if ``links`` need more. (A labelling ``y``
        may name more classes than there are clusters: what cannot be met is reported.)
    """
    sources = [] if y is None else [Links.from_labels(y)]
    if isinstance(links, tuple) and len(links) == 2:
        sources.append(Links.from_pairs(*links, n_samples=n_samples))
    elif isinstance(links, Links):
        sources.append(links)
    elif links is not None:
        raise TypeError(
            "links must be Links or a tuple (must_link, cannot_link) of arrays of shape (p, 2), "
            f"got {type(links).__name__}."
        )
    for source in sources:
        if len(source) != n_samples:
            raise ValueError(
                f"links or y describe {len(source)} samples, the data has {n_samples}."
            )
    if not sources:
        return None
    merged = sources[0] if len(sources) == 1 else sources[1] | sources[0]
    merged.check(n_clusters if y is None else None)
    # Links that are all "unsure" ask for nothing: the fit is then that of no links at all.
    return merged if merged.n_must + merged.n_cannot else None


def links_by_type(
    data: RelationalData, links: object, y: object, n_clusters: Mapping[str, int]
) -> dict[str, Links]:
    """Return the checked links of each type; ``links`` may be a mapping of type to links."""
    by_type = broadcast(links, [data.center])
    unknown = [name for name in by_type if name not in data.types]
    if unknown:
        raise ValueError(
            f"links name the unknown type {unknown[0]!r}; the types are {', '.join(data.types)}."
        )
    checked = {
        name: as_links(
            by_type.get(name),
            y if name == data.center else None,
            data.size(name),
            n_clusters=n_clusters[name],
        )
        for name in data.types
    }
    return {name: type_links for name, type_links in checked.items() if type_links is not None}
