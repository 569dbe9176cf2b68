"""Selection of the number of clusters: stability of halves, likelihood of the whole, a tree."""
