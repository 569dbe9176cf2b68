"""The core alone: with numpy, scipy and scikit-learn it fits, and names what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from cocluster.cli.commands.doctor import EXTRAS
from tests.package.needs import declared, with_theirs

PROGRAM = """
import runpy, sys
hidden = set(sys.argv[1].split(","))

class Without:
    def __init__(self, finders):
        self.finders = finders

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            return None
        found = (finder.find_spec(name, path, target) for finder in self.finders)
        return next((spec for spec in found if spec is not None), None)

    def find_distributions(self, *given):
        finders = [f for f in self.finders if hasattr(f, "find_distributions")]
        return (own for finder in finders for own in finder.find_distributions(*given))

sys.meta_path[:] = [Without(list(sys.meta_path))]
sys.argv = [sys.argv[2]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_the_core_alone_fits_and_every_missing_extra_is_named_with_its_command():
    core = {package.metadata["Name"].lower() for package in with_theirs(declared()[""])}
    installed = packages_distributions()
    hidden = {
        module for module, owners in installed.items() if not core & {o.lower() for o in owners}
    }
    # The package under test, and what belongs to the interpreter of the tests.
    hidden -= {"cocluster", "pip", "setuptools", "pkg_resources", "_distutils_hack"}
    script = Path(__file__).with_name("core.py")
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(hidden), str(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert found.returncode == 0, found.stderr
    for extra in set(EXTRAS) - {"fast", "dask"}:
        # Without numba everything works, and Dask comes with the data of those who use it.
        assert f"\n{extra}: " in found.stdout


def test_the_doctor_knows_every_extra_by_a_package_of_it():
    known = declared()
    assert set(EXTRAS) == set(known) - {"", "cli", "dev", "docs"}
    for extra, (package, _) in EXTRAS.items():
        assert package in {requirement.name for requirement in known[extra]}
