"""Generate the sample files of the documentation: ``python docs/samples/make.py``.

The data are synthetic, so that anyone may use them: letters to a shop about four topics, letters of
the next month, and ratings of films. The seeds are fixed, so the files are always the same.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

OPENING = ("Hello,", "Good morning,", "Dear team,", "Hi there,", "To whom it may concern,")
CLOSING = ("Thank you.", "Please let me know.", "Best wishes.", "I hope you can help.", "Thanks!")
# Sentences of each topic: problems first, then questions.
TOPICS = {
    "delivery": (
        "my parcel has not arrived yet",
        "the courier left the parcel at the wrong door",
        "the tracking number shows no movement since Monday",
        "the delivery is late again and the driver did not ring",
        "the parcel was shipped to my old address",
        "when will the courier deliver the parcel",
        "can you send a new tracking link for the shipment",
        "could the driver leave the delivery with a neighbour",
    ),
    "payment": (
        "my credit card was charged twice",
        "the invoice shows the wrong amount",
        "the bank refused the card although the account is covered",
        "I paid by bank transfer and the invoice is still open",
        "the discount is missing on the invoice",
        "please refund the second charge to my card",
        "can I have a corrected invoice with the discount",
        "which bank account should I use for the transfer",
    ),
    "website": (
        "I cannot log in with my new password",
        "the password reset link in the email does not work",
        "the app crashes when I open the basket",
        "the search page stays empty in my browser",
        "my login is blocked after an update of the app",
        "how do I change the email address of my login",
        "can you unlock my user login and reset the password",
        "is there a new version of the app without the crash",
    ),
    "returns": (
        "the shoes are too small and I want a larger size",
        "the jacket has a broken zip",
        "the colour of the dress is not as in the picture",
        "one shoe has a scratch and the box was open",
        "I would like to return the jacket unworn",
        "how do I send the shoes back and exchange the size",
        "can I exchange the dress for another colour",
        "please send a return label for the jacket",
    ),
}


def letters(n: int, first: int, seed: int) -> list[tuple[str, str, str]]:
    """Return the id, text and topic of n letters with random topics."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        topic = draw.choice(list(TOPICS))
        sentences = draw.sample(TOPICS[topic], k=draw.choice((2, 3, 3)))
        text = " ".join([draw.choice(OPENING), ". ".join(sentences) + ".", draw.choice(CLOSING)])
        rows.append((f"letter {first + i}", text, topic))
    return rows


def ratings(seed: int) -> list[tuple[str, str, int]]:
    """Return the person, film and stars of each rating; each person prefers one genre."""
    draw = random.Random(seed)
    genres = ("comedy", "crime", "space")
    rows = []
    for person in range(60):
        preferred = person % 3
        for film in range(30):
            if draw.random() < 0.4:
                stars = (4 if film % 3 == preferred else 2) + draw.choice((-1, 0, 0, 1))
                rows.append((f"person {person}", f"{genres[film % 3]} {film // 3 + 1}", stars))
    return rows


def main(folder: Path) -> None:
    """Write all sample files to a folder."""
    _write(folder / "letters.csv", ("id", "text", "topic"), letters(200, 1, seed=0))
    _write(folder / "next-month.csv", ("id", "text", "topic"), letters(20, 201, seed=1))
    _write(folder / "ratings.csv", ("user", "item", "rating"), ratings(seed=0))


def _write(path: Path, header: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    """Write a CSV table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(__file__).parent)
