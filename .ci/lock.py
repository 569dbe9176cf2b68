"""Write requirements-dev.lock: what `pip install -e ".[dev,docs]"` takes today, with checksums.

    python .ci/lock.py                                      write it
    pip install --require-hashes -r requirements-dev.lock   install exactly that

For the Python and the kind of machine that it is called with. pip resolves; nothing is installed.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HEAD = """\
# What `pip install -e ".[dev,docs]"` took, for Python {python} on {system} ({machine}).
# Written by `make lock`. To install exactly this, and then the package itself:
#     pip install --require-hashes -r requirements-dev.lock && pip install --no-deps -e .
"""


def resolved() -> list[dict[str, Any]]:
    """What pip would install into an empty environment."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        options = ["--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        words = [sys.executable, "-m", "pip", "install", *options, f"{ROOT}[dev,docs]"]
        subprocess.run(words, check=True)
        found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def line(package: dict[str, Any]) -> str:
    """Name, version and checksum; not the address, which differs from place to place."""
    about, archive = package["metadata"], package["download_info"]["archive_info"]
    return (
        f"{about['name'].lower()}=={about['version']} --hash=sha256:{archive['hashes']['sha256']}"
    )


def written(packages: list[dict[str, Any]]) -> str:
    """The whole file."""
    head = HEAD.format(
        python=".".join(platform.python_version_tuple()[:2]),
        system=platform.system(),
        machine=platform.machine(),
    )
    others = [package for package in packages if package["metadata"]["name"] != "cocluster"]
    return head + "".join(f"{text}\n" for text in sorted(map(line, others)))


if __name__ == "__main__":
    (ROOT / "requirements-dev.lock").write_text(written(resolved()), encoding="utf-8")
