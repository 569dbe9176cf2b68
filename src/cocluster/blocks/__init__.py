"""Data that do not fit in memory, read block by block of rows."""
