"""Metrics and weights of views, learned from links before factorisation."""

from cocluster.metric_learning._learn import LearnedMetrics, learn_metrics
from cocluster.metric_learning._operator import MetricOperator, MovedRelation

__all__ = ["LearnedMetrics", "MetricOperator", "MovedRelation", "learn_metrics"]
