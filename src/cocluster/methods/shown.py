"""What a notebook shows of a fitted model: a short table instead of a list of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from cocluster.utils.html import Html, markup, small_table, tag

# Clusters that are listed: more would push away what stands around the table.
LISTED = 20


def fitted_table(model: Any) -> Html | None:
    """Sizes of the clusters of samples, and how the fit went; None before the fit."""
    labels = vars(model).get("labels_by_type_")
    if not labels:
        return None
    first, own = next(iter(labels.items()))
    ids, sizes = np.unique(np.asarray(own), return_counts=True)
    rows = [
        [cluster, f"{size:,}", f"{size / len(own):.0%}"]
        for cluster, size in zip(ids[:LISTED].tolist(), sizes[:LISTED].tolist(), strict=True)
    ]
    if len(ids) > LISTED:
        rest = int(sizes[LISTED:].sum())
        rows.append([f"{len(ids) - LISTED} more", f"{rest:,}", f"{rest / len(own):.0%}"])
    counted = [
        f"{len(values):,} {name} in {len(np.unique(values))} clusters"
        for name, values in labels.items()
    ]
    facts = [*counted, *_how_it_went(model)]
    table = small_table(f"{type(model).__name__}, fitted", ["cluster", first, "share"], rows)
    return markup(table, tag("p", "; ".join(facts), "."))


def _how_it_went(model: Any) -> list[str]:
    """Method, sweeps, links."""
    fitted = getattr(model, "model_", model)
    facts = [f"method {type(fitted).__name__}"] if fitted is not model else []
    sweeps = getattr(fitted, "n_iter_", None)
    if sweeps is not None:
        end = "" if getattr(fitted, "converged_", True) else ", cut off"
        facts.append(f"{sweeps} sweeps{end}")
    for name, report in (getattr(model, "links_report_", None) or {}).items():
        facts.append(f"links on {name}: {report.n_satisfied:,} kept, {report.n_violated:,} broken")
    return facts
