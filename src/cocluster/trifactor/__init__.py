"""The core: one loop for every factorisation method.

With all other factors fixed, every method of the family is a quadratic in one factor G,

    q(G) = tr(G B Gᵀ) - 2 tr(Gᵀ A) + tr(Gᵀ L G),

so the value ``BlockQuadratic(A, B, L)`` is the whole interface between what pulls on a factor and
how the factor moves:

    relations --+                               +-- NonNegative   G·[(A⁺+GB⁻+L⁻G)/(A⁻+GB⁺+L⁺G)]^p
                +--> BlockQuadratic(A, B, L) -->+-- Orthogonal    G·√(A / GGᵀA)
    penalties --+                               +-- Unconstrained A B⁺
                                                +-- Indicator     argmin_k B_kk - 2 A_ik

A method is a choice of constraint per type, a rule for the association S, and penalties:

    NMF      NonNegative(1), Identity              NMTF   NonNegative(1), NonNegativeAssociation
    SemiNMF  NonNegative and Unconstrained         ONMTF  Orthogonal, NonNegativeAssociation
    FNMTF    Indicator, Free                       GNMF   NMF with PairTerms(Laplacian)
    DRCC     NonNegative(1/2), Free, unit columns, PairTerms(Laplacian); SNMTF the same
    RMC      as DRCC, GraphEnsemble                LPFNMTF  as FNMTF, SpectralAnchor

`alternate` sweeps over the factors; each sweep needs two products with each relation.
"""

from cocluster.blocks.rows import Interrupted
from cocluster.trifactor.association import Association, Free, Identity, NonNegativeAssociation
from cocluster.trifactor.block import BlockQuadratic
from cocluster.trifactor.constraints import (
    Constraint,
    Indicator,
    NonNegative,
    Orthogonal,
    Unconstrained,
    memberships,
)
from cocluster.trifactor.initialize import random_start, state_from
from cocluster.trifactor.links import linked_labels, ties_and_pairs, with_links
from cocluster.trifactor.penalties import (
    GraphEnsemble,
    PairTerms,
    Penalty,
    Prior,
    SpectralAnchor,
    simplex_weights,
)
from cocluster.trifactor.problem import FactorSpec, TriFactorProblem, with_penalties
from cocluster.trifactor.products import RelationalProblem, State
from cocluster.trifactor.solve import Callback, Problem, Progress, Run, alternate

__all__ = [
    "Association",
    "BlockQuadratic",
    "Callback",
    "Constraint",
    "FactorSpec",
    "Free",
    "GraphEnsemble",
    "Identity",
    "Indicator",
    "Interrupted",
    "NonNegative",
    "NonNegativeAssociation",
    "Orthogonal",
    "PairTerms",
    "Penalty",
    "Prior",
    "Problem",
    "Progress",
    "RelationalProblem",
    "Run",
    "SpectralAnchor",
    "State",
    "TriFactorProblem",
    "Unconstrained",
    "alternate",
    "linked_labels",
    "memberships",
    "random_start",
    "simplex_weights",
    "state_from",
    "ties_and_pairs",
    "with_links",
    "with_penalties",
]
