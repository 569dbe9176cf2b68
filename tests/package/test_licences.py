"""Everything that an extra brings, and all that comes with it, may be used with this package."""

from __future__ import annotations

import re
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from tests.package.needs import declared, with_theirs

# Words of licences by which a package may be depended on, and why. None of them asks anything of
# a program that only imports the package.
ALLOWED = {
    r"\b0?BSD\b": "permissive",
    r"\bMIT\b": "permissive (MIT-CMU is that of Pillow)",
    r"\bApache\b": "permissive, with a grant of patents",
    r"\bPSF\b|Python Software Foundation": "permissive, that of Python itself",
    r"\bZlib\b": "permissive",
    r"\bCC0\b|Public Domain": "no conditions",
    r"\bMPL\b|Mozilla Public License": "copyleft for its own files only, which we do not change",
}
# Packages whose metadata do not say it, and why they may be used all the same.
KNOWN = {
    "axe-playwright-python": "MIT by the file in its repository; used by tests only",
    "docutils": "public domain and BSD; the GPL is that of one file for Emacs; used by docs only",
}


def licence(package: Distribution) -> str:
    """What the metadata say, the most exact first."""
    about = package.metadata
    classifiers = [c for c in about.get_all("Classifier") or [] if c.startswith("License ::")]
    return (
        about.get("License-Expression")
        or ", ".join(c.rpartition("::")[2].strip() for c in classifiers)
        # Some put the whole text there; its first line is the name.
        or (about.get("License") or "").strip().partition("\n")[0]
    )


def parts(text: str) -> list[str]:
    """The licences that a text names, without exceptions to them, which only allow more."""
    bare = re.sub(r"\bWITH\s+\S+", "", text)
    return [part.strip(" ()") for part in re.split(r"\bAND\b|\bOR\b|,", bare)]


def test_every_licence_is_one_of_those_that_are_allowed():
    refused = {}
    for package in with_theirs(r for own in declared().values() for r in own):
        name = package.metadata["Name"].lower()
        found = parts(licence(package))
        fine = all(any(re.search(word, part) for word in ALLOWED) for part in found)
        if not fine and name not in KNOWN:
            refused[name] = found
    assert not refused


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", True),
        ("GNU General Public License (GPL)", False),
        ("MIT AND GPL-3.0-only", False),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_what_is_not_allowed_is_found(text, fine):
    assert fine == all(any(re.search(word, part) for word in ALLOWED) for part in parts(text))


def test_the_licence_of_what_is_packed_with_the_package_is_there():
    import cocluster.web

    vendor = Path(cocluster.web.__file__).parent / "static" / "vendor"
    texts = [file.read_text(encoding="utf-8") for file in vendor.glob("LICENSE*")]
    assert len(texts) == 2
    assert all(any(re.search(word, text) for word in ALLOWED) for text in texts)
