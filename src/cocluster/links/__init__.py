"""Supervision: must-links and cannot-links between samples."""

from cocluster.links._closure import Closure, Conflict
from cocluster.links._given import as_links, links_by_type
from cocluster.links._labelling import Labelling
from cocluster.links._links import Links
from cocluster.links._violations import Violations

__all__ = ["Closure", "Conflict", "Labelling", "Links", "Violations", "as_links", "links_by_type"]
