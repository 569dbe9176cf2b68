"""Colours: one for each cluster, the same in every picture; and a scale for signed quantities."""

from __future__ import annotations

import zlib

Colour = tuple[int, int, int]

# Clusters in order of their ids. Chosen to differ in lightness as well as in hue, so that they can
# be told apart with any kind of colour vision; neighbours differ most.
CLUSTERS: tuple[Colour, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (117, 112, 179),
    (166, 118, 29),
    (17, 119, 51),
    (136, 34, 85),
    (153, 153, 51),
    (51, 34, 136),
    (221, 204, 119),
    (68, 170, 153),
    (170, 68, 153),
    (102, 102, 102),
)
# From far less than expected, over as expected, to far more.
SCALE: tuple[Colour, ...] = (
    (33, 102, 172),
    (103, 169, 207),
    (209, 229, 240),
    (247, 247, 247),
    (253, 219, 199),
    (239, 138, 98),
    (178, 24, 43),
)


def cluster_colour(cluster: int | str) -> Colour:
    """The colour of a cluster, from its id alone.

    >>> cluster_colour(0), cluster_colour(16) == cluster_colour(0)
    ((0, 114, 178), True)
    """
    number = cluster if isinstance(cluster, int) else zlib.crc32(cluster.encode())
    return CLUSTERS[number % len(CLUSTERS)]


def signed_colour(value: float) -> Colour:
    """The colour of a signed quantity from -1 to 1; what is beyond has that of the end.

    >>> signed_colour(0.0), signed_colour(2.0)
    ((247, 247, 247), (178, 24, 43))
    """
    place = (min(max(value, -1.0), 1.0) + 1) / 2 * (len(SCALE) - 1)
    low = min(int(place), len(SCALE) - 2)
    part = place - low
    first, second = SCALE[low], SCALE[low + 1]
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(first, second, strict=True))
    return red, green, blue


def as_hex(colour: Colour) -> str:
    """A colour as pages write it.

    >>> as_hex((0, 114, 178))
    '#0072b2'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def ink_on(colour: Colour) -> str:
    """Black or white, whichever is read better on a colour."""
    # Relative luminance as the guidelines for accessible pages define it, with a square for the
    # curve of the screen.
    red, green, blue = ((part / 255) ** 2.2 for part in colour)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # Where both have the same contrast.
    return "#000000" if luminance > 0.179 else "#ffffff"
