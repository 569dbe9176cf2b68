"""Supervision: must-links and cannot-links between samples."""

from cocluster.links._closure import Closure, Conflict
from cocluster.links._labelling import Labelling
from cocluster.links._links import Links, as_links
from cocluster.links._violations import Violations

__all__ = ["Closure", "Conflict", "Labelling", "Links", "Violations", "as_links"]
