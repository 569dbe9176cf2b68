"""What the live page runs in the visitor's browser: a file or texts in, the page of a report out.

It is plain Python, so that the tests can run it, too. There is no thread and no compiler where it
runs, and nothing leaves the machine: the file comes from the page and goes back to it.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cocluster import CoCluster, account
from cocluster.io import read

# A browser says how many processors there are, and then refuses to start a thread.
os.environ["COCLUSTER_NUM_THREADS"] = "1"

# A browser has one slow processor: beyond this a visitor would wait for minutes.
MOST_BYTES = 20_000_000
# Without blank lines each line is a text; fewer than this cannot be grouped.
FEWEST_TEXTS = 4


def of_file(name: str, content: bytes, n_clusters: int | None = None) -> str:
    """The report, an HTML page, about a file.

    Parameters
    ----------
    name : str
        Of the file; its ending says what it is.
    content : bytes
    n_clusters : int, optional
        Chosen if it is not given.
    """
    if len(content) > MOST_BYTES:
        raise ValueError(
            f"{name} has {len(content) / 1e6:.0f} MB, too much for a browser; install cocluster."
        )
    with tempfile.TemporaryDirectory() as place:
        # Only the last part: a name from outside must not lead out of the folder.
        file = Path(place) / Path(name).name
        file.write_bytes(content)
        dataset = read(file)
    model = CoCluster(n_clusters or "auto", random_state=0).fit(dataset.data)
    choice = getattr(model, "choice_", None)
    return account(model, dataset, choice=choice, title=Path(name).stem).to_html()


def of_texts(pasted: str, n_clusters: int | None = None) -> str:
    """The report about texts that were pasted, one a line."""
    lines = [line.strip() for line in pasted.splitlines() if line.strip()]
    if len(lines) < FEWEST_TEXTS:
        raise ValueError(f"Paste at least {FEWEST_TEXTS} texts, one a line.")
    return of_file("your texts.txt", "\n".join(lines).encode(), n_clusters)
