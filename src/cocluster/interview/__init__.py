"""Asking the right question: pairs of samples whose answers teach most."""

from cocluster.interview.interview import Interview
from cocluster.interview.knowledge import Answered, Hint, Moved, Query

__all__ = ["Answered", "Hint", "Interview", "Moved", "Query"]
