"""TriFactorProblem: data, what each factor may be, and the blocks that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cocluster.linalg.assignment import fill_empty
from cocluster.linalg.matrices import EPS, gram, safe_inverse, squared_norm
from cocluster.linalg.partitions import gathered, is_hard
from cocluster.linalg.types import Array, Factor, is_distributed
from cocluster.trifactor.association import Association, Free
from cocluster.trifactor.block import BlockQuadratic
from cocluster.trifactor.constraints import Constraint
from cocluster.trifactor.losses import SquaredLoss, loss_of
from cocluster.trifactor.penalties import Penalty, prepared
from cocluster.trifactor.products import RelationalProblem, State

# By how many units of its last digit an objective may differ from an equal one: it is a sum over
# all entries.
ROUNDING = 1e4
# Shares of a step that are tried one after the other where the whole one leads up.
SHORTER = (1.0, 0.5, 0.25, 0.1, 0.01)


@dataclass(frozen=True, eq=False)
class FactorSpec:
    """What the factor of one type may be.

    ``unit_columns`` rescales its columns to length one after each step, the association taking the
    scale: without it a graph penalty can be evaded by shrinking G.
    """

    n_clusters: int
    constraint: Constraint
    penalties: tuple[Penalty, ...] = ()
    unit_columns: bool = False


@dataclass(frozen=True, eq=False)
class TriFactorProblem(RelationalProblem):
    r"""Minimise over factors G_t and associations S_r

    .. math:: J = \sum_r w_r \|R_r - G_{rows(r)} S_r G_{cols(r)}^T\|^2 + \sum_t \Omega_t(G_t)

    the norms over the known entries, if a relation has unknown ones (`cocluster.trifactor.losses`).
    A relation of a type with itself is quartic in its factor; its block is then a local model and
    the constraint's exponent must be small enough (see `NonNegative`).
    """

    factors: Mapping[str, FactorSpec]
    association: Association = field(default_factory=Free)

    @cached_property
    def dtype(self) -> np.dtype:
        """Precision of the data, and so of the factors."""
        return np.result_type(*(relation.matrix.dtype for relation in self.data.relations))

    @cached_property
    def data_norm(self) -> float:
        """Σ_r w_r ‖R_r‖²: the objective of an empty model."""
        return sum(r.weight * squared_norm(r.matrix) for r in self.data.relations)

    @cached_property
    def penalties(self) -> dict[str, tuple[Penalty, ...]]:
        """What pulls on each factor besides the data, prepared for this problem alone."""
        return {name: tuple(map(prepared, spec.penalties)) for name, spec in self.factors.items()}

    @cached_property
    def losses(self) -> tuple[SquaredLoss, ...]:
        """How well each relation is fitted."""
        return tuple(loss_of(self, r, self.association) for r in range(len(self.data.relations)))

    def block(self, name: str, state: State) -> BlockQuadratic:
        """The objective as a function of one factor."""
        G = state.factors[name]
        penalties = (penalty.majorizer(G) for penalty in self.penalties[name])
        return sum(penalties, start=self.data_block(name, state))

    def data_block(self, name: str, state: State) -> BlockQuadratic:
        """The part of the block that comes from the relations."""
        blocks = [self.losses[r].block(state, other) for r, other in self.touching(name)]
        return sum(blocks[1:], start=blocks[0])

    def objective(self, state: State) -> float:
        """J, from products already made; once per state, which steps compare several times."""
        if self not in state.objectives:
            state.objectives[self] = self._objective(state)
        return state.objectives[self]

    def _objective(self, state: State) -> float:
        """J, computed."""
        total = self.data_norm + sum(loss.value(state) for loss in self.losses)
        for name, penalties in self.penalties.items():
            total += sum(penalty.value(state.factors[name]) for penalty in penalties)
        return total

    def moved(self, name: str, state: State) -> State:
        """One step of one factor, and the associations that follow from it."""
        spec = self.factors[name]
        # The one pass knows neither penalties nor ties, and cannot fill clusters that it empties;
        # then its result is dropped and the usual step does it.
        if not spec.penalties and spec.constraint.ties is None and self.in_one_pass(name, state):
            moved = self._reassigned(name, state)
            if moved.factors[name].sizes.all():
                return self._associated(name, moved)
        G, block = state.factors[name], self.block(name, state)
        moved = spec.constraint.step(G, block)
        if not spec.unit_columns:
            return self._refilled(name, self.with_factor(state, name, moved))
        return self._lowered(name, state, block, self._rescaled(name, state, moved))

    def _rescaled(self, name: str, state: State, G: Factor) -> State:
        """The state with a factor whose columns are brought to length one."""
        scale = np.sqrt(np.diag(gram(G)))
        return self.with_factor(state, name, G * safe_inverse(scale).astype(G.dtype), scale)

    def _lowered(self, name: str, state: State, block: BlockQuadratic, moved: State) -> State:
        """A step of a factor with unit columns, or a shorter one if it raises the objective.

        The step lowers the block, but where it does so by shrinking a column, the rescaling raises
        the penalties again. That is rare. A column g of length one pays ρ = gᵀ L g however long it
        was before, so that to shrink it gains nothing: with L - ρ instead of L the step goes down
        after the rescaling, too, if it is short enough.
        """
        G, constraint = state.factors[name], self.factors[name].constraint
        if is_distributed(G) or block.laplacian is None or not constraint.descends:
            return moved
        before = self.objective(state)
        allowed = before + ROUNDING * np.finfo(self.dtype).eps * abs(before)
        if self.objective(moved) <= allowed:
            return moved
        paid = np.einsum("ij,ij->j", G, block.laplacian @ G)
        steady = replace(block, gram=block.gram - np.diag(paid))
        change = constraint.step(G, steady) / np.maximum(G, EPS)
        for share in SHORTER:
            moved = self._rescaled(name, state, G * change**share)
            if self.objective(moved) <= allowed:
                return moved
        return state

    def predicted(self, name: str, state: State) -> State:
        """One step, for which nothing of the factor so far is needed but the associations."""
        return self.moved(name, state)

    def with_factor(self, state: State, name: str, G: Factor, scale: Array | None = None) -> State:
        """The state with one factor replaced, and the associations that follow from it.

        ``scale`` is what the columns of G were divided by: the associations take it over.
        """
        return self._associated(name, self.replaced(state, name, G), scale)

    def _reassigned(self, name: str, state: State) -> State:
        """The state with every object at its nearest prototype, argmin_k B_kk - 2 A_ik."""
        (relation,), (S,) = self.data.relations, state.associations
        B = S @ gram(self.part(state, 0, "cols")) @ S.T
        codes, bias = -2 * relation.weight * S, relation.weight * np.diag(B)
        return self.reassigned(name, state, codes, bias)

    def _associated(self, name: str, moved: State, scale: Array | None = None) -> State:
        """The state with the associations that follow from a new factor."""
        associations = list(moved.associations)
        for r, other in self.touching(name):
            if scale is not None:
                # What G was divided by, S is multiplied by: the model G S Hᵀ stays the same.
                columns = other == "rows"
                associations[r] = associations[r] * (scale if columns else scale[:, None])
        # A relation of a type with itself touches it twice and must be stepped once.
        for r in {r for r, _ in self.touching(name)}:
            associations[r] = self.losses[r].stepped(moved, associations[r])
        return replace(moved, associations=tuple(associations))

    def shrunk(self, state: State) -> tuple[Array, ...]:
        """Associations of hard factors for predictions, see `KnownLoss.shrunk`."""
        return tuple(loss.shrunk(state) for loss in self.losses)

    def state(self, factors: Mapping[str, Factor]) -> State:
        """The state with these factors and the associations that follow from them."""
        state = State({name: factors[name] for name in self.factors})
        return replace(state, associations=tuple(loss.started(state) for loss in self.losses))

    def _refilled(self, name: str, state: State) -> State:
        """Empty clusters take the objects that gain most by being alone.

        Splitting a cluster never raises the objective, because the new association may equal the
        old one; a penalty can, and then the cluster stays empty.
        """
        G = state.factors[name]
        if not is_hard(G) or G.sizes.all():
            return state
        ties = self.factors[name].constraint.ties
        filled_G = fill_empty(gathered(G), self._gain_alone(name, state), ties)
        filled = self.with_factor(state, name, self.data.placed(name, filled_G))
        return filled if self.objective(filled) <= self.objective(state) else state

    def _gain_alone(self, name: str, state: State) -> Array:
        """By how much the fit of each object improves with a cluster of its own.

        In its cluster it reaches 2 A_ik - B_kk.
        """
        labels, block = gathered(state.factors[name]).labels, self.block(name, state)
        costs = replace(block, linear=gathered(block.linear)).costs()
        gain = costs[np.arange(len(labels)), labels].astype(float)
        for r, other in self.touching(name):
            reach = self.losses[r].reach(state, other)
            gain[self.rows_of(r, other)] += self.data.relations[r].weight * reach
        return np.asarray(gain)


def with_penalties(problem: TriFactorProblem, terms: Mapping[str, Penalty]) -> TriFactorProblem:
    """The problem with one more penalty on some types."""
    factors = dict(problem.factors)
    for name, term in terms.items():
        factors[name] = replace(factors[name], penalties=(*factors[name].penalties, term))
    return replace(problem, factors=factors)
