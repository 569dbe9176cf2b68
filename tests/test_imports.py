"""Who may import whom, and what importing the package must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import cocluster

ROOT = Path(cocluster.__file__).parent
# The house, from the ground up. A room knows the floors below it, and rooms beside it that do not
# know it themselves. This holds for imports inside functions and for those of types, too.
FLOORS = (
    {"utils"},
    {"linalg"},
    {"blocks"},
    {"data"},
    {"links"},
    {"graphs"},
    {"trifactor"},
    {"methods"},
    {"metrics", "preprocessing", "io", "datasets", "report", "interview"},
    {"projects", "omics"},
    {"cli", "web"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# The way in: they know every floor, and no floor knows them.
DOORS = {"cocluster", "cocluster.__main__"}
HEAVY = (
    "numba",
    "pandas",
    "matplotlib",
    "polars",
    "anndata",
    "mudata",
    "faiss",
    "pyarrow",
    "jinja2",
)


def module_of(file: Path) -> str:
    """Address of a source file."""
    parts = ("cocluster", *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(file): file for file in sorted(ROOT.rglob("*.py"))}


def imported(file: Path) -> set[str]:
    """Modules of this package that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module or "" for name in names}
    return {name for name in found if name in MODULES}


IMPORTS = {
    module: imported(file) - {module} for module, file in MODULES.items() if module not in DOORS
}


def room(module: str) -> str:
    """The package or loose module that a module belongs to."""
    return module.split(".")[1]


def test_every_room_stands_on_a_floor():
    assert {room(module) for module in IMPORTS} <= set(FLOOR)


def test_no_room_knows_a_floor_above_it():
    for module, others in IMPORTS.items():
        for other in others - DOORS:
            assert FLOOR[room(other)] <= FLOOR[room(module)], f"{module} looks up to {other}"


def test_no_circle_of_rooms_and_no_circle_of_modules():
    rooms: dict[str, set[str]] = {}
    for module, others in IMPORTS.items():
        rooms.setdefault(room(module), set()).update(map(room, others - DOORS))
    for name, others in rooms.items():
        others.discard(name)
    # Either raises a CycleError that names the circle.
    TopologicalSorter(rooms).prepare()
    TopologicalSorter(IMPORTS).prepare()


def test_families_of_methods_do_not_use_each_other():
    families = {"factorization", "information", "kernel_kmeans", "spectral"}
    for module, others in IMPORTS.items():
        for other in others:
            pair = [name.split(".")[2] for name in (module, other) if name.count(".") > 1]
            aside = len(pair) == 2 and set(pair) <= families and pair[0] != pair[1]
            assert not aside, f"{module} looks aside to {other}"


def test_few_modules_stand_beside_the_packages():
    assert len(list(ROOT.glob("*.py"))) <= 6


def test_a_small_fit_loads_no_optional_library():
    """Neither the import nor a small fit may wait for a compiler or a frame library.

    What scikit-learn loads by itself (pandas, in some versions) does not count.
    """
    program = f"""
import sys
import numpy as np
import sklearn.cluster

before = set(sys.modules)
from cocluster import FNMTF, ITCC

X = np.arange(12.0).reshape(4, 3)
for method in (FNMTF, ITCC):
    method(2).fit(X)
print(*(set({HEAVY}) & set(sys.modules) - before))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert not result.stdout.split()
