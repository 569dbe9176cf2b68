"""Clustering in the feature space of a kernel."""

from cocluster.graphs.kernels import kernel_matrix
from cocluster.methods.kernel_kmeans.algorithm import (
    KernelPartition,
    kernel_kmeans,
    supervised_kernel,
)

__all__ = ["KernelPartition", "kernel_kmeans", "kernel_matrix", "supervised_kernel"]
