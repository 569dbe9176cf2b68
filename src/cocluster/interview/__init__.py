"""Asking the right question: pairs of samples whose answers teach most."""

from cocluster.interview.interview import Interview
from cocluster.interview.knowledge import Answered, Moved, Query

__all__ = ["Answered", "Interview", "Moved", "Query"]
