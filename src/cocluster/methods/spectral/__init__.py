"""Methods that cluster objects as points in the span of a few eigenvectors.

The numerical part is made of functions: ``_embedding`` (bipartite graph partitioning, normalised
cut), ``_ldcc``, ``_src``, all on ``_eigen``. ``_base`` turns points into labels: ``_tied``
contracts must-linked objects before the embedding, ``_means`` is k-means with links.
"""
