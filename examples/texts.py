"""Co-cluster texts and their words: ``python examples/texts.py FILE -k 20``.

FILE is a folder of texts, a table with a column of texts (CSV, Excel, parquet), a JSON file, or a
file with one text per line; it may be compressed. With ``--model NAME``, embeddings by a model of
sentence-transformers are used as a second view.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cocluster import CoCluster
from cocluster.io import read
from cocluster.preprocessing import sentence_model
from cocluster.report.statistics import characteristic_features


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the example; see the module docstring."""
    parser = argparse.ArgumentParser(prog="python examples/texts.py", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("-k", "--clusters", type=int, default=10)
    parser.add_argument("--model", help="sentence-transformers model, for example all-MiniLM-L6-v2")
    options = parser.parse_args(arguments)

    dataset = read(options.file)
    if options.model:
        dataset = dataset.with_view("embeddings", sentence_model(options.model))
    print(dataset.reading.summary())
    print(dataset.reading.counting)
    for note in dataset.notes:
        print(f"note: {note}")

    labels = CoCluster(options.clusters, random_state=0).fit(dataset.data).labels_
    names = dataset.feature_names["words"]
    words = characteristic_features(dataset.views["words"], labels, names, n=8)
    for cluster, size in enumerate(np.bincount(labels)):
        print(f"{size:6,}  {', '.join(words.get(cluster, []))}")


if __name__ == "__main__":
    main()
