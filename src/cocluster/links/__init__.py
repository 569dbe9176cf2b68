"""Supervision: must-links and cannot-links between samples."""

from cocluster.links.closure import Closure, Conflict
from cocluster.links.labelling import Labelling
from cocluster.links.links import Links, as_links, links_by_type
from cocluster.links.violations import Violations

__all__ = ["Closure", "Conflict", "Labelling", "Links", "Violations", "as_links", "links_by_type"]
