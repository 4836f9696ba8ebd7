"""What cannot be counted is refused by a sentence that names it."""

import gzip
import warnings

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fsmj.corpus import count_files, count_frame, count_texts
from tables import WRITERS, opened, written
from texts import as_table


def test_missing_columns_name_those_there_are(tmp_path):
    texts, labels = ["x"], ["y"]
    for suffix, write in WRITERS.items():
        path = tmp_path / f"a{suffix}"
        write(opened(path), texts, labels)
        for names in (("body", "label"), ("text", "topic")):
            with pytest.raises(
                ValueError, match=r"has no column '(body|topic)'; it has .*'text'"
            ) as e:
                count_files(path, *names)
            assert str(path) in str(e.value)
    for frame in (as_table(texts, labels), pd.DataFrame({"text": texts, "label": labels})):
        with pytest.raises(ValueError, match="no column 'body'; it has 'text', 'label'"):
            count_frame(frame, "body")
    with pytest.raises(ValueError, match="2 columns named 'text'"):
        count_files(written(tmp_path / "b.csv", "text,text,label\na,b,c\n"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), "is empty"),
        ("a.csv", "text,label\n", "there is no document"),
        ("a.jsonl", "\n", "no line of it is an object|there is no document"),
        ("a.parquet", "text,label\na,b\n", "is not a Parquet file"),
        ("a.parquet", b"PAR1" + bytes(100), "is damaged"),
        ("a.csv", b"PAR1" + bytes(100), "holds Parquet, though its name says csv"),
        ("a.csv", b"PK\x03\x04" + bytes(100), "is a ZIP file; unpack it first"),
        ("a.csv", "text,label\na,b\n".encode("utf-16"), "perhaps its encoding is utf-16"),
        ("a.jsonl", "text,label\na,b\n", "not JSON lines"),
        ("a.jsonl", "[1, 2]\n[3]\n", "JSON"),
        ("a.json", '[{"text": "x", "label": "y"}, {"te', "a.json"),
        ("a.csv.gz", gzip.compress(b"text,label\na,b\n" * 1000, mtime=0)[:50], "a.csv.gz"),
        ("a.csv.zst", b"\x28\xb5\x2f\xfd" + b"junk" * 20, "a.csv.zst"),
    ],
)
def test_files_that_are_not_what_they_should_be(tmp_path, name, content, message):
    path = written(tmp_path / name, content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=message) as error:
            count_files(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_paths_that_lead_nowhere(tmp_path):
    (tmp_path / "folder").mkdir()
    for path, message in [
        (tmp_path / "none.csv", "there is no file .*none.csv"),
        (tmp_path / "*.csv", "no file matches"),
        (tmp_path / "folder", "holds neither tables"),
        ([], "no files"),
        ("s3://bucket/x.csv", "there is no file"),
    ]:
        with pytest.raises(ValueError, match=message):
            count_files(path)


def test_missing_labels(tmp_path):
    message = r"(row 2|line 2|line 3) of .* has no label; label such"
    with pytest.raises(ValueError, match=message):
        count_files(written(tmp_path / "a.csv", "text,label\none,a\ntwo,\n"))
    first = '{"text": "one", "label": "NaN"}\n'
    for second in (
        "", ', "label": null', ', "label": ""', ', "label": NaN',
        ', "label": ["b", null]', ', "label": ["b", ""]', ', "label": ["b", NaN]',
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            count_files(written(tmp_path / "b.jsonl", f'{first}{{"text": "two"{second}}}\n'))
    nan = float("nan")
    for labels in (
        ["a", None], ["a", ""], [["a"], None], [["a"], ["b", None]], [["a"], ["b", ""]],
        [1.5, nan], [[1.5], [0.5, nan]], [[1.5], [nan]],
    ):  # fmt: skip
        table = as_table(["one", "two"], labels)
        pq.write_table(table, tmp_path / "e.parquet")
        with pytest.raises(ValueError, match=message):
            count_files(tmp_path / "e.parquet")
        with pytest.raises(ValueError, match="row 1 of the data frame has no label"):
            count_frame(table)
        if not isinstance(labels[0], list):
            with pytest.raises(ValueError, match=message):
                count_files(tmp_path / "e.parquet", label_separator=";")
    for label in (None, nan, "", ["a", None]):
        with pytest.raises(ValueError, match="document 1 has no label"):
            count_texts(["one", "two"], ["a", label])


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a"], [], "more texts than labels"),
        (["a"], ["b", "c"], "more labels than texts"),
        ([], [], "there is no document in these texts"),
        (["a", None], ["b", "c"], "document 1 has no text"),
        (["a", b"c"], ["b", "c"], "text of document 1 is a bytes"),
        (["a", "b"], ["b", 3], "labels of different types"),
        (["a"], [{"b": 1}], "label of document 0 is a dict"),
    ],
)
def test_texts_that_cannot_be_counted(texts, labels, message):
    with pytest.raises(ValueError, match=message):
        count_texts(texts, labels)


def test_frames_that_cannot_be_counted():
    with pytest.raises(ValueError, match="text column of the data frame holds int64"):
        count_frame(pd.DataFrame({"text": [1], "label": ["a"]}))
    with pytest.raises(ValueError, match="label column of the data frame holds"):
        count_frame(pa.table({"text": ["a"], "label": [[["a"]]]}))
    with pytest.raises(ValueError, match="cannot be read"):
        count_frame(pd.DataFrame({"text": ["a", 1], "label": ["a", "b"]}))
    with pytest.raises(ValueError, match="list is not a data frame"):
        count_frame(["a"])
    with pytest.raises(ValueError, match="no document"):
        count_frame(pd.DataFrame({"text": [], "label": []}, dtype=str))
