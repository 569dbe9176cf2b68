"""The wheel and the source archive hold what they must, and nothing else."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

backend = pytest.importorskip("hatchling.build")

ROOT = Path(__file__).parents[2]
# What is no code, and without which something would not work, or would not be allowed.
MUST = (
    "cocluster/py.typed",
    "cocluster/report/account.schema.json",
    "cocluster/report/templates/page.html.j2",
    "cocluster/datasets/registry.toml",
    "cocluster/web/static/index.html",
    "cocluster/web/static/vendor/lock.json",
    "cocluster/web/static/vendor/LICENSE-preact",
)


def built(folder: Path, root: Path = ROOT) -> tuple[Path, Path]:
    """A wheel and a source archive, made by the backend that pip calls."""
    before = Path.cwd()
    os.chdir(root)
    try:
        return folder / backend.build_wheel(str(folder)), folder / backend.build_sdist(str(folder))
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return built(tmp_path_factory.mktemp("built"))


def sums(wheel: Path) -> dict[str, str]:
    """Checksums of what the package itself has in a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return {
            name: hashlib.sha256(opened.read(name)).hexdigest()
            for name in opened.namelist()
            if name.startswith("cocluster/")
        }


def test_the_wheel_has_every_file_of_the_package_and_no_other(archives):
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src/cocluster"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("this is no checkout of git")
    found = sums(archives[0])
    own = [name for name in listed.stdout.split("\0") if (ROOT / name).is_file()]
    assert set(found) >= {name.removeprefix("src/") for name in own}
    assert set(found) >= set(MUST)
    with zipfile.ZipFile(archives[0]) as opened:
        rest = {name for name in opened.namelist() if not name.startswith("cocluster/")}
    assert {name.partition("/")[0].rpartition(".")[2] for name in rest} == {"dist-info"}
    assert any(name.endswith("licenses/LICENSE") for name in rest)


def test_the_wheel_says_what_the_project_says(archives):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(archives[0]) as opened:
        (name,) = (n for n in opened.namelist() if n.endswith("dist-info/METADATA"))
        about = Parser().parsestr(opened.read(name).decode())
        entries = opened.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert (about["Name"], about["Version"]) == ("cocluster", project["version"])
    assert about["License-Expression"] == project["license"]
    needed = about.get_all("Requires-Dist") or []
    assert sum("extra ==" not in text for text in needed) == len(project["dependencies"])
    assert set(about.get_all("Provides-Extra") or []) >= {"fast", "plot", "web"}
    assert "cocluster = cocluster.__main__:main" in entries


def test_the_source_archive_makes_the_same_wheel_and_has_no_data_of_tests(archives, tmp_path):
    wheel, source = archives
    with tarfile.open(source) as opened:
        names = [member.name.partition("/")[2] for member in opened]
        opened.extractall(tmp_path, filter="data")
    tops = {name.partition("/")[0] for name in names}
    assert {"src", "pyproject.toml", "LICENSE", "README.md"} <= tops
    assert not tops & {"tests", "benchmarks", "docs", ".ci", ".git"}
    (unpacked,) = tmp_path.iterdir()
    (tmp_path / "again").mkdir()
    again, _ = built(tmp_path / "again", unpacked)
    assert sums(again) == sums(wheel)
