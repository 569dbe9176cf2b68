"""Numbers, names and traits as text: the same in the page, Markdown and the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from cocluster.report.values import Cluster, Trait


def percent(share: float | None) -> str:
    """Format a share of one in percent; "–" if it is unknown.

    >>> percent(0.5), percent(0.004), percent(0.9999), percent(None)
    ('50 %', '0.4 %', '> 99.9 %', '–')
    """
    if share is None:
        return "–"
    # Rounded to whole percents, a share near 0 or 1 would read as none or all.
    if 0.999 < share < 1:
        return "> 99.9 %"
    digits = 1 if 0 < share < 0.01 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f} %"


def number(value: float | None, digits: int = 3) -> str:
    """Format a number with few significant digits; "–" if it is unknown.

    >>> number(1234.5), number(0.01234), number(None)
    ('1,234', '0.0123', '–')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def thousands(count: int | None) -> str:
    """Format a count with separators of thousands; "–" if it is unknown.

    >>> thousands(1200), thousands(None)
    ('1,200', '–')
    """
    return "–" if count is None else f"{count:,}"


def lift(value: float | None) -> str:
    """Format a lift as a factor; "–" for a missing lift.

    >>> lift(2.345), lift(0.04), lift(120.0)
    ('2.3×', '0.04×', '120×')
    """
    if value is None:
        return "–"
    # Two decimals for small factors, which one would round to zero; none for large ones.
    digits = 2 if value < 0.1 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}×"


def trait_words(trait: Trait) -> tuple[str, str]:
    """Describe a trait of a cluster: the value, and how it compares with all samples.

    >>> trait_words(Trait("desk", "sport", share=0.5, lift=3.0))
    ('desk: sport', '50 % here, 17 % of all')
    >>> trait_words(Trait("age", "", median=41.0, overall=30.0))
    ('age: 41', 'median; 30 in all')
    """
    if trait.lift is None:
        return (
            f"{trait.column}: {number(trait.median)}",
            f"median; {number(trait.overall)} in all",
        )
    overall = (trait.share or 0.0) / trait.lift
    comparison = f"{percent(trait.share)} here, {percent(overall)} of all"
    return f"{trait.column}: {trait.value}", comparison


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun.

    >>> counted(1, "cluster"), counted(1200, "cluster"), counted(2, "copy", "copies")
    ('1 cluster', '1,200 clusters', '2 copies')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def shorten(text: str, length: int) -> str:
    """Cut a text to at most ``length`` characters, with an ellipsis.

    >>> shorten("co-clustering", 8)
    'co-clus…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def cluster_lines(clusters: Iterable[Cluster]) -> str:
    """Return a line for each cluster: its id, name, size and top features."""
    return "\n".join(
        f"{cluster.id} {cluster.name} ({cluster.size:,}): "
        + ", ".join(feature.name for view in cluster.views[:1] for feature in view.features)
        for cluster in clusters
    )
