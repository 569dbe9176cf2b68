"""Readers of file formats; `cocluster.io.readwrite` imports the one that a file needs."""
