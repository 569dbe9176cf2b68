"""The values an account is made of: frozen msgspec structs of plain values and tuples.

Numbers that are not known are None, never NaN, which JSON cannot write. msgspec writes and reads
the JSON and derives the published schema from the types of the fields. Every field that is added
from now on has a default, so that the ``account.json`` of an older project can still be read.
"""

from __future__ import annotations

import msgspec

from cocluster.methods.n_clusters.result import Merge

# Of the values: raised whenever older ones could not be read as they are.
FORMAT = 1

Id = int | str
Plain = bool | int | float | str | None


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of everything in an account; a field it does not know is refused."""


class TypeSize(Value, frozen=True):
    """A type of objects (samples, words, ...) and how many there are."""

    name: str
    size: int
    named: bool


class DataView(Value, frozen=True):
    """One matrix of the data.

    Attributes
    ----------
    name, rows, columns : str
        What the view is called, and the types in its rows and columns.
    n_rows, n_columns : int
        Its size; a view that lacks samples has fewer rows than there are samples.
    entries : int
        Entries that are not zero; where some are unknown, those that are known.
    density : float
        Their share of all.
    kind : str
        What the entries are: "counts", "not negative" or "any sign", and whether some are unknown.
    weight : float
        What the view counts for.
    """

    name: str
    rows: str
    columns: str
    n_rows: int
    n_columns: int
    entries: int
    density: float
    kind: str
    weight: float


class Data(Value, frozen=True):
    """The data: sizes, views, and how the file was read.

    ``looked_at`` is the number of samples that were inspected for features and members: all, or a
    random sample if there are very many.
    """

    name: str
    center: str
    types: tuple[TypeSize, ...]
    views: tuple[DataView, ...]
    reading: str
    counting: str
    alignment: str
    notes: tuple[str, ...]
    info: dict[str, str]
    looked_at: int


class Run(Value, frozen=True):
    """The run: method, parameters, duration and objective.

    Attributes
    ----------
    method, name : str
        As `CoCluster(method=...)` takes it, and the name of the class that ran.
    asked : str
        The class that was fitted and its method: ``CoCluster(auto)``, where that chose.
    parameters : dict
        All parameters of what was fitted; arrays and objects in words.
    seed : int, str or None
    n_clusters : dict of type to int
    versions : dict of package to version
    seconds : float or None
        What the fit took, where it was measured.
    objective : float or None
    history : tuple of float
        The objective after each sweep.
    sweeps : int
    converged : bool or None
    """

    method: str
    name: str
    asked: str
    parameters: dict[str, Plain]
    seed: int | str | None
    n_clusters: dict[str, int]
    versions: dict[str, str]
    seconds: float | None
    objective: float | None
    history: tuple[float, ...]
    sweeps: int
    converged: bool | None


class Certainty(Value, frozen=True):
    """The certainty of the clusters of all samples.

    Attributes
    ----------
    certainty : float or None
        Mean probability of the cluster that a sample is in; None where the method gives none.
    borderline : int or None
        Samples whose cluster is at most twice as probable as all others together.
    edges, counts : tuples
        Histogram of those probabilities: ``counts[i]`` samples between two edges.
    refits : int
        How often parts of the samples were fitted anew, to see what is found again; 0: not asked.
    agreement : float or None
        Mean share of the samples that stay in their cluster then.
    outliers : tuple of str
        Samples that fit no cluster; only with refits.
    """

    certainty: float | None
    borderline: int | None
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    refits: int
    agreement: float | None
    outliers: tuple[str, ...]


class Feature(Value, frozen=True):
    """A characteristic feature of a cluster; see `cocluster.report.statistics.Scores`."""

    name: str
    position: int
    score: float | None
    share: float | None
    lift: float | None
    exclusivity: float | None


class ClusterView(Value, frozen=True):
    """A view of a cluster: its share of the information about the cluster, and top features."""

    name: str
    statistic: str
    share: float
    features: tuple[Feature, ...]


class Member(Value, frozen=True):
    """A typical or borderline member of a cluster.

    Attributes
    ----------
    name : str
        Its id, or its position where it has none.
    position : int
        Its row in the data.
    title, snippet : str
        Where the data have titles and texts; the beginning of the text.
    picture : str
        Where the samples are pictures: a small one, as a ``data:`` address.
    metadata : dict of str to str
    margin : float
        How much dearer the next best cluster is.
    probability : float or None
    second : id or None
        The next best cluster.
    class_name : str
        Its known class, if any; shown, never used.
    """

    name: str
    position: int
    title: str
    snippet: str
    picture: str
    metadata: dict[str, str]
    margin: float
    probability: float | None
    second: Id | None
    class_name: str


class Group(Value, frozen=True):
    """A group of features that a cluster goes with: the lift of the block, or its effect."""

    type: str
    id: Id
    name: str
    size: int
    lift: float | None
    effect: float


class Trait(Value, frozen=True):
    """A value or a level in the metadata that characterises a cluster.

    Attributes
    ----------
    column : str
        The column of metadata.
    value : str
        A value that is more frequent in the cluster; empty where numbers are compared.
    share, lift : float or None
        Share of the members that have the value, and that over its share among all samples.
    median, overall : float or None
        Median of the numbers of the members, and of all.
    """

    column: str
    value: str
    share: float | None = None
    lift: float | None = None
    median: float | None = None
    overall: float | None = None


class Cluster(Value, frozen=True):
    """A cluster of one type.

    Attributes
    ----------
    id : int or str
        Its label; the colour in every picture follows from it.
    name : str
    given : bool
        Whether a person gave the name.
    size : int
    share : float
        Of all objects of the type.
    margin : float
        Mean margin of the members.
    certainty : float or None
        Their mean probability to be in it.
    borderline : int or None
        Members whose cluster is at most twice as probable as all others together.
    stability : float or None
        Share of the cluster that is found again by refits, where asked for.
    views : tuple of ClusterView, the one that says most first
    groups : tuple of Group
        Groups of the other types that go with it, the strongest first.
    representative, borderline_members : tuple of Member
    traits : tuple of Trait
        What sets the metadata of the members apart, the clearest first.
    """

    id: Id
    name: str
    given: bool
    size: int
    share: float
    margin: float
    certainty: float | None
    borderline: int | None
    stability: float | None
    views: tuple[ClusterView, ...]
    groups: tuple[Group, ...]
    representative: tuple[Member, ...]
    borderline_members: tuple[Member, ...]
    traits: tuple[Trait, ...] = ()


class Association(Value, frozen=True):
    """The association of the clusters of two types.

    Attributes
    ----------
    rows, columns : str
        The types.
    row_ids, column_ids : tuple of ids
    sums : tuple of tuples
        Sum of the data over every block.
    means : tuple of tuples
        The same for each pair of a row and a column.
    lift : tuple of tuples, or None for data of any sign
        Sum over the sum that the sizes of row and column lead one to expect.
    effect : tuple of tuples
        What pictures show: log2 of the lift, empty blocks damped; for data of any sign the mean
        of a block less that of its columns, in units of their standard deviation.
    marked : tuple of (row, column) positions
        Blocks that matter: those that carry most of what the clusters know of each other.
    """

    rows: str
    columns: str
    row_ids: tuple[Id, ...]
    column_ids: tuple[Id, ...]
    sums: tuple[tuple[float, ...], ...]
    means: tuple[tuple[float, ...], ...]
    lift: tuple[tuple[float, ...], ...] | None
    effect: tuple[tuple[float, ...], ...]
    marked: tuple[tuple[int, ...], ...]


class Picture(Value, frozen=True):
    """The matrix of a view, rows and columns sorted by cluster, summed up to few cells.

    Attributes
    ----------
    view, rows, columns : str
        The view and the types of its rows and columns.
    n_rows, n_columns : int
        Size of the matrix.
    cells : tuple of tuples of int
        Colour of each cell, from -50 (far less than expected) over 0 to 50 (far more).
    unit : float
        What one step of a colour stands for.
    kind : {"log2 lift", "standard deviations"}
        What ``cells * unit`` is.
    row_ids, column_ids : tuple of ids
        Clusters in the order of the picture.
    row_cuts, column_cuts : tuple of int
        The first cell of each of them, and the number of cells at the end.
    row_names, column_names : tuple of str
        What lies behind each row and column of cells: a name, or the first of some.
    """

    view: str
    rows: str
    columns: str
    n_rows: int
    n_columns: int
    cells: tuple[tuple[int, ...], ...]
    unit: float
    kind: str
    row_ids: tuple[Id, ...]
    column_ids: tuple[Id, ...]
    row_cuts: tuple[int, ...]
    column_cuts: tuple[int, ...]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]


class BrokenLink(Value, frozen=True):
    """A broken link; ``must`` is True for a must-link and False for a cannot-link."""

    must: bool
    first: str
    second: str
    first_cluster: Id
    second_cluster: Id


class LinkSummary(Value, frozen=True):
    """The links on one type.

    ``implied`` counts all pairs that follow from those stated, these included; None where the
    links themselves were not given. ``broken`` lists the first of those that are violated.
    """

    type: str
    stated: int
    must: int | None
    cannot: int | None
    implied: int | None
    satisfied: int
    violated: int
    broken: tuple[BrokenLink, ...]


class Classes(Value, frozen=True):
    """The contingency table of known classes and clusters; the fit does not use classes.

    ``table[i][j]`` samples of class i are in cluster j. NMI is divided by the larger entropy.
    """

    names: tuple[str, ...]
    cluster_ids: tuple[Id, ...]
    table: tuple[tuple[int, ...], ...]
    known: int
    accuracy: float
    nmi: float
    ari: float
    purity: float


class CandidateNumber(Value, frozen=True):
    """One number of clusters, see `cocluster.methods.n_clusters.result.Line`."""

    k: int
    share: float
    stability: float
    chance: float
    icl: float | None


class RecommendedNumbers(Value, frozen=True):
    """How many clusters of a type: most agreed on, recommended, finest supported."""

    type: str
    coarse: int
    stable: int
    fine: int
    table: tuple[CandidateNumber, ...]


class MergeTree(Value, frozen=True):
    """The merge tree of the finest clusters of a type.

    Attributes
    ----------
    type : str
    clusters : int
        How many clusters of the type there are in the end: where the tree is cut.
    leaves : tuple of int
        Objects in each of the finest clusters.
    words : tuple of str
        What each of them is about; empty where nothing has a name.
    merges : tuple of Merge
        In the numbering of scipy: leaves first, then merges in their order.
    """

    type: str
    clusters: int
    leaves: tuple[int, ...]
    words: tuple[str, ...]
    merges: tuple[Merge, ...]


class NumberOfClusters(Value, frozen=True):
    """How the number of clusters was chosen; the reason in words, and the trees of all types."""

    reason: str
    complete: bool
    sides: tuple[RecommendedNumbers, ...]
    trees: tuple[MergeTree, ...] = ()


class Alert(Value, frozen=True):
    """An oddity in the data or in the result.

    ``level`` is "note" or "warning"; ``kind`` is a short name that does not change.
    """

    kind: str
    level: str
    text: str
    examples: tuple[str, ...]


class Reproduce(Value, frozen=True):
    """The Python and the command that give the same result; empty where there is none."""

    python: str
    command: str


class Citation(Value, frozen=True):
    """The method in a line, and where it was published."""

    title: str
    objective: str
    references: tuple[str, ...]


class AccountContents(Value, frozen=True):
    """The contents of an account.

    Attributes
    ----------
    format : int
        1; others are refused.
    title : str
    data : Data
    run : Run
    sure : Sure
    clusters : dict of type to tuple of Cluster
        The samples first.
    associations : tuple of Association
    pictures : tuple of Picture
    links : tuple of LinkSummary
    classes : Classes or None
    choice : NumberOfClusters or None
    alerts : tuple of Alert
    reproduce : Reproduce
    citation : Citation
    """

    format: int
    title: str
    data: Data
    run: Run
    sure: Certainty
    clusters: dict[str, tuple[Cluster, ...]]
    associations: tuple[Association, ...]
    pictures: tuple[Picture, ...]
    links: tuple[LinkSummary, ...]
    classes: Classes | None
    choice: NumberOfClusters | None
    alerts: tuple[Alert, ...]
    reproduce: Reproduce
    citation: Citation

    @property
    def samples(self) -> tuple[Cluster, ...]:
        """The clusters of the samples."""
        return self.clusters[self.data.center]

    def name_of(self, name: str, cluster: Id | None) -> str:
        """Return the name of a cluster of a type; empty if there is no such cluster."""
        return next((c.name for c in self.clusters.get(name, ()) if c.id == cluster), "")
