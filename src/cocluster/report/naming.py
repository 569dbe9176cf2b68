"""Short names for clusters, made of the features that set them apart.

A name has up to three words. Each word belongs to one cluster only, the one that it says most
about; numbers, bare letters and words of one stem ("game", "games") are passed over. The same
input gives the same names, and no two clusters have the same one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

# Words of a name: two leave open what a cluster is about, four are not read.
WORDS = 3
# Shorter words are mostly rests of something: "ve", "ax", "mb".
SHORTEST = 3
# Letters by which words of one stem may differ at their ends: "encrypt", "encryption".
ENDING = 3
# Letters that two different words may well begin with: "station", "statute". More is a stem.
STEM = 5


def names_of(candidates: Sequence[Mapping[str, float]], kind: str = "group") -> list[str]:
    """A name for each cluster.

    Parameters
    ----------
    candidates : for each cluster a mapping of word to score
        The best first; scores say which of two clusters a word belongs to.
    kind : str
        What clusters without any word are called: "group A", "group B", ...

    Examples
    --------
    >>> names_of([{"game": 9, "team": 7, "games": 6, "1993": 5}, {"god": 8, "game": 2}, {}])
    ['game, team', 'god', 'group A']
    """
    coded = _with_digits(candidates)
    owner: dict[str, tuple[float, int]] = {}
    for cluster, words in enumerate(candidates):
        for word, score in words.items():
            # Of equal scores the first counts, so that names do not depend on chance.
            if word not in owner or score > owner[word][0]:
                owner[word] = score, cluster
    chosen = []
    for cluster, words in enumerate(candidates):
        own = [word for word in words if owner[word][1] == cluster]
        chosen.append(", ".join(_readable(own, coded)))
    return unique(chosen, kind)


def unique(names: Sequence[str], kind: str = "group") -> list[str]:
    """The names, with letters instead of those that are empty or stand there before."""
    found: list[str] = []
    taken = {name.casefold() for name in names}
    letters = (f"{kind} {_letters(number)}" for number in count())
    seen: set[str] = set()
    for name in names:
        if not name or name.casefold() in seen:
            name = next(free for free in letters if free.casefold() not in taken)
        seen.add(name.casefold())
        found.append(name)
    return found


def checked_names(names: Mapping[Any, str], clusters: Sequence[Any]) -> dict[Any, str]:
    """Names that people gave to some of the clusters; no two may be the same.

    >>> checked_names({0: "tea", 1: "Tea"}, [0, 1])
    Traceback (most recent call last):
    ValueError: Clusters 0 and 1 are both named 'Tea'; give each a name of its own.
    """
    unknown = [cluster for cluster in names if cluster not in clusters]
    if unknown:
        raise ValueError(f"There is no cluster {unknown[0]!r} to be named {names[unknown[0]]!r}.")
    owner: dict[str, Any] = {}
    for cluster, name in names.items():
        first = owner.setdefault(name.casefold(), cluster)
        if first != cluster:
            raise ValueError(
                f"Clusters {first!r} and {cluster!r} are both named {name!r}; give each a name of "
                "its own."
            )
    return dict(names)


def _with_digits(candidates: Sequence[Mapping[str, float]]) -> bool:
    """Whether names of features have digits as a rule, as those of genes do."""
    words = [word for words in candidates for word in words]
    return 2 * sum(_has_digit(word) for word in words) > len(words)


def _readable(words: Sequence[str], coded: bool) -> list[str]:
    """The first few words that one can read, no two of one stem."""
    plain = [word for word in words if _is_plain(word)]
    # Codes only where they are what features are called, or where there is nothing else.
    usable = plain if plain and not coded else [word for word in words if _has_letter(word)]
    chosen: list[str] = []
    for word in usable:
        if len(chosen) < WORDS and not any(same_stem(word, other) for other in chosen):
            chosen.append(word)
    return chosen


def same_stem(one: str, other: str) -> bool:
    """Whether two words differ in their endings only, in any language that adds them behind.

    >>> same_stem("encrypt", "Encryption"), same_stem("atheism", "atheist"), same_stem("car", "cat")
    (True, True, False)
    """
    a, b = sorted((one.casefold(), other.casefold()), key=len)
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return len(b) - common <= ENDING and (common == len(a) or common >= STEM)


def _is_plain(word: str) -> bool:
    """Whether a word is long enough and without digits."""
    return len(word) >= SHORTEST and _has_letter(word) and not _has_digit(word)


def _has_letter(word: str) -> bool:
    return any(sign.isalpha() for sign in word)


def _has_digit(word: str) -> bool:
    return any(sign.isdigit() for sign in word)


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ...: 0 is A."""
    first, last = divmod(number, 26)
    return (_letters(first - 1) if first else "") + chr(ord("A") + last)
