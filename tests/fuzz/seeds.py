"""Small sound inputs of every kind, written by the libraries themselves."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from tests.fuzz.trees import packed, read_tree
from tests.io import writers

LINKS = {
    "links.csv": "a,b,relation,weight\n0,1,must-link,1\n1,2,cannot-link,0.5\n3,x,label\n"
    "4,y,label:1\n",
    "links.jsonl": '{"a": 0, "b": 1, "relation": "same"}\n'
    '{"a": 2, "b": 3, "relation": "different"}\n',
    "links.tsv": "0\t1\t1\n1\t2\t-1\n",
}


def written(*makers: Callable[[Path], Path]) -> list[bytes]:
    """What functions write into a folder."""
    found = []
    for maker in makers:
        with tempfile.TemporaryDirectory() as folder:
            found.append(maker(Path(folder)).read_bytes())
    return found


def folders(*makers: Callable[[Path], Path]) -> list[bytes]:
    """Folders that functions write, packed."""
    found = []
    for maker in makers:
        with tempfile.TemporaryDirectory() as folder:
            found.append(packed(read_tree(maker(Path(folder)))))
    return found


def mat_cells(folder: Path) -> Path:
    """A cell array of views, a structure and a text beside them."""
    cells = np.empty(2, dtype=object)
    cells[0], cells[1] = writers.X, sp.csc_array(writers.X)
    values = {"X": cells, "gnd": [2, 1, 2, 1], "about": {"by": "hand", "year": 2020}, "note": "abc"}
    scipy.io.savemat(folder / "toy.mat", values)
    return folder / "toy.mat"


def mat_old(folder: Path) -> Path:
    """MATLAB's format 4, which knows nothing but matrices."""
    scipy.io.savemat(folder / "toy.mat", {"X": writers.X, "Y": [[2, 1, 2, 1]]}, format="4")
    return folder / "toy.mat"


def market_array(folder: Path) -> Path:
    """Matrix Market of all entries."""
    scipy.io.mmwrite(folder / "toy.mtx", writers.X)
    return folder / "toy.mtx"


def market_symmetric(folder: Path) -> Path:
    """Matrix Market of half of the entries."""
    scipy.io.mmwrite(
        folder / "toy.mtx", sp.coo_array(writers.X.T @ writers.X), symmetry="symmetric"
    )
    return folder / "toy.mtx"


def layouts(folder: Path, layout: str) -> Path:
    """A sparse matrix as scipy writes each layout."""
    sp.save_npz(folder / "toy.npz", sp.csr_array(writers.X).asformat(layout))
    return folder / "toy.npz"


def coo(folder: Path) -> Path:
    """By coordinates."""
    return layouts(folder, "coo")


def dia(folder: Path) -> Path:
    """By diagonals."""
    return layouts(folder, "dia")


def bsr(folder: Path) -> Path:
    """By blocks."""
    return layouts(folder, "bsr")


def text_table(folder: Path) -> Path:
    """Texts, categories and dates."""
    lines = ["id,text,kind,date,n"]
    lines += [
        f'd{i},"some words on {i} and {i % 3}",k{i % 2},2024-01-{i + 1:02d},{i}' for i in range(6)
    ]
    (folder / "toy.csv").write_text("\n".join(lines))
    return folder / "toy.csv"


def long_parquet(folder: Path) -> Path:
    """Long parquet."""
    import pyarrow
    import pyarrow.parquet

    rows, columns = np.nonzero(writers.X)
    table = {
        "sample": [writers.NAMES[i] for i in rows],
        "feature": [writers.FEATURES[j] for j in columns],
        "value": writers.X[rows, columns],
    }
    pyarrow.parquet.write_table(pyarrow.table(table), folder / "toy.parquet")
    return folder / "toy.parquet"


def dense_h5ad(folder: Path) -> Path:
    """AnnData of a dense matrix."""
    import anndata

    anndata.AnnData(writers.X).write_h5ad(folder / "toy.h5ad")
    return folder / "toy.h5ad"


def odd_h5ad(folder: Path, change: str) -> Path:
    """AnnData with one part of it changed by the library for HDF5.

    Here and not among the mutators, because that library may crash on what is damaged already.
    """
    import h5py

    path = writers.h5ad(folder)
    with h5py.File(path, "r+") as file:
        if change == "none":
            del file["X"]
        elif change == "text":
            del file["X"]
            file["X"] = "text"
        elif change == "by columns":
            file["X"].attrs["encoding-type"] = "csc_matrix"
        elif change == "shape":
            file["X"].attrs["shape"] = [10**12, 3]
        elif change == "pointers":
            file["X/indptr"][1] = 10**6
        elif change == "circle":
            file["X/again"] = h5py.SoftLink("/")
        elif change == "axes":
            del file["X/data"]
            file["X/data"] = np.eye(3)
        elif change == "names":
            del file["obs/_index"]
    return path


ODD = ("none", "text", "by columns", "shape", "pointers", "circle", "axes", "names")


def annotated() -> list[bytes]:
    """AnnData, sound and odd."""
    odd = [partial(odd_h5ad, change=change) for change in ODD]
    return written(writers.h5ad, dense_h5ad, *odd)


def h5mu(folder: Path) -> Path:
    """MuData of two modalities."""
    import anndata
    import mudata

    mudata.MuData({"a": anndata.AnnData(writers.X), "b": anndata.AnnData(writers.X[:, :2])}).write(
        folder / "toy.h5mu"
    )
    return folder / "toy.h5mu"


def zarr_sparse(folder: Path) -> Path:
    """A group of the arrays of a CSR matrix."""
    import zarr

    X = sp.csr_array(writers.X)
    group = zarr.create_group(folder / "x.zarr", attributes={"shape": list(X.shape)})
    for part in ("data", "indices", "indptr"):
        group.create_array(part, data=getattr(X, part), chunks=(3,))
    return folder / "x.zarr"


def zarr_dense(folder: Path, version: int = 3) -> Path:
    """A dense array."""
    import zarr

    array = zarr.create_array(
        folder / "x.zarr",
        shape=writers.X.shape,
        dtype="f8",
        chunks=(2, 2),
        zarr_format=version,
    )
    array[:] = writers.X
    return folder / "x.zarr"


def zarr_old(folder: Path) -> Path:
    """A dense array in version 2 of the format."""
    return zarr_dense(folder, 2)


def texts(folder: Path) -> Path:
    """Texts in folders that are classes."""
    for name in ("sport/one.txt", "sport/two.txt", "law/one.txt", "law/two.txt"):
        (folder / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "toy" / name).write_text(f"words about {name} and other words, Straße")
    return folder / "toy"


# Two of them in a folder: features of every picture take their time.
KINDS = (("png", "gif"), ("bmp", "jpg"), ("tif", "webp"), ("ppm", "png"))


def images(endings: tuple[str, ...], folder: Path) -> Path:
    """Tiny pictures of some kinds."""
    from PIL import Image

    (folder / "toy").mkdir()
    rng = np.random.default_rng(0)
    for ending in endings:
        picture = Image.fromarray(rng.integers(0, 255, (8, 8, 3), dtype=np.uint8))
        picture.save(folder / "toy" / f"p.{ending}")
    return folder / "toy"


def cluto(folder: Path) -> Path:
    """CLUTO's sparse text with its files of names."""
    (folder / "toy").mkdir()
    writers.cluto_sparse(folder / "toy")
    return folder / "toy"


def blocks(folder: Path) -> Path:
    """Row blocks of a matrix on disk."""
    from cocluster.blocks.disk.write import write_blocks

    X = sp.csr_array(writers.X)
    return write_blocks((X[:2], X[2:]), folder / "x")


def links(name: str) -> list[bytes]:
    """A file of links."""
    if name in LINKS:
        return [LINKS[name].encode()]
    from cocluster import Links

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        Links.from_signed([(0, 1), (1, 2)], [1, -1], 6).write(file)
        return [file.read_bytes()]


def interview() -> bytes:
    """Interview with a few answers and a fit."""
    from cocluster import CoCluster
    from cocluster.interview import Interview

    asked = Interview(np.kron(np.eye(2), np.ones((3, 2))), CoCluster(2, random_state=0))
    for query in asked.next_queries(3):
        asked.answer(query.i, query.j, "same" if (query.i < 3) == (query.j < 3) else "different")
    asked.refit()
    with tempfile.TemporaryDirectory() as folder:
        asked.save(Path(folder) / "interview.json")
        return (Path(folder) / "interview.json").read_bytes()


LEDGER = (
    "a,b,relation,weight,source,time,step\n"
    "s0,s1,must-link,1,ask,2026-01-01T00:00:00+00:00,1\n"
    "s0,s3,cannot-link,1,ask,2026-01-01T00:00:00+00:00,2\n"
    "s2,x,label:3000,,edit: merge,2026-01-01T00:00:00+00:00,3\n"
    ",,undo,,ask,2026-01-01T00:00:00+00:00,2\n"
)


def project(folder: Path) -> Path:
    """A project with data, one run, a ledger and names."""
    from cocluster import CoCluster
    from cocluster.io.dataset import Dataset
    from cocluster.projects.making import Fitted, begun, keep
    from cocluster.projects.project import new_project, write_names

    names = np.array([f"s{i}" for i in range(6)], dtype=object)
    X = np.kron(np.eye(2), np.ones((3, 2))) + 1
    data = Dataset("toy", {"X": X}, sample_names=names, metadata={"place": names})
    model = CoCluster(2, random_state=0).fit(data.data)
    with new_project(folder / "toy") as place:
        keep(begun(place, data, {"source": "toy.csv"}), Fitted(model, data))
        (place / "links.csv").write_text(LEDGER)
        write_names(place, {0: "first"})
        # Written from the account, and by far the largest file.
        (place / "report.html").unlink(missing_ok=True)
    return folder / "toy"


def requests() -> list[bytes]:
    """One request to every endpoint that answers at once, as lists of requests in order."""
    get = [
        ("/project", {}), ("/account", {}), ("/account", {"run": "1"}), ("/runs", {}),
        ("/links", {}),
        ("/clusters/0/members", {"start": "0", "count": "3"}), ("/samples/1", {}), ("/map", {}),
        ("/question", {"kind": "pair"}), ("/tables/clusters", {}),
        ("/compare", {"first": "1", "second": "1"}),
        ("/jobs/1", {}), ("/matrix", {}), ("/openapi.json", {}),
    ]  # fmt: skip
    post = [
        ("/answers", {"i": 0, "j": 1, "answer": "same"}),
        ("/answers/place", {"sample": 1, "among": [0, 3], "group": 0, "unsure": False}),
        ("/clusters/not-here", {"samples": [0, 1]}),
        ("/clusters/together", {"samples": [0, 1, 2], "relation": "different"}),
        ("/clusters/rename", {"cluster": 0, "name": "new"}),
        ("/clusters/merge", {"clusters": [0, 1]}),
        ("/clusters/move", {"samples": [0], "cluster": 1}),
        ("/clusters/split", {"cluster": 0, "parts": 2}),
        ("/fits", {"method": "auto", "clusters": 2, "seed": 0, "options": {}}),
        ("/links", {"i": 0, "j": 2, "relation": "same"}),
        ("/links/file", {"name": "x.csv", "text": "a,b,relation\ns0,s1,same\n"}),
        ("/undo", {}), ("/redo", {}), ("/refit", {}), ("/map", {}),
    ]  # fmt: skip
    asked = [{"method": "GET", "path": path, "query": query} for path, query in get]
    asked += [{"method": "POST", "path": path, "body": body} for path, body in post]
    return [json.dumps([one]).encode() for one in asked] + [json.dumps(asked).encode()]


def npy_texts() -> bytes:
    """An array of texts."""
    kept = io.BytesIO()
    np.save(kept, np.array([["a", "b"]]))
    return kept.getvalue()
