"""Real mail, as it comes: with headers, quotes and signatures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cocluster import open_project
from tests.cli.run import done

FILE = Path(os.environ.get("COCLUSTER_DATA", "")) / "text" / "ng20_mini_raw.jsonl.gz"


@pytest.mark.slow
@pytest.mark.skipif(not FILE.is_file(), reason="needs COCLUSTER_DATA")
def test_raw_newsgroups_are_grouped_well_without_any_option_on_words(tmp_path):
    done("fit", str(FILE), "-k", "20", "--out", "news", cwd=tmp_path)
    classes = open_project(tmp_path / "news").account.classes
    # What counting words with care gives with any method worth its name; bare counts give .26.
    assert classes.accuracy >= 0.48
