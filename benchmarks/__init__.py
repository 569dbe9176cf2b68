"""Comparisons, not installed with the library."""
