"""Libraries that are only needed for some things."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def library(module: str, what: str, extra: str) -> Any:
    """An optional library, or what to install."""
    try:
        return import_module(module)
    except ImportError:
        package = module.split(".")[0]
        raise ImportError(f"{what} need {package}: pip install 'cocluster[{extra}]'.") from None
