"""Matrices on disk in many formats, read in blocks of rows."""

from cocluster.blocks.disk.sources._open import open_source
from cocluster.blocks.disk.sources.base import Source

__all__ = ["Source", "open_source"]
