"""What Python callers hand in by mistake: one sentence from every entrance."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fsmj
from fsmj.corpus import count_files, count_frame, read_documents

X = [[1, 0], [0, 2], [3, 1], [1, 1]]
TEXTS = ["gold oil", "oil", "gold gold ore", "ore oil"]
DOCUMENTS = fsmj.Documents(X, ["a", "b", "a", "b"])

GIVEN = {
    "a list with None": ["a", None, "b", "a"],
    "a list with NaN": ["a", float("nan"), "b", "a"],
    "a list with NA": ["a", pd.NA, "b", "a"],
    "numbers": [1.0, float("nan"), 2.0, 1.0],
    "an array of objects": np.array(["a", np.nan, "b", "a"], object),
    "an array of numbers": np.array([1, np.nan, 2, 1]),
    "a series": pd.Series(["a", None, "b", "a"]),
    "a series of strings": pd.Series(["a", None, "b", "a"], dtype="string"),
    "a series of whole numbers": pd.Series([1, None, 2, 1], dtype="Int64"),
    "categories": pd.Series(["a", None, "b", "a"], dtype="category"),
    "a series of polars": pl.Series(["a", None, "b", "a"]),
}
OF_A_MATRIX = {
    "Documents": lambda y: fsmj.Documents(X, y),
    "from_matrix": lambda y: fsmj.ClassTermCounts.from_matrix(X, y),
    "FSMJ": lambda y: fsmj.FSMJ(1).fit(X, y),
    "partial_fit": lambda y: fsmj.FSMJ(1).partial_fit(X, y),
    "TermSelector": lambda y: fsmj.TermSelector("cll", 1).fit(X, y),
    "FSMJCV": lambda y: fsmj.FSMJCV(cv=2).fit(X, y),
    "sweep": lambda y: fsmj.sweep(fsmj.rank(DOCUMENTS), DOCUMENTS.counts, X, y),
    "stability": lambda y: fsmj.stability(fsmj.Documents(X, y)),
}
OF_TEXTS = {
    "from_texts": lambda y: fsmj.Documents.from_texts(TEXTS, y),
    "count_texts": lambda y: fsmj.count_texts(TEXTS, y),
    "count_frame": lambda y: count_frame(pd.DataFrame({"text": TEXTS, "label": list(y)})),
}


@pytest.mark.parametrize("way", [*OF_A_MATRIX, *OF_TEXTS])
@pytest.mark.parametrize("given", GIVEN)
def test_a_missing_label_is_named_by_its_place(given, way):
    call = {**OF_A_MATRIX, **OF_TEXTS}[way]
    told = r"the label of document 1 is missing|(document|row) 1 .*has no label"
    with pytest.raises(ValueError, match=told):
        call(GIVEN[given])


@pytest.mark.parametrize("way", sorted(OF_A_MATRIX.keys() - {"sweep", "TermSelector", "FSMJCV"}))
@pytest.mark.parametrize("kind", [np.array, pd.DataFrame])
def test_so_it_is_in_an_indicator_matrix(kind, way):
    with pytest.raises(ValueError, match="the label of document 1 is missing"):
        OF_A_MATRIX[way](kind([[1, 0], [0, np.nan], [0, 1], [1, 0]]))


@pytest.mark.parametrize("text", [None, float("nan"), pd.NA, 3, b"oil"])
@pytest.mark.parametrize(
    "call",
    [
        lambda texts: fsmj.Documents(X, ["a", "b", "a", "b"], texts=texts),
        lambda texts: fsmj.Documents.from_texts(texts, "abab"),
        lambda texts: fsmj.TermVectorizer().fit(texts),
    ],
)
def test_what_is_no_text_is_named_by_its_place(call, text):
    with pytest.raises(ValueError, match="the text of document 1 is not a string but"):
        call(["gold", text, "oil", "ore"])


@pytest.mark.parametrize("number", [0.1, 0, float("nan"), "4", None])
@pytest.mark.parametrize(
    "call",
    [
        lambda n, path: fsmj.TermVectorizer(min_docs=n).fit(TEXTS),
        lambda n, path: fsmj.Documents.from_texts(TEXTS, "abab", min_docs=n),
        lambda n, path: fsmj.count_texts(TEXTS, "abab", min_docs=n),
        lambda n, path: count_frame(pd.read_csv(path), min_docs=n),
        lambda n, path: count_files(path, min_docs=n),
        lambda n, path: count_files(path, min_class_docs=n),
        lambda n, path: read_documents(path, min_docs=n),
        lambda n, path: read_documents(path, min_class_docs=n),
        lambda n, path: DOCUMENTS.prune(n),
        lambda n, path: DOCUMENTS.without_small_classes(n),
        lambda n, path: DOCUMENTS.counts.prune(n),
        lambda n, path: DOCUMENTS.counts.without_small_classes(n),
    ],
)
def test_a_share_is_no_number_of_documents(tmp_path, number, call):
    path = tmp_path / "a.csv"
    path.write_text("text,label\ngold,a\noil,b\n")
    with pytest.raises(ValueError, match=r"min_(class_)?docs is a number of documents, 1 or more"):
        call(number, path)
