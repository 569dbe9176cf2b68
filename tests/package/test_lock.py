"""The lock for development: everything that is declared is in it, at a version that is allowed."""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from tests.package.needs import ROOT, declared

LINE = re.compile(r"([\w.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}")


def locked() -> dict[str, str]:
    """Versions by name; every line but those of the head must be one."""
    lines = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    found = [LINE.fullmatch(line) for line in lines if not line.startswith("#")]
    assert all(found), "a line has no checksum, or something else"
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def test_what_is_declared_is_locked_at_a_version_that_is_allowed():
    versions = locked()
    for wanted in (requirement for own in declared().values() for requirement in own):
        version = versions.get(canonicalize_name(wanted.name))
        assert version is not None, f"{wanted.name} is missing: make lock"
        assert wanted.specifier.contains(version), f"{wanted} is locked at {version}: make lock"
