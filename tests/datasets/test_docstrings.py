"""The corpus of docstrings is what it says, and its cache never stands in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest

from cocluster.datasets import docstrings
from cocluster.datasets.docstrings import load_docstrings

DOCSTRING = """\
fit(x, *args)

    fit(x, y=None, *args)

    Fit a `line` to ``x.y`` with numpy.polyfit.

    Read more in the :ref:`User Guide <fit>`.

    .. math::
        \\frac{a}{b}

    Parameters
    ----------
    x, y : array_like
        Abscissae and ordinates.

        .. versionadded:: 1.0
            The forbidden word.
    *args
        Passed on.

    See Also
    --------
    numpy.polyfit, interp : Other fits.
        Described at length.
    :func:`scipy.optimize.curve_fit`

    Notes
    -----
    Robust https://example.org/fit if :math:`a > b`.

    Examples
    --------
    >>> import numpy as np
    Secret prose.
"""


@pytest.fixture(scope="module")
def first_use(tmp_path_factory):
    """A fresh process that loads the corpus for the first time, warnings being errors."""
    code = "from cocluster.datasets import load_docstrings; load_docstrings()"
    folder = tmp_path_factory.mktemp("cache")
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_CACHE_HOME": str(folder)},
    )
    return process, folder


@pytest.fixture(scope="module")
def corpus(first_use):
    _, folder = first_use
    (path,) = (folder / "cocluster").iterdir()
    return docstrings._read(path)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return docstrings._cache_path()


def assert_same(first, second):
    for field in fields(first):
        a, b = getattr(first, field.name), getattr(second, field.name)
        if field.name == "views":
            assert all((a[view] != b[view]).nnz == 0 for view in docstrings.VIEWS)
        else:
            np.testing.assert_equal(a, b)


def test_a_docstring_is_split_into_views():
    document = docstrings._document("p.fit", "p", DOCSTRING, None)
    assert document.parameters == ["x", "y"]
    assert document.see_also == ["curve_fit", "interp", "polyfit"]
    words = set(docstrings._counter("words").build_analyzer()(document.words))
    assert words == {"fit", "abscissae", "ordinates", "passed", "robust"}


def test_parameters_come_from_the_signature_if_they_are_not_listed():
    def fit(self, x, *args, tol=1, **kwargs):
        """Fit."""

    assert docstrings._document("p.fit", "p", fit.__doc__, fit).parameters == ["tol", "x"]
    assert docstrings._document("p.fit", "p", fit.__doc__, None).parameters == []


def test_corpus_is_consistent(corpus):
    n = len(corpus.names)
    assert len(set(corpus.names)) == n
    assert corpus.labels.shape == (n,)
    assert 10 <= len(corpus.class_names) <= 12
    assert set(corpus.labels) == set(range(len(corpus.class_names)))
    for view, X in corpus.views.items():
        assert X.shape == (n, len(corpus.feature_names[view]))
        assert len(set(corpus.feature_names[view])) == X.shape[1]
    assert corpus.views["words"].sum(axis=1).min() > 0


def test_every_library_contributes_and_names_lie_in_their_class(corpus):
    libraries = {name.split(".")[0] for name in corpus.class_names}
    assert libraries == {"numpy", "scipy", "sklearn"}
    for name, class_name in zip(corpus.names, corpus.class_names[corpus.labels], strict=True):
        assert name.startswith(class_name + ".")


def test_names_of_libraries_do_not_give_the_class_away(corpus):
    leaks = {"numpy", "scipy", "sklearn", "scikit", "np"}
    assert leaks.isdisjoint(corpus.feature_names["words"])


def test_known_entries(corpus):
    row = list(corpus.names).index("scipy.stats.ttest_ind")
    seen = {
        view: set(corpus.feature_names[view][X[[row]].nonzero()[1]])
        for view, X in corpus.views.items()
    }
    assert {"null", "hypothesis", "samples"} <= seen["words"]
    assert {"a", "b", "axis", "nan_policy"} <= seen["parameters"]
    assert not seen["parameters"] & {"self", "args", "kwargs"}


def test_objects_count_once(corpus):
    assert np.abs is np.absolute
    assert len({"numpy.abs", "numpy.absolute"} & set(corpus.names)) == 1


def test_second_load_reads_the_cache(corpus, cache, monkeypatch):
    monkeypatch.setattr(docstrings, "_build", lambda: corpus)
    load_docstrings()
    assert [path.name for path in cache.parent.iterdir()] == [cache.name]
    monkeypatch.setattr(docstrings, "_build", lambda: pytest.fail("built twice"))
    assert_same(load_docstrings(), corpus)


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[:100], lambda b: b[100:]])
def test_a_broken_cache_is_rebuilt(corpus, cache, monkeypatch, damage):
    monkeypatch.setattr(docstrings, "_build", lambda: corpus)
    load_docstrings()
    whole = cache.read_bytes()
    cache.write_bytes(damage(whole))
    assert_same(load_docstrings(), corpus)
    assert_same(docstrings._read(cache), corpus)


def test_a_cache_that_cannot_be_written_is_ignored(corpus, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(docstrings, "_build", lambda: corpus)
    assert load_docstrings() is corpus


def test_a_user_without_home_has_no_cache(corpus, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(docstrings.Path, "home", no_home)
    monkeypatch.setattr(docstrings, "_build", lambda: corpus)
    assert load_docstrings() is corpus


def test_first_use_is_silent(first_use):
    process, _ = first_use
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")
