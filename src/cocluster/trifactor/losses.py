r"""How well a relation is fitted: ‖R - G S Hᵀ‖², over all entries or over the known ones.

A loss makes of a relation what the loop needs: the block of either factor, the association, the
value, and what an object would gain by a cluster of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cocluster.data.missing import estimate_shrinkage
from cocluster.data.relation import Relation
from cocluster.linalg.known import KnownEntries, product_at
from cocluster.linalg.matrices import EPS, gram, inner, product, squared_norm, times
from cocluster.linalg.partitions import as_array, gathered, is_hard
from cocluster.linalg.types import Array, InMemory
from cocluster.trifactor.association import Association, known_means, pseudo_inverse
from cocluster.trifactor.block import BlockQuadratic, KnownGram, RowGram
from cocluster.trifactor.products import RelationalProblem, State

# Names of the two sides of a relation, and the one opposite.
OPPOSITE = {"rows": "cols", "cols": "rows"}


@dataclass(frozen=True, eq=False)
class SquaredLoss:
    """w ‖R - G S Hᵀ‖² of relation number r: every entry counts."""

    problem: RelationalProblem
    r: int
    association: Association

    @property
    def relation(self) -> Relation:
        """The relation itself."""
        return self.problem.data.relations[self.r]

    def toward(self, state: State, other: str) -> Array:
        """S with the clusters of the side ``other`` in its columns."""
        S = state.associations[self.r]
        return S if other == "cols" else S.T

    def block(self, state: State, other: str) -> BlockQuadratic:
        """A = w R H Sᵀ and B = w S HᵀH Sᵀ, with H the factor on the side ``other``."""
        relation, S = self.relation, self.toward(state, other)
        found = self.problem.product(state, self.r, other)
        A = found @ (relation.weight * S.T).astype(found.dtype)
        B = relation.weight * (S @ gram(self.problem.part(state, self.r, other)) @ S.T)
        # Objects that the relation lacks feel nothing of it: no A, and B only for those present.
        if relation.row_index is None or other == "rows":
            return BlockQuadratic(A, B)
        partial = (RowGram(relation.row_index, B),)
        return BlockQuadratic(self.placed(A, other), np.zeros_like(B), partial=partial)

    def placed(self, A: Array, other: str) -> Array:
        """Rows of the objects that the relation has, at their places among all of the type."""
        index = self.relation.row_index
        if index is None or other == "rows":
            return A
        spread = np.zeros((self.problem.data.size(self.relation.rows), A.shape[1]), dtype=A.dtype)
        spread[index] = A
        return spread

    def value(self, state: State) -> float:
        """The loss, less w ‖R‖²."""
        cross, left, right = self._small(state)
        S = state.associations[self.r]
        fit = np.sum((left @ S @ right) * S) - 2 * np.sum(cross * S)
        return self.relation.weight * float(fit)

    def started(self, state: State) -> Array:
        """S that goes with the factors of a state."""
        return self.association.start(*self._small(state))

    def stepped(self, state: State, S: Array) -> Array:
        """An S no worse than the given one."""
        return self.association.step(S, *self._small(state))

    def shrunk(self, state: State) -> Array:
        """S for predictions: of known entries only, drawn to their mean where they are few."""
        return state.associations[self.r]

    def means(self, state: State, side: str) -> Array:
        """Least-squares prototypes of the clusters on one side, objects of the other in rows."""
        G = self.problem.part(state, self.r, side)
        return np.asarray(self.problem.product(state, self.r, side) @ pseudo_inverse(gram(G)))

    def reach(self, state: State, other: str) -> Array:
        """How much of each object's square is fitted if it has a cluster of its own.

        With p = x H its products with the other factor: p (HᵀH)⁺ pᵀ.
        """
        p = gathered(self.problem.product(state, self.r, other))
        H = self.problem.part(state, self.r, other)
        return np.asarray(np.einsum("ij,ij->i", p @ pseudo_inverse(gram(H)), p))

    def _small(self, state: State) -> tuple[Array, Array, Array]:
        """GᵀRH, GᵀG and HᵀH: all that the association depends on."""
        # First: on a cluster the product brings GᵀG with it, which else would be a pass of its own.
        cross = self.problem.cross(state, self.r)
        left, right = (gram(self.problem.part(state, self.r, side)) for side in OPPOSITE)
        return cross, left, right


@dataclass(frozen=True, eq=False)
class KnownLoss(SquaredLoss):
    """w ‖W ∘ (R - G S Hᵀ)‖²: only known entries count.

    With indicator factors all follows from sums of values and of counts by label, which come from
    one pass. Other factors need the model at the known entries, W ∘ (G S Hᵀ).
    """

    @property
    def observed(self) -> InMemory:
        """W."""
        return self.relation.observed

    @cached_property
    def entries(self) -> KnownEntries:
        """R and W."""
        return KnownEntries.of(self.relation.matrix, self.observed)

    def block(self, state: State, other: str) -> BlockQuadratic:
        """A = w R H Sᵀ, and for each row i a B of its own, w S Hᵀ diag(w_i) H Sᵀ.

        Of hard factors only the diagonal of B counts, so that it can be part of A:
        B_kk - 2 A_ik is then w Σ_l n_il S_kl² - 2 w Σ_l p_il S_kl, with sums p and counts n.
        """
        weight, S = self.relation.weight, self.toward(state, other)
        H = self.problem.part(state, self.r, other)
        nothing = np.zeros((len(S), len(S)))
        if is_hard(H):
            sums, counts = self._sums(state, other)
            S = S.astype(sums.dtype)
            A = weight * (sums @ S.T - 0.5 * (counts @ (S**2).T))
            return BlockQuadratic(self.placed(A, other), nothing)
        found = self.problem.product(state, self.r, other)
        A = self.placed(found @ (weight * S.T).astype(found.dtype), other)
        return BlockQuadratic(A, nothing, known=(self._known_gram(state, other),))

    def _known_gram(self, state: State, other: str) -> KnownGram:
        """The quadratic of the factor opposite to ``other``."""
        H = as_array(self.problem.part(state, self.r, other))
        M = H @ self.toward(state, other).T.astype(H.dtype)
        observed, made, own = self.observed, self._model_if_made(state), self.relation.rows
        if other == "rows":
            observed, made, own = observed.T, None if made is None else made.T, self.relation.cols
        rows = self.problem.rows_of(self.r, other)
        last = None if made is None else (state.factors[own], made)
        return KnownGram(observed, M, self.relation.weight, rows, last)

    def value(self, state: State) -> float:
        """The loss, less w ‖R‖² over the known entries."""
        S = state.associations[self.r]
        if self._hard(state):
            cross, counts = self._crossed(state)
            square = float(np.sum(counts * S**2))
        else:
            cross = self.problem.cross(state, self.r)
            square = squared_norm(self._model(state))
        return self.relation.weight * (square - 2 * float(np.sum(cross * S)))

    def started(self, state: State) -> Array:
        """S that goes with the factors of a state."""
        if self._hard(state):
            return self.association.start_known(*self._crossed(state))
        G, H = (self.problem.part(state, self.r, side) for side in OPPOSITE)
        counts = inner(G, times(self.observed, H))
        cross = self.problem.cross(state, self.r)
        S = self.association.start_known(cross, counts)
        if not self.association.carries_scale:
            return S
        # The rows of soft factors sum to more than one, so that means would give a model that is
        # too large by far, and the first sweep would seem to gain more than all others together.
        square = squared_norm(self._model(state, S))
        return np.asarray(S * (np.sum(cross * S) / max(square, EPS)))

    def stepped(self, state: State, S: Array) -> Array:
        """An S no worse than the given one, on the known entries."""
        if self._hard(state):
            cross, counts = self._crossed(state)
            return self.association.step_known(S, cross, counts * S, counts)
        G, H = (self.problem.part(state, self.r, side) for side in OPPOSITE)
        fitted = inner(G, product(self._model(state, S), as_array(H)))
        return self.association.step_known(S, self.problem.cross(state, self.r), fitted)

    def shrunk(self, state: State) -> Array:
        """Means of the known entries of the blocks, drawn to the mean of all where they are few.

        By as much as the variances between the blocks and within them say.
        """
        cross, counts = self._crossed(state)
        S, overall = known_means(cross, counts), cross.sum() / max(counts.sum(), 1)
        # What is left within the blocks: the squares less those of the means.
        within = max(squared_norm(self.relation.matrix) - float(np.sum(counts * S**2)), 0.0)
        noise = within / max(counts.sum() - counts.size, 1)
        return known_means(cross, counts, estimate_shrinkage(noise, S - overall, counts))

    def means(self, state: State, side: str) -> Array:
        """Means of the known entries, weighted by the memberships on one side."""
        G, observed = self.problem.part(state, self.r, side), self.observed
        weights = times(observed if side == "cols" else observed.T, G)
        sums = self.problem.product(state, self.r, side)
        # Divided by what the rows of a soft factor sum to: the model is to be a mean, too.
        return np.asarray(sums / np.maximum(weights * as_array(G).sum(axis=1).mean(), EPS))

    def reach(self, state: State, other: str) -> Array:
        """How much of each object's square is fitted if it has a cluster of its own: Σ_l p²/n."""
        sums, counts = self._sums(state, other)
        return np.asarray(np.sum(sums**2 / np.maximum(counts, 1), axis=1))

    def _hard(self, state: State) -> bool:
        """Whether both factors are partitions."""
        return all(is_hard(self.problem.part(state, self.r, side)) for side in OPPOSITE)

    def _sums(self, state: State, side: str) -> tuple[Array, Array]:
        """Sums and counts of the known entries by the labels of one side, once per factor."""
        if (self.r, side) not in state.known:
            entries = self.entries if side == "cols" else self.entries.T
            G = self.problem.part(state, self.r, side)
            state.known[self.r, side] = entries.label_sums(G)
        sums, counts = state.known[self.r, side]
        return sums, counts

    def _crossed(self, state: State) -> tuple[Array, Array]:
        """GᵀRH and GᵀWH of two partitions, from sums that are known already or are needed next."""
        side = "rows" if (self.r, "rows") in state.known else "cols"
        G = self.problem.part(state, self.r, OPPOSITE[side])
        cross, counts = (inner(G, part) for part in self._sums(state, side))
        return (cross, counts) if side == "cols" else (cross.T, counts.T)

    def _model(self, state: State, S: Array | None = None) -> InMemory:
        """W ∘ (G S Hᵀ), with another S if one is given; the last one is kept."""
        S = state.associations[self.r] if S is None else S
        last, made = state.known.get((self.r, "model"), (None, None))
        if last is not S:
            G, H = (as_array(self.problem.part(state, self.r, side)) for side in OPPOSITE)
            made = product_at(self.observed, G @ S.astype(G.dtype), H)
            state.known[self.r, "model"] = S, made
        return made

    def _model_if_made(self, state: State) -> InMemory | None:
        """The same if it has been computed for this S."""
        S, made = state.known.get((self.r, "model"), (None, None))
        return made if S is state.associations[self.r] else None


def loss_of(problem: RelationalProblem, r: int, association: Association) -> SquaredLoss:
    """The loss of a relation: over its known entries, if some are unknown."""
    complete = problem.data.relations[r].observed is None
    return (SquaredLoss if complete else KnownLoss)(problem, r, association)
