"""Methods that cluster objects in the span of a few eigenvectors.

The numerical part is made of functions: ``_embedding`` (eigenvectors, singular vectors, normalised
cut, bipartite graph partitioning), ``_ldcc`` and ``_src``.
"""
