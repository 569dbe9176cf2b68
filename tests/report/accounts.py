"""Small data with everything an account can tell of, for the tests of its surfaces."""

from __future__ import annotations

from functools import cache

import numpy as np

from cocluster import CoCluster, Links, account
from cocluster.datasets import Dataset
from cocluster.report.account import Account

# A document that would do harm if it were markup.
HARM = "<script>document.title = 'taken over'</script><img src=x onerror=alert(1)>"
WORDS = (
    ["ball", "goal", "team", "<b>score</b>"],
    ["vote", "law", "senate", "party"],
    ["cell", "gene", "protein", "blood"],
)


def texts(n: int = 30, seed: int = 0) -> list[str]:
    """Texts on three subjects, the last one harmful."""
    rng = np.random.default_rng(seed)
    made = [" ".join(rng.choice(WORDS[i % 3], 12)) for i in range(n - 1)]
    return [*made, HARM + " ball goal"]


def dataset(n: int = 30) -> Dataset:
    """A data set with two views, classes, titles, texts and metadata."""
    documents = texts(n)
    words = [word for group in WORDS for word in group]
    X = np.array([[text.split().count(word) for word in words] for text in documents], float)
    tags = np.kron(np.ones((n // 3, 1)), np.eye(3)) * 2.0
    return Dataset(
        "news & views",
        {"words": X, "tags": tags[:-3]},
        labels=np.array([i % 3 for i in range(n)]),
        class_names=np.array(["sport", "politics", "biology"]),
        sample_names=np.array([f"doc{i}" for i in range(n)], dtype=object),
        feature_names={"words": np.array(words), "tags": np.array(["a", "b", "c"])},
        present={"tags": np.arange(n - 3)},
        notes=("one line was < empty >",),
        texts=np.array(documents, dtype=object),
        titles=np.array([f"Title {i} & more" for i in range(n)], dtype=object),
        metadata={
            "date": np.array([f"2026-01-{i + 1:02}" for i in range(n)]),
            "desk": np.array([f"desk <{i % 3}>" for i in range(n)]),
            "words": np.array([None, *(100 * (i % 3) + i for i in range(1, n))], dtype=object),
        },
    )


def links(n: int = 30) -> Links:
    """Links of which the last cannot be kept by clusters that follow the words."""
    return Links.from_pairs([[0, 3], [0, 6]], [[0, 1]], n_samples=n)


@cache
def told() -> Account:
    """An account of all of this."""
    data = dataset()
    model = CoCluster(3, random_state=0).fit(data.data, links=links())
    names = {0: "Named <by> a person"}
    return account(
        model,
        data,
        links=links(),
        names=names,
        seconds=1.25,
        source="news.csv",
        title="News & <views>",
    )
