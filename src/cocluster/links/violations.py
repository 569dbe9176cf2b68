"""Which links a clustering breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cocluster.linalg.types import Array
from cocluster.links.labelling import Labelling


@dataclass(frozen=True, eq=False)
class Violations:
    """Stated links that a clustering breaks; `Links.violations` and ``links_report_`` give it.

    Attributes
    ----------
    must_link, cannot_link : arrays of shape (p, 2), (q, 2)
        The broken ones among the links stated pair by pair.
    n_must, n_cannot : int
        Broken links, those that partial labellings stand for included.
    n_stated : int
        All stated links.
    cost : float
        Sum of the weights of the broken links.
    per_sample : array of shape (n_samples,)
        Broken links of each sample: where to look, also when the links are not listed.
    """

    must_link: Array
    cannot_link: Array
    n_must: int
    n_cannot: int
    n_stated: int
    cost: float
    per_sample: Array

    @property
    def n_violated(self) -> int:
        """Broken links."""
        return self.n_must + self.n_cannot

    @property
    def n_satisfied(self) -> int:
        """Stated links that hold."""
        return self.n_stated - self.n_violated


def count_violations(
    labels: Array, pairs: Array, signs: Array, weights: Array, labellings: Sequence[Labelling]
) -> Violations:
    """Compare a clustering with stated pairs one by one and with labellings by counting."""
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    must, cannot = pairs[(signs == 1) & ~together], pairs[(signs == -1) & together]
    broken = np.where(together, signs == -1, signs == 1)
    counts = [_count(labelling, labels) for labelling in labellings]
    per_sample = np.bincount(pairs[broken].ravel(), minlength=len(labels))
    # Each broken pair is counted at both of its ends.
    n_must = sum(int(at_must.sum()) // 2 for at_must, _ in counts)
    n_cannot = sum(int(at_cannot.sum()) // 2 for _, at_cannot in counts)
    stated = int(np.count_nonzero(signs)) + sum(lab.n_must + lab.n_cannot for lab in labellings)
    return Violations(
        must_link=must,
        cannot_link=cannot,
        n_must=len(must) + n_must,
        n_cannot=len(cannot) + n_cannot,
        n_stated=stated,
        cost=float(weights[broken].sum()) + n_must + n_cannot,
        per_sample=sum((a + b for a, b in counts), start=per_sample),
    )


def _count(labelling: Labelling, labels: Array) -> tuple[Array, Array]:
    """Broken must-links and cannot-links of each sample: the confusion table, read per sample."""
    # Of a sample's group, those in other clusters break must-links; of its cluster, those in other
    # groups break cannot-links. Both follow from the sizes of group, cluster and their cell.
    members = labelling.members
    group = labelling.codes[members]
    cluster = np.unique(labels[members], return_inverse=True)[1]
    cell = np.unique(group * (cluster.max(initial=0) + 1) + cluster, return_inverse=True)[1]
    same_cell = np.bincount(cell)[cell] if len(cell) else cell
    must = np.zeros(len(labels), dtype=np.int64)
    cannot = np.zeros(len(labels), dtype=np.int64)
    must[members] = labelling.sizes[group] - same_cell
    if labelling.distinct:
        cannot[members] = np.bincount(cluster)[cluster] - same_cell
    return must, cannot
