"""Files of every kind users have, read into one `cocluster.dataset.Dataset`."""

from cocluster.readers._read import read

__all__ = ["read"]
