"""Metrics and weights of views, learned from links before factorisation."""

from cocluster.methods.factorization.metric.learn import LearnedMetrics, learn_metrics
from cocluster.methods.factorization.metric.operator import MetricOperator, TransformedRelation

__all__ = ["LearnedMetrics", "MetricOperator", "TransformedRelation", "learn_metrics"]
