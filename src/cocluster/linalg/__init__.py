"""Matrices and factors, and the few numerical methods that everything else is made of."""
