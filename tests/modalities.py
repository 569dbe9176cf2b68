"""MuData without columns that nobody asked for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import mudata


def modalities_alone() -> AbstractContextManager[object]:
    """Modalities keep their columns to themselves inside a ``with`` block, in any version."""
    # mudata 0.3 pulls them up and warns that it will not; 0.4 does not, and has lost the option.
    if not hasattr(mudata, "set_options"):
        return nullcontext()
    return mudata.set_options(pull_on_update=False)
