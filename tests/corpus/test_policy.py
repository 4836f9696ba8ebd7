"""The same messy table gives the same counts or the same refusal, whatever it comes from."""

import csv
import gzip
import json
import os
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fsmj
from fsmj.corpus import (
    TokenRule,
    count_files,
    count_frame,
    count_texts,
    read_batches,
    read_documents,
)
from texts import MESSY


def by_csv(rows, folder, **options):
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    return count_files(folder / "a.csv", **options)


def by_json(rows, folder, **options):
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    (folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return count_files(folder / "a.jsonl", **options)


def by_json_array(rows, folder, **options):
    objects = [{"text": text, "label": label} for text, label in rows]
    (folder / "a.json").write_text(json.dumps(objects, indent=1), encoding="utf-8")
    return count_files(folder / "a.json", **options)


def table(rows):
    return pa.table({"text": pa.array([text for text, _ in rows], pa.string()),
                     "label": pa.array([label for _, label in rows], pa.string())})  # fmt: skip


def by_parquet(rows, folder, **options):
    pq.write_table(table(rows), folder / "a.parquet")
    return count_files(folder / "a.parquet", **options)


SOURCES = {
    "csv": by_csv,
    "json lines": by_json,
    "json": by_json_array,
    "parquet": by_parquet,
    "arrow": lambda rows, _, **options: count_frame(table(rows), **options),
    "pandas": lambda rows, _, **options: count_frame(table(rows).to_pandas(), **options),
    "polars": lambda rows, _, **options: count_frame(pl.from_arrow(table(rows)), **options),
    "lists": lambda rows, _, **options: count_texts(*zip(*rows), **options),
}
EXPECTED = count_texts(*zip(*MESSY))


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    return lambda rows, **options: SOURCES[request.param](rows, tmp_path, **options)


def test_the_same_counts(source):
    assert source(MESSY) == EXPECTED
    assert source(MESSY).rule == TokenRule()
    assert EXPECTED.n_docs == len(MESSY), "an empty text is a document"


@pytest.mark.parametrize("missing", [None, ""])
def test_the_same_refusal_of_a_missing_label(source, missing):
    rows = [*MESSY, ("lost", missing), ("lost", missing)]
    with pytest.raises(
        ValueError, match=r"(line|row|document) \d.* has no label; .*skip_unlabelled"
    ):
        source(rows)
    with pytest.warns(UserWarning, match="left out: 2 rows without a label; the first is"):
        assert source(rows, skip_unlabelled=True) == EXPECTED


def test_the_same_refusal_of_a_missing_text(request, source):
    if "csv" in request.node.callspec.id:
        pytest.skip("a CSV file has empty texts only")
    rows = [*MESSY, (None, "z")]
    with pytest.raises(ValueError, match=r"(line|row|document) \d.* has no text; .*skip_missing"):
        source(rows)
    with pytest.warns(UserWarning, match="left out: 1 row without a text; the first is"):
        assert source(rows, skip_missing=True) == EXPECTED


def test_small_classes_are_left_out_and_named(source):
    with pytest.warns(
        UserWarning,
        match=r"left out 2 of 3 classes, .* fewer than 2 documents, 2 in all: "
        r"'b' \(1\), 'b,c' \(1\)",
    ):
        counts = source(MESSY, min_class_docs=2)
    kept = [(text, label) for text, label in MESSY if label == "a"]
    assert counts == count_texts(*zip(*kept))


def test_nothing_is_left(source):
    with pytest.raises(ValueError, match="there is no document in"):
        source([("x", None)], skip_unlabelled=True)


def test_nan_and_na_are_missing():
    for missing in (float("nan"), pd.NA, None):
        with pytest.raises(ValueError, match="document 1 has no label"):
            count_texts(["x", "y"], ["a", missing])
        with pytest.raises(ValueError, match="document 1 has no text"):
            count_texts(["x", missing], ["a", "b"])


def test_several_columns_of_text(tmp_path):
    (tmp_path / "a.csv").write_text("title,body,label\none,two,a\n,three,b\n")
    ((texts, labels, *_),) = read_batches(tmp_path / "a.csv", ["title", "body"])
    assert (texts.to_pylist(), labels) == (["one\ntwo", "\nthree"], ["a", "b"])
    frame = pa.table({"title": ["one", None], "body": ["two", "three"], "label": ["a", "b"]})
    assert count_frame(frame, ["title", "body"]) == count_files(
        tmp_path / "a.csv", ["title", "body"]
    )


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_other_columns_are_handed_on(tmp_path, name):
    frame = pd.DataFrame({"id": ["7", "8"], "text": ["one", "two"]})
    write = {"csv": lambda p: frame.to_csv(p, index=False), "parquet": frame.to_parquet,
             "jsonl": lambda p: frame.to_json(p, orient="records", lines=True)}  # fmt: skip
    write[name.split(".")[1]](tmp_path / name)
    ((texts, labels, others, _),) = read_batches(tmp_path / name, label=None, columns=list(frame))
    assert (texts.to_pylist(), labels, others.to_pydict()) == (
        ["one", "two"],
        None,
        frame.to_dict("list"),
    )


def test_documents_have_the_counts_of_their_files(tmp_path):
    by_csv(MESSY, tmp_path)
    documents = read_documents(tmp_path / "a.csv")
    assert documents.counts == EXPECTED
    assert list(documents.texts) == [text for text, _ in MESSY]
    (tmp_path / "b.csv").write_text("text,label\none two,x;y\ntwo,y\nthree,z\n")
    several = read_documents(tmp_path / "b.csv", label_separator=";")
    assert several.classes.tolist() == ["x", "y", "z"]
    assert several.counts == count_files(tmp_path / "b.csv", label_separator=";")
    with pytest.warns(UserWarning, match="left out 2 of 3 classes"):
        small = read_documents(tmp_path / "b.csv", label_separator=";", min_class_docs=2)
    assert (small.classes.tolist(), list(small.texts)) == (["y"], ["one two", "two"])


@pytest.mark.posix
def test_the_file_that_was_named_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in ("home", "~", "file:"):
        (tmp_path / folder).mkdir()
        by_csv([("one", folder), ("two", folder)], tmp_path / folder)
        by_parquet([("one", folder), ("two", folder)], tmp_path / folder)
    for name in ("~/a.csv", "file:/a.csv", "~/a.parquet", "file:/a.parquet"):
        assert count_files(name).classes.tolist() == [name.split("/")[0]]
    (tmp_path / "*.csv").write_text("text,label\none,star\n")
    assert count_files("*.csv").classes.tolist() == ["star"]


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_named(tmp_path):
    for class_ in "ab":
        (tmp_path / class_).mkdir()
        (tmp_path / class_ / "1.txt").write_text("one")
    (tmp_path / "a" / "1.txt").chmod(0)
    with pytest.raises(ValueError, match=r"1\.txt cannot be read: .*[Pp]ermission"):
        count_files(tmp_path)
    (tmp_path / "b").chmod(0)
    with pytest.raises(ValueError, match=r"the folder .*b cannot be read: Permission denied"):
        count_files(tmp_path)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_marks_at_the_beginning(tmp_path, mark):
    (tmp_path / "a.jsonl").write_bytes(
        mark + b'{"text": "one", "label": "a"}\n' + mark + b'{"text": "two", "label": "b"}\r\n'
    )
    (tmp_path / "a.json").write_bytes(
        mark + b'[{"text": "one", "label": "a"}, {"text": "two", "label": "b"}]'
    )
    (tmp_path / "a.csv").write_bytes(mark + b'"text",label\none,a\ntwo,b\n')
    for name in ("a.jsonl", "a.json", "a.csv"):
        assert count_files(tmp_path / name) == count_texts(["one", "two"], ["a", "b"])


def test_counts_keep_their_rule_in_a_folder(tmp_path):
    rule = TokenRule(min_length=3)
    for name in ("a", "b"):
        count_texts(["one", "two"], ["x", "y"], rule).save(tmp_path / f"{name}.parquet")
    assert fsmj.load_counts(tmp_path).rule == rule
    count_texts(["one", "two"], ["x", "y"]).save(tmp_path / "c.parquet")
    with pytest.raises(ValueError, match="different rules"):
        fsmj.load_counts(tmp_path)


@pytest.mark.parametrize("form", ["csv", "jsonl", "csv.gz", "folder"])
def test_a_file_in_utf8_that_is_read_otherwise_is_hinted_at(tmp_path, form):
    def written(text):
        if form == "folder":
            for class_ in "ab":
                (tmp_path / form / class_).mkdir(parents=True, exist_ok=True)
                (tmp_path / form / class_ / "1.txt").write_bytes(text)
            return tmp_path / form
        rows = {"jsonl": b'{"text": "%s", "label": "a"}\n{"text": "x", "label": "b"}\n'}
        content = rows.get(form, b"text,label\n%s,a\nx,b\n") % text
        (tmp_path / f"a.{form}").write_bytes(gzip.compress(content) if "gz" in form else content)
        return tmp_path / f"a.{form}"

    with pytest.warns(UserWarning, match="is in utf-8, it seems; read in cp1252, other letters"):
        count_files(written("naïve café".encode()), encoding="cp1252")
    for text, encoding in [("naïve café".encode("cp1252"), "cp1252"), (b"cafe", "latin-1"),
                           ("naïve café".encode(), "utf-8")]:  # fmt: skip
        with warnings.catch_warnings(action="error"):
            count_files(written(text), encoding=encoding)
