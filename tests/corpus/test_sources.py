import _thread
import csv
import gzip
import io
import json
import subprocess
import sys
import threading
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fsmj
from fsmj import datasets
from fsmj.corpus import TokenRule, count_files, count_frame, count_texts, file_columns
from texts import as_table, awkward_corpus, by_scikit_learn, rows_by_hand, rows_of

# Real texts


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


# Files


def write_csv(path, texts, labels, delimiter=","):
    with io.TextIOWrapper(path, "utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["id", "label", "text"])
        writer.writerows([row, label, text] for row, (text, label) in enumerate(zip(texts, labels)))


def write_tsv(path, texts, labels):
    write_csv(path, texts, labels, "\t")


def write_semicolons(path, texts, labels):
    write_csv(path, texts, labels, ";")


def write_json(path, texts, labels):
    with path:
        for text, label in zip(texts, labels):
            path.write(json.dumps({"text": text, "label": label}).encode() + b"\n")


def write_json_array(path, texts, labels):
    with path:
        rows = [{"text": text, "label": label} for text, label in zip(texts, labels)]
        path.write(json.dumps(rows, ensure_ascii=False, indent=1).encode())


def write_parquet(path, texts, labels):
    with path:
        pq.write_table(as_table(texts, labels), path, row_group_size=7)


WRITERS = {
    ".csv": write_csv,
    "; .csv": write_semicolons,
    ".tsv": write_tsv,
    ".jsonl": write_json,
    ".json": write_json_array,
    ".parquet": write_parquet,
}


def opened(path):
    if path.suffix == ".gz":
        return gzip.open(path, "wb")
    if path.suffix == ".zst":
        return pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd")
    return path.open("wb")


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


# Several labels


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


# Data frames


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


# Streams and limits


def test_texts_are_drawn_as_they_are_counted():
    drawn = []

    def texts():
        for row in range(40_000):
            drawn.append(row)
            yield f"document {row} " * 20

    labels = (["a", "b"][row % 2] for row in range(40_000))
    thread = threading.get_ident()
    counts = count_texts(texts(), labels, memory_limit="200MB")
    assert threading.get_ident() == thread
    assert counts.n_docs == 40_000 == len(drawn)
    assert counts.term_counts.sum() == 40_000 * 40 - 20 * 10


def test_an_error_of_the_source_comes_through():
    class OwnError(Exception):
        pass

    def texts():
        for _ in range(20_000):
            yield "text " * 50
        raise OwnError("my own")

    with pytest.raises(OwnError, match="my own"):
        count_texts(texts(), iter(lambda: "a", None))


def test_interruption_leaves_no_thread_and_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    threads = _thread._count()

    def texts():
        yield from ["some words here"] * 10_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_texts(texts(), iter(lambda: "a", None))
    write_csv(opened(tmp_path / "a.csv"), ["some words"] * 100_000, ["a"] * 100_000)

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_files(tmp_path / "a.csv", rule=TokenRule(ngram_range=(1, 3)), progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert _thread._count() == threads


@pytest.mark.long
def test_spilling_counts_the_same(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"w{row:06}" for row in range(400_000)])
    table = pa.table({
        "text": [" ".join(words[rng.integers(0, 400_000, 300)]) for _ in range(4000)],
        "label": rng.integers(0, 5, 4000),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=500)
    counts = count_files(tmp_path / "a.parquet", memory_limit="120MB")
    assert counts == count_files(tmp_path / "a.parquet")
    assert counts.term_counts.nnz > 900_000


@pytest.mark.parametrize("limit", ["1", "much", "-3GB", "1GB; DROP TABLE x", 7])
def test_memory_limit_is_a_size(limit):
    with pytest.raises(ValueError, match="memory_limit"):
        count_texts(["a"], ["b"], memory_limit=limit)


@pytest.mark.long
def test_progress_reaches_the_end(tmp_path):
    texts, labels = awkward_corpus()
    write_csv(opened(tmp_path / "a.csv"), texts * 50, labels * 50)
    shares = []
    count_files(tmp_path / "a.csv", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.long
def test_nothing_heavy_is_imported():
    heavy = {"duckdb", "pyspark", "polars"}
    code = f"import sys, fsmj.corpus; print({heavy}.intersection(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


# Bad input


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


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


def test_lone_surrogates_separate_words():
    assert count_texts(["one\ud800two"], ["a"]).terms.tolist() == ["one", "two"]


# Files that cannot be written

KILLED = """
import os, pyarrow.parquet as pq
write = pq.ParquetWriter.write_table
def write_the_first(writer, table):
    write(writer, table)
    os.kill(os.getpid(), 9)
pq.ParquetWriter.write_table = write_the_first
"""
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize(("trouble", "status"), [(KILLED, -9), (FULL, 1)], ids=["killed", "full"])
def test_old_counts_stay_when_new_ones_cannot_be_written(tmp_path, trouble, status):
    texts = [f"word{row} word{row + 1}" for row in range(2000)]
    write_csv(opened(tmp_path / "new.csv"), texts, ["a", "b"] * 1000)
    old = count_texts(["one", "two"], ["a", "b"])
    path = tmp_path / "counts" / "a.parquet"
    path.parent.mkdir()
    old.save(path)
    code = f"import sys, fsmj\n{trouble}\nfsmj.count_files(sys.argv[1]).save(sys.argv[2])"
    command = [sys.executable, "-c", code, tmp_path / "new.csv", path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == status
    assert fsmj.load_counts(path) == old
    assert fsmj.load_counts(path.parent) == old, "what was half-written is not read"
    if status == 1:
        assert run.stderr.splitlines()[-1].startswith("OSError")
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.posix
def test_what_cannot_be_read_is_not_kept_open(tmp_path):
    # Windows removes and replaces no open file, and an error that is kept keeps its local names.
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    pq.write_table(pa.table({"class": ["a"]}), tmp_path / "other.parquet")
    (tmp_path / "latin.csv").write_bytes("text,label\nnaïve,a\n".encode("utf-16"))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"text,label\ngold,a\n" * 99)[:-30])
    (tmp_path / "cut.jsonl").write_text('{"text": ', encoding="utf-8")
    for read in (count_files, fsmj.load_counts, fsmj.load_model):
        for path in sorted(tmp_path.iterdir()):
            kept = []
            for _ in range(2):  # at first, libraries open what is theirs
                before = list(Path("/dev/fd").iterdir())
                with pytest.raises(ValueError, match=r"cut|latin|other") as caught:
                    read(path)
                kept.append(caught)
            assert len(list(Path("/dev/fd").iterdir())) == len(before), (read, path.name)
