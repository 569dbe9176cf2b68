"""Methods that cluster objects as points in the span of a few eigenvectors.

The numerical part is made of functions: `embedding` (bipartite graph partitioning, normalised
cut), `ldcc_embedding` and `src_embedding`, all on `cocluster.linalg.eigen`. `base` turns points
into labels: `merging` contracts must-linked objects before the embedding, `means` is k-means with
links. One module for each method says which embedding it takes.
"""
