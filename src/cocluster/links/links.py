"""Links: all must-link and cannot-link supervision on one type of object."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links import files, labelling
from cocluster.links import pairs as validate
from cocluster.links.labelling import Labelling
from cocluster.links.subset import subset
from cocluster.links.table import LinkTable
from cocluster.utils.randomness import RandomState, generator


@dataclass(frozen=True, eq=False, repr=False)
class Links(LinkTable):
    """Must-links and cannot-links between the samples of one type, immutable.

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

    @classmethod
    def from_pairs(
        cls,
        must_link: object = None,
        cannot_link: object = None,
        *,
        n_samples: int,
        weights: object = None,
    ) -> Links:
        """Links from two lists of pairs; ``weights`` has the must-links first."""
        must = validate.as_pairs(must_link, "must_link")
        cannot = validate.as_pairs(cannot_link, "cannot_link")
        signs = np.repeat([1, -1], [len(must), len(cannot)])
        pairs = np.concatenate([must, cannot])
        return cls(n_samples, pairs, signs, validate.as_weights(weights, len(pairs)))

    @classmethod
    def from_signed(cls, pairs: object, y: object, n_samples: int) -> Links:
        """Links from pairs with y = +1 (must-link) or -1 (cannot-link) each."""
        ends = validate.as_pairs(pairs, "pairs")
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
            Labels; ``unlabeled`` and NaN mark unknown ones.
        unlabeled : object
            Mark of unknown labels.
        fraction : float in (0, 1], optional
            Share that is drawn at random; None takes everything.
        how : {"pairs", "samples"}
            Draw from all pairs of labelled samples, each drawn pair being listed, or from the
            labelled samples, all pairs of the drawn ones being held implicitly.
        random_state : None, int, RandomState or Generator
            Source of the draw.
        """
        codes = labelling.known_codes(y, unlabeled)
        n = len(codes)
        if how not in ("pairs", "samples"):
            raise ValueError(f'how must be "pairs" or "samples", got {how!r}.')
        if fraction is not None and not 0 < fraction <= 1:
            raise ValueError(f"fraction must be in (0, 1], got {fraction}.")
        if fraction is None or fraction == 1:
            return cls(n, *validate.no_pairs(), (Labelling(codes),))
        rng = generator(random_state)
        if how == "samples":
            drawn = Labelling(labelling.draw_subset(codes, fraction, rng))
            return cls(n, *validate.no_pairs(), (drawn,))
        known = np.flatnonzero(codes >= 0)
        pairs = known[labelling.draw_pairs(len(known), fraction, rng)]
        return cls.from_signed(pairs, np.where(codes[pairs[:, 0]] == codes[pairs[:, 1]], 1, -1), n)

    @classmethod
    def from_groups(
        cls, groups: Iterable[Iterable[int]], *, n_samples: int, distinct: bool = False
    ) -> Links:
        """Links from lists of positions that belong together.

        ``distinct=True`` says that different groups are also apart; by default nothing is said
        of them, and groups that share a sample belong together as a whole.
        """
        codes = labelling.group_codes([list(group) for group in groups], n_samples, distinct)
        return cls(n_samples, *validate.no_pairs(), (Labelling(codes, distinct),))

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
        return cls(**files.read_links(path, ids, n_samples, base))

    def write(
        self, path: str | os.PathLike[str], ids: Sequence[object] | Array | None = None
    ) -> None:
        """Write to a file that `read` gives back exactly; ``ids`` replace the positions."""
        names = self.ids if ids is None else validate.as_ids(ids, self.n_samples)
        files.write_links(path, self, names)

    def __getitem__(self, key: Any) -> Links:
        """Links between the chosen samples, those implied through dropped samples included."""
        rows = key[0] if isinstance(key, tuple) else key
        if np.ndim(rows) != 1 and not isinstance(rows, slice):
            raise TypeError("Links are indexed by a slice, a mask or an array of positions.")
        # An empty list would become an array of floats.
        rows = rows if isinstance(rows, slice) or len(rows) else slice(0, 0)
        kept = np.arange(self.n_samples)[rows]
        ids = (
            self.ids[kept]
            if self.ids is not None and np.bincount(kept).max(initial=1) == 1
            else None
        )
        return Links(**subset(self, kept), ids=ids)

    def __or__(self, other: object) -> Links:
        """All links of both."""
        if not isinstance(other, Links):
            return NotImplemented
        validate.check_length(other, self.n_samples, "the other links")
        ids = validate.common_ids(self.ids, other.ids)
        return Links(
            self.n_samples,
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.signs, other.signs]),
            np.concatenate([self.weights, other.weights]),
            self.labellings + other.labellings,
            validate.stack_details(
                (self.details, len(self.pairs)), (other.details, len(other.pairs))
            ),
            ids,
        )
