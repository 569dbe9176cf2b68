"""The Python code of the live page: turn a file or pasted texts into an HTML report.

The visitor's browser runs this module with Pyodide, without threads and without a compiler. The
data do not leave the visitor's machine. The tests run the module with ordinary Python.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cocluster import CoCluster, account
from cocluster.io import read

# A browser reports several processors but cannot start threads.
os.environ["COCLUSTER_NUM_THREADS"] = "1"

# Larger files would take minutes, because a browser uses one slow processor.
MAX_BYTES = 20_000_000
# Fewer texts than this cannot be clustered.
MIN_TEXTS = 4


def report_from_file(name: str, content: bytes, n_clusters: int | None = None) -> str:
    """Return the HTML report about a file.

    Parameters
    ----------
    name : str
        Name of the file; its extension determines the format.
    content : bytes
    n_clusters : int, optional
        Estimated if it is not given.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"{name} has {len(content) / 1e6:.0f} MB, too much for a browser; install cocluster."
        )
    with tempfile.TemporaryDirectory() as folder:
        # Only the last part of the path, because the name must not lead out of the folder.
        file = Path(folder) / Path(name).name
        file.write_bytes(content)
        dataset = read(file)
    model = CoCluster(n_clusters or "auto", random_state=0).fit(dataset.data)
    choice = getattr(model, "choice_", None)
    return account(model, dataset, choice=choice, title=Path(name).stem).to_html()


def report_from_texts(pasted: str, n_clusters: int | None = None) -> str:
    """Return the HTML report about pasted texts, one per line."""
    lines = [line.strip() for line in pasted.splitlines() if line.strip()]
    if len(lines) < MIN_TEXTS:
        raise ValueError(f"Paste at least {MIN_TEXTS} texts, one per line.")
    return report_from_file("your texts.txt", "\n".join(lines).encode(), n_clusters)
