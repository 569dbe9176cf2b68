"""How fast the workbench is: the first picture, zooming, and twenty pages while a fit runs.

    python -m benchmarks.workbench [--rows 200000 --columns 10000]

Planted counts are fitted into a project in a temporary folder, which is served by the command that
people use. All figures are those of the requests that the page sends, over HTTP.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np

from cocluster import CoCluster
from cocluster.datasets import make_blocks
from cocluster.io.dataset import Dataset
from cocluster.projects.making import Fitted, begun, keep
from cocluster.projects.project import new_project

# Pages that read at the same time, and pieces that each of them reads.
CLIENTS, EACH = 20, 10
# Cells of a picture, of two pixels each.
HEIGHT, WIDTH = 300, 500
# Clusters of rows and of columns, and mean sum of a row.
CLUSTERS, ROW_DEGREE = 10, 100.0


class Client:
    """A page: one connection, with the cookie."""

    def __init__(self, host: str, cookie: str) -> None:
        self.connection = http.client.HTTPConnection(host, timeout=120)
        self.headers = {"Cookie": cookie, "Origin": f"http://{host}"}

    def get(self, path: str, **query: Any) -> tuple[float, bytes]:
        """Seconds, and what was answered; anything but 200 is an error."""
        begin = time.perf_counter()
        self.connection.request("GET", f"/api/v1{path}?{urlencode(query)}", headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise OSError(f"{path}: {answer.status} {body[:200]!r}")
        return time.perf_counter() - begin, body

    def post(self, path: str, **given: Any) -> Any:
        """Begin something."""
        headers = {**self.headers, "Content-Type": "application/json"}
        self.connection.request("POST", f"/api/v1{path}", json.dumps(given), headers)
        return json.loads(self.connection.getresponse().read())


def made(folder: Path, n: int, m: int) -> None:
    """A project of planted blocks."""
    planted = make_blocks(n, m, CLUSTERS, CLUSTERS, row_degree=ROW_DEGREE, random_state=0)
    data = Dataset("planted", {"words": planted.X})
    model = CoCluster(CLUSTERS, random_state=0).fit(data.data)
    with new_project(folder) as place:
        keep(begun(place, data, {}), Fitted(model, data))


def admitted(address: str) -> tuple[str, str]:
    """Host and cookie, in exchange for the token."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request("GET", f"/?{parts.query}")
    cookie = connection.getresponse().headers["Set-Cookie"].partition(";")[0]
    return parts.netloc, cookie


def part(rng: np.random.Generator, n: int, m: int) -> dict[str, int]:
    """Any part of the matrix, as someone who zooms in comes by."""
    share = 0.5 ** rng.integers(0, 7)
    high, wide = max(int(n * share), 1), max(int(m * share), 1)
    top, left = int(rng.integers(0, n - high + 1)), int(rng.integers(0, m - wide + 1))
    corners = {"r0": top, "r1": top + high, "c0": left, "c1": left + wide}
    return {**corners, "height": HEIGHT, "width": WIDTH}


def measured(host: str, cookie: str, n: int, m: int) -> dict[str, float]:
    """All figures of a server."""
    rng = np.random.default_rng(0)
    one = Client(host, cookie)
    whole = {"r0": 0, "r1": n, "c0": 0, "c1": m, "height": HEIGHT, "width": WIDTH}
    begin = time.perf_counter()
    one.get("/project")
    one.get("/matrix")
    one.get("/tile", **whole)
    first = time.perf_counter() - begin
    zooms = [one.get("/tile", **part(rng, n, m))[0] for _ in range(50)]
    times: list[float] = []
    failures: list[str] = []

    def reads(seed: int) -> None:
        own, client = np.random.default_rng(seed), Client(host, cookie)
        for _ in range(EACH):
            try:
                times.append(client.get("/tile", **part(own, n, m))[0])
            except OSError as error:
                failures.append(str(error))

    job = one.post("/fits", clusters=CLUSTERS, seed=1)["job"]["id"]
    threads = [threading.Thread(target=reads, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A new connection: servers close those that are silent for long.
    state = json.loads(Client(host, cookie).get(f"/jobs/{job}")[1])["job"]["state"]
    return {
        "first picture, s": first,
        "zoom, median ms": 1000 * median(zooms),
        "zoom, slowest ms": 1000 * max(zooms),
        f"{CLIENTS} pages during a fit, median ms": 1000 * median(times),
        f"{CLIENTS} pages during a fit, slowest ms": 1000 * max(times),
        "errors": len(failures),
        "the fit was still running": float(state == "running"),
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=5_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "planted"
        made(folder, asked.rows, asked.columns)
        words = ["-m", "cocluster", "serve", str(folder), "--no-open", "--port", "0"]
        begin = time.perf_counter()
        server = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            figures = {"from the command to its address, s": time.perf_counter() - begin}
            figures |= measured(*admitted(address), asked.rows, asked.columns)
        finally:
            server.terminate()
            server.wait()
    print(f"| {asked.rows:,} x {asked.columns:,} | |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value:.3g} |")


if __name__ == "__main__":
    main()
