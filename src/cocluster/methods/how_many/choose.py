"""choose_n_clusters(): how many clusters there are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cocluster.data.relational import RelationalData, relational
from cocluster.methods.auto import by_default
from cocluster.methods.base import check_complete
from cocluster.methods.how_many.choice import Choice
from cocluster.methods.how_many.search import Report, Search, search_in
from cocluster.utils.checks import RandomState, generator

Resumed = Choice | str | os.PathLike[str]


def choose_n_clusters(
    X: Any,
    k_max: int | None = None,
    *,
    features: bool = True,
    random_state: RandomState = None,
    callback: Report | None = None,
    resume: Resumed | None = None,
) -> Choice:
    r"""Choose the number of clusters of samples and of features; 1 if there are no groups.

    Samples are clustered twice, from one half of the features and from the other. Groups that are
    there are found again; what chance made is not, however the data are distributed. The number
    that is recommended has the largest gain: the information that is found again, less a price
    for all that is claimed. Beside it stand the likelihood of the whole data (which follows real
    hierarchies much further down) and a tree. Features are judged in the same way by halves of
    the samples.

    Parameters
    ----------
    X : matrix, mapping or list of views, RelationalData, row blocks or Dask collection
        As `CoCluster` takes it. Of more than 5,000 samples (features) a random 5,000 are looked at.
    k_max : int, optional
        Most clusters that are tried; by default :math:`\sqrt{n / 2}` for n samples, 32 at most.
    features : bool
        Whether to say how many clusters of features there are, too. It takes as long again.
    random_state : int, RandomState or None
        The same seed gives the same choice.
    callback : callable, optional
        Called with the share of the work that is done and with what comes next, in words. If it
        returns True, the search ends and what is known so far is returned.
    resume : Choice or file name, optional
        An earlier choice that was stopped, to go on where it ended; its seed and ``k_max`` are
        used. With a file name, what is known is written there after every step, and read from
        there if the file exists.

    Returns
    -------
    Choice
        ``n_clusters`` by type, ``reason`` in words, and for every type ``coarse``, ``stable`` and
        ``fine`` numbers with the table and the tree. Where there is no stable grouping the numbers
        are 1.

    Notes
    -----
    Cost: six fits with ``k_max`` clusters, most of them on half of the data, whatever the number
    of samples beyond 5,000; for each number of clusters that is tried, two more sweeps each.

    Examples
    --------
    >>> from cocluster.datasets import make_blocks
    >>> choice = choose_n_clusters(make_blocks(300, 200, 4, random_state=0).X, random_state=0)
    >>> choice.rows.stable, choice.columns.stable
    (4, 4)
    >>> noise = make_blocks(300, 200, 1, random_state=0).X
    >>> choose_n_clusters(noise, random_state=0).n_clusters
    {'samples': 1, 'features': 1}
    """
    earlier = _earlier_choice(resume)
    data = relational(X)
    check_complete(data, "choose_n_clusters")
    search = _search(data, k_max, features, random_state, earlier)
    measured = search.resumed(earlier.measured) if earlier else {}
    return search.run(measured, callback, _choice_writer(resume))


def _search(
    data: RelationalData,
    k_max: int | None,
    features: bool,
    random_state: RandomState,
    earlier: Choice | None,
) -> Search:
    """Set up a search, with seed and ``k_max`` of an earlier choice if there is one."""
    if earlier is not None:
        return search_in(data, by_default, earlier.k_max, earlier.seed, features)
    seed = int(generator(random_state).integers(2**31 - 1))
    return search_in(data, by_default, k_max, seed, features)


def _earlier_choice(resume: Resumed | None) -> Choice | None:
    """Return the choice to resume, or None without a choice or file."""
    if resume is None or isinstance(resume, Choice):
        return resume
    return Choice.read(resume) if Path(resume).exists() else None


def _choice_writer(resume: Resumed | None) -> Any:
    """Return the function that writes the choice to the file of ``resume``, or None."""
    if resume is None or isinstance(resume, Choice):
        return None
    return lambda choice: choice.write(resume)
