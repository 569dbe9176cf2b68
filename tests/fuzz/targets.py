"""What is tried: each target takes bytes, and must give a sound result or one clear sentence."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz import seeds
from tests.fuzz.trees import packed, read_tree, unpacked, write_tree
from tests.io import writers

# Bytes that a matrix on disk may take in memory: little, so that blocks are cut.
MEMORY = 10**6
# A sentence that a person reads; longer ones print the data.
LONGEST_SENTENCE = 1500


@dataclass(frozen=True)
class Target:
    """One thing that takes input from outside.

    Attributes
    ----------
    name : str
        Of the target, and of its line in the table of results.
    file : str
        What a case is called on disk; the ending tells the mutator its structure, and ``.tree`` is
        a folder.
    seeds : callable
        Sound inputs.
    run : callable of Path
        Reads the file or folder; what it raises is judged by `sentence_of`.
    cases : int
        How many an ordinary test tries: about two seconds of them.
    warns : str
        Beginning of a warning that it may give, because it is documented.
    """

    name: str
    file: str
    seeds: Callable[[], list[bytes]]
    run: Callable[[Path], None]
    cases: int = 300
    warns: str | None = None


class Unsound(AssertionError):
    """A result that is none."""


def demand(held: bool, what: str) -> None:
    """Refuse a result; not by `assert`, which readers might be thought to raise themselves."""
    if not held:
        raise Unsound(what)


def sentence_of(error: Exception, place: Path) -> str:
    """Why an error is not one of ours; empty if it is."""
    said = str(error)
    if not isinstance(error, ValueError | FileNotFoundError):
        return f"{type(error).__name__} instead of a sentence"
    ours = type(error) in (ValueError, FileNotFoundError)
    if not ours and not type(error).__module__.startswith("cocluster."):
        return f"{type(error).__name__}, an error of another library"
    if not said or "\n" in said or len(said) > LONGEST_SENTENCE:
        return f"an error that is not one sentence ({len(said)} letters)"
    # Of a folder, a file in it will do.
    inside = [file.name for file in place.rglob("*")] if place.is_dir() else []
    if not any(name in said for name in (place.name, place.stem, *inside)):
        return "an error that does not name the file"
    return ""


def read_dataset(place: Path) -> None:
    """Read, and see that the result is whole."""
    from cocluster.io import read

    dataset = read(place)
    sound(dataset)


def sound(dataset: Any, kinds: str = "f") -> None:
    """See that a data set is whole, with numbers of some kinds."""
    n = len(dataset)
    for name, X in dataset.views.items():
        demand(X.ndim == 2 and X.dtype.kind in kinds, f"view {name} is {X.dtype}")
        demand(n > 0 and X.shape[1] > 0, "no rows or no columns")
        with np.errstate(all="ignore"):
            # A product touches every entry: indices out of bounds would crash here.
            demand((X @ np.ones(X.shape[1])).shape == X.shape[:1], "a wrong product")
        names = dataset.feature_names.get(name)
        demand(names is None or len(names) == X.shape[1], "not a name for each feature")
    labels, classes = dataset.labels, dataset.class_names
    if labels is not None:
        demand(labels.dtype.kind == "i" and len(labels) == n, "not a class for each sample")
        demand(classes is None or labels.max(initial=-1) < len(classes), "a class without a name")
    demand(isinstance(dataset.reading.summary(), str), "no word on how it was read")


def read_blocks(place: Path) -> None:
    """Open a matrix on disk and read every block."""
    from cocluster.blocks.disk.sources import open_source

    source = open_source(place, MEMORY)
    rows = 0
    for number in range(len(source.row_counts)):
        block = source.read(number)
        demand(block.shape == (source.row_counts[number], source.shape[1]), "a block of other size")
        with np.errstate(all="ignore"):
            rows += (block @ np.ones(block.shape[1])).shape[0]
    demand(rows == source.shape[0], "rows are missing")
    for names in (source.row_names, source.column_names):
        demand(names is None or names.ndim == 1, "names that are no list")


def read_links(place: Path) -> None:
    """Read links, with positions, and close them."""
    from cocluster import Links

    links = Links.read(place)
    demand(len(links.pairs) == len(links.signs) == len(links.weights), "links of two lengths")
    # Few only: what is implied grows with the number of samples that a position announces.
    if links.n_samples < 10_000:
        demand(links.n_implied >= 0, "no count of what is implied")


@cache
def asked_data() -> Any:
    """The data of the interview of the seeds."""
    return np.kron(np.eye(2), np.ones((3, 2)))


def read_interview(place: Path) -> None:
    """Load an interview, go back and forth in it."""
    from cocluster import CoCluster
    from cocluster.interview import Interview

    interview = Interview.load(place, asked_data(), CoCluster(2, random_state=0))
    demand(len(interview.links) == 6, "links of other samples")
    interview.save(place)
    again = Interview.load(place, asked_data(), CoCluster(2, random_state=0))
    demand(again.answers == interview.answers, "it is not saved as it was read")
    while interview.answers:
        interview.undo()


def read_ledger(place: Path) -> None:
    """Everything that a ledger can be asked for."""
    from cocluster.projects.ledger import Ledger

    ledger = Ledger(place, np.array([f"s{i}" for i in range(6)], dtype=object))
    lines, steps = ledger.lines(), ledger.steps()
    demand(set(steps) <= {line.step for line in lines}, "a step in force without a line")
    links = ledger.links()
    demand(links is None or links.n_samples == 6, "links of other samples")
    for step in steps:
        ledger.stated(step)


def read_project(place: Path) -> None:
    """Everything that a project holds; each part may be refused on its own."""
    from cocluster.projects import open_project

    project = open_project(place)
    refused = None
    for part in (
        # A project keeps data as its maker gave them, whole numbers, too.
        lambda: sound(project.dataset, "fiub"), lambda: project.links, lambda: project.names,
        lambda: project.ledger.lines(), lambda: project.run().about, lambda: project.account,
        lambda: project.run().labels(), lambda: _predicts(project.model), lambda: _history(project),
    ):  # fmt: skip
        try:
            part()
        except Exception as error:
            if sentence_of(error, place):
                raise
            refused = error
    if refused is not None:
        raise refused


def _predicts(model: Any) -> None:
    """A model of a file predicts, or says why not."""
    demand(hasattr(model, "labels_") and hasattr(model, "predict"), "a model that is none")


def _history(project: Any) -> None:
    """What can be undone."""
    from cocluster.web.history import read_history

    read_history(project)


@cache
def project_files() -> dict[str, bytes]:
    """The files of a small project."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return read_tree(seeds.project(Path(folder)))


# What the API may answer; anything else, such as 500, is a failure.
STATUSES = (200, 400, 403, 404, 405, 409, 413, 415, 421, 422)


def _requests(data: bytes) -> Any:
    """The requests of a case; what is no JSON is sent as it is."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return [{"method": "POST", "path": "/answers", "raw": data}]


def ask_server(place: Path) -> None:
    """Send requests to the server of a fresh project."""
    from urllib.parse import urlencode

    from cocluster.projects import open_project
    from cocluster.web.desk import Desk
    from cocluster.web.shelf import project_at
    from tests.web.projects import Client, IdleJobs, answered, guarded

    asked = _requests(place.read_bytes())
    folder = place.with_name("project")
    shutil.rmtree(folder, ignore_errors=True)
    write_tree(folder, project_files())
    project_at.cache_clear()
    desk = Desk(open_project(folder))
    desk.jobs = desk.asking = IdleJobs()  # type: ignore[assignment]
    client = Client(*guarded(desk))
    try:
        for one in asked[:20] if isinstance(asked, list) else []:
            if not isinstance(one, dict) or not isinstance(one.get("query", {}), dict):
                continue
            query = urlencode(
                {str(k): str(v) for k, v in one.get("query", {}).items()}, errors="replace"
            )
            path = f"/api/v1{one.get('path', '')}".encode("ascii", "replace").decode()
            if path.startswith("/api/v1/events"):
                continue  # news that never end
            body = one["raw"] if "raw" in one else json.dumps(one.get("body")).encode()
            method = "POST" if one.get("method") == "POST" else "GET"
            headers = {**client.headers, "content-type": "application/json"}
            answer = answered(client.app, method, f"{path}?{query}", headers, (body,))
            demand(answer.status in STATUSES, f"status {answer.status} of {path}")
            if answer.status not in (200, 404, 405):
                demand(bool(answer.json()["error"]), "a refusal without a reason")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reader(name: str, ending: str, *makers: Callable[[Path], Path], cases: int = 300) -> Target:
    return Target(name, f"toy{ending}", partial(seeds.written, *makers), read_dataset, cases)


def _folder(
    name: str,
    run: Callable[[Path], None],
    *makers: Callable[[Path], Path],
    cases: int = 100,
    warns: str | None = None,
) -> Target:
    return Target(name, "toy.tree", partial(seeds.folders, *makers), run, cases, warns)


def _links(ending: str) -> Target:
    return Target(
        f"links.{ending}", f"links.{ending}", partial(seeds.links, f"links.{ending}"), read_links
    )


def _gz() -> list[bytes]:
    plain = seeds.written(writers.csv_wide)[0]
    return [gzip.compress(plain, mtime=0)]


def _cluto_folder(place: Path) -> None:
    read_dataset(place / "toy.mat")


TARGETS = {
    target.name: target
    for target in (
        _reader("csv", ".csv", writers.csv_wide, writers.csv_long, writers.csv_decimal,
                writers.csv_wide_letters, seeds.text_table),
        _reader("tsv", ".tsv", writers.tsv),
        _reader("arff", ".arff", writers.arff_dense, writers.arff_sparse),
        _reader("jsonl", ".jsonl", writers.json_lines, writers.json_lines_records),
        _reader("json", ".json", writers.json_records),
        _reader("txt", ".txt", writers.txt_table, writers.csv_wide),
        _reader("zip", ".zip", writers.zipped),
        Target("gz", "toy.csv.gz", _gz, read_dataset),
        _reader("xlsx", ".xlsx", writers.excel, cases=80),
        _reader("mtx", ".mtx", writers.market, seeds.market_array, seeds.market_symmetric),
        _folder("cluto", _cluto_folder, seeds.cluto, cases=300),
        _reader("npz", ".npz", writers.npz, writers.sparse_npz, seeds.coo, seeds.dia, seeds.bsr),
        Target("npy", "toy.npy", lambda: [*seeds.written(writers.npy), seeds.npy_texts()],
               read_dataset),
        _reader("mat", ".mat", writers.mat_fea, writers.mat_turned, seeds.mat_cells, seeds.mat_old),
        _reader("parquet", ".parquet", writers.parquet, seeds.long_parquet),
        Target("h5ad", "toy.h5ad", seeds.annotated, read_dataset, 60),
        _reader("h5mu", ".h5mu", seeds.h5mu, cases=40),
        _folder("texts", read_dataset, seeds.texts, cases=200),
        _folder("images", read_dataset, *(partial(seeds.images, two) for two in seeds.KINDS),
                cases=60, warns=r"\d+ of \d+ images cannot be read"),
        _folder("zarr blocks", read_blocks, seeds.zarr_sparse, seeds.zarr_dense, seeds.zarr_old,
                cases=60),
        _folder("npz blocks", read_blocks, seeds.blocks, cases=150),
        Target("h5ad blocks", "toy.h5ad", seeds.annotated, read_blocks, 100),
        Target("parquet blocks", "toy.parquet", partial(seeds.written, seeds.long_parquet),
               read_blocks, 100),
        *(_links(ending) for ending in ("csv", "jsonl", "tsv", "parquet")),
        Target("interview", "interview.json", lambda: [seeds.interview()], read_interview, 100),
        Target("ledger", "links.csv", lambda: [seeds.LEDGER.encode()], read_ledger),
        _folder("project", read_project, seeds.project, cases=80),
        Target("http", "asked.json", seeds.requests, ask_server, 60),
    )
}  # fmt: skip


def lay_out(target: Target, data: bytes, folder: Path) -> Path:
    """Write a case to where its target reads it."""
    if target.file.endswith(".tree"):
        place = folder / target.file.removesuffix(".tree")
        write_tree(place, unpacked(data))
        return place
    place = folder / target.file
    place.write_bytes(data)
    return place


def all_seeds(target: Target, corpus: Path) -> list[bytes]:
    """What the libraries write, and what was once found worth keeping."""
    saved = corpus / target.name.replace(" ", "_")
    kept = sorted(saved.iterdir()) if saved.is_dir() else []
    return [*target.seeds(), *(file.read_bytes() for file in kept)]


__all__ = ["TARGETS", "Target", "all_seeds", "lay_out", "packed", "sentence_of"]
