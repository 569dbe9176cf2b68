"""Interview: questions to someone who knows, and what follows from the answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from cocluster.data.relational import relational
from cocluster.interview import files
from cocluster.interview.knowledge import SIGNS, Answered, Geometry, Known, Query
from cocluster.interview.seeding import seeded_labels
from cocluster.interview.strategies import STRATEGIES, View
from cocluster.linalg.types import Array
from cocluster.links import Links, as_links
from cocluster.methods.base import check_complete, clusters_by_type
from cocluster.methods.starts import spectral_embedding
from cocluster.utils.checks import check_choice, check_integer
from cocluster.utils.html import small_table
from cocluster.utils.randomness import generator

# Last answers that a notebook shows.
SHOWN = 5


class Interview:
    """Ask which samples belong together, pair by pair, and cluster with the answers.

    Nothing is printed or read: a notebook, a command line or a page shows the queries and brings
    the answers, in a loop such as ::

        for query in interview.next_queries(5):
            interview.answer(query.i, query.j, ask_someone(query.i, query.j))
        interview.refit()

    Parameters
    ----------
    data : matrix, views or `RelationalData`
        As for ``estimator.fit``.
    estimator : estimator with ``n_clusters`` and ``fit(X, links=)``
        It is cloned for every fit.
    strategy : {"place", "explore", "uncertain", "random"}
        How pairs are chosen. All but the last use one embedding of the samples (singular vectors
        of the degree-scaled data) with the centroids of the current clusters, so they work for
        every estimator.

        * "place": the core of each cluster, then samples between two clusters, each compared with
          the classes found so far, the nearest first, until it is placed.
        * "explore": samples far from all classes found so far, until there is one for each
          cluster; then samples at random.
        * "uncertain": samples between two clusters against the cores of the two.
        * "random": any open pair.
    links : Links, tuple or None
        What is known before.
    random_state : int, RandomState, Generator or None
        The same seed and answers give the same queries.

    Notes
    -----
    * Guaranteed: no pair is asked whose answer is implied or was given, and none that was
      "unsure", also not through must-linked samples. In a batch no answer implies another one.
    * Queries follow the labels of the last `refit`; an answer counts at once.
    * `refit` starts from seeds: k-means in the embedding from the means of the classes found (at
      least two, else from the current labels). From the labels alone the fit stays in the optimum
      that the answers are meant to leave, and of several runs the one with the lowest objective
      is mostly that optimum (oh5, 100 answers, mean of two seeds: accuracy .70, from seeds .74).

    References
    ----------
    .. [1] Basu, Banerjee, Mooney. Active Semi-Supervision for Pairwise Constrained Clustering.
       SDM 2004.
    .. [2] Xiong, Azimi, Fern. Active Learning of Constraints for Semi-Supervised Clustering.
       TKDE 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from cocluster import CoCluster
    >>> X = np.kron([[5, 0], [1, 5]], np.ones((3, 4)))
    >>> interview = Interview(X, CoCluster(2, random_state=0), random_state=0)
    >>> interview.answer(0, 1, "same").n_implied, interview.answer(1, 4, "different").n_implied
    (1, 2)
    >>> query = interview.next_queries()[0]
    >>> (query.i, query.j) in [(0, 1), (0, 4), (1, 4)]
    False
    """

    def __init__(
        self,
        data: Any,
        estimator: Any,
        strategy: str = "place",
        links: Any = None,
        random_state: Any = None,
    ) -> None:
        self.strategy = check_choice(strategy, "strategy", tuple(STRATEGIES))
        self.data = data
        self.estimator = estimator
        self._relational = relational(data)
        check_complete(self._relational, "An interview")
        n = len(self._relational)
        checked = as_links(links, None, n) or Links.from_pairs(n_samples=n)
        # Links as given, because `as_links` drops those that are all "unsure".
        given = links if isinstance(links, Links) else checked
        ids = self._relational.names.get(self._relational.center)
        self._given = given if ids is None or given.ids is not None else replace(given, ids=ids)
        # A number instead of the generator: it goes into the file, and undo comes back to it.
        self._seed = int(generator(random_state).integers(2**31))
        self._log: tuple[Answered, ...] = ()
        self._links = self._given
        self._labels: dict[str, Array] | None = None
        self._model: Any = None

    @property
    def links(self) -> Links:
        """What was known before and the answers, "unsure" ones included."""
        return self._links

    @property
    def answers(self) -> tuple[Answered, ...]:
        """The answers in order."""
        return self._log

    @property
    def labels(self) -> Array:
        """Labels of the last `refit`; the first use fits."""
        return self._labels_by_type()[self._relational.center]

    @property
    def model(self) -> Any:
        """The estimator of the last `refit`; fitted if there is none, as after loading."""
        return self.refit()._model if self._model is None else self._model

    def next_queries(self, n: int = 1) -> list[Query]:
        """The next pairs to ask, best first; fewer than n if no more are open.

        Asking twice without an answer in between gives the same pairs. The first call fits, if
        nothing is fitted yet.
        """
        # Drawn from the number of answers, so that the same state asks the same questions.
        rng = np.random.default_rng([self._seed, len(self._log)])
        geometry = Geometry(self._embedding, self.labels)
        known, queries = Known(self._links), list[Query]()
        for _ in range(check_integer(n, "n")):
            view = View(geometry, known, self.estimator.n_clusters, rng)
            query = STRATEGIES[self.strategy](view)
            if query is None:
                break
            queries.append(query)
            # A pair that is open even if all others are the same depends on no answer to them.
            known = known.assuming_same(query.i, query.j)
        return queries

    def answer(self, i: int, j: int, answer: str) -> Answered:
        """Record what someone says of samples i and j: "same", "different" or "unsure".

        Any pair may be answered, also one that was not asked. A contradiction of what is known is
        refused with a ValueError that names the chain of answers; nothing changes then.
        """
        check_choice(answer, "answer", tuple(SIGNS))
        i, j = check_integer(i, "i", 0), check_integer(j, "j", 0)
        links = self._links | self._table(((i, j, answer),))
        links.check()
        self._log += (Answered(i, j, answer, links.n_implied - self._links.n_implied),)
        self._links = links
        return self._log[-1]

    def undo(self) -> Answered:
        """Take the last answer back; labels stay until `refit`."""
        if not self._log:
            raise ValueError("There is no answer to undo.")
        last = self._log[-1]
        self._replay(self._log[:-1])
        return last

    def refit(self) -> Self:
        """Cluster with all answers, from seeds that the answers have found (see Notes)."""
        model = clone(self.estimator)
        start = self._start()
        if start is not None and "init" in model.get_params():
            model.set_params(init=start)
        self._model = model.fit(self.data, links=self._links)
        # Estimators from elsewhere label the samples only.
        alone = {self._relational.center: model.labels_}
        self._labels = dict(getattr(model, "labels_by_type_", alone))
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the data and the model to one JSON file, all or nothing."""
        state = files.State(self.strategy, self._seed, self._given, self._log, self._labels)
        files.write(path, state, self._relational)

    @classmethod
    def load(cls, path: str | os.PathLike[str], data: Any, estimator: Any) -> Interview:
        """The interview that `save` wrote; refused if the data are not those of the file."""
        state = files.read(path, relational(data))
        interview = cls(data, estimator, state.strategy, state.links)
        interview._seed, interview._labels = state.seed, state.labels
        interview._given = state.links
        interview._replay(state.log)
        return interview

    def __repr__(self) -> str:
        return (
            f"Interview({self.strategy}; samples: {len(self._given)}, answers: {len(self._log)}, "
            f"implied: {self._links.n_implied})"
        )

    def _repr_html_(self) -> str:
        # Nothing is fitted for a table.
        names = self._links.ids
        rows = [
            [*(str(i) if names is None else str(names[i]) for i in (own.i, own.j)), own.answer]
            for own in self._log[-SHOWN:]
        ]
        title = (
            f"Interview ({self.strategy}): {len(self._log)} answers on {len(self._given):,} "
            f"samples, {self._links.n_implied:,} pairs known"
        )
        return str(small_table(title, ["sample", "sample", "answer"], rows))

    def _replay(self, log: tuple[Answered, ...]) -> None:
        """Go to the state after some answers."""
        self._log = log
        rows = tuple((entry.i, entry.j, entry.answer) for entry in log)
        self._links = self._given | self._table(rows) if rows else self._given

    def _table(self, rows: tuple[tuple[int, int, str], ...]) -> Links:
        """Answers as links."""
        pairs = np.array([row[:2] for row in rows])
        signs = np.array([SIGNS[row[2]] for row in rows])
        return Links(len(self._given), pairs, signs, np.ones(len(rows)))

    def _labels_by_type(self) -> Mapping[str, Array]:
        """Labels of every type, fitted when first needed."""
        if self._labels is None:
            self.refit()
        return self._labels or {}

    def _start(self) -> Any:
        """Labels to start from; None before the first fit."""
        k = self.estimator.n_clusters
        # Labels of a file may come from an estimator with more clusters than this one.
        if self._labels is None or self.labels.max() >= k:
            return None
        groups = Known(self._links).groups()
        if len(groups) < 2:
            # One class says nothing about where another one lies.
            return self._labels
        return seeded_labels(Geometry(self._embedding, self.labels), groups, k)

    @cached_property
    def _embedding(self) -> Array:
        """The samples as points."""
        clusters = clusters_by_type(self._relational, self.estimator.n_clusters, None)
        return spectral_embedding(self._relational, clusters, self._seed)[self._relational.center]
