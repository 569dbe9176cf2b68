"""Files of every kind users have, read into one `cocluster.io.dataset.Dataset`."""

from cocluster.io.readers.read import read

__all__ = ["read"]
