"""What the commands refuse, each with a sentence, and what they warn of."""

import os
import sys
from pathlib import Path

import pandas as pd
import pytest

import fsmj
from commands import LABELS, TEXTS, refused, run
from commands import model as model
from commands import news as news


@pytest.mark.skipif(sys.platform != "linux", reason="this system allows no such name")
def test_a_name_that_is_not_utf8_is_said(news):
    name = os.fsdecode(os.fsencode(news) + b"\xf6")
    news.rename(name)
    assert "a name must be UTF-8" in refused("rank", name)
    assert "a name must be UTF-8" in refused("count", name, "-o", news.with_suffix(".parquet"))


def test_evaluate_refuses_labels_of_which_the_model_knows_none(model):
    said = refused("evaluate", model, "-", "--label", "n", stdin="body,n\ngold,1\nwheat,2\n")
    assert "the model knows none of the labels '1', '2'; name the column" in said


@pytest.mark.parametrize(
    ("name", "content", "options", "sentence"),
    [
        ("a.csv", b"", [], "a.csv is empty"),
        ("a.csv", b"text,label\n", [], "there is no document in"),
        ("a.csv", b"text,label\ngold,metal\n", ["--text", "body"],
         "has no column 'body'; it has 'text', 'label'"),
        ("a.csv", b"text,label\ngold,metal\nore,metal\n", [], "only one class: 'metal'"),
        ("a.csv", b"text,label\n!,metal\ngold,a\n", [],
         "two classes with tokens, but of the class 'metal'"),
        ("a.csv", b"text,label\ngold,metal\nore,\n", [],
         "line 3 of a.csv has no label; label such documents, or leave them out with --skip"),
        ("a.parquet", b"text,label\ngold,metal\n", [], "is not a Parquet file, though"),
        ("a.csv", b"PAR1....", [], "holds Parquet, though its name says csv"),
        ("a.jsonl", b"no json\n", [], "no line of it is an object"),
        ("a.xlsx", b"PK\x03\x04....", [], "a.xlsx is a spreadsheet; save it as CSV"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--memory-limit", "much"],
         "--memory-limit must be a size"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--pattern", "(("], "pattern"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--stop-words", "german"], "list of stop words"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--method", "magic"], "magic"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--top", "0"], "--top"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--text", "label", "--label", "label"],
         "the column 'label' is named as text and as label"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["--by-class", "--resamples", "3"],
         "--resamples judges words, not words by class"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["-o", "ranking.xls"], "the format .xls"),
        ("a.csv", b"text,label\ngold,a\nore,b\n", ["-o", "no/such/folder.csv"], "no such folder"),
        ("a.csv", b"text,label\ngold,a\nore,b,c\n", ["--strict"],
         "line 3 of a.csv cannot be read: it has 3 fields"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(tmp_path, monkeypatch, name, content, options, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    assert sentence in refused("rank", name, *options)
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


def test_files_that_are_not_there(tmp_path, model):
    assert "there is no file" in refused("rank", tmp_path / "none.csv")
    assert "no file matches" in refused("rank", tmp_path / "none-*.csv")
    (tmp_path / "empty").mkdir()
    assert "holds neither tables" in refused("rank", tmp_path / "empty")
    assert "none.parquet" in refused("classify", tmp_path / "none.parquet")
    (tmp_path / "counts.parquet").write_bytes(b"no Parquet")
    assert "not a Parquet file" in refused("classify", tmp_path / "counts.parquet")
    assert "is a folder, not a model" in refused("classify", tmp_path)
    assert "cannot tell the format" in refused("classify", model, "-o", tmp_path / "x")
    pd.DataFrame({"a": ["x"], "b": ["y"]}).to_csv(tmp_path / "two.csv", index=False)
    assert "two.csv has no column 'body'" in refused("classify", model, tmp_path / "two.csv")


def test_counts_are_no_model(news, tmp_path):
    run("count", news, "-o", tmp_path / "counts.parquet")
    assert "holds counts, but no model" in refused("classify", tmp_path / "counts.parquet")


def test_unreadable_rows_are_counted_and_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\ngold,metal\nwheat,grain\nore,metal,more\n")
    result = run("count", path, "-o", tmp_path / "counts.parquet")
    assert "warning: left out: 1 row could not be read; the first is line 4" in result.stderr
    assert fsmj.load_counts(tmp_path / "counts.parquet").n_docs == 2


def test_labels_that_look_like_numbers_of_documents_are_doubted(tmp_path):
    frame = pd.DataFrame({"text": TEXTS * 3, "label": range(24), "topic": LABELS * 3})
    frame.to_csv(tmp_path / "a.csv", index=False)
    said = run("rank", tmp_path / "a.csv", "--label", "label").stderr
    assert "warning: 24 documents have 24 different labels" in said
    assert "warning" not in run("rank", tmp_path / "a.csv", "--label", "topic").stderr


def test_counts_texts_and_models_are_not_mixed_up(news, model, tmp_path):
    counts = tmp_path / "counts.parquet"
    run("count", news, "-o", counts)
    assert "some of these files hold counts" in refused("rank", counts, news)
    assert "some of these files hold counts" in refused("merge", counts, tmp_path, "-o", "x")
    assert "is a model" in refused("merge", counts, model, "-o", tmp_path / "x.parquet")
    assert "give it to fsmj count" in refused("rank", counts, "--stop-words", "english")
    assert run("rank", counts, "--ngrams", 1, "-q").stdout  # the rule by which it was counted
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS, "class": 1, "term": 2, "count": 3})
    frame.assign(docs=4).to_csv(tmp_path / "own.csv", index=False)
    assert run("rank", tmp_path / "own.csv", "--text", "text", "--label", "label").stdout


def test_what_cannot_be_written_is_refused_before_the_work(news, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    monkeypatch.setattr("fsmj.cli.data.Source.counts", None)
    for command in ("rank", "count", "train"):
        ending = "csv" if command == "rank" else "parquet"
        output = tmp_path / f"new.{ending}"
        said = refused(command, news, "-o", output)
        assert said == f"fsmj: {tmp_path}: nothing can be written here\n"
    monkeypatch.setattr("fsmj.cli.data.Source.documents", None)
    new = tmp_path / "new" / "folder"
    for command, option in (("compare", "-o"), ("report", "--figures")):
        said = refused(command, news, option, new)
        assert said == f"fsmj: {tmp_path}: nothing can be written here\n"
        assert not new.parent.exists()


def test_endless_names_are_cut_short(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x" * 9000 + ",y,z\n1,2,3\n")
    said = refused("rank", path)
    assert "say with --text and --label which column" in said
    assert len(said) < 1000


def test_a_column_that_is_not_there_is_said_and_nothing_else(news):
    for option in ("--label", "--text"):
        said = refused("rank", news, option, "no")
        assert "has no column 'no'; it has" in said
        assert "reading the" not in said


def test_training_warns_of_tiny_classes_as_ranking_does(tmp_path):
    path = tmp_path / "tickets.csv"
    texts, labels = TEXTS * 3 + ["strange words"], LABELS * 3 + ["stray"]
    pd.DataFrame({"text": texts, "label": labels}).to_csv(path, index=False)
    for command in (["rank", path], ["train", path, "-o", tmp_path / "model.parquet"]):
        assert "very few documents have the label stray (1)" in run(*command).stderr
    strange = next(line for line in run("rank", path).stdout.splitlines() if "strange" in line)
    assert "  1 of 1  " in strange  # rather than 100%


def test_a_table_in_a_pipe_of_lines_is_hinted_at(news, tmp_path):
    model = tmp_path / "model.parquet"
    run("train", news, "-o", model)
    piped = run("classify", model, stdin=news.read_text()).stderr
    assert "looks like a table with the columns body, topic" in piped
    assert "--text" in piped
    assert "table" not in run("classify", model, stdin="gold, or grain\n").stderr
    assert "table" not in run("classify", model, "--text", "body", stdin=news.read_text()).stderr


def test_a_second_label_is_refused(news):
    said = refused("rank", news, "--label", "label", "--label", "topic")
    assert "--label names one column; leave out all but one of 'label' and 'topic'" in said
