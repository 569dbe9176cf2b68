"""Co-cluster the docstrings of numpy, scipy and scikit-learn: ``python examples/docstrings.py``.

The example clusters functions and classes by three views: the words of their docstrings, the names
of their parameters, and their "See Also" references. It writes the docstrings to files, then prints
and runs a single command on these files.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from cocluster.cli import run
from cocluster.datasets import write_docstrings

# The number of subpackages, so that the report can compare the clusters with them.
CLUSTERS = 12


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; see the module docstring."""
    parser = argparse.ArgumentParser(prog="python examples/docstrings.py", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("demo-data"), help="folder for the files")
    parser.add_argument("--out", type=Path, default=Path("demo-report"), help="folder to write")
    options = parser.parse_args(arguments)
    texts = write_docstrings(options.data)
    words = ["fit", str(texts), "-k", str(CLUSTERS), "--label", "subpackage"]
    for view in ("parameters", "see_also"):
        words += ["--view", f"{view}={texts.with_name(f'{view}.csv')}"]
    words += ["--out", str(options.out), "--force"]
    print(f"$ {shlex.join(['cocluster', *words])}", flush=True)
    code = run(words)
    if code == 0:
        print(f"\nOpen {options.out / 'report.html'} in a browser.")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
