"""Libraries that are only needed for some things, and the sentence that says how to get them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

# What a package is called where it is installed, if that is not the name it is imported by.
PACKAGES = {
    "PIL": "pillow",
    "faiss": "faiss-cpu",
    "sentence_transformers": "sentence-transformers",
    "skimage": "scikit-image",
}


def library(module: str, what: str, extra: str = "", otherwise: str = "") -> Any:
    """Import an optional module, or say what to install.

    Parameters
    ----------
    module : str
        Address of the module, such as ``"pyarrow.parquet"``.
    what : str
        What needs it, in the plural: ``"parquet files"``.
    extra : str
        The extra of this package that brings it: ``"parquet"``. Empty for what no extra brings.
    otherwise : str
        A way to do without it, such as ``"or give the graph yourself"``.
    """
    try:
        # What the statement `import` calls; with a `fromlist` it returns the module itself and
        # not the package that the module lies in.
        return __import__(module, fromlist=["__name__"])
    except ImportError:
        top = module.split(".")[0]
        package = PACKAGES.get(top, top)
        remedy = install(extra) if extra else f"pip install {package}"
        remedy += f", {otherwise}" if otherwise else ""
        raise ImportError(f"{what} need {package}: {remedy}.") from None


def install(extra: str) -> str:
    """The command that installs an extra of this package, also from a checkout.

    >>> install("plot")[:12]
    'pip install '
    """
    # From a checkout pip would look for a package of this name elsewhere, and may find another.
    source = Path(__file__).parents[3]
    editable = (source / "pyproject.toml").exists()
    what = shlex.quote(f"{source}[{extra}]") if editable else f"'cocluster[{extra}]'"
    return f"pip install {'-e ' if editable else ''}{what}"
