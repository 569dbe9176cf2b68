"""What results are made with, to be written beside them."""

from __future__ import annotations

import platform
from importlib.metadata import version

PACKAGES = ("cocluster", "numpy", "scipy", "scikit-learn")


def versions() -> dict[str, str]:
    """Versions of this package, of Python and of the libraries that results depend on."""
    found = {name: version(name) for name in PACKAGES}
    return {"cocluster": found.pop("cocluster"), "python": platform.python_version(), **found}
