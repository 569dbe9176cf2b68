"""Addresses that modules had before: they still lead to the same modules, by one table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# What stood beside the packages once, and where it is now, both below the package.
MOVED = {
    "information": "methods.information",
    "kernels": "methods.kernel_kmeans",
    "plots": "report.plots",
    "readers": "io.readers",
    "relations": "data.relational",
    "spectral": "methods.spectral",
    "threads": "utils.threads",
}


class OldAddresses:
    """An import hook: an old address, or one below it, is answered with the module of today."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        """How to load a module, if its address is an old one; else None, and others are asked."""
        package, _, rest = name.partition(".")
        first, dot, below = rest.partition(".")
        if package != self.package or first not in MOVED:
            return None
        today = f"{package}.{MOVED[first]}{dot}{below}"
        return ModuleSpec(name, self, origin=today)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module for the time being, as by default."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in its place: the import system hands out what stands there."""
        spec = module.__spec__
        assert spec is not None
        assert spec.origin is not None
        sys.modules[spec.name] = import_module(spec.origin)


def register(package: str) -> None:
    """Let old addresses of a package be imported; a second call, as by a reload, does nothing."""
    if not any(isinstance(finder, OldAddresses) for finder in sys.meta_path):
        # First: a package found at its old address would load the files below it a second time.
        sys.meta_path.insert(0, OldAddresses(package))
