"""Every container gives the same matrix; values that are not numbers are refused at the door."""

from __future__ import annotations

import subprocess
import sys
import warnings

import anndata
import mudata
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from cocluster.data.containers import as_table, has_views, named_views
from cocluster.linalg.checked import as_matrix
from tests.processes import printed_by

FORMATS = ["coo", "csc", "csr", "bsr", "dok", "lil", "dia"]


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def X(request: pytest.FixtureRequest) -> np.ndarray:
    """A matrix with zeros and both signs."""
    values = np.random.default_rng(0).normal(size=(6, 4)).astype(request.param)
    return np.where(np.abs(values) < 0.7, request.param(0), values)


def test_dense_and_sparse_containers_give_the_same_matrix(X):
    dense = [X, np.asfortranarray(X), X.astype(X.dtype.newbyteorder()), pd.DataFrame(X)]
    dense += [pl.DataFrame(X), anndata.AnnData(X), anndata.AnnData(X)[:], X.astype(object)]
    for container in dense:
        matrix = as_table(container).matrix
        assert type(matrix) is np.ndarray
        assert matrix.flags.c_contiguous
        assert matrix.dtype.isnative
        assert_array_equal(matrix, X)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_sparse_formats_become_canonical_csr(X, form, kind):
    given = getattr(sp, f"{form}_{kind}")(X)
    matrix = as_table(given).matrix
    assert type(matrix) is sp.csr_array
    assert matrix.has_canonical_format
    assert matrix.dtype == X.dtype
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert_array_equal(matrix.toarray(), X)


def test_sparse_frames_and_annotated_data_stay_sparse(X):
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X), columns=list("abcd"))
    for container in [frame, anndata.AnnData(sp.csr_matrix(X)), anndata.AnnData(sp.csr_array(X))]:
        matrix = as_table(container).matrix
        assert type(matrix) is sp.csr_array
        assert matrix.dtype == X.dtype
        assert_array_equal(matrix.toarray(), X)
    assert as_table(frame).column_names.tolist() == list("abcd")


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_annotated_data_on_disk_is_read(X, store, tmp_path):
    anndata.AnnData(store(X)).write_h5ad(tmp_path / "x.h5ad")
    backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
    matrix = as_table(backed).matrix
    backed.file.close()
    assert sp.issparse(matrix) == sp.issparse(store(X))
    assert_array_equal(sp.csr_array(matrix).toarray(), X)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.longdouble])
def test_other_numbers_become_double(dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    assert as_matrix(values).dtype == np.float64
    assert_array_equal(as_matrix(values), values)
    if dtype is not np.float16:  # scipy has no half precision
        assert as_matrix(sp.coo_array(values)).dtype == np.float64


def test_memory_is_shared_where_the_layout_allows(X):
    S = sp.csr_array(X)
    assert np.shares_memory(as_matrix(X), X)
    assert np.shares_memory(as_table(anndata.AnnData(X)).matrix, X)
    assert np.shares_memory(as_table(pd.DataFrame(X, copy=False)).matrix, X)
    for given in (S, sp.csr_matrix(S)):
        for part in ("data", "indices", "indptr"):
            assert np.shares_memory(getattr(as_matrix(given), part), getattr(given, part))


def test_wide_indices_are_narrowed_where_they_fit():
    S = sp.csr_array(np.eye(3))
    wide = sp.csr_array(S)
    wide.indices, wide.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    narrow = as_matrix(wide)
    assert narrow.indices.dtype == narrow.indptr.dtype == np.int32
    assert wide.indices.dtype == np.int64
    assert np.shares_memory(narrow.data, wide.data)


def test_unsorted_duplicates_are_summed_in_a_copy():
    data, indices, indptr = np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3, 3])
    given = sp.csr_array((data, indices, indptr), shape=(2, 3))
    assert_array_equal(as_matrix(given).toarray(), [[2, 0, 5], [0, 0, 0]])
    assert_array_equal(given.data, [1, 2, 4])
    assert_array_equal(given.indices, [2, 0, 2])


def test_names_are_read_where_they_exist(X):
    rows, columns = [f"s{i}" for i in range(6)], list("abcd")
    frame = pd.DataFrame(X, index=rows, columns=columns)
    annotated = anndata.AnnData(frame)
    for container in (frame, annotated):
        table = as_table(container)
        assert table.row_ids.tolist() == rows
        assert table.column_names.tolist() == columns
    table = as_table(pl.DataFrame(X, schema=columns))
    assert table.row_ids is None
    assert table.column_names.tolist() == columns
    for nameless in (X, sp.csr_array(X), X.tolist(), pd.DataFrame(X)):
        assert as_table(nameless).row_ids is None
        assert as_table(nameless).column_names is None


def test_only_the_default_index_of_a_frame_is_no_id(X):
    frame = pd.DataFrame(X)
    assert as_table(frame.iloc[:3]).row_ids is None
    assert as_table(frame.iloc[3:]).row_ids.tolist() == [3, 4, 5]
    assert as_table(frame.iloc[[4, 1]]).row_ids.tolist() == [4, 1]
    pairs = [("a", i) for i in range(6)]
    frame.index = pd.MultiIndex.from_tuples(pairs)
    assert as_table(frame).row_ids.tolist() == pairs


def test_views_are_named(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mudata announces changes of its own
        mu = mudata.MuData({"rna": anndata.AnnData(X), "atac": anndata.AnnData(X[:, :2])})
    assert list(named_views(mu)) == ["rna", "atac"]
    assert list(named_views({"a": X, "b": X})) == ["a", "b"]
    assert list(named_views([X, sp.csr_array(X)])) == ["view0", "view1"]
    assert list(named_views((pd.DataFrame(X),))) == ["view0"]
    for one in (X, X.tolist(), list(X), sp.csr_array(X), pd.DataFrame(X), anndata.AnnData(X)):
        assert not has_views(one)


@pytest.mark.parametrize(
    ("views", "message"),
    [({}, "no views"), ({1: np.eye(2)}, "must be strings"), (np.eye(2), "use bipartite")],
)
def test_bad_collections_of_views(views, message):
    with pytest.raises((TypeError, ValueError), match=message):
        named_views(views)


BAD = {
    "nan": (np.array([[1, np.nan]]), "words contains NaN.*SimpleImputer"),
    "inf": (np.array([[1, np.inf]]), "words contains infinity.*finite"),
    "sparse nan": (sp.coo_array(np.array([[1, np.nan]])), "words contains NaN.*SimpleImputer"),
    "null": (pl.DataFrame({"a": [1, None]}), "words contains NaN.*SimpleImputer"),
    "NA": (pd.DataFrame({"a": [1, None]}).convert_dtypes(), "words contains NaN.*Imputer"),
    "complex": (np.array([[1, 1j]]), "^words: Complex data not supported. Pass real numbers"),
    "sparse complex": (sp.csr_array([[1, 1j]]), "Complex data not supported. Pass real numbers"),
    "text": (np.array([["1", "2"]]), "words holds <U1 values; encode"),
    "dates": (np.array([["2020-01-01"]], dtype="M8[D]"), "words holds datetime64.*encode"),
    "frame of dates": (pd.DataFrame({"a": pd.to_datetime(["2020"])}), "words holds datetime64"),
    "frame of text": (pd.DataFrame({"a": ["x"]}), "words holds text .'x'.*; encode text"),
    "polars text": (pl.DataFrame({"a": ["x"]}), "words holds text .'x'.*; encode text"),
    "numbers as text": (np.array([[1, "2"]], dtype=object), r"words holds text .*astype\(float\)"),
    "objects": (np.array([[{}]], dtype=object), "words: .*string or a real number.*Encode"),
    "1-D": (np.arange(3), "words: Expected 2D array, got 1D.*Reshape your data"),
    "sparse 1-D": (sp.coo_array(np.arange(3)), "words: .*Expected 2D.*Reshape your data"),
    "series": (pd.Series([1, 2]), "words: Expected a 2-dimensional container.*DataFrame"),
    "scalar": (3, "words: Expected 2D array, got scalar.*Reshape your data"),
    "3-D": (np.zeros((2, 2, 2)), "words: Found array with dim 3.*Pass one matrix"),
    "ragged": ([[1, 2], [3]], "words: .*sequence.*equal length"),
    "no rows": (np.zeros((0, 3)), r"words: .*0 sample\(s\).*at least one row"),
    "no columns": (sp.csr_array((3, 0)), r"words: .*0 feature\(s\).*at least one column"),
    "masked": (np.ma.masked_equal(np.eye(2), 0), "words is a masked array; fill"),
    "matrix class": (np.eye(2).view(np.matrix), "words: np.matrix is not supported.*asarray"),
    "lazy": (pl.LazyFrame({"a": [1]}), "words is a lazy frame.*collect"),
    "filled": (pd.DataFrame({"a": pd.arrays.SparseArray([1.0, 2.0], fill_value=1.0)}), "is 0"),
    "views": ({"a": np.eye(2)}, r"words holds several matrices.*star\(\)"),
    "no X": (anndata.AnnData(obs=pd.DataFrame(index=["a"])), "words is AnnData without .X"),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_remedy(case):
    X, message = BAD[case]
    with pytest.raises((TypeError, ValueError), match=f"(?s){message}"):
        as_table(X, "words")


CROOKED = """
import numpy as np, scipy.sparse as sp
from cocluster import FNMTF

X = sp.csr_array(np.eye(12)[:, :9] + 1).asformat({layout!r})
{change}
try:
    FNMTF(2).fit(X)
except ValueError as error:
    print(error)
"""
FAR = 2_000_000_000
COMPRESSED = [f"X.indices[1] = {FAR}", "X.indices[1] = -5", f"X.indptr[1] = {FAR}"]
# As if there were no entries, but for rows in between.
COMPRESSED += ["X.indptr[-1] = 0"]


@pytest.mark.parametrize(
    ("layout", "change"),
    [(layout, change) for layout in ("csr", "csc", "bsr") for change in COMPRESSED]
    + [("csc", "X.data = X.data[:5]"), ("coo", f"X.row[1] = {FAR}"), ("lil", "X.rows[1][0] = 99")],
)
def test_indices_that_point_out_of_a_matrix_are_refused(layout, change):
    # In a process of its own: compiled code would read or write whatever lies there.
    assert "do not fit together" in printed_by(CROOKED.format(layout=layout, change=change))


def test_the_check_of_indices_leaves_the_matrix_as_it_is():
    given = sp.csr_array(np.eye(3))
    # Room to spare, which scipy's own check would cut off.
    given.data, given.indices = np.append(given.data, 7.0), np.append(given.indices, 0)
    data = given.data
    as_matrix(given)
    assert given.data is data


def test_frame_libraries_are_not_imported():
    code = "import sys, cocluster.data.relational; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # scikit-learn itself imports pandas
    assert not {"polars", "anndata", "mudata"} & set(run.stdout.split())
