"""The tests on every supported Python, and with the oldest versions of what we depend on.

nox                 all sessions whose Python can be found
nox -s tests-3.12   one of them
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13"]
# What Pyodide 314 has: the live page of the documentation runs on it.
PYODIDE = ["numpy==2.4.6", "scipy==1.18.0", "scikit-learn==1.8.0", "threadpoolctl==3.6.0"]
# Runs in this order if none is named; a Python that is not installed is skipped with a word.
nox.options.sessions = ["lint", "tests", "lowest", "browser"]


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


@nox.session(python=PYTHONS[-1])
def browser(session: nox.Session) -> None:
    """The Python side of the live page, with the versions that a browser would load."""
    session.install(".", *PYODIDE, "pytest")
    session.run("pytest", "tests/docs/test_live.py", *session.posargs)
