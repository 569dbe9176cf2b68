"""What stands in texts besides their own words: headers of mail, lines that many texts share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from zlib import crc32

# "Name: value", as mail and news begin; a name has no blanks.
_FIELD = re.compile(r"([!-9;-~]+):(?:[ \t]|$)")
# Fields that mail has and other texts hardly ever begin with.
_MAIL = {
    "approved", "bcc", "cc", "content-transfer-encoding", "content-type", "date", "delivered-to",
    "distribution", "expires", "followup-to", "from", "in-reply-to", "keywords", "lines",
    "message-id", "mime-version", "newsgroups", "nntp-posting-host", "organization", "path",
    "received", "references", "reply-to", "return-path", "sender", "sent", "subject", "summary",
    "to", "x-mailer", "x-newsreader", "xref",
}  # fmt: skip
# One such line may begin any text ("To: whom it may concern"), two hardly do.
_LEAST_FIELDS = 2

# A line that so many of the texts have is none of their own ...
SHARED_BY = 0.1
# ... if it is so many texts at least: in a handful, two that quote each other are no pattern ...
_LEAST_TEXTS = 5
# ... and has so many words: "Yours," or "Introduction" do no harm, and document frequency finds it.
_LEAST_WORDS = 3
# So many texts show every line that a tenth of all has; the lines of millions would fill memory.
_LOOKED_AT = 5000


def split_mail(text: str) -> tuple[dict[str, str], str]:
    """Header and body of a letter or of an article of a newsgroup.

    Parameters
    ----------
    text : str
        With lines that end in a line feed.

    Returns
    -------
    fields : dict of str to str
        Fields of the header by name, in lower case; empty if the text does not begin with one.
    body : str
        The rest, which is the whole text if there is no header.

    Examples
    --------
    >>> split_mail("From: Ada\\nSubject: Engines\\n\\nDear Charles,")
    ({'from': 'Ada', 'subject': 'Engines'}, 'Dear Charles,')
    """
    fields: dict[str, str] = {}
    name = ""
    place = 0
    for line in _lines(text):
        found = _FIELD.match(line)
        if found:
            name = found[1].lower()
            fields.setdefault(name, line[found.end() :].strip())
        elif name and line[:1] in (" ", "\t") and line.strip():
            fields[name] += f" {line.strip()}"  # long fields go on in the next line, indented
        elif place or not line.startswith("From "):  # the line that separates letters in a mailbox
            break
        place += len(line) + 1
    mail = len(_MAIL & fields.keys()) >= _LEAST_FIELDS
    blank, _, body = text[place:].partition("\n")
    # Without an empty line after it, this is a text that begins with a list.
    return (fields, body) if mail and not blank.strip() else ({}, text)


def shared_lines(texts: Collection[str]) -> frozenset[str]:
    """Lines that many texts have word for word: footers, disclaimers, questions of a form.

    Copies of a text count once, and texts of a single line do not count.

    Examples
    --------
    >>> pages = [f"Page about {word}\\nAll rights reserved." for word in "abcdefgh"]
    >>> shared_lines(pages)
    frozenset({'All rights reserved.'})
    """
    distinct = set(texts)
    least = max(_LEAST_TEXTS, SHARED_BY * len(distinct))
    # By checksum, so that the choice depends neither on the order of the texts nor on chance.
    looked_at = sorted(distinct, key=_checksum)[:_LOOKED_AT]
    # Half as often as needed among those looked at: chance does not let one slip through.
    enough = least * len(looked_at) / len(distinct) / 2 if distinct else 0
    frequent = {line for line, n in _in_texts(looked_at).items() if n >= enough}
    return frozenset(line for line, n in _in_texts(distinct, frequent).items() if n >= least)


def without_lines(text: str, lines: Collection[str]) -> str:
    """The text without some lines."""
    if not lines:
        return text
    return "\n".join(line for line in text.split("\n") if line.strip() not in lines)


def _in_texts(texts: Iterable[str], among: set[str] | None = None) -> Counter[str]:
    """How many texts have each line; only those `among` some lines, if given."""
    found: Counter[str] = Counter()
    for text in texts:
        lines = {line.strip() for line in text.split("\n")} - {""}
        if len(lines) > 1:
            found.update(lines if among is None else lines & among)
    return Counter({line: n for line, n in found.items() if len(line.split()) >= _LEAST_WORDS})


def _checksum(text: str) -> tuple[int, str]:
    """A number that depends on the text alone, and the text for the rare pairs that share one."""
    return crc32(text.encode("utf-8", "surrogatepass")), text


def _lines(text: str) -> Iterator[str]:
    """Lines one by one: of a long text only the first few are looked at."""
    place = 0
    while place < len(text):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        yield text[place:end]
        place = end + 1
