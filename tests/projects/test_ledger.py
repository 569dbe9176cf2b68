"""Ledgers that people have edited are read, or refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from cocluster.projects.ledger import Ledger

IDS = np.array(["s0", "s1", "s2"], dtype=object)


@pytest.mark.parametrize("step", ["", "x", "-3", "1.5", "\u00b2", "9" * 5000, " 7 "])
def test_steps_that_are_no_numbers_are_steps_of_their_own(tmp_path, step):
    file = tmp_path / "links.csv"
    file.write_text(f"a,b,relation,step\ns0,s1,same,{step}\ns1,s2,different,2\n", encoding="utf-8")
    ledger = Ledger(file, IDS)
    assert len(ledger.lines()) == 2
    assert len(ledger.steps()) == 2
    assert ledger.links().n_must == 1
    assert max(ledger.steps()) == (7 if step.strip() == "7" else 2)
