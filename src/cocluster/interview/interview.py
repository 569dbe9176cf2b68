"""Interview: questions to someone who knows, and what follows from the answers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from cocluster.data.relational import relational
from cocluster.interview import files
from cocluster.interview.doubts import second_question
from cocluster.interview.features import carriers, feature_question
from cocluster.interview.knowledge import SIGNS, Answered, Geometry, Hint, Known, Moved, Query
from cocluster.interview.names import Names
from cocluster.interview.record import Record, Row
from cocluster.interview.strategies import STRATEGIES, View, placement, with_new_groups
from cocluster.interview.understanding import Understanding
from cocluster.linalg.types import Array
from cocluster.links import Links, as_links
from cocluster.methods.auto import CoCluster
from cocluster.methods.base import check_complete
from cocluster.methods.catalogue import METHODS
from cocluster.methods.cluster_counts import clusters_by_type
from cocluster.methods.ground import Ground, ground_of
from cocluster.methods.starts import spectral_embedding
from cocluster.utils.checks import check_choice, check_integer, check_number
from cocluster.utils.files import unreadable
from cocluster.utils.html import small_table
from cocluster.utils.randomness import generator

# No two groups can be confused more than half and half.
MOST_CONFUSED = 0.5
# With half of all answers wrong nothing can be learned from them.
MOST_ERRORS = 0.5
# Last answers that a notebook shows.
SHOWN = 5


class Interview:
    """Ask which samples belong together, and cluster with the answers.

    Nothing is printed or read: a notebook, a command line or a page shows the queries and brings
    the answers, in a loop such as ::

        for query in interview.next_queries(5):
            interview.answer(query.i, query.j, ask_someone(query.titles))
        interview.refit()

    What is said of a few samples is used for all: see `cocluster.methods.spreading`.

    Parameters
    ----------
    data : matrix, views or `RelationalData`
        As for ``estimator.fit``.
    estimator : estimator with ``n_clusters`` and ``fit(X, links=)``
        It is cloned for every fit.
    strategy : {"place", "explore", "uncertain", "random"}
        How pairs are chosen. All but the last use one embedding of the samples with the current
        clusters, so they work for every estimator.

        * "place": the core of each cluster, then groups that may be one, then samples whose group
          is uncertain where many are alike; each compared with the groups found so far, the most
          probable first, until it is in one or fits none and becomes a group itself.
        * "explore": samples far from all classes found so far, until there is one for each
          cluster; then samples at random.
        * "uncertain": samples between two clusters against the cores of the two.
        * "random": any open pair.
    links : Links, tuple or None
        What is known before, such as the answers of an earlier interview.
    random_state : int, RandomState, Generator or None
        The same seed and answers give the same queries.
    errors : float
        Share of answers that may be wrong, below one half. With 0 a contradiction is refused. Else
        answers that are hard to believe are asked for again in another way, and of a contradiction
        the weakest link is left out.
    titles : sequence of str, optional
        What each sample is about, to be shown with questions.

    Notes
    -----
    * Guaranteed: no pair is asked whose answer is implied or was given, and none that was
      "unsure", also not through must-linked samples. In a batch no answer implies another one.
    * Queries follow the clusters before any answer, and the answers; an answer counts at once.
    * `refit` begins with what the answers say of all samples, and adds it as a prior to methods
      that take one. Clusters keep their numbers. What moved, and after which sample, is in `moved`.
    * Answers that join clusters leave fewer with samples than were asked for, until others tell
      groups apart; groups that are known to be more are put together. `advice` says so.
    * The embedding and the neighbours are computed once; a refit takes sweeps alone.

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
        *,
        errors: float = 0.0,
        titles: Sequence[str] | None = None,
    ) -> None:
        self.strategy = check_choice(strategy, "strategy", tuple(STRATEGIES))
        self.errors = check_number(errors, "errors")
        if self.errors >= MOST_ERRORS:
            raise ValueError(f"errors must be below {MOST_ERRORS}, got {errors!r}.")
        self.data = data
        self.estimator = estimator
        self._relational = relational(data).oriented()
        check_complete(self._relational, "An interview")
        n = len(self._relational)
        if titles is not None and len(titles) != n:
            raise ValueError(f"There are {len(titles)} titles for {n} samples.")
        self.titles = titles
        checked = as_links(links, None, n) or Links.from_pairs(n_samples=n)
        # Links as given, because `as_links` drops those that are all "unsure".
        given = links if isinstance(links, Links) else checked
        ids = self._relational.names.get(self._relational.center)
        named = given if ids is None or given.ids is not None else replace(given, ids=ids)
        self._names = Names(self._relational, named.ids, titles)
        self._said = Record(named)
        # A number instead of the generator: it goes into the file, and undo comes back to it.
        self._seed = int(generator(random_state).integers(2**31))
        self._labels: dict[str, Array] | None = None
        self._before: Array | None = None
        self._understood: Understanding | None = None
        self._placing: Understanding | None = None
        self._model: Any = None
        self.moved: tuple[Moved, ...] = ()

    @property
    def links(self) -> Links:
        """What was known before and the answers, "unsure" ones included."""
        return self._said.links

    @property
    def answers(self) -> tuple[Answered, ...]:
        """The answers in order."""
        return self._said.log

    @property
    def labels(self) -> Array:
        """Labels of the last `refit`; the first use fits."""
        return self._labels_by_type()[self._relational.center]

    @property
    def model(self) -> Any:
        """The estimator of the last `refit`; fitted if there is none, as after loading."""
        return self.refit()._model if self._model is None else self._model

    def next_queries(self, n: int = 1, kind: str = "pair") -> list[Query]:
        """The next questions, best first; fewer than n if no more are open.

        Asking twice without an answer in between gives the same. The first call fits, if nothing is
        fitted yet.

        Parameters
        ----------
        n : int
        kind : {"pair", "place", "feature"}
            "Do these two belong together?", for `answer`; "in which of these groups is this
            sample, or in none?", for `place`, which places a sample with one answer; or "does this
            feature belong to the group of this sample?", for `hint`, one at a time.
        """
        check_choice(kind, "kind", ("pair", "place", "feature"))
        if kind == "feature":
            asked = {hint.feature for hint in self.hints}
            found = feature_question(self._going_on(), self._relational, asked)
            return [] if found is None else [self._names.named(found)]
        # Drawn from the number of answers, so that the same state asks the same questions.
        rng = np.random.default_rng([self._seed, len(self.answers)])
        geometry = Geometry(self._ground.Z, self._first_labels)
        now, queries = self._going_on(), list[Query]()
        if self.strategy == "place":
            now = self._with_new_groups(now)
        for _ in range(check_integer(n, "n")):
            view = View(geometry, now.known, self.estimator.n_clusters, rng, now)
            query = self._second() if not queries and kind == "pair" else None
            if query is None:
                query = placement(now) if kind == "place" else STRATEGIES[self.strategy](view)
            if query is None:
                break
            queries.append(self._names.named(query))
            # A pair that is open even if all others are the same depends on no answer to them.
            known = now.known.assuming_same(query.i, query.j)
            now = replace(now, known=known, current=None, asked=now.asked | {query.i, query.j})
        return queries

    def answer(self, i: int | str, j: int | str, answer: str, *, drop: bool = False) -> Answered:
        """Record what someone says of samples i and j: "same", "different" or "unsure".

        Any pair may be answered, also one that was not asked; samples are given by position or by
        id. A contradiction of what is known is refused with a ValueError that names the chain of
        answers, and nothing changes then; with ``drop=True``, or where ``errors`` are expected, the
        weakest link of the chain is left out instead (`dropped`).
        """
        check_choice(answer, "answer", tuple(SIGNS))
        return self._record(((self._names.sample(i), self._names.sample(j), answer),), drop)[0]

    def place(
        self, sample: int | str, group: int | str | None, *, drop: bool = False
    ) -> tuple[Answered, ...]:
        """Record that a sample belongs to the group of another one, or (None) to none so far.

        One answer to a person, but as many links as there are groups where it fits none.
        """
        x = self._names.sample(sample)
        if group is not None:
            return self._record(((self._names.sample(group), x, "same"),), drop)
        now = self._going_on().placing(x)
        settled = now.known.settled(x)
        cores = [now.ground.core(own) for own in now.groups if not settled[own[0]]]
        return self._record(tuple((core, x, "different") for core in cores), drop)

    def hint(self, feature: int | str, sample: int | str, answer: str = "same") -> int:
        """Record whether a feature of the first view belongs to the group of a sample.

        Samples that have most of it lean to that group from then on, unless they were placed
        otherwise. "different" and "unsure" only keep it from being asked for again. Returns how
        many samples lean.
        """
        check_choice(answer, "answer", tuple(SIGNS))
        position, member = self._names.feature(feature), self._names.sample(sample)
        said = Hint(position, member, answer)
        self._go_to(replace(self._said, hints=(*self.hints, said)))
        return len(carriers(self._relational, np.array([position]))) if answer == "same" else 0

    def seed(self, features: Sequence[int | str]) -> int:
        """Begin a group from features that belong to it, such as words of a topic.

        The sample that has most of them stands for the group, and is returned.
        """
        positions = np.array([self._names.feature(feature) for feature in features], dtype=np.intp)
        some = carriers(self._relational, positions)
        if not len(some):
            raise ValueError("No sample has any of these features.")
        core = int(some[0])
        self._go_to(self._said.opening(core))
        for feature in positions.tolist():
            self.hint(feature, core)
        return core

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What was said of features, in order."""
        return self._said.hints

    def _record(self, rows: tuple[Row, ...], drop: bool) -> tuple[Answered, ...]:
        """Take answers to the log, all or none."""
        # Before the first fit nothing is foreseen or decided, unless errors make it necessary.
        known = self.errors or self._before is not None or self._labels is not None
        before = self._going_on() if known else None
        if rows and not drop and not self.errors:
            self._said.links_with(*rows).check()
        before_them = len(self.answers)
        for row in rows:
            implied = max(self._said.links_with(row).n_implied - self.links.n_implied, 0)
            mixed = 0.0 if before is None else before.confusion_of(*row[:2])
            doubted = self.errors and before is not None
            chance = before.chance_of_same(*row[:2]) if before is not None and doubted else 1.0
            own = Answered(*row, implied, 0, min(mixed, MOST_CONFUSED), chance)
            self._go_to(replace(self._said, log=(*self.answers, own)))
        if rows and before is not None:
            last = replace(self.answers[-1], n_decided=self._going_on().decided(before))
            self._said = replace(self._said, log=(*self.answers[:-1], last))
        return self.answers[before_them:]

    def _go_to(self, said: Record) -> None:
        """Take another record; what was understood of the last one is forgotten."""
        self._said, self._understood, self._placing = said, None, None

    def undo(self) -> Answered:
        """Take the last answer back; labels stay until `refit`."""
        if not self.answers:
            raise ValueError("There is no answer to undo.")
        last = self.answers[-1]
        self._go_to(self._said.until(len(self.answers) - 1))
        return last

    @property
    def groups(self) -> tuple[Array, ...]:
        """Positions of the samples of each group that the answers make, the largest first.

        They may be more than the clusters: see `advice`.
        """
        groups = self._understanding().groups if self._understanding().asked else []
        return tuple(sorted(groups, key=lambda own: (-len(own), int(own[0]))))

    @property
    def advice(self) -> str:
        """What the answers say of the number of clusters, in a sentence; empty if nothing."""
        k, found = self.estimator.n_clusters, self._links_in_force().minimum_clusters()
        if found <= k:
            joined = len(self._understanding().posterior[0]) < k
            return (
                f"Your answers join clusters: {k} were asked for, and fewer have samples until "
                "answers tell more groups apart."
                if joined
                else ""
            )
        return (
            f"Your answers make at least {found} groups, and n_clusters is {k}: ask for {found} "
            "clusters, or the groups that are hardest to tell apart are put together."
        )

    @property
    def dropped(self) -> tuple[Row, ...]:
        """Answers that contradict others and are left out: positions of the samples, and words."""
        force = {(i, j, s) for (i, j), s in _signed(self._links_in_force())}
        words = {sign: word for word, sign in SIGNS.items()}
        return tuple(
            (i, j, words[sign])
            for (i, j), sign in _signed(self.links)
            if sign and (i, j, sign) not in force
        )

    def refit(self) -> Self:
        """Cluster with all answers, from what they say of every sample (see Notes)."""
        old = None if self._labels is None else self.labels
        if self._said.says_nothing:
            self._model = self._first
        else:
            self._model = self._fitted(self._first_labels if old is None else old)
        # Estimators from elsewhere label the samples only.
        alone = {self._relational.center: self._model.labels_}
        self._labels = dict(getattr(self._model, "labels_by_type_", alone))
        self.moved = () if old is None else self._moves(old)
        return self

    def _fitted(self, labels: Array) -> Any:
        """The estimator fitted with the answers, its clusters numbered as they were."""
        now, k = self._understanding(), self.estimator.n_clusters
        model, links = clone(self.estimator), now.known.links
        if links.minimum_clusters() > k:
            links = Links.from_groups(now.joined_groups(), n_samples=len(links), distinct=True)
        prior = now.prior(labels if labels.max() < k else now.labels)
        if "init" in model.get_params():
            model.set_params(init=prior.argmax(axis=1))
        if takes_prior(model):
            return model.fit(self.data, links=links, prior=prior)
        return model.fit(self.data, links=links)

    def _moves(self, old: Array) -> tuple[Moved, ...]:
        """Samples with another label than before, each with the known sample it followed."""
        now, new = self._understanding(), self.labels
        nearest = now.nearest_known()
        return tuple(
            Moved(int(i), int(old[i]), int(new[i]), int(nearest[i]))
            for i in np.flatnonzero(old != new)
        )

    def extend(self, data: Any, titles: Sequence[str] | None = None) -> Self:
        """Go on with more samples: those of before first, in their order, then new ones.

        Answers stay; labels follow at the next `refit`.
        """
        given, more = self._said.given, relational(data).oriented()
        n = len(given)
        if len(more) < n:
            raise ValueError(f"There were {n} samples, the new data have {len(more)}.")
        ids = more.names.get(more.center)
        if given.ids is not None and (
            ids is None or not np.array_equal(given.ids, [str(name) for name in ids[:n]])
        ):
            raise ValueError("The first samples of the new data must be those of before, by id.")
        longer = type(self)(
            data,
            self.estimator,
            self.strategy,
            given.extended(len(more), ids),
            errors=self.errors,
            titles=titles,
        )
        longer._seed, longer._said = self._seed, replace(self._said, given=longer._said.given)
        self.__dict__ = longer.__dict__
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the data and the model to one JSON file, all or nothing."""
        state = files.State(self.strategy, self._seed, self._said, self._labels, self._before)
        files.write(path, state, self._relational)

    @classmethod
    def load(cls, path: str | os.PathLike[str], data: Any, estimator: Any) -> Interview:
        """The interview that `save` wrote; refused if the data are not those of the file."""
        state = files.read(path, relational(data))
        # What fits the format may still not fit together: samples that there are not, or a
        # contradiction.
        with unreadable(str(path), ValueError, TypeError):
            interview = cls(data, estimator, state.strategy, state.record.given)
            interview._seed, interview._said = state.seed, state.record
            interview._labels, interview._before = state.labels, state.first
        return interview

    def __repr__(self) -> str:
        return (
            f"Interview({self.strategy}; samples: {len(self.links)}, "
            f"answers: {len(self.answers)}, implied: {self.links.n_implied})"
        )

    def _repr_html_(self) -> str:
        # Nothing is fitted for a table.
        names = self.links.ids
        rows = [
            [*(str(i) if names is None else str(names[i]) for i in (own.i, own.j)), own.answer]
            for own in self.answers[-SHOWN:]
        ]
        title = (
            f"Interview ({self.strategy}): {len(self.answers)} answers on {len(self.links):,} "
            f"samples, {self.links.n_implied:,} pairs known"
        )
        return str(small_table(title, ["sample", "sample", "answer"], rows))

    def _labels_by_type(self) -> Mapping[str, Array]:
        """Labels of every type, fitted when first needed."""
        if self._labels is None:
            self.refit()
        return self._labels or {}

    @cached_property
    def _first(self) -> Any:
        """The model before any answer."""
        return clone(self.estimator).fit(self.data)

    @property
    def _first_labels(self) -> Array:
        """Clusters before any answer; others if other numbers of clusters are asked for since."""
        k = self.estimator.n_clusters
        if self._before is None or self._before.max() >= k:
            if "_first" in self.__dict__ and self._first.n_clusters != k:
                del self.__dict__["_first"]
            self._before = np.asarray(self._first.labels_)
        return self._before

    @cached_property
    def _ground(self) -> Ground:
        """The samples as points with neighbours."""
        data, k = self._relational, self.estimator.n_clusters
        found = ground_of(data, k, self._seed)
        if found is not None:
            return found
        # Rows in blocks: points alone.
        embedding = spectral_embedding(data, clusters_by_type(data, k, None), self._seed)
        return Ground(np.asarray(embedding[data.center]), None)

    def _stated(self) -> Understanding:
        """What all answers say, contradictions included."""
        return Understanding(
            self._ground,
            self._first_labels,
            Known(self.links),
            self.estimator.n_clusters,
            self._said.touched,
            same_per_confusion=self._said.same_per_confusion,
            errors=self.errors,
            hints=tuple(
                (carriers(self._relational, np.array([hint.feature])), hint.sample)
                for hint in self.hints
                if hint.answer == "same"
            ),
        )

    def _links_in_force(self) -> Links:
        """The answers without those that others contradict."""
        return self._understanding().known.links

    def _understanding(self) -> Understanding:
        """What the answers say, kept until the next one."""
        k = self.estimator.n_clusters
        if self._understood is None or self._understood.n_clusters != k:
            self._placing = None  # it would have another number of clusters
            stated = self._stated()
            self._understood = replace(
                stated, known=Known(self._said.in_force(stated, self.errors))
            )
        return self._understood

    def _going_on(self) -> Understanding:
        """The same, with the sample that is being placed in no group."""
        now = self._understanding()
        if self._placing is None:
            x = self.answers[-1].j if self.answers else None
            # Where people may err, "same" does not always put it into a group.
            waiting = x is not None and SIGNS[self.answers[-1].answer] in (
                -1,
                -1 if not self.errors else 1,
            )
            alone = waiting and now.known.sizes[now.known.component[x]] == 1
            # The same object where nothing differs: what it has computed is kept.
            self._placing = now.placing(x) if alone else now
        return self._placing

    def _with_new_groups(self, now: Understanding) -> Understanding:
        """The same with samples that fit no group as groups, which is remembered."""
        found = with_new_groups(now)
        if found.asked == now.asked:
            return now
        self._go_to(self._said.opening(*found.asked - now.asked))
        return self._going_on()

    def _second(self) -> Query | None:
        """A second question about the last answer, if people may err."""
        if not self.errors or not self.answers:
            return None
        return second_question(self._understanding(), self.answers[-1], self.links)


def _signed(links: Links) -> Iterator[tuple[tuple[int, int], int]]:
    """Stated pairs with their signs."""
    yield from zip(map(tuple, links.pairs.tolist()), links.signs.tolist(), strict=True)


def takes_prior(model: Any) -> bool:
    """Whether a fit of the model takes probabilities of the clusters."""
    if isinstance(model, CoCluster):
        if model.method == "auto":
            return True
        model = METHODS[model.method].estimator
    return "prior" in signature(model.fit).parameters
