"""Ledgers that people wrote or edited by hand are read, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cocluster.links import Links
from cocluster.projects.ledger import HEAD, Ledger

IDS = np.array(["s0", "s1", "s2"], dtype=object)
LINES = "a,b,must-link\nb,c,cannot-link\n"


@pytest.mark.parametrize("head", ["", "a,b,relation\n", "relation,a,b\n", ",".join(HEAD) + "\n"])
def test_lines_written_by_hand_are_undone_and_added_to(tmp_path: Path, head: str):
    lines = LINES if not head.startswith("relation") else "must-link,a,b\ncannot-link,b,c\n"
    file = tmp_path / "links.csv"
    file.write_text(head + lines)
    ledger = Ledger(file, np.array(list("abcd"), dtype=object))
    first, second = ledger.steps()
    ledger.undo(second)
    assert list(ledger.steps()) == [first]
    step = ledger.add(Links.from_pairs([[2, 3]], n_samples=4), "later")
    assert step > 0
    assert [line.undone for line in ledger.lines()] == [False, True, False]
    links = ledger.links()
    assert links is not None
    assert sorted(map(tuple, links.pairs.tolist())) == [(0, 1), (2, 3)]


@pytest.mark.parametrize("step", ["", "x", "-3", "1.5", "\u00b2", "9" * 5000, " 7 "])
def test_steps_that_are_no_numbers_are_steps_of_their_own(tmp_path, step):
    file = tmp_path / "links.csv"
    file.write_text(f"a,b,relation,step\ns0,s1,same,{step}\ns1,s2,different,2\n", encoding="utf-8")
    ledger = Ledger(file, IDS)
    assert len(ledger.lines()) == 2
    assert len(ledger.steps()) == 2
    assert ledger.links().n_must == 1
    assert max(ledger.steps()) == (7 if step.strip() == "7" else 2)


@pytest.mark.parametrize("exists", [True, False])
def test_a_ledger_that_is_a_link_is_not_written_through(tmp_path: Path, exists: bool):
    outside = tmp_path / "aliases"
    if exists:
        outside.write_text("alias ll='ls -l'\n")
    file = tmp_path / "links.csv"
    file.symlink_to(outside)
    with pytest.raises((PermissionError, ValueError)):
        Ledger(file, IDS).add(Links.from_pairs([[0, 1]], n_samples=3), "person")
    assert outside.exists() == exists
    assert not exists or outside.read_text() == "alias ll='ls -l'\n"


def test_a_hard_linked_ledger_is_not_written_through(tmp_path: Path):
    outside = tmp_path / "aliases"
    outside.write_text(",".join(HEAD) + "\n")
    (tmp_path / "links.csv").hardlink_to(outside)
    with pytest.raises(PermissionError, match="hard link"):
        Ledger(tmp_path / "links.csv", IDS).add(Links.from_pairs([[0, 1]], n_samples=3), "person")
    assert outside.read_text() == ",".join(HEAD) + "\n"
