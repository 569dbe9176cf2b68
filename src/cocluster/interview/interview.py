"""Interview: questions to an expert, and clusters that follow the answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from cocluster.data.relational import relational
from cocluster.interview import files
from cocluster.interview.beliefs import Beliefs, KnownPairs
from cocluster.interview.contradictions import repeat_query
from cocluster.interview.queries import SIGNS, Answered, Hint, Moved, NameLookup, Query
from cocluster.interview.record import PairAnswer, Record
from cocluster.interview.strategies import (
    STRATEGIES,
    ClusterGeometry,
    StrategyInput,
    feature_query,
    open_new_groups,
    placement_query,
    top_samples,
)
from cocluster.linalg.types import Array
from cocluster.links import Links, as_links
from cocluster.methods.base import check_complete
from cocluster.methods.catalogue import METHODS
from cocluster.methods.cocluster import CoCluster
from cocluster.methods.default.embedding import NeighbourEmbedding, neighbour_embedding
from cocluster.methods.starts import spectral_embedding
from cocluster.methods.task import clusters_by_type
from cocluster.utils.checks import check_choice, check_integer, check_number, generator
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.html import small_table

# Two groups cannot be confused by a larger share than half.
MAX_CONFUSION = 0.5
# If half of all answers are wrong, nothing can be learned from them.
MAX_ERRORS = 0.5
# Number of answers shown in a notebook, the last ones.
N_SHOWN = 5


class Interview:
    """Ask which samples belong together, and cluster with the answers.

    The class neither prints nor reads anything: a notebook, a command line or a web page shows the
    queries and passes the answers on, in a loop such as ::

        for query in interview.next_queries(5):
            interview.answer(query.i, query.j, ask_someone(query.titles))
        interview.refit()

    Answers about a few samples are propagated to all: see `cocluster.methods.default.supervision`.

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
          is uncertain in dense regions; each is compared with the groups so far, the most probable
          first, until it is in one or fits none and becomes a group itself.
        * "explore": samples far from all groups so far, until there is one for each cluster; then
          samples at random.
        * "uncertain": samples between two clusters, compared with the cores of the two.
        * "random": any open pair.
    links : Links, tuple or None
        Links from before the first question, such as the answers of an earlier interview.
    random_state : int, RandomState, Generator or None
        The same seed and answers give the same queries.
    errors : float
        Share of answers that may be wrong, below one half. With 0 a contradiction is refused.
        Otherwise improbable answers are asked again in another way, and the weakest link of a
        contradiction is dropped.
    titles : sequence of str, optional
        A short description of each sample, to be shown with questions.

    Notes
    -----
    * Guaranteed: no pair is asked whose answer is implied or was given, and none that was
      "unsure", also not through must-linked samples. In a batch no answer implies another one.
    * Queries depend on the clusters before any answer, and on the answers; an answer counts at
      once.
    * `refit` begins with the labels that the answers imply for all samples, and adds their
      probabilities as a prior to methods that accept one. Clusters keep their numbers. `moved`
      lists the samples that moved, each with the answered sample it followed.
    * Answers that join clusters leave fewer non-empty clusters than `n_clusters`, until others
      tell groups apart; if there are more groups than clusters, groups are merged. `advice` says
      so.
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
        if self.errors >= MAX_ERRORS:
            raise ValueError(f"errors must be below {MAX_ERRORS}, got {errors!r}.")
        self.data = data
        self.estimator = estimator
        self._relational = relational(data).oriented()
        check_complete(self._relational, "An interview")
        n = len(self._relational)
        if titles is not None and len(titles) != n:
            raise ValueError(f"There are {len(titles)} titles for {n} samples.")
        self.titles = titles
        checked = as_links(links, None, n) or Links.from_pairs(n_samples=n)
        # `as_links` drops links that are all "unsure", so links of that class are used directly.
        initial = links if isinstance(links, Links) else checked
        ids = self._relational.names.get(self._relational.center)
        if ids is not None and initial.ids is None:
            initial = replace(initial, ids=ids)
        self._names = NameLookup(self._relational, initial.ids, titles)
        self._record = Record(initial)
        # A number instead of the generator: it is stored in the file, and undo returns to it.
        self._seed = int(generator(random_state).integers(2**31))
        self._labels: dict[str, Array] | None = None
        self._first_labels: Array | None = None
        self._beliefs: Beliefs | None = None
        self._placing_beliefs: Beliefs | None = None
        self._model: Any = None
        self.moved: tuple[Moved, ...] = ()

    @property
    def links(self) -> Links:
        """The initial links and the answers, "unsure" ones included."""
        return self._record.links

    @property
    def answers(self) -> tuple[Answered, ...]:
        """The answers in order."""
        return self._record.answers

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The answers about features, in order."""
        return self._record.hints

    @property
    def labels(self) -> Array:
        """Labels of the last `refit`; the first use fits."""
        if self._labels is None:
            self.refit()
        assert self._labels is not None
        return self._labels[self._relational.center]

    @property
    def model(self) -> Any:
        """The estimator of the last `refit`; fitted if there is none, as after loading."""
        return self.refit()._model if self._model is None else self._model

    def next_queries(self, n: int = 1, kind: str = "pair") -> list[Query]:
        """Return the next questions, best first; fewer than n if no more are open.

        Two calls without an answer in between return the same questions. The first call fits, if
        nothing is fitted yet.

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
            excluded = {hint.feature for hint in self.hints}
            query = feature_query(self._current_beliefs(), self._relational, excluded)
            return [] if query is None else [self._names.add_names(query)]
        # Seeded by the number of answers, so that the same state asks the same questions.
        rng = np.random.default_rng([self._seed, len(self.answers)])
        geometry = ClusterGeometry(self._embedding.Z, self._labels_before_answers())
        beliefs = self._current_beliefs()
        if self.strategy == "place":
            beliefs = self._open_new_groups(beliefs)
        queries: list[Query] = []
        for _ in range(check_integer(n, "n")):
            query = self._repeat_query() if not queries and kind == "pair" else None
            if query is None and kind == "place":
                query = placement_query(beliefs)
            elif query is None:
                query = STRATEGIES[self.strategy](StrategyInput(geometry, beliefs, rng))
            if query is None:
                break
            queries.append(self._names.add_names(query))
            # A pair that is open even if all others are the same depends on no answer to them.
            beliefs = replace(
                beliefs,
                known_pairs=beliefs.known_pairs.with_must_link(query.i, query.j),
                current=None,
                compared_samples=beliefs.compared_samples | {query.i, query.j},
            )
        return queries

    def answer(self, i: int | str, j: int | str, answer: str, *, drop: bool = False) -> Answered:
        """Record an answer about samples i and j: "same", "different" or "unsure".

        Any pair may be answered, also one that was not asked; samples are given by position or by
        id. A contradiction is refused with a ValueError that names the chain of answers, and
        nothing changes then; with ``drop=True``, or if ``errors`` are expected, the weakest link of
        the chain is dropped instead (`dropped`).
        """
        check_choice(answer, "answer", tuple(SIGNS))
        pair = self._names.sample_index(i), self._names.sample_index(j)
        return self._add_answers(((*pair, answer),), drop)[0]

    def place(
        self, sample: int | str, group: int | str | None, *, drop: bool = False
    ) -> tuple[Answered, ...]:
        """Record that a sample belongs to the group of another one, or (None) to none so far.

        It is one answer of a person, but as many links as there are groups if the sample fits none.
        """
        x = self._names.sample_index(sample)
        if group is not None:
            return self._add_answers(((self._names.sample_index(group), x, "same"),), drop)
        beliefs = self._current_beliefs().with_current(x)
        closed = beliefs.known_pairs.closed_samples(x)
        cores = [beliefs.embedding.core(g) for g in beliefs.groups if not closed[g[0]]]
        return self._add_answers(tuple((core, x, "different") for core in cores), drop)

    def hint(self, feature: int | str, sample: int | str, answer: str = "same") -> int:
        """Record whether a feature of the first view belongs to the group of a sample.

        Samples with the largest share of the feature lean to that group from then on, unless they
        were placed otherwise. "different" and "unsure" only keep the feature from being asked about
        again. Returns the number of samples that lean.
        """
        check_choice(answer, "answer", tuple(SIGNS))
        position, member = self._names.feature_index(feature), self._names.sample_index(sample)
        hint = Hint(position, member, answer)
        self._set_record(replace(self._record, hints=(*self.hints, hint)))
        return len(top_samples(self._relational, np.array([position]))) if answer == "same" else 0

    def seed(self, features: Sequence[int | str]) -> int:
        """Begin a group from features that belong to it, such as words of a topic.

        The sample with the largest share of them represents the group, and is returned.
        """
        positions = np.array([self._names.feature_index(f) for f in features], dtype=np.intp)
        samples = top_samples(self._relational, positions)
        if not len(samples):
            raise ValueError("No sample has any of these features.")
        core = int(samples[0])
        self._set_record(self._record.add_founders(core))
        for feature in positions.tolist():
            self.hint(feature, core)
        return core

    def _add_answers(self, pairs: tuple[PairAnswer, ...], drop: bool) -> tuple[Answered, ...]:
        """Add answers to the record, all or none of them."""
        # Before the first fit there are no predictions to compare with, unless errors need them.
        is_fitted = self._first_labels is not None or self._labels is not None
        before = self._current_beliefs() if self.errors or is_fitted else None
        if pairs and not drop and not self.errors:
            self._record.links_with(*pairs).check()
        n_before = len(self.answers)
        for i, j, word in pairs:
            links = self._record.links_with((i, j, word))
            n_implied = max(links.n_implied - self.links.n_implied, 0)
            confusion = 0.0 if before is None else before.pair_confusion(i, j)
            chance = before.same_chance(i, j) if before is not None and self.errors else 1.0
            answer = Answered(i, j, word, n_implied, 0, min(confusion, MAX_CONFUSION), chance)
            self._set_record(replace(self._record, answers=(*self.answers, answer)))
        if pairs and before is not None:
            n_decided = self._current_beliefs().count_changes(before)
            last = replace(self.answers[-1], n_decided=n_decided)
            self._record = replace(self._record, answers=(*self.answers[:-1], last))
        return self.answers[n_before:]

    def _set_record(self, record: Record) -> None:
        """Replace the record, and forget the beliefs that were computed from the last one."""
        self._record, self._beliefs, self._placing_beliefs = record, None, None

    def undo(self) -> Answered:
        """Take the last answer back; labels stay until `refit`."""
        if not self.answers:
            raise ValueError("There is no answer to undo.")
        last = self.answers[-1]
        self._set_record(self._record.truncate(len(self.answers) - 1))
        return last

    @property
    def groups(self) -> tuple[Array, ...]:
        """Positions of the samples of each group that the answers make, the largest first.

        There may be more groups than clusters: see `advice`.
        """
        beliefs = self._consistent_beliefs()
        groups = beliefs.groups if beliefs.compared_samples else []
        return tuple(sorted(groups, key=lambda group: (-len(group), int(group[0]))))

    @property
    def advice(self) -> str:
        """One sentence on the number of clusters if the answers disagree with it; else empty."""
        beliefs, k = self._consistent_beliefs(), self.estimator.n_clusters
        n_groups = beliefs.known_pairs.links.minimum_clusters()
        if n_groups > k:
            return (
                f"Your answers make at least {n_groups} groups, and n_clusters is {k}: ask for "
                f"{n_groups} clusters, or the groups that are hardest to tell apart are put "
                "together."
            )
        if beliefs.posterior.shape[1] < k:
            return (
                f"Your answers join clusters: {k} were asked for, and fewer have samples until "
                "answers tell more groups apart."
            )
        return ""

    @property
    def dropped(self) -> tuple[PairAnswer, ...]:
        """Answers that contradict others and are dropped: positions of the samples, and answer."""
        kept_links = set(_signed_pairs(self._consistent_beliefs().known_pairs.links))
        words = {sign: word for word, sign in SIGNS.items()}
        return tuple(
            (i, j, words[sign])
            for i, j, sign in _signed_pairs(self.links)
            if sign and (i, j, sign) not in kept_links
        )

    def refit(self) -> Self:
        """Cluster with all answers, starting from what they imply for every sample (see Notes)."""
        old = None if self._labels is None else self.labels
        if self._record.is_empty:
            self._model = self._model_before_answers
        else:
            self._model = self._fit_with_answers(
                self._labels_before_answers() if old is None else old
            )
        # Estimators of other libraries label only the samples.
        sample_labels = {self._relational.center: self._model.labels_}
        self._labels = dict(getattr(self._model, "labels_by_type_", sample_labels))
        self.moved = () if old is None else self._moved_samples(old)
        return self

    def _fit_with_answers(self, labels: Array) -> Any:
        """Fit a clone of the estimator with the answers; clusters keep the numbers of labels."""
        beliefs, k = self._consistent_beliefs(), self.estimator.n_clusters
        model, links = clone(self.estimator), beliefs.known_pairs.links
        if links.minimum_clusters() > k:
            links = Links.from_groups(beliefs.merge_groups(), n_samples=len(links), distinct=True)
        prior = beliefs.prior(labels if labels.max() < k else beliefs.labels)
        if "init" in model.get_params():
            model.set_params(init=prior.argmax(axis=1))
        if _accepts_prior(model):
            return model.fit(self.data, links=links, prior=prior)
        return model.fit(self.data, links=links)

    def _moved_samples(self, old: Array) -> tuple[Moved, ...]:
        """List the samples with a new label, each with the answered sample it followed."""
        new, nearest = self.labels, self._consistent_beliefs().nearest_labelled_sample()
        return tuple(
            Moved(int(i), int(old[i]), int(new[i]), int(nearest[i]))
            for i in np.flatnonzero(old != new)
        )

    def extend(self, data: Any, titles: Sequence[str] | None = None) -> Self:
        """Continue with more samples: the earlier ones first, in their order, then new ones.

        Answers stay; labels follow at the next `refit`.
        """
        initial, longer_data = self._record.initial_links, relational(data).oriented()
        n = len(initial)
        if len(longer_data) < n:
            raise ValueError(f"There were {n} samples, the new data have {len(longer_data)}.")
        ids = longer_data.names.get(longer_data.center)
        if initial.ids is not None and (
            ids is None or not np.array_equal(initial.ids, [str(name) for name in ids[:n]])
        ):
            raise ValueError("The first samples of the new data must be those of before, by id.")
        links = initial.extended(len(longer_data), ids)
        longer = type(self)(
            data, self.estimator, self.strategy, links, errors=self.errors, titles=titles
        )
        longer._seed = self._seed
        longer._record = replace(self._record, initial_links=longer._record.initial_links)
        self.__dict__ = longer.__dict__
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the data and the model to one JSON file, all or nothing."""
        state = files.State(
            self.strategy, self._seed, self._record, self._labels, self._first_labels
        )
        files.write(path, state, self._relational)

    @classmethod
    def load(cls, path: str | os.PathLike[str], data: Any, estimator: Any) -> Interview:
        """Load the interview that `save` wrote; refuse other data than those of the file."""
        state = files.read(path, relational(data))
        # A well-formed file may still be inconsistent: samples out of range, or a contradiction.
        with wrap_read_errors(str(path), ValueError, TypeError):
            interview = cls(data, estimator, state.strategy, state.record.initial_links)
            interview._seed, interview._record = state.seed, state.record
            interview._labels, interview._first_labels = state.labels, state.first_labels
        return interview

    def __repr__(self) -> str:
        return (
            f"Interview({self.strategy}; samples: {len(self.links)}, "
            f"answers: {len(self.answers)}, implied: {self.links.n_implied})"
        )

    def _repr_html_(self) -> str:
        # Displaying an interview must not fit anything.
        ids = self.links.ids
        rows = [
            [*(str(x if ids is None else ids[x]) for x in (answer.i, answer.j)), answer.answer]
            for answer in self.answers[-N_SHOWN:]
        ]
        title = (
            f"Interview ({self.strategy}): {len(self.answers)} answers on {len(self.links):,} "
            f"samples, {self.links.n_implied:,} pairs known"
        )
        return str(small_table(title, ["sample", "sample", "answer"], rows))

    @cached_property
    def _model_before_answers(self) -> Any:
        """The model without any answer."""
        return clone(self.estimator).fit(self.data)

    def _labels_before_answers(self) -> Array:
        """Return the clusters without any answer; fit again if `n_clusters` has changed."""
        k = self.estimator.n_clusters
        if self._first_labels is None or self._first_labels.max() >= k:
            if self.__dict__.get("_model_before_answers", self.estimator).n_clusters != k:
                del self._model_before_answers
            self._first_labels = np.asarray(self._model_before_answers.labels_)
        return self._first_labels

    @cached_property
    def _embedding(self) -> NeighbourEmbedding:
        """The samples as points with neighbours."""
        data, k = self._relational, self.estimator.n_clusters
        embedding = neighbour_embedding(data, k, self._seed)
        if embedding is not None:
            return embedding
        # Data in row blocks have points without neighbours.
        Z = spectral_embedding(data, clusters_by_type(data, k, None), self._seed)
        return NeighbourEmbedding(np.asarray(Z[data.center]), None)

    def _stated_beliefs(self) -> Beliefs:
        """Return the beliefs from all answers, contradictions included."""
        return Beliefs(
            self._embedding,
            self._labels_before_answers(),
            KnownPairs(self.links),
            self.estimator.n_clusters,
            self._record.compared_samples,
            merge_rate=self._record.merge_rate,
            errors=self.errors,
            hints=tuple(
                (top_samples(self._relational, np.array([hint.feature])), hint.sample)
                for hint in self.hints
                if hint.answer == "same"
            ),
        )

    def _consistent_beliefs(self) -> Beliefs:
        """Return the beliefs from the answers without contradictions, cached until the next one."""
        if self._beliefs is None or self._beliefs.n_clusters != self.estimator.n_clusters:
            stated = self._stated_beliefs()
            links = self._record.consistent_links(stated, self.errors)
            self._beliefs = replace(stated, known_pairs=KnownPairs(links))
            self._placing_beliefs = None
        return self._beliefs

    def _current_beliefs(self) -> Beliefs:
        """Return the consistent beliefs, with the sample that is being placed in no group."""
        beliefs = self._consistent_beliefs()
        if self._placing_beliefs is None:
            self._placing_beliefs = beliefs
            if self.answers:
                last, pairs = self.answers[-1], beliefs.known_pairs
                # If answers may be wrong, "same" does not always put the sample into a group.
                undecided = SIGNS[last.answer] in ((-1, 1) if self.errors else (-1,))
                if undecided and pairs.sizes[pairs.component[last.j]] == 1:
                    self._placing_beliefs = beliefs.with_current(last.j)
        return self._placing_beliefs

    def _open_new_groups(self, beliefs: Beliefs) -> Beliefs:
        """Make groups of cores that fit no group, and remember them in the record."""
        founders = open_new_groups(beliefs).compared_samples - beliefs.compared_samples
        if not founders:
            return beliefs
        self._set_record(self._record.add_founders(*founders))
        return self._current_beliefs()

    def _repeat_query(self) -> Query | None:
        """Ask about the last answer again if it is improbable and answers may be wrong."""
        if not self.errors or not self.answers:
            return None
        return repeat_query(self._consistent_beliefs(), self.answers[-1], self.links)


def _signed_pairs(links: Links) -> list[tuple[int, int, int]]:
    """Return the stated pairs, each with its sign."""
    signed = zip(links.pairs.tolist(), links.signs.tolist(), strict=True)
    return [(i, j, sign) for (i, j), sign in signed]


def _accepts_prior(model: Any) -> bool:
    """Return whether the model's ``fit`` accepts a prior."""
    if isinstance(model, CoCluster):
        return model.method == "auto" or METHODS[model.method].estimator.accepts_prior
    return bool(getattr(model, "accepts_prior", False))
