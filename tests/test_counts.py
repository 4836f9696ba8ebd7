import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj import ClassTermCounts, load_counts
from strategies import document_matrix

# Three documents of two classes; the second term is in every document, the last in none.
X = np.array([[2, 1, 0], [0, 3, 0], [1, 1, 0]])
Y = ["wheat", "gold", "wheat"]
TERMS = ["crop", "the", "void"]


def count(X=X, y=Y, terms=TERMS, **options):
    return ClassTermCounts.from_matrix(X, y, terms, **options)


def test_counts_tokens_and_documents():
    counts = count()
    assert counts.classes.tolist() == ["gold", "wheat"]
    assert_array_equal(counts.term_counts.toarray(), [[0, 3, 0], [3, 2, 0]])
    assert_array_equal(counts.doc_counts.toarray(), [[0, 1, 0], [2, 2, 0]])
    assert counts.docs_per_class.tolist() == [1, 2]
    assert counts.docs_per_term.tolist() == [2, 3, 0]
    assert counts.tokens_per_class.tolist() == [3, 5]
    assert counts.n_docs == 3
    assert_allclose(counts.priors, [1 / 3, 2 / 3])
    assert repr(counts) == "ClassTermCounts(2 classes × 3 terms, 3 documents, 8 tokens)"


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize(
    "kind", [np.asarray, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.csc_array,
             sp.coo_array, list],
)  # fmt: skip
def test_any_matrix_gives_the_same_counts(kind, dtype):
    values = X.astype(dtype)
    counts = count(kind(values))
    assert counts == count(values.astype(np.int64))
    assert counts.term_counts.dtype == (np.float64 if values.dtype.kind == "f" else np.int64) or (
        kind is list
    )


def test_small_types_are_summed_in_64_bits():
    many = np.full((1000, 1), 250, np.uint8)
    assert count(many, ["a"] * 1000, None).term_counts.sum() == 250_000
    halves = np.full((5000, 1), 1.0, np.float16)
    assert count(halves, ["a"] * 5000, None).term_counts.sum() == 5000


def test_stored_zeros_and_duplicates_do_not_count_as_documents():
    twice = sp.coo_array(([1, 1, 0], ([0, 0, 1], [0, 0, 0])), shape=(2, 1))
    counts = count(twice, ["a", "b"], None)
    assert counts.doc_counts.toarray().tolist() == [[1], [0]]
    assert counts.term_counts.toarray().tolist() == [[2], [0]]


def test_data_frames_name_the_terms():
    frame = pd.DataFrame(X, columns=TERMS)
    assert ClassTermCounts.from_matrix(frame, pd.Series(Y)) == count()


@pytest.mark.parametrize("labels", [[3, 1, 3], [2.5, 0.5, 2.5], [True, False, True]])
def test_labels_of_any_type(labels, tmp_path):
    counts = count(y=labels)
    assert counts.classes.tolist() == sorted(set(labels))
    assert_array_equal(counts.term_counts.toarray(), count().term_counts.toarray())
    counts.save(tmp_path / "counts.parquet")
    assert load_counts(tmp_path / "counts.parquet") == counts


def test_several_labels_count_for_each_class():
    indicator = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    for y in (indicator, sp.csr_matrix(indicator)):
        counts = count(y=y)
        assert counts.docs_per_class.tolist() == [1, 1, 1]
        assert counts.n_docs == 3
        assert counts.docs_per_term.tolist() == [2, 3, 0]
        assert_array_equal(counts.term_counts.toarray(), [[2, 1, 0], [0, 3, 0], [2, 1, 0]])
    named = pd.DataFrame(indicator, columns=["z", "x", "y"])
    assert count(y=named).classes.tolist() == ["x", "y", "z"]
    assert_array_equal(count(y=named).term_counts.toarray(), [[0, 3, 0], [2, 1, 0], [2, 1, 0]])
    twice = sp.csr_matrix((np.ones(4), [0, 0, 1, 1], [0, 2, 3, 4]), (3, 2))
    with pytest.raises(ValueError, match="only 0 and 1"):
        count(y=twice)


def test_sample_weight_repeats_documents():
    repeated = count(np.repeat(X, [2, 0, 3], axis=0), np.repeat(Y, [2, 0, 3]))
    weighted = count(sample_weight=[2, 0, 3])
    assert_array_equal(
        weighted.term_counts.toarray()[1:], repeated.term_counts.toarray()
    )  # gold has weight 0
    assert weighted.n_docs == 5
    assert weighted.docs_per_class.tolist() == [0, 5]
    assert count(sample_weight=[0.5, 1, 1]).docs_per_class.tolist() == [1, 1.5]


@given(document_matrix(), st.lists(st.integers(0, 3), min_size=40, max_size=40))
def test_merging_equals_counting_once(documents, parts):
    X, y = documents
    part = np.array(parts[: len(y)])
    shares = [count(X[part == k], y[part == k], None) for k in set(part.tolist())]
    whole = count(X, y, None)
    forward, backward = shares[0], shares[-1]
    for share in shares[1:]:
        forward = forward + share
    for share in shares[-2::-1]:
        backward = backward + share
    assert forward == backward == whole


@given(document_matrix(), st.integers(0, 2**32 - 1))
def test_subtracting_gives_the_counts_back(documents, seed):
    X, y = documents
    held = np.random.default_rng(seed).random(len(y)) < 0.5
    whole, part, other = (count(X[rows], y[rows], None) for rows in (held | True, held, ~held))
    assert (whole - part) + part == whole
    left = whole - part
    kept = np.isin(left.classes, other.classes)
    assert_array_equal(left.term_counts.toarray()[kept], other.term_counts.toarray())
    assert not left.term_counts.toarray()[~kept].any()


@given(document_matrix(real_valued=True), st.integers(0, 2**32 - 1))
def test_real_values_leave_no_crumbs(documents, seed):
    X, y = documents
    held = np.random.default_rng(seed).random(len(y)) < 0.5
    left = count(X, y, None) - count(X[held], y[held], None)
    assert_array_equal(left.term_counts.toarray() > 0, left.doc_counts.toarray() > 0)
    again = left + count(X[held], y[held], None)
    assert_allclose(again.term_counts.toarray(), count(X, y, None).term_counts.toarray())


def test_different_vocabularies_and_classes_align_by_name():
    one = count([[1, 2]], ["a"], ["x", "y"])
    two = count([[5, 7]], ["b"], ["z", "x"])
    both = one + two
    assert both.terms.tolist() == ["x", "y", "z"]
    assert_array_equal(both.term_counts.toarray(), [[1, 2, 0], [7, 0, 5]])
    assert (both - two).restrict(["x", "y"]).term_counts.toarray()[0].tolist() == [1, 2]
    same_order = count([[1, 2]], ["a"], ["y", "x"]) + count([[3, 4]], ["a"], ["y", "x"])
    assert same_order.terms.tolist() == ["y", "x"]
    assert (count([[1]], ["a"], None) + count([[1, 2]], ["a"], None)).n_terms == 2


def test_prune_forgets_and_restrict_remembers():
    counts = count()
    assert counts.prune(min_docs=3).terms.tolist() == ["the"]
    assert counts.prune(min_docs=3).tokens_per_class.tolist() == [3, 2]
    kept = counts.restrict(["void", "the"])
    assert kept.terms.tolist() == ["void", "the"]
    assert kept.tokens_per_class.tolist() == [3, 5]
    assert kept.rest_counts.tolist() == [0, 3]
    assert counts.restrict([2, 1]) == kept


def test_nothing_can_be_changed():
    counts = count()
    for array in (counts.term_counts.data, counts.doc_counts.indices, counts.docs_per_class):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(AttributeError):
        counts.n_docs = 9
    assert pickle.loads(pickle.dumps(counts)) == counts


@given(document_matrix(max_terms=6), st.booleans())
def test_naive_bayes_equals_one_fitted_on_the_documents(documents, weighted):
    X, y = documents
    weight = np.random.default_rng(len(y)).random(len(y)) if weighted else None
    columns = np.arange(X.shape[1])[::-2]
    ours = count(X, y, None, sample_weight=weight).naive_bayes(columns, alpha=0.5)
    theirs = MultinomialNB(alpha=0.5).fit(X[:, columns], y, sample_weight=weight)
    for fitted in ("feature_log_prob_", "class_log_prior_", "feature_count_", "class_count_"):
        assert_allclose(getattr(ours, fitted), getattr(theirs, fitted), rtol=1e-12)
    assert_array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize(
    "counts",
    [
        count(),
        count(terms=None),
        count().restrict(["the"]),
        count(X * 0.37),
        count(sample_weight=[0.25, 1, 1]),
        count(y=np.array([[1, 1], [0, 1], [0, 0]])),
        count(terms=["a,b", "\"'; DROP", "naïve\n\x00<b>"]),
    ],
)
def test_saved_counts_come_back(counts, tmp_path):
    path = tmp_path / "counts.parquet"
    counts.save(path)
    assert load_counts(path) == counts
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_saving_holds_a_part_of_the_rows_at_a_time(tmp_path, monkeypatch):
    """Names of all cells would take several times the room of the counts themselves."""
    table = np.arange(1, 500 * 1000 + 1).reshape(500, 1000)
    counts = count(table, np.arange(500), [f"term {i}" for i in range(1000)])
    monkeypatch.setattr("fsmj.counts._parquet._BATCH", 10_007)
    tracemalloc.start()
    counts.save(tmp_path / "counts.parquet")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < counts.term_counts.data.nbytes
    assert load_counts(tmp_path / "counts.parquet") == counts


def test_files_merge_by_adding_rows(tmp_path):
    one, two = count(X[:2], Y[:2]), count(X[2:], Y[2:])
    one.save(tmp_path / "1.parquet")
    two.save(tmp_path / "2.parquet")
    assert load_counts(tmp_path) == count()
    tables = [pq.read_table(p) for p in sorted(tmp_path.iterdir())]
    joined = pa.concat_tables(tables).group_by(["class", "term"]).aggregate(
        [("count", "sum"), ("docs", "sum")]
    )  # fmt: skip
    joined = joined.rename_columns(["class", "term", "count", "docs"])
    pq.write_table(joined, tmp_path / "sum.parquet")
    assert load_counts(tmp_path / "sum.parquet").restrict(TERMS) == count()


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "counts.parquet"
    count().save(path)

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        count(X * 2).save(path)
    assert load_counts(path) == count()
    assert list(tmp_path.iterdir()) == [path]


def test_loading_something_else_says_so(tmp_path):
    text = tmp_path / "text.parquet"
    text.write_text("not a table")
    with pytest.raises(ValueError, match=r"text\.parquet is not a Parquet file"):
        load_counts(text)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="class, term, count and docs"):
        load_counts(tmp_path / "x.parquet")
    table = pa.table({"class": ["a"], "term": ["b"], "count": [1], "docs": [1]})
    pq.write_table(table, tmp_path / "part.parquet")
    with pytest.raises(ValueError, match="not a complete table"):
        load_counts(tmp_path / "part.parquet")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: count(-X), "Negative values in data"),
        (lambda: count(sp.csr_array(-X)), "Negative values in data"),
        (lambda: count(X * np.nan), "NaN"),
        (lambda: count(X / 0.0), "infinity|NaN"),
        (lambda: count(y=["a"]), "3 documents but 1 labels"),
        (lambda: count(y=["a", None, "b"]), "label of document 1 is missing"),
        (lambda: count(y=["a", np.nan, "b"]), "label of document 1 is missing"),
        (lambda: count(y=["a", "b", pd.NA]), "label of document 2 is missing"),
        (lambda: count(y=pd.DataFrame(np.eye(3), columns=list("aab"))), "the same name"),
        (lambda: count(terms=["a", 1, "b"]), "the term of column 1 is not a string but int: 1"),
        (lambda: count(X * 2**40, sample_weight=[2**30] * 3), "more than 64 bits"),
        (
            lambda: count((X > 0).astype(np.uint64) * 2**63),
            "9223372036854775808 is more than 64 bits",
        ),
        (lambda: count(sp.csr_array((X > 0).astype(np.uint64) * 2**63)), "is more than 64 bits"),
        (lambda: count(sample_weight=np.full(3, 2**63, np.uint64)), "is more than 64 bits"),
        (lambda: count(y=[0.0, 1.0, np.nan]), "label of document 2 is missing"),
        (lambda: count(y=np.array(["a", 1, "b"], object)), "int and str"),
        (lambda: count(y=np.array([[2, 0], [0, 1], [0, 1]])), "only 0 and 1"),
        (lambda: count(terms=["a", "b", "a"]), "'a' names two columns"),
        (lambda: count(terms=["a"]), "3 columns but 1 terms"),
        (lambda: count(sample_weight=[1, -1, 1]), "not negative"),
        (lambda: count(sample_weight=[1]), "one weight for each"),
        (lambda: count() + count(terms=None), "name both or neither"),
        (lambda: count() + count(y=[1, 2, 3]), "numbers"),
        (lambda: count() - (count() + count()), "negative"),
        (lambda: count() - count(y=["x", "y", "z"]), "class is missing"),
        (lambda: count() - count(terms=["x", "y", "z"]), "term is missing"),
        (lambda: count().restrict(["nope"]), "no counts for the term 'nope'"),
        (lambda: count().restrict(["the", "the"]), "twice"),
        (lambda: count().restrict([7]), "3 terms"),
        (lambda: count(terms=None).restrict(["the"]), "column numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_bad_input_gets_a_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.long
def test_import_stays_light():
    heavy = {"numba", "matplotlib", "pyspark"}
    for names, absent in (
        ("", heavy | {"sklearn", "pandas", "numpy"}),
        ("FSMJ, FSMJCV, rank, sweep, TokenRule", heavy),
    ):
        use = f"from fsmj import {names}" if names else ""
        code = f"import sys, fsmj\n{use}\nprint({absent!r}.intersection(sys.modules) or '')"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (found.stdout.strip(), found.stderr) == ("", "")


def test_the_public_names():
    assert set(fsmj.__all__) <= set(dir(fsmj))
