"""Documents read from files are those that were written, in their order."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from fsmj.corpus import TokenRule, count_files, document_matrix, read_documents
from fsmj.counts import ClassTermCounts
from texts import awkward_corpus

TEXTS = ["one, two\nthree", '"quoted"', "", "naïve Σίσυφος", "x;y|z"] * 3000
LABELS = [f"class {row % 7}" for row in range(len(TEXTS))]


def write(path):
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path, row_group_size=999)
    return path


def read(*arguments, **options):
    batches = list(read_documents(*arguments, **options))
    return [t for b in batches for t in b.texts], [label for b in batches for label in b.labels]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_order_is_kept(tmp_path, ending):
    path = write(tmp_path / f"a.{ending}")
    assert read(path) == (TEXTS, LABELS)
    assert read(path, label=None) == (TEXTS, [])
    assert read([path, path]) == (TEXTS * 2, LABELS * 2)


def test_folders_of_texts(tmp_path):
    for name, text in (("b/1.txt", "second"), ("a/2.txt", "first"), ("b/2.txt", "third")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert read(tmp_path) == (["first", "second", "third"], ["a", "b", "b"])


def test_labels_keep_their_type_and_several_stay_a_list(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a", "b", "c"], "label": [[1], [2, 3], [3]]}), path)
    texts, (first, several, last) = read(path)
    assert (texts, first, sorted(several), last) == (["a", "b", "c"], 1, [2, 3], 3)
    (tmp_path / "a.csv").write_text("text,label\na,x; y\nb,y\n")
    texts, (several, last) = read(tmp_path / "a.csv", label_separator=";")
    assert (texts, sorted(several), last) == (["a", "b"], ["x", "y"], "y")


def test_missing_labels_and_unreadable_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\na,x\nb,\n")
    with pytest.raises(ValueError, match=r"the label in row 2 of .* is missing"):
        read(path)
    assert read(path, label=None) == (["a", "b"], [])
    path.write_text("text,label\na,x\nb,y,z\nc,x\n")
    with pytest.warns(UserWarning, match="1 row could not be read; the first is line 3"):
        assert read(path) == (["a", "c"], ["x", "x"])
    with pytest.raises(ValueError, match="1 row could not be read; the first is line 3"):
        read(path, strict=True)
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, [{"text": "a", "label": "x"}, {"text": 7}])))
    with pytest.warns(UserWarning, match=r"1 row could not be read; .*; taken as empty"):
        assert read(path, label=None) == (["a", ""], [])
    for label in ("label", None):
        with pytest.raises(ValueError, match=r"row 2 of .*, which has no readable text"):
            read(path, label=label, strict=True)
    with (
        pytest.warns(UserWarning, match="1 row could not be read; .*; taken as empty"),
        pytest.warns(UserWarning, match="1 row could not be read; the first is line 3 .*left out"),
    ):
        assert read([path, tmp_path / "a.csv"], label=None) == (["a", "", "a", "c"], [])


def test_a_matrix_counts_what_files_count(tmp_path):
    texts, labels = awkward_corpus()
    rule = TokenRule(ngram_range=(1, 2))
    X, terms = document_matrix(texts, rule)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": texts, "label": labels}), path)
    # Sorted by code point both times, so that even the columns agree.
    assert ClassTermCounts.from_matrix(X, labels, terms) == count_files(path, rule=rule)


def test_a_matrix_is_that_of_scikit_learn():
    texts, _ = awkward_corpus()
    vectorizer = CountVectorizer(min_df=2)
    theirs = vectorizer.fit_transform(texts)
    X, terms = document_matrix(texts, min_docs=2)
    assert terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (theirs != X).nnz == 0
    for nothing in ([], ["! ?"]):
        with pytest.raises(ValueError, match="no terms to count"):
            document_matrix(nothing)


@pytest.mark.parametrize("min_docs", [2, 1000])
def test_terms_that_are_all_too_rare(min_docs):
    with pytest.raises(ValueError, match=f"^no term occurs in {min_docs:,} documents; lower min_d"):
        document_matrix(["one two", "three"], min_docs=min_docs)
