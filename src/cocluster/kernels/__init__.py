"""Clustering in the feature space of a kernel."""

from cocluster.kernels._kernel_kmeans import (
    KernelPartition,
    kernel_kmeans,
    kernel_matrix,
    supervised_kernel,
)

__all__ = ["KernelPartition", "kernel_kmeans", "kernel_matrix", "supervised_kernel"]
