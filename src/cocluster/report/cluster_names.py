"""Short names for clusters, made of their characteristic features.

A name has up to three words. Each word belongs to one cluster only, the one where it has the
highest score; numbers, single letters and words of the same stem ("game", "games") are skipped.
The same input gives the same names, and no two clusters have the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

# Words of a name: two are often ambiguous, four are too long to read.
MAX_WORDS = 3
# Shortest word, in characters; shorter ones are mostly fragments: "ve", "ax", "mb".
MIN_LENGTH = 3
# Longest ending by which words of one stem may differ: "encrypt", "encryption".
MAX_ENDING = 3
# Shortest common beginning of two words of one stem; "station" and "statute" share four letters.
MIN_STEM = 5


def make_names(candidates: Sequence[Mapping[str, float]]) -> list[str]:
    """Return a name for each cluster; those without any word are "group A", "group B", ...

    Parameters
    ----------
    candidates : for each cluster a mapping of word to score
        The best first; a word belongs to the cluster where its score is highest.

    Examples
    --------
    >>> make_names([{"game": 9, "team": 7, "games": 6, "1993": 5}, {"god": 8, "game": 2}, {}])
    ['game, team', 'god', 'group A']
    """
    coded = _are_codes(candidates)
    owner: dict[str, tuple[float, int]] = {}
    for cluster, words in enumerate(candidates):
        for word, score in words.items():
            # The first of equal scores wins, so that names are deterministic.
            if word not in owner or score > owner[word][0]:
                owner[word] = score, cluster
    names = []
    for cluster, words in enumerate(candidates):
        owned = [word for word in words if owner[word][1] == cluster]
        names.append(", ".join(_select_words(owned, coded)))
    return make_unique(names)


def make_unique(names: Sequence[str]) -> list[str]:
    """Replace empty and repeated names by "group A", "group B", ..."""
    distinct: list[str] = []
    taken = {name.casefold() for name in names}
    letters = (f"group {_letters(number)}" for number in count())
    seen: set[str] = set()
    for name in names:
        if not name or name.casefold() in seen:
            name = next(free for free in letters if free.casefold() not in taken)
        seen.add(name.casefold())
        distinct.append(name)
    return distinct


def check_names(names: Mapping[Any, str], clusters: Sequence[Any]) -> dict[Any, str]:
    """Return names of clusters; raise if two are the same or a cluster does not exist.

    >>> check_names({0: "tea", 1: "Tea"}, [0, 1])
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


def _are_codes(candidates: Sequence[Mapping[str, float]]) -> bool:
    """Return whether most feature names contain digits, such as names of genes."""
    words = [word for words in candidates for word in words]
    return 2 * sum(_has_digit(word) for word in words) > len(words)


def _select_words(words: Sequence[str], coded: bool) -> list[str]:
    """Return the first few readable words, no two of one stem."""
    plain = [word for word in words if _is_plain(word)]
    # Codes are used if most features are codes, or if there is nothing else.
    usable = plain if plain and not coded else [word for word in words if _has_letter(word)]
    selected: list[str] = []
    for word in usable:
        if len(selected) < MAX_WORDS and not any(same_stem(word, other) for other in selected):
            selected.append(word)
    return selected


def same_stem(first: str, second: str) -> bool:
    """Return whether two words differ only in their endings.

    >>> same_stem("encrypt", "Encryption"), same_stem("atheism", "atheist"), same_stem("car", "cat")
    (True, True, False)
    """
    a, b = sorted((first.casefold(), second.casefold()), key=len)
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return len(b) - common <= MAX_ENDING and (common == len(a) or common >= MIN_STEM)


def _is_plain(word: str) -> bool:
    """Return whether a word is long enough and without digits."""
    return len(word) >= MIN_LENGTH and _has_letter(word) and not _has_digit(word)


def _has_letter(word: str) -> bool:
    return any(sign.isalpha() for sign in word)


def _has_digit(word: str) -> bool:
    return any(sign.isdigit() for sign in word)


def _letters(number: int) -> str:
    """Return the letters of a number: A, B, ..., Z, AA, AB, ...; 0 is A."""
    first, last = divmod(number, 26)
    return (_letters(first - 1) if first else "") + chr(ord("A") + last)
