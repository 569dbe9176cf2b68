"""Optional libraries: there, or named with what to install."""

from __future__ import annotations

import sys

import numpy.linalg
import pytest

from cocluster.utils.optional import library


def test_a_module_inside_a_package_is_returned_itself():
    assert library("numpy.linalg", "matrices", "none") is numpy.linalg


@pytest.mark.parametrize(
    ("module", "package"), [("skimage.color", "scikit-image"), ("faiss", "faiss-cpu")]
)
def test_the_name_to_install_is_told_and_other_ways_out(module, package, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    sentence = rf"^things need {package}: pip install .*\[extra\]'?, or wait\.$"
    with pytest.raises(ImportError, match=sentence):
        library(module, "things", "extra", "or wait")


def test_what_no_extra_brings_is_installed_by_its_own_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        ImportError, match=r"^vectors need .*: pip install sentence-transformers\.$"
    ):
        library("sentence_transformers", "vectors")
