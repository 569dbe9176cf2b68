"""The data of links and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cocluster.linalg.types import Array
from cocluster.links import closure as closing
from cocluster.links import pairs as validate
from cocluster.links.closure import Closure, Conflict
from cocluster.links.labelling import Labelling
from cocluster.links.violations import Violations, count_violations

CHAIN_SHOWN = 4
"""Samples named at either end of a long chain in a message."""


@dataclass(frozen=True, eq=False, repr=False)
class LinkTable:
    """Stated pairs and labellings; the fields are described in `Links`."""

    n_samples: int
    pairs: Array
    signs: Array
    weights: Array
    labellings: tuple[Labelling, ...] = ()
    details: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ids: Array | None = None

    def __post_init__(self) -> None:
        pairs = validate.as_pairs(self.pairs, "pairs")
        validate.check_pairs(pairs, self.n_samples)
        for labelling in self.labellings:
            validate.check_length(labelling.codes, self.n_samples, "a labelling")
        values: dict[str, Any] = {
            "pairs": pairs,
            "signs": validate.as_signs(self.signs, len(pairs)),
            "weights": validate.as_weights(self.weights, len(pairs)),
            "labellings": tuple(lab for lab in self.labellings if len(lab.members)),
            "details": validate.as_details(self.details, len(pairs)),
            "ids": validate.as_ids(self.ids, self.n_samples),
        }
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return self.n_samples

    @property
    def shape(self) -> tuple[int]:
        """One entry per sample, for scikit-learn's splitters."""
        return (self.n_samples,)

    def __repr__(self) -> str:
        return f"Links(n_samples={self.n_samples}, n_must={self.n_must}, n_cannot={self.n_cannot})"

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
        """Number of different pairs whose answer is known, stated or by `closure`."""
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
        return self._weights_of(1, sum(lab.n_must for lab in self.labellings))

    @property
    def cannot_weights(self) -> Array:
        """Weights of `cannot_link`."""
        return self._weights_of(-1, sum(lab.n_cannot for lab in self.labellings))

    def _weights_of(self, sign: int, n_implicit: int) -> Array:
        """Weights of the stated pairs of one sign, then ones for those of labellings."""
        return np.concatenate([self.weights[self.signs == sign], np.ones(n_implicit)])

    def must_edges(self) -> Array:
        """Fewest pairs that join each must-link component, shape (n_samples - n_components, 2)."""
        return closing.chain_within(np.arange(self.n_samples), self.closure().component)

    def must_matrix(self) -> sp.csr_array:
        """Symmetric (n_samples, n_samples) weights of the stated must-links."""
        return closing.symmetric(self.must_link, self.must_weights, self.n_samples)

    def cannot_matrix(self) -> sp.csr_array:
        """Symmetric (n_samples, n_samples) weights of the stated cannot-links."""
        return closing.symmetric(self.cannot_link, self.cannot_weights, self.n_samples)

    def closure(self) -> Closure:
        """Must-link components and the cannot-links between them."""
        return self._closed

    @cached_property
    def _closed(self) -> Closure:
        """The closure, computed once: the links cannot change."""
        must, cannot = self.signs == 1, self.signs == -1
        return closing.close(
            self.n_samples,
            self.pairs[must],
            self.pairs[cannot],
            self.weights[cannot],
            self.labellings,
        )

    def _contradictions(self) -> Iterator[Conflict]:
        """Contradictions, each found when asked for."""
        must, cannot = self.pairs[self.signs == 1], self.pairs[self.signs == -1]
        return closing.find_conflicts(self.n_samples, must, cannot, self.labellings)

    def conflicts(self) -> tuple[Conflict, ...]:
        """All contradictions, each with the complete chain of must-links."""
        return tuple(self._contradictions())

    def violations(self, labels: object) -> Violations:
        """Stated links that a clustering with these labels breaks."""
        values = np.asarray(labels)
        validate.check_length(values, self.n_samples, "labels")
        return count_violations(values, self.pairs, self.signs, self.weights, self.labellings)

    def minimum_clusters(self) -> int:
        """A number of clusters below which the links cannot all hold.

        The size of a clique of components that are all cannot-linked with each other, found
        greedily: more clusters than this may be needed, as with graph colouring.
        """
        return max(len(self._clique()), min(self.n_samples, 1))

    def _clique(self) -> Array:
        """Components that are pairwise cannot-linked, as many as were found."""
        closure = self.closure()
        of_groups = [
            np.unique(closure.component[lab.first_members()])
            for lab in self.labellings
            if lab.distinct
        ]
        return max([closing.greedy_clique(closure.cannot_matrix()), *of_groups], key=len)

    def check(self, n_clusters: int | None = None) -> None:
        """Raise ValueError if the links contradict each other or need more clusters."""
        conflict = next(self._contradictions(), None)
        if conflict is not None:
            raise ValueError(self._explain(conflict))
        if n_clusters is not None and n_clusters < self.minimum_clusters():
            clique = np.unique(self.closure().component, return_index=True)[1][self._clique()]
            raise ValueError(
                f"{n_clusters} clusters are too few: the {len(clique)} samples "
                f"{', '.join(self._named(np.sort(clique).tolist()))} are all cannot-linked with "
                f"each other, use at least {len(clique)} clusters or remove links."
            )

    def _explain(self, conflict: Conflict) -> str:
        """One sentence that names a contradiction and its chain."""
        first, last = (self._name(i) for i in conflict.pair)
        if len(conflict.chain) == 1:
            return f"samples {first} and {last} are both must-linked and cannot-linked: keep one."
        chain = [conflict.pair[0], *(b for _, b in conflict.chain)]
        return (
            f"samples {first} and {last} are cannot-linked, but {len(conflict.chain)} must-links "
            f"join them: {' - '.join(self._named(chain))}; remove one of these pairs."
        )

    def _named(self, samples: list[int]) -> list[str]:
        """Names of samples, those in the middle of a long list left out."""
        if len(samples) <= 2 * CHAIN_SHOWN:
            return [self._name(i) for i in samples]
        left_out = f"({len(samples) - 2 * CHAIN_SHOWN:,} more)"
        ends = self._named(samples[:CHAIN_SHOWN]), self._named(samples[-CHAIN_SHOWN:])
        return [*ends[0], left_out, *ends[1]]

    def _name(self, sample: int) -> str:
        """Id of a sample where known, else its position."""
        return str(sample) if self.ids is None else repr(self.ids[sample])
