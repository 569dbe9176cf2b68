"""Asking the right question: pairs of samples whose answers teach most."""

from cocluster.interview._interview import Interview
from cocluster.interview._parts import Answered, Query

__all__ = ["Answered", "Interview", "Query"]
