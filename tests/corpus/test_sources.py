"""Texts from files, folders, pipes and frames, counted alike."""

import io
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fsmj
from fsmj import datasets
from fsmj.corpus import TokenRule, count_files, count_frame, count_texts, file_columns
from tables import WRITERS, opened, write_csv, write_json, write_parquet
from texts import as_table, awkward_corpus, by_scikit_learn, rows_by_hand, rows_of


@pytest.mark.network
@pytest.mark.parametrize("load", [datasets.r52, datasets.newsgroups])
def test_real_texts_words_and_pairs(load):
    train = load().train
    rule = TokenRule(ngram_range=(1, 2))
    expected = by_scikit_learn(train.texts, train.y, rule, ngram_range=(1, 2))
    assert count_texts(iter(train.texts), iter(train.y), rule) == expected
    words = expected.restrict([term for term in expected.terms if " " not in term])
    nothing_else = np.zeros_like(words.rest_counts)
    assert count_texts(train.texts, train.y) == replace(
        words, rest_counts=nothing_else, rule=TokenRule()
    )
    if load is datasets.r52:
        assert rows_of(expected) == rows_by_hand(train.texts, train.y, rule)


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_formats(tmp_path, suffix, compression):
    texts, labels = awkward_corpus()
    path = tmp_path / f'it\'s; "a" [1] * file{suffix}{compression}'
    WRITERS[suffix](opened(path), texts, labels)
    assert count_files(path) == count_texts(texts, labels)
    assert {"text", "label"} <= set(file_columns(path))


def test_several_files_in_one_count(tmp_path):
    texts, labels = awkward_corpus()
    for row, (text, label) in enumerate(zip(texts, labels)):
        suffix = list(WRITERS)[row % len(WRITERS)]
        WRITERS[suffix](opened(tmp_path / f"{row}{suffix}"), [text], [label])
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "empty.jsonl").touch()
    expected = count_texts(texts, labels)
    with pytest.warns(UserWarning, match="left out: 1 empty file in the folder"):
        assert count_files(tmp_path) == expected
    (tmp_path / "empty.jsonl").unlink()
    assert count_files(str(tmp_path / "**" / "*.*")) == expected
    assert count_files(sorted(tmp_path.glob("*.*"))) == expected
    assert count_files(tmp_path, min_docs=4) == expected.prune(4)


def test_a_folder_of_empty_files(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match="holds nothing but 2 empty files"):
        count_files(tmp_path)


def test_folders_named_by_class(tmp_path):
    texts, labels = ["Ünder\r\nway", "", "plain\0text"] * 5, ["it's", "b;c", "b;c"] * 5
    for row, (text, label) in enumerate(zip(texts, labels)):
        folder = tmp_path / label / f"part {row % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        with opened(folder / f"{row}{['', '.txt', '.gz', '.zst'][row % 4]}") as file:
            file.write(text.encode())
        (folder / ".hidden").write_text("hidden")
    expected = count_texts(texts, labels)
    shares = []
    assert count_files(tmp_path, progress=shares.append) == expected
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert file_columns(tmp_path) == []
    write_csv(opened(tmp_path / "more.csv"), texts, labels)
    assert count_files(tmp_path) == expected, "a folder with tables is a folder of tables"
    (tmp_path / "more.csv").rename(tmp_path.parent / "more.csv")
    assert count_files([tmp_path, tmp_path.parent / "more.csv"]) == expected + expected


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_standard_input(tmp_path, monkeypatch, suffix, compression):
    texts, labels = awkward_corpus()
    path = tmp_path / f"a{suffix}{compression}"
    WRITERS[suffix](opened(path), texts, labels)
    with io.TextIOWrapper(path.open("rb")) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert count_files("-") == count_texts(texts, labels)


@pytest.mark.long
def test_pipe(tmp_path):
    code = "import sys; from fsmj.corpus import count_files; count_files('-').save(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, tmp_path / "counts"], check=True,
                   input=b"text,label\na cat,x\na dog,y\n")  # fmt: skip
    assert fsmj.load_counts(tmp_path / "counts").terms.tolist() == ["cat", "dog"]


SEVERAL = [["a", "b"], ["b"], [], ["c", "a", "b", "a"], ["a"]]
SEVERAL_TEXTS = ["one two two", "two three", "two four", "five two five", ""]


def test_documents_with_several_labels(tmp_path):
    counts = count_texts(SEVERAL_TEXTS, SEVERAL)
    assert rows_of(counts) == rows_by_hand(SEVERAL_TEXTS, SEVERAL, TokenRule())
    assert counts.n_docs == 5
    assert dict(zip(counts.terms, counts.docs_per_term))["two"] == 4
    table = as_table(SEVERAL_TEXTS, SEVERAL)
    pq.write_table(table, tmp_path / "a.parquet")
    write_json(opened(tmp_path / "a.jsonl"), SEVERAL_TEXTS, SEVERAL)
    assert count_files(tmp_path / "a.parquet") == counts
    assert count_files(tmp_path / "a.jsonl") == counts
    assert count_files(tmp_path) == counts + counts
    assert count_frame(table) == counts
    assert count_frame(table, min_docs=2) == counts.prune(2)


def test_labels_with_a_separator(tmp_path):
    labels = ["a;b", "b", "c; a;b;;a", "a"]
    texts = SEVERAL_TEXTS[:2] + SEVERAL_TEXTS[3:]
    expected = count_texts(texts, [label for label in SEVERAL if label])
    write_csv(opened(tmp_path / "a.csv"), texts, labels)
    assert count_files(tmp_path / "a.csv", label_separator=";") == expected
    assert count_frame(as_table(texts, labels), label_separator=";") == expected
    quotes = [label.replace(";", "'\0") for label in labels]
    assert count_frame(as_table(texts, quotes), label_separator="'\0") == expected
    with pytest.raises(ValueError, match="separator is empty"):
        count_frame(as_table(texts, labels), label_separator="")
    with pytest.raises(ValueError, match="has no label"):
        count_frame(as_table(["x"], [" ; "]), label_separator=";")


@pytest.mark.parametrize(
    "labels", [[3, 1, 2], [True, False, True], [1.5, -0.25, 1e300], ["b", "a", "b"]]
)
def test_labels_keep_their_type(tmp_path, labels):
    texts = ["one", "two two", "three"]
    expected = by_scikit_learn(texts, labels)
    for counts in (
        count_texts(texts, labels),
        count_texts(texts, np.array(labels)),
        count_frame(pd.DataFrame({"text": texts, "label": labels})),
        count_frame(pa.table({"text": texts, "label": [[label] for label in labels]})),
    ):
        assert counts == expected
        assert counts.classes.dtype.kind == np.array(labels).dtype.kind.replace("U", "O")
    write_parquet(opened(tmp_path / "a.parquet"), texts, labels)
    assert count_files(tmp_path / "a.parquet") == expected
    write_csv(opened(tmp_path / "a.csv"), texts, labels)
    assert count_files(tmp_path).classes.dtype == object, "numbers and strings are all strings"


@pytest.mark.parametrize(
    "convert",
    [
        lambda table: table,
        lambda table: table.to_reader(),
        lambda table: table.to_pandas(),
        lambda table: table.to_pandas().astype({"label": "category", "text": object}),
        lambda table: pl.from_arrow(table),
        lambda table: pl.from_arrow(table).lazy(),
        lambda table: pl.from_arrow(table).with_columns(pl.col("label").cast(pl.Categorical)),
        lambda table: table.set_column(0, "text", table["text"].cast(pa.large_string())),
        lambda table: table.set_column(0, "text", table["text"].cast(pa.binary())),
        lambda table: table.set_column(1, "label", table["label"].dictionary_encode()),
    ],
)
def test_frames(convert):
    texts, labels = awkward_corpus()
    table = as_table(texts, labels).append_column("other", pa.array(range(len(texts))))
    assert count_frame(convert(table)) == count_texts(texts, labels)


def test_hostile_names(tmp_path):
    text, label = "it's; DROP TABLE x; --\"text`", 'a "label" ]~/.{}'
    frame = pd.DataFrame({text: ["one 'two'", "three"], label: ["a'); --", 'b"']})
    expected = count_texts(frame[text], frame[label])
    folder = tmp_path / "it's; --"
    folder.mkdir()
    frame.to_csv(folder / "a';--.csv", index=False)
    frame.to_csv(folder / "a*?[b].tsv", index=False, sep="\t")
    frame.to_json(folder / 'a"b.jsonl', orient="records", lines=True)
    frame.to_parquet(folder / "a b.parquet")
    for path in folder.iterdir():
        assert count_files(path, text, label) == expected, path
    assert count_frame(frame, text, label) == expected
    assert count_frame(pl.from_pandas(frame), text, label) == expected
    rule = TokenRule(r"[\w';-]+", stop_words=["'two'", "x'); DROP TABLE counted; --", "nul\0"])
    assert "'two'" not in count_frame(frame, text, label, rule).terms


@pytest.mark.long
def test_nothing_heavy_is_imported():
    heavy = {"duckdb", "pyspark", "polars"}
    code = f"import sys, fsmj.corpus; print({heavy}.intersection(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_lone_surrogates_separate_words():
    assert count_texts(["one\ud800two"], ["a"]).terms.tolist() == ["one", "two"]
