"""Co-cluster the docstrings of numpy, scipy and scikit-learn: ``python examples/docstrings.py``.

Functions and classes, the words of their docstrings, the names of their parameters and their "See
Also" references are clustered together. Prints what each co-cluster is about and writes a folder
with the report, the labels as CSV and a picture.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cocluster import CoCluster
from cocluster.data.relational import star
from cocluster.datasets import Corpus, load_docstrings
from cocluster.linalg.types import Array
from cocluster.metrics import scores
from cocluster.report.features import characteristic_features
from cocluster.report.plots import plot_reordering

VIEW_TITLES = {"words": "words", "parameters": "parameters", "see_also": "see also"}
FILES = """\
- `labels.csv`: cluster of each function and class, with its subpackage
- `features.csv`: cluster of each word, parameter name and reference"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the example; see the module docstring."""
    parser = argparse.ArgumentParser(prog="python examples/docstrings.py", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo-report"), help="folder to write")
    out: Path = parser.parse_args(arguments).out
    out.mkdir(parents=True, exist_ok=True)

    corpus = load_docstrings()
    started = time.perf_counter()
    model = CoCluster(n_clusters=len(corpus.class_names), random_state=0).fit(star(corpus.views))
    seconds = time.perf_counter() - started
    labels = model.labels_by_type_

    text = describe(corpus, labels)
    print(text)
    print(f"\nCo-clustered in {seconds:.1f} s.")
    write_tables(corpus, labels, out)
    picture = write_picture(corpus, labels, out)
    report = out / "report.md"
    report.write_text(f"{text}\n\n## Files\n\n{FILES}\n{picture}\n", encoding="utf-8")
    print(report)


def describe(corpus: Corpus, labels: Mapping[str, Array]) -> str:
    """Readable account (Markdown) of the corpus, the scores and every co-cluster."""
    clusters = Counter(labels["samples"].tolist())
    features = {
        view: characteristic_features(X, labels["samples"], corpus.feature_names[view])
        for view, X in corpus.views.items()
    }
    sections = [_overview(corpus, labels["samples"])]
    for cluster, size in clusters.most_common():
        members = np.flatnonzero(labels["samples"] == cluster)
        lines = [f"## Co-cluster {cluster}: {size:,} functions and classes", ""]
        lines.append(f"- **subpackages**: {_shares(corpus.class_names[corpus.labels[members]])}")
        for view, title in VIEW_TITLES.items():
            lines.append(f"- **{title}**: {', '.join(features[view][cluster]) or 'none'}")
        lines.append(f"- **among them**: {', '.join(_evenly(corpus.names[members], 4))}")
        sections.append("\n".join(lines))
    return "\n\n".join(sections)


def write_tables(corpus: Corpus, labels: Mapping[str, Array], out: Path) -> None:
    """Write the clusters of documents and of features as CSV."""
    subpackages = corpus.class_names[corpus.labels]
    _write_csv(
        out / "labels.csv",
        ("name", "subpackage", "cluster"),
        zip(corpus.names, subpackages, labels["samples"], strict=True),
    )
    _write_csv(
        out / "features.csv",
        ("view", "feature", "cluster"),
        (
            (view, feature, cluster)
            for view, names in corpus.feature_names.items()
            for feature, cluster in zip(names, labels[view], strict=True)
        ),
    )


def write_picture(corpus: Corpus, labels: Mapping[str, Array], out: Path) -> str:
    """Draw documents by words, before and after; returns the line of the report about it."""
    try:
        plot_reordering(
            corpus.views["words"], labels["samples"], labels["words"], out / "matrix.png"
        )
    except ImportError as error:
        print(f"No picture was drawn. {error}")
        return f"- no picture was drawn. {error}"
    return (
        "- `matrix.png`: documents by words, before and after sorting by cluster\n\n"
        "![documents by words, before and after](matrix.png)"
    )


def _overview(corpus: Corpus, found: Array) -> str:
    """Sizes and scores."""
    words, parameters, see_also = (corpus.views[view].shape[1] for view in VIEW_TITLES)
    values = ", ".join(
        f"{name} {value:.3f}" for name, value in scores(corpus.labels, found).items()
    )
    return (
        f"# Docstrings of numpy, scipy and scikit-learn in {len(set(found.tolist()))} co-clusters\n"
        f"\n{len(found):,} functions and classes; {words:,} words, {parameters:,} parameter names, "
        f'{see_also:,} "See Also" references.\n'
        f"Against the {len(corpus.class_names)} subpackages they come from, which the method did "
        f"not see:\n{values}."
    )


def _shares(class_names: Array) -> str:
    """The subpackages that hold at least a tenth of a cluster, largest first."""
    counts = Counter(class_names.tolist()).most_common()
    shown = [item for item in counts if item[1] >= len(class_names) / 10] or counts[:1]
    return ", ".join(f"{name} {count / len(class_names):.0%}" for name, count in shown)


def _evenly(names: Array, n: int) -> list[str]:
    """A few names from all over the list."""
    return [str(name) for name in names[np.unique(np.linspace(0, len(names) - 1, n).astype(int))]]


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
