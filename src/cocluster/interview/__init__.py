"""Active learning: choose the questions about samples whose answers improve the clusters most."""

from cocluster.interview.interview import Interview
from cocluster.interview.queries import Answered, Hint, Moved, Query

__all__ = ["Answered", "Hint", "Interview", "Moved", "Query"]
