"""Which columns of a table are read: guessed, named, or known to the model."""

import json

import numpy as np
import pandas as pd
import pytest

import fsmj
from commands import LABELS, TEXTS, refused, run
from fsmj.cli.columns import guess


@pytest.mark.parametrize(
    ("columns", "text", "label", "expected"),
    [
        (["text", "label"], None, None, ("text", "label")),
        (["id", "Body", "Topic"], None, None, ("Body", "Topic")),
        (["what", "label"], None, None, ("what", "label")),
        (["body", "x"], None, None, ("body", "x")),
        (["text", "body", "label"], None, None, ("text", "label")),
        (["a", "b", "c"], "b", "c", ("b", "c")),
        (["a", "b"], "b", None, ("b", "a")),
        (["body", "content", "label"], None, None, None),
        (["a", "b"], None, None, None),
        (["a", "b", "label"], None, None, None),
        ([], None, None, None),
    ],
)
def test_columns_are_guessed_where_one_choice_is_reasonable(columns, text, label, expected):
    given = [text] if text else [], [label] if label else []
    if expected is not None:
        found = guess("news.csv", columns, text=given[0], label=given[1])
        assert found == {"text": [expected[0]], "label": [expected[1]]}
        return
    with pytest.raises(ValueError, match=r"which column of news\.csv to read"):
        guess("news.csv", columns, text=given[0], label=given[1])


@pytest.mark.parametrize("by_way_of", ["texts", "counts", "merged counts"])
def test_a_model_knows_the_columns_of_its_texts(tmp_path, monkeypatch, by_way_of):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"body": ["new", "old"] * 4, "title": TEXTS, "label": LABELS})
    frame.to_csv("train.csv", index=False)
    columns = ("--text", "title", "--text", "body")
    data = ["train.csv", *columns]
    if by_way_of != "texts":
        run("count", *data, "-o", "counts.parquet")
        data = ["counts.parquet"]
    if by_way_of == "merged counts":
        run("count", "train.csv", *columns, "-o", "more.parquet")
        run("merge", "counts.parquet", "more.parquet", "-o", "all.parquet")
        data = ["all.parquet"]
    run("train", *data, "-o", "model.parquet")
    model = fsmj.load_model("model.parquet")
    assert model.columns == ("title", "body")
    joined = [f"{title}\n{body}" for title, body in zip(frame["title"], frame["body"])]
    expected = [f"{y}\t{p:.4f}" for y, p in zip(*model.classify(joined)[:2])]
    result = run("classify", "model.parquet", "train.csv")
    assert result.stdout.splitlines() == expected
    assert "reading the text from columns 'title' and 'body'" in result.stderr
    assert model.label == "label"
    evaluated = json.loads(run("evaluate", "model.parquet", "train.csv", "--json").stdout)
    assert evaluated["accuracy"] == np.mean(model.predict(joined) == np.array(LABELS))
    only = run("classify", "model.parquet", "train.csv", "--text", "body").stdout.splitlines()
    given = model.classify(frame["body"].tolist())
    assert only == [f"{y}\t{p:.4f}" for y, p in zip(*given[:2])]
    frame.rename(columns={"title": "text"}).to_csv("other.csv", index=False)
    for command in ("classify", "evaluate"):
        said = refused(command, "model.parquet", "other.csv")
        assert "other.csv has no column 'title', from which the model takes its text" in said
        run(command, "model.parquet", "other.csv", "--text", "text")


def test_a_model_finds_the_label_where_it_was_taken_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"body": TEXTS, "what": LABELS, "label": range(len(LABELS))})
    frame.to_csv("train.csv", index=False)
    run("train", "train.csv", "--text", "body", "--label", "what", "-o", "model.parquet")
    result = run("evaluate", "model.parquet", "train.csv")
    assert "reading the text from column 'body' and the label from 'what'" in result.stderr
    assert "accuracy" in result.stdout
    frame[["body", "what"]].rename(columns={"what": "topic"}).to_csv("other.csv", index=False)
    assert "the label from 'topic'" in run("evaluate", "model.parquet", "other.csv").stderr


def test_counts_of_different_columns_make_a_model_that_names_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"body": TEXTS, "label": LABELS})
    frame.to_csv("a.csv", index=False)
    frame.rename(columns={"body": "text"}).to_csv("b.csv", index=False)
    for name in "ab":
        run("count", f"{name}.csv", "-o", f"{name}.parquet")
    run("train", "a.parquet", "b.parquet", "-o", "model.parquet")
    assert fsmj.load_model("model.parquet").columns == ()
