"""Everything that the killed commands need, loaded once before they are forked."""

from __future__ import annotations

from importlib import import_module

for name in ("ask", "choose_k", "edit", "fit", "serve"):
    import_module(f"cocluster.cli.commands.{name}")
for name in (
    "benchmarks.__main__",
    "benchmarks.faults.serving",
    "cocluster.cli.reading",
    "cocluster.cli.shown",
    "cocluster.interview",
    "cocluster.methods.n_clusters",
    "cocluster.projects.making",
    "cocluster.web.serve",
    "benchmarks.papers.solvers",
):
    import_module(name)
