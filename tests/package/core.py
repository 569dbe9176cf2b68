"""The package with numpy, scipy and scikit-learn alone: run as a program, it says what is wrong.

    python tests/package/core.py [--install EXTRA]

`nox -s core` runs it in a fresh environment, and `tests/package/test_core.py` in one where nothing
else can be imported. With ``--install`` it also does what the sentence of an extra says, and tries
again.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cocluster
from cocluster.cli import run
from cocluster.utils.optional import install_command


def fitted() -> Any:
    """A model, its account, and that it is right."""
    X = np.kron([[5, 0], [1, 5]], np.ones((4, 5)))
    model = cocluster.CoCluster(2, random_state=0).fit(X)
    assert len(set(model.labels_[:4])) == len(set(model.labels_[4:])) == 1
    assert (model.predict(X) == model.labels_).all()
    return model, cocluster.account(model, X), X


def commands(place: Path) -> None:
    """The command line, from a file to a report."""
    lines = [f"s{i},{9 if i < 4 else 1},{1 if i < 4 else 9},{i % 3}" for i in range(8)]
    (place / "table.csv").write_text("id,a,b,c\n" + "\n".join(lines) + "\n")
    os.chdir(place)
    for words in (["fit", "table.csv", "-k", "2"], ["explain", "table-cocluster"], ["doctor"]):
        assert run(words) == 0, words
    assert (place / "table-cocluster" / "report.html").exists()


def wishes(place: Path) -> dict[str, Callable[[], Any]]:
    """For each extra something that needs it."""
    from cocluster.datasets import fetch, list_datasets
    from cocluster.graphs import neighbours
    from cocluster.io import read
    from cocluster.report import plots

    model, account, X = fitted()

    def file(name: str, content: bytes = b"anything") -> Path:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
        return place / name

    def fetched() -> Any:
        os.environ |= {"XDG_CACHE_HOME": str(place), "COCLUSTER_MIRROR": "http://127.0.0.1:9"}
        os.environ.pop("COCLUSTER_DATA", None)
        return fetch(list_datasets()[0].name)

    def crowd() -> Any:
        n = neighbours.EXACT_LIMIT_WITHOUT_FAISS + 1
        return neighbours.nearest_neighbours(np.zeros((n, 1)), 1)

    def workbench() -> Any:
        from cocluster.cli.commands import serve
        from cocluster.cli.parser import parsed

        return serve.run(parsed(["serve", "table-cocluster", "--no-open"]))

    file("store/zarr.json", b"{}")
    return {
        "plot": lambda: plots.plot_reordering(X, model.row_labels_, model.column_labels_),
        "ann": crowd,
        "parquet": lambda: read(file("x.parquet")),
        "excel": lambda: read(file("x.xlsx")),
        "frames": lambda: account.to_frame("clusters"),
        "omics": lambda: read(file("x.h5ad")),
        "zarr": lambda: cocluster.open_blocks(place / "store"),
        "data": fetched,
        "image": lambda: read(file("pictures/a.png").parent),
        "web": workbench,
    }


def told(extra: str, wish: Callable[[], Any]) -> str:
    """The sentence that names an extra, and that it has the right command."""
    try:
        wish()
    except ImportError as error:
        sentence = str(error)
        assert install_command(extra) in sentence, sentence
        return sentence
    raise AssertionError(f"nothing is said of the missing extra {extra}")


def tried(extra: str, sentence: str, wish: Callable[[], Any]) -> None:
    """Do what a sentence says, and look whether the library is there then."""
    command = shlex.split(sentence[sentence.index("pip install") :].rstrip("."))
    subprocess.run([sys.executable, "-m", *command], check=True)
    try:
        wish()
    except ImportError as error:
        raise AssertionError(f"{shlex.join(command)} has not helped: {error}") from error
    except Exception as error:
        # The file is none of its kind; but the library is there, and says so.
        print(f"{extra}: {error}")


def main() -> None:
    """Try everything."""
    print(cocluster.__file__)
    with tempfile.TemporaryDirectory() as place:
        commands(Path(place))
        found = wishes(Path(place))
        sentences = {extra: told(extra, wish) for extra, wish in found.items()}
        for extra, sentence in sentences.items():
            print(f"{extra}: {sentence}")
        if sys.argv[1:2] == ["--install"]:
            extra = sys.argv[2]
            tried(extra, sentences[extra], found[extra])
        os.chdir("/")


if __name__ == "__main__":
    main()
