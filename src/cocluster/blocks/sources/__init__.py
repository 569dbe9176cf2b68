"""Matrices on disk in many formats, read in blocks of rows."""

from cocluster.blocks.sources._open import open_source
from cocluster.blocks.sources._source import Source

__all__ = ["Source", "open_source"]
