"""Libraries: optional ones with the command that installs them, and versions of required ones."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import version
from pathlib import Path
from typing import Any

# Distribution names that differ from the name of the module.
PACKAGES = {
    "PIL": "pillow",
    "faiss": "faiss-cpu",
    "sentence_transformers": "sentence-transformers",
    "skimage": "scikit-image",
}


def library(module: str, purpose: str, extra: str = "", alternative: str = "") -> Any:
    """Import an optional module, or raise an ImportError that says how to install it.

    Parameters
    ----------
    module : str
        Dotted name of the module, such as ``"pyarrow.parquet"``.
    purpose : str
        What needs the module, in the plural: ``"parquet files"``.
    extra : str
        The extra of this package that installs it: ``"parquet"``. Empty if there is none.
    alternative : str
        A way to do without it, such as ``"or give the graph yourself"``.
    """
    try:
        # What the `import` statement calls; with a `fromlist` it returns the module itself and not
        # the package that contains it.
        return __import__(module, fromlist=["__name__"])
    except ImportError:
        top = module.split(".")[0]
        package = PACKAGES.get(top, top)
        remedy = install_command(extra) if extra else f"pip install {package}"
        remedy += f", {alternative}" if alternative else ""
        raise ImportError(f"{purpose} need {package}: {remedy}.") from None


def install_command(extra: str) -> str:
    """Return the command that installs an extra of this package, also from a checkout.

    >>> install_command("plot")[:12]
    'pip install '
    """
    # From a checkout pip would look up the name in the registry and may find another package.
    source = Path(__file__).parents[3]
    editable = (source / "pyproject.toml").exists()
    target = shlex.quote(f"{source}[{extra}]") if editable else f"'cocluster[{extra}]'"
    return f"pip install {'-e ' if editable else ''}{target}"


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of the libraries results depend on."""
    return {
        "cocluster": version("cocluster"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "scikit-learn": version("scikit-learn"),
    }
