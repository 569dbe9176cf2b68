"""How many clusters? Halves of the data, the likelihood of the whole, and a tree."""
