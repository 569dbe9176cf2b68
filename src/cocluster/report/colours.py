"""The colours of clusters, the same in every picture, and a scale for signed quantities."""

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
    """Return the colour of a cluster, which depends on its id only.

    >>> cluster_colour(0), cluster_colour(16) == cluster_colour(0)
    ((0, 114, 178), True)
    """
    number = cluster if isinstance(cluster, int) else zlib.crc32(cluster.encode())
    return CLUSTERS[number % len(CLUSTERS)]


def signed_colour(value: float) -> Colour:
    """Return the colour of a signed quantity; values beyond -1 and 1 have the colour of the end.

    >>> signed_colour(0.0), signed_colour(2.0)
    ((247, 247, 247), (178, 24, 43))
    """
    position = (min(max(value, -1.0), 1.0) + 1) / 2 * (len(SCALE) - 1)
    low = min(int(position), len(SCALE) - 2)
    fraction = position - low
    first, second = SCALE[low], SCALE[low + 1]
    red, green, blue = (round(a + fraction * (b - a)) for a, b in zip(first, second, strict=True))
    return red, green, blue


def as_hex(colour: Colour) -> str:
    """Return a colour in hexadecimal notation.

    >>> as_hex((0, 114, 178))
    '#0072b2'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def ink_on(colour: Colour) -> str:
    """Return black or white, whichever has more contrast with a colour."""
    # Relative luminance as defined by WCAG, with an exponent of 2.2 for the curve of the screen.
    red, green, blue = ((channel / 255) ** 2.2 for channel in colour)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    # Both have the same contrast at a luminance of 0.179.
    return "#000000" if luminance > 0.179 else "#ffffff"
