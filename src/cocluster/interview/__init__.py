"""Asking the right question: pairs of samples whose answers teach most."""

from cocluster.interview.interview import Interview
from cocluster.interview.knowledge import Answered, Query

__all__ = ["Answered", "Interview", "Query"]
