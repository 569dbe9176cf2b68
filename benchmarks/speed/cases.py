"""What is measured, as records: data, and what is done with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cocluster.datasets.planted import Pattern

OURS = ("CoCluster", "FNMTF", "ITCC", "NMTF")
PEERS = ("SpectralCoclustering", "MiniBatchKMeans", "KMeans", "NMF (scikit-learn)")
TEXTS = ("classic3", "webkb7_rossi", "ng20_cai")


@dataclass(frozen=True)
class Data:
    """A planted matrix, or a real set where it has a name."""

    rows: int = 0
    columns: int = 0
    clusters: int = 10
    degree: float | None = None
    pattern: Pattern = "diagonal"
    contrast: float | None = None
    size_ratio: float | None = None
    noise: float = 0.0
    links: int = 0
    dtype: str = "float64"
    seed: int = 0
    name: str = ""

    def __str__(self) -> str:
        if self.name:
            return self.name
        parts = [f"{self.rows:,} x {self.columns:,}", f"k={self.clusters}"]
        parts += [f"degree {self.degree:.0f}"] if self.degree else []
        parts += [self.pattern] if self.pattern != "diagonal" else []
        parts += [f"contrast {self.contrast:g}"] if self.contrast else []
        parts += [f"sizes 1 : {self.size_ratio:g}"] if self.size_ratio else []
        parts += [f"{self.noise:.0%} noise"] if self.noise else []
        parts += [f"{self.links:,} links"] if self.links else []
        parts += [self.dtype] if self.dtype != "float64" else []
        return ", ".join(parts)


@dataclass(frozen=True)
class Case:
    """Methods that are measured in turn on the same data.

    Attributes
    ----------
    task : {"fit", "sweep"}
        Whole fits, or single sweeps beside the references in the same process.
    references : names in `benchmarks.speed.child.REFERENCES`
        What a sweep is compared with, besides the pass over the arrays.
    grows, value : str, float
        What is varied alone in a growth case, and its value here.
    limit : float
        Seconds after which a process is ended.
    """

    group: str
    task: str
    data: Data
    methods: tuple[str, ...]
    references: tuple[str, ...] = ()
    grows: str = ""
    value: float = 0
    repeats: int = 3
    limit: float = 600


def cases(full: bool) -> Iterator[Case]:
    """All cases, small ones first."""
    yield from growth(full)
    yield from sweeps(full)
    yield from linear(full)
    yield from texts(full)
    yield from planted(full)
    yield from clusters(full)


def growth(full: bool) -> Iterator[Case]:
    """Each size varied alone around a middle one."""
    middle = Data(50_000, 5_000, 10, 80) if full else Data(10_000, 2_000, 10, 80)
    factors = (0.25, 0.5, 1, 2, 4) if full else (0.5, 1, 2)
    methods = ("FNMTF", "ITCC", "NMTF")
    for field in ("degree", "rows", "columns", "clusters"):
        for factor in factors:
            size = getattr(middle, field) * factor
            data = replace(middle, **{field: size if field == "degree" else round(size)})
            name = "non-zeros" if field == "degree" else field
            yield Case("growth", "sweep", data, methods, grows=name, value=float(size))
    for links in (1_000, 10_000, 100_000) if full else (1_000, 10_000):
        data = replace(middle, links=links)
        yield Case("growth", "sweep", data, ("FNMTF", "SSNMF"), grows="links", value=links)


def sweeps(full: bool) -> Iterator[Case]:
    """A sweep against a pass over the arrays, the products it needs, and an iteration of k-means.

    With references that take a while there are fewer methods: one process has them all.
    """
    sizes = [(20_000, 5_000)] + ([(200_000, 10_000)] if full else [])
    for rows, columns in sizes:
        data = Data(rows, columns)
        yield Case("sweep", "sweep", data, ("FNMTF", "ITCC"), ("lloyd",))
        yield Case("sweep", "sweep", replace(data, dtype="float32"), ("FNMTF",), ("lloyd",))
        yield Case("sweep", "sweep", data, ("NMTF", "ONMTF", "DRCC"), ("products",))


def linear(full: bool) -> Iterator[Case]:
    """Linear-time SSNMF: ten times the rows."""
    for rows in (100_000, 1_000_000) if full else (10_000, 100_000):
        data = Data(rows, 20_000 if full else 5_000, links=10_000)
        yield Case("linear", "sweep", data, ("SSNMF",), grows="rows", value=rows)


def texts(full: bool) -> Iterator[Case]:
    """Real texts."""
    for name in TEXTS if full else TEXTS[:1]:
        yield Case("text", "fit", Data(name=name), OURS + PEERS)


def planted(full: bool) -> Iterator[Case]:
    """Planted sets of growing size: all methods once, the front door with more seeds.

    Above 200,000 rows only the quick ones: NMF takes tens of times as long there.
    """
    sizes = [(2_000, 1_000), (20_000, 5_000)]
    sizes += [(200_000, 10_000), (500_000, 20_000), (1_000_000, 50_000)] if full else []
    for rows, columns in sizes:
        small = rows <= 200_000
        patterns: tuple[Pattern, ...] = ("diagonal", "checkerboard")
        for pattern in patterns if small else patterns[:1]:
            data = Data(rows, columns, pattern=pattern)
            repeats = 3 if rows <= 20_000 else 1
            methods = OURS + PEERS if small else OURS[:3] + PEERS[:2]
            yield Case("planted", "fit", data, methods, repeats=repeats)
            for seed in range(1, 5 if full and small else 2 if small else 1):
                yield Case("planted", "fit", replace(data, seed=seed), OURS[:1], repeats=1)


# Clusters, pattern, contrast: the best possible accuracy is .8 to .97 with 10,000 columns.
MANY: tuple[tuple[int, Pattern, float | None], ...] = (
    (10, "diagonal", None),
    (10, "checkerboard", None),
    (50, "diagonal", 5),
    (50, "checkerboard", 2.6),
    (100, "diagonal", 10),
    (100, "checkerboard", 2.6),
)
# Of 400 rows a cluster, fainter blocks than these drown in the noise: rows could be placed if the
# blocks were known, but the blocks cannot be seen.
FEW_ROWS: tuple[tuple[int, Pattern, float | None], ...] = (
    *MANY[:2],
    (50, "diagonal", 8),
    (50, "checkerboard", 3),
)


def clusters(full: bool) -> Iterator[Case]:
    """Many clusters, unequal clusters, rows of noise: are rows and columns found?

    Peers stand beside with one seed, at a million rows the quickest of them.
    """
    sizes = [(20_000, 10_000)] + ([(200_000, 10_000), (1_000_000, 50_000)] if full else [])
    for rows, columns in sizes:
        for k, pattern, contrast in FEW_ROWS if rows == 20_000 else MANY:
            yield from _seeds(Data(rows, columns, k, pattern=pattern, contrast=contrast), full)
        uneven = Data(rows, columns, size_ratio=50, noise=0.05)
        yield from _seeds(uneven, full)
        yield from _seeds(replace(uneven, pattern="checkerboard"), full)


def _seeds(data: Data, full: bool) -> Iterator[Case]:
    """`CoCluster` with five seeds, peers with the first."""
    for seed in range(5 if full else 2):
        peers: tuple[str, ...] = ()
        if seed == 0:
            peers = ("ITCC", *PEERS[:3]) if data.rows < 1_000_000 else PEERS[1:2]
        methods = (OURS[0], *peers)
        yield Case("clusters", "fit", replace(data, seed=seed), methods, repeats=1)
