"""The command line: ``cocluster fit | methods | data``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from cocluster.datasets import list_datasets
from cocluster.io.dataset import Dataset
from cocluster.io.readers import read
from cocluster.io.runs import write_run
from cocluster.linalg.matrices import is_nonnegative
from cocluster.links import Links
from cocluster.methods.auto import CoCluster
from cocluster.methods.catalogue import METHODS
from cocluster.report.features import characteristic_features
from cocluster.trifactor import Progress

app = typer.Typer(help="Group the rows and the columns of data at the same time.")
console = Console()


@app.command()
def fit(
    file: Annotated[Path, typer.Argument(help="A file or folder of data; samples are rows.")],
    clusters: Annotated[int, typer.Option("-k", "--clusters", help="Clusters of samples.")],
    method: Annotated[str, typer.Option(help="See `cocluster methods`.")] = "auto",
    column_clusters: Annotated[int | None, typer.Option(help="Clusters of features.")] = None,
    links: Annotated[Path | None, typer.Option(help="File of must-links and cannot-links.")] = None,
    out: Annotated[Path | None, typer.Option(help="New folder for the results.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same labels.")] = 0,
) -> None:
    """Co-cluster a file and write the labels to a folder."""
    target = Path(f"{file.name.split('.')[0]}-run") if out is None else out
    if target.exists():
        raise FileExistsError(f"{target} exists already; name another folder with --out.")
    dataset = read(file)
    for note in dataset.notes:
        console.print(f"[yellow]note[/] {note}")
    data = dataset.data
    supervision = None
    if links is not None:
        supervision = Links.read(links, ids=dataset.sample_names, n_samples=len(dataset))
    model = CoCluster(clusters, method, n_column_clusters=column_clusters, random_state=seed)
    start = time.perf_counter()
    with Bar(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bar:
        task = bar.add_task("starting")

        def show(progress: Progress) -> None:
            bar.update(task, description=f"sweep {progress.sweep}: {progress.objective:.6g}")

        model.fit(data, links=supervision, callback=show)
    seconds = time.perf_counter() - start
    about = {"file": file, "links_file": links, "seconds": seconds}
    folder = write_run(target, model, data, about=about)
    console.print(_clusters_table(dataset, model))
    console.print(f"{type(model.model_).__name__}, {seconds:.1f} s, written to {folder}")


@app.command()
def methods() -> None:
    """List all methods, what they take and what they give."""
    table = Table()
    for head in ("name", "class"):
        table.add_column(head, no_wrap=True)
    for head in ("what", "any sign", "many types", "soft", "by blocks"):
        table.add_column(head)
    for name, method in METHODS.items():
        marks = (method.negative, method.many_types, method.soft, method.blocks)
        table.add_row(name, method.name, method.title, *("yes" if mark else "" for mark in marks))
    console.print(table)


@app.command()
def data(kind: Annotated[str | None, typer.Argument(help="text, gene, image, ...")] = None) -> None:
    """List the data sets that `cocluster.datasets.fetch` knows."""
    table = Table("name", "kind", "shape", "classes", "licence")
    for info in list_datasets(kind):
        table.add_row(info.name, info.kind, str(info.shape), str(info.classes), info.licence)
    console.print(table)


def _clusters_table(dataset: Dataset, model: CoCluster) -> Table:
    """Size of every cluster, and its characteristic features where they have names."""
    views = {
        name: matrix
        for name, matrix in dataset.views.items()
        if name in dataset.feature_names and name not in dataset.present and is_nonnegative(matrix)
    }
    words = {
        name: characteristic_features(X, model.labels_, dataset.feature_names[name], n=6)
        for name, X in views.items()
    }
    table = Table("cluster", "size", *views)
    for cluster, size in enumerate(np.bincount(model.labels_)):
        features = [", ".join(words[name].get(cluster, [])) for name in views]
        table.add_row(str(cluster), str(size), *features)
    return table


def main() -> None:
    """Run; an error of the user's is one sentence, not a traceback."""
    try:
        app(standalone_mode=False)
    except typer.Abort:
        raise SystemExit(130) from None
    except (ValueError, TypeError, OSError) as error:
        Console(stderr=True).print(f"[red]error[/] {error}")
        raise SystemExit(1) from error
