"""Coverage by floor of the package, from the JSON report of the tests.

    python -m benchmarks.coverage .coverage.json

Writes ``benchmarks/results/coverage.json``, which the page on trust shows.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "coverage.json"
# What the report of `coverage json` calls what is kept.
KEPT = {
    "lines": "num_statements",
    "covered_lines": "covered_lines",
    "branches": "num_branches",
    "covered_branches": "covered_branches",
}


def floors(report: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Counts of each floor, in the order of their names, and of all."""
    found: dict[str, dict[str, int]] = {}
    for path, about in report["files"].items():
        inside = Path(path).parts[Path(path).parts.index("cocluster") + 1 :]
        floor = inside[0] if len(inside) > 1 else "the rest"
        for name in (floor, "all"):
            own = found.setdefault(name, dict.fromkeys(KEPT, 0))
            for key, called in KEPT.items():
                own[key] += about["summary"][called]
    return dict(sorted(found.items(), key=lambda item: (item[0] == "all", item[0])))


def main(file: Path) -> None:
    """Write the summary of a report."""
    found = floors(json.loads(file.read_text(encoding="utf-8")))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
