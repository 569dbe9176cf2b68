"""All methods, family by family; `catalogue` lists them and `auto` is the front door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cocluster.methods.catalogue import METHODS, Method

__all__ = ["METHODS", "Method"]


def __getattr__(name: str) -> Any:
    # Lazy, because the catalogue would load every method when any module of this package is used.
    if name in __all__:
        from cocluster.methods import catalogue

        return getattr(catalogue, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
