"""Detection of boilerplate in texts: mail headers, and lines that many texts share."""

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

# Share of the texts that must have a line before it counts as boilerplate ...
SHARED_BY = 0.1
# ... and their least number: two of a handful of texts that quote each other are no pattern ...
_LEAST_TEXTS = 5
# ... and the least number of words of the line: document frequency handles shorter ones.
_LEAST_WORDS = 3
# Number of texts in the sample that proposes lines; the lines of millions would fill memory.
_SAMPLE_SIZE = 5000


def split_mail(text: str) -> tuple[dict[str, str], str]:
    """Split a letter or a newsgroup article into header and body.

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
    offset = 0
    for line in _lines(text):
        field = _FIELD.match(line)
        if field:
            name = field[1].lower()
            fields.setdefault(name, line[field.end() :].strip())
        elif name and line[:1] in (" ", "\t") and line.strip():
            fields[name] += f" {line.strip()}"  # long fields go on in the next line, indented
        elif offset or not line.startswith("From "):  # the line that separates letters in a mailbox
            break
        offset += len(line) + 1
    mail = len(_MAIL & fields.keys()) >= _LEAST_FIELDS
    blank, _, body = text[offset:].partition("\n")
    # Without an empty line after it, this is a text that begins with a list.
    return (fields, body) if mail and not blank.strip() else ({}, text)


def shared_lines(texts: Collection[str]) -> frozenset[str]:
    """Find the lines that many texts have word for word: footers, disclaimers, form questions.

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
    sample = sorted(distinct, key=_checksum)[:_SAMPLE_SIZE]
    # Half of the needed frequency within the sample, so that chance hides no shared line.
    enough = least * len(sample) / len(distinct) / 2 if distinct else 0
    frequent = {line for line, n in _line_frequencies(sample).items() if n >= enough}
    return frozenset(
        line for line, n in _line_frequencies(distinct, frequent).items() if n >= least
    )


def without_lines(text: str, lines: Collection[str]) -> str:
    """Remove the given lines from a text."""
    if not lines:
        return text
    return "\n".join(line for line in text.split("\n") if line.strip() not in lines)


def _line_frequencies(texts: Iterable[str], among: set[str] | None = None) -> Counter[str]:
    """Count the texts that have each line; only lines in `among`, if it is given."""
    frequencies: Counter[str] = Counter()
    for text in texts:
        lines = {line.strip() for line in text.split("\n")} - {""}
        if len(lines) > 1:
            frequencies.update(lines if among is None else lines & among)
    return Counter(
        {line: n for line, n in frequencies.items() if len(line.split()) >= _LEAST_WORDS}
    )


def _checksum(text: str) -> tuple[int, str]:
    """Return a sort key: the checksum of a text, and the text itself to break ties."""
    return crc32(text.encode("utf-8", "surrogatepass")), text


def _lines(text: str) -> Iterator[str]:
    """Iterate over the lines of a text; lazily, because callers stop after the header."""
    offset = 0
    while offset < len(text):
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        yield text[offset:end]
        offset = end + 1
