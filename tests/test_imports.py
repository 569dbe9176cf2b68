"""Who may import whom, and what importing the package must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cocluster

ROOT = Path(cocluster.__file__).parent
METHODS = {"estimators", "spectral", "information", "kernels"}
# Everything above the data model; a module of a lower floor knows nothing of it.
ABOVE = METHODS | {"trifactor", "base"}
FORBIDDEN = {
    **dict.fromkeys(
        ["matrices", "labels", "relation", "relations", "containers", "alignment"], ABOVE
    ),
    **dict.fromkeys(
        ["scaling", "starts", "validation", "metrics", "graphs", "links", "eigen"], ABOVE
    ),
    "_kernels": ABOVE,
    "datasets": ABOVE,
    "trifactor": METHODS | {"base"},
}
HEAVY = ("numba", "pandas", "matplotlib", "polars", "anndata", "mudata", "faiss", "pyarrow")


def files_of(module: str) -> list[Path]:
    """Source files of a module or package; none if it does not exist yet."""
    single = ROOT / f"{module}.py"
    return [single] if single.exists() else sorted((ROOT / module).rglob("*.py"))


def imported(file: Path) -> set[str]:
    """First-level names of this package that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("cocluster.")}


@pytest.mark.parametrize("module", FORBIDDEN)
def test_lower_floors_know_nothing_of_upper_ones(module):
    for file in files_of(module):
        assert not imported(file) & FORBIDDEN[module], f"{file.relative_to(ROOT)} looks up"


@pytest.mark.parametrize("module", sorted(METHODS))
def test_families_of_methods_do_not_use_each_other(module):
    for file in files_of(module):
        assert not imported(file) & (METHODS - {module}), f"{file.relative_to(ROOT)} looks aside"


@pytest.mark.parametrize("module", ["matrices", "labels"])
def test_the_ground_floor_knows_no_relations(module):
    for file in files_of(module):
        assert not imported(file) & {"relations", "scaling", "starts", "validation"}


def test_a_small_fit_loads_no_optional_library():
    """Neither the import nor a small fit may wait for a compiler or a frame library.

    What scikit-learn loads by itself (pandas, in some versions) does not count.
    """
    program = f"""
import sys
import numpy as np
import sklearn.cluster

before = set(sys.modules)
import cocluster
from cocluster.methods.factorization.fnmtf import FNMTF
from cocluster.methods.information.itcc import ITCC

X = np.arange(12.0).reshape(4, 3)
for method in (FNMTF, ITCC):
    method(2).fit(X)
print(*(set({HEAVY}) & set(sys.modules) - before))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert not result.stdout.split()
