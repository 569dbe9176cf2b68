"""The tests on every supported Python, with the oldest and newest libraries, and as packed.

nox                 all sessions whose Python can be found
nox -s tests-3.12   one of them
nox -s wheel core   the package as users install it

Deprecation warnings are errors in all of them (``filterwarnings`` in pyproject.toml).
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
# What Pyodide 314 has: the live page of the documentation runs on it.
PYODIDE = ["numpy==2.4.6", "scipy==1.18.0", "scikit-learn==1.8.0", "threadpoolctl==3.6.0"]
# Runs in this order if none is named; a Python that is not installed is skipped with a word.
nox.options.sessions = ["lint", "tests", "lowest", "newest", "wheel", "core", "browser"]


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """The linters and the type checker."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The ordinary tests with the newest versions of everything."""
    session.install("-e", ".[dev]")
    session.run("pytest", "-n", "auto", "-m", "not slow", *session.posargs)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The ordinary tests with the lowest declared version of each dependency of the core.

    Libraries of the extras come as new as those allow.
    """
    declared = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = [requirement.replace(">=", "==") for requirement in declared["dependencies"]]
    # The oldest scikit-learn hands pytest an iterator, of which pytest 9 warns.
    session.install("-e", ".[dev]", *pins, "pytest<9")
    session.run("pytest", "-n", "auto", "-m", "not slow", *session.posargs)


# Not on 3.11, which the newest numpy and anndata have left behind.
@nox.session(python=PYTHONS[1])
def newest(session: nox.Session) -> None:
    """The ordinary tests with the newest versions there are, those before a release included."""
    session.install("-e", ".[dev]")
    announced = ["numpy", "scipy", "scikit-learn", "pandas"]
    session.install("--upgrade", "--pre", "--only-binary", ":all:", *announced)
    session.run("pytest", "-n", "auto", "-m", "not slow", *session.posargs)


@nox.session(python=PYTHONS[0])
def wheel(session: nox.Session) -> None:
    """The quick tests against the wheel, installed as users do; the sources are out of reach."""
    packed = _packed(session)
    session.install(f"cocluster[dev] @ {packed.as_uri()}")
    where = "import cocluster; assert 'site-packages' in cocluster.__file__, cocluster.__file__"
    session.run("python", "-P", "-c", where)
    # Only the tests: below src lie the examples of the sources.
    quick = ["-m", "not slow and not thorough", "-n", "auto"]
    session.run("pytest", *quick, "tests", *session.posargs)


@nox.session(python=PYTHONS[0])
@nox.parametrize("how", ["wheel", "checkout"])
def core(session: nox.Session, how: str) -> None:
    """The core alone fits and names what is missing; what it says to install is installed."""
    session.install(*([str(_packed(session))] if how == "wheel" else ["-e", "."]))
    session.run("python", "tests/package/core.py", "--install", "excel", *session.posargs)


def _packed(session: nox.Session) -> Path:
    """The package as a wheel."""
    place = Path(session.create_tmp()).absolute()
    for old in place.glob("*.whl"):
        old.unlink()
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(place), ".")
    (found,) = place.glob("*.whl")
    return found


# Pyodide 314 is a Python 3.13.
@nox.session(python="3.13")
def browser(session: nox.Session) -> None:
    """The Python side of the live page, with the versions that a browser would load."""
    session.install(".", *PYODIDE, "pytest")
    session.run("pytest", "tests/docs/test_live.py", *session.posargs)
