"""Clustering in the feature space of a kernel."""

from cocluster.kernels._kernel_kmeans import KernelPartition, kernel_kmeans, supervised_kernel
from cocluster.similarity import kernel_matrix

__all__ = ["KernelPartition", "kernel_kmeans", "kernel_matrix", "supervised_kernel"]
