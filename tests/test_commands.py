"""The commands, as a stranger would use them."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import MultinomialNB
from typer.testing import CliRunner

import fsmj
from fsmj import datasets
from fsmj.cli.app import app
from fsmj.cli.columns import guess
from fsmj.cli.terminal import bar, print_table, shown

TEXTS = [
    "gold ore and gold price", "the gold price rose", "gold mine, ore", "silver and gold ore",
    "wheat crop and grain", "grain harvest", "the wheat harvest", "corn and wheat grain",
]  # fmt: skip
LABELS = ["metal"] * 4 + ["grain"] * 4
HOSTILE = "<script>alert('x')</script>; DROP TABLE \"counts\" --"
COMMAND = [sys.executable, "-c", "from fsmj.cli.app import main; main()"]


def run(*arguments, stdin=None, status=0):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    problem = result.exception
    if problem is not None and not isinstance(problem, SystemExit):
        raise problem
    assert result.exit_code == status, result.output
    return result


def refused(*arguments, stdin=None):
    """What is said when the arguments are refused; nothing else is written."""
    result = run(*arguments, stdin=stdin, status=2)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.fixture
def news(tmp_path):
    path = tmp_path / "news.csv"
    pd.DataFrame({"body": TEXTS, "topic": LABELS}).to_csv(path, index=False)
    return path


@pytest.fixture
def counts():
    return fsmj.count_texts(TEXTS, LABELS)


@pytest.fixture
def model(news, tmp_path):
    path = tmp_path / "model.parquet"
    run("train", news, "--top", 6, "-o", path, "-q")
    return path


def test_rank_prints_a_table_and_says_which_columns_it_reads(news, counts):
    result = run("rank", news, "--top", 4)
    expected = fsmj.rank(counts).to_frame(4)
    header, *rows = (re.split("  +", line.strip()) for line in result.stdout.splitlines())
    assert header == [
        "word", "gain", "JS reached", "times", "documents", "speaks for", "in", "elsewhere"
    ]  # fmt: skip
    assert [row[1] for row in rows] == expected["term"].tolist()
    assert [row[-3] for row in rows] == expected["class"].tolist()
    assert [row[-4] for row in rows] == expected["docs"].astype(str).tolist()
    assert "█" in rows[0][3]
    assert "column 'body'" in result.stderr
    assert "the label from 'topic'" in result.stderr
    assert run("rank", news, "-q").stderr == ""


@pytest.mark.parametrize("method", ["fsmj", "ig", "cmim", "cll"])
def test_rank_writes_what_the_library_ranks(news, counts, tmp_path, method):
    documents = fsmj.Documents.from_texts(TEXTS, LABELS)
    expected = fsmj.rank(documents, method, 5).to_frame()
    options = ("rank", news, "--method", method, "--top", 5, "-q")
    run(*options, "-o", tmp_path / "ranking.csv")
    run(*options, "-o", tmp_path / "ranking.parquet")
    run(*options, "-o", tmp_path / "ranking.json")
    readers = [
        pd.read_csv(tmp_path / "ranking.csv"),
        pd.read_parquet(tmp_path / "ranking.parquet"),
        pd.read_json(tmp_path / "ranking.json"),
        pd.read_json(io.StringIO(run(*options, "--json").stdout)),
        pd.read_csv(io.StringIO(run(*options, "-o", "-").stdout)),
    ]
    for found in readers:
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-6)


def test_all_options_of_the_ranking_and_of_words_are_passed_on(news, tmp_path):
    stops = tmp_path / "stop.txt"
    stops.write_text("and\nthe\n")
    rule = fsmj.TokenRule(r"[a-z]+", stop_words=["and", "the"], ngram_range=(1, 2), min_length=3)
    expected = fsmj.rank(
        fsmj.count_texts(TEXTS, LABELS, rule, min_docs=2),
        reference="complement", weights="prior", smoothing=0.5,
    )  # fmt: skip
    result = run(
        "rank", news, "--pattern", "[a-z]+", "--stop-words", stops, "--ngrams", 2, "--min-length",
        3, "--min-docs", 2, "--reference", "complement", "--weights", "prior", "--smoothing", 0.5,
        "--json",
    )  # fmt: skip
    assert [row["term"] for row in json.loads(result.stdout)] == expected.terms.tolist()


def test_help_lists_every_method_and_option():
    shown = " ".join(run("rank", "--help").stdout.split())
    for name, row in fsmj.METHODS.items():
        assert name in shown
        for option in row.options:
            assert f"--{option.name}" in shown


def test_every_command_takes_counts(news, counts, tmp_path):
    path = tmp_path / "counts.parquet"
    run("count", news, "--stop-words", "english", "-o", path)
    assert fsmj.load_counts(path) == fsmj.count_texts(
        TEXTS, LABELS, fsmj.TokenRule(stop_words="english")
    )
    assert (
        run("rank", path, "--json").stdout
        == run("rank", news, "--stop-words", "english", "--json").stdout
    )
    run("train", path, "-o", tmp_path / "model.parquet")
    assert fsmj.load_model(tmp_path / "model.parquet").rule.stop_words  # counts know their rule
    for command in ("compare", "evaluate"):
        first = [tmp_path / "model.parquet"] if command == "evaluate" else []
        assert "needs the documents themselves; counts.parquet holds only their counts" in refused(
            command, *first, path
        )
    for method in ("cll", "cmim"):
        said = refused("rank", path, "--method", method)
        assert said == (
            f"fsmj: the method {method} needs the documents themselves; counts.parquet holds "
            "only their counts\n"
        )
    assert "--cv needs the documents" in refused("train", path, "--cv", 3, "-o", tmp_path / "m")
    assert "leave out --text" in refused("rank", path, "--text", "body")


def test_merging_equals_counting_once(news, counts, tmp_path):
    parts = [tmp_path / f"{part}.parquet" for part in range(3)]
    frame = pd.read_csv(news)
    for part, path in enumerate(parts):
        frame.iloc[part::3].to_csv(tmp_path / "part.csv", index=False)
        run("count", tmp_path / "part.csv", "-o", path)
    run("merge", *parts, "-o", tmp_path / "all.parquet")
    assert fsmj.load_counts(tmp_path / "all.parquet") == counts
    run("merge", *parts, "--min-docs", 3, "-o", tmp_path / "all.parquet")
    assert fsmj.load_counts(tmp_path / "all.parquet") == counts.prune(3)
    assert "holds no counts" in refused("merge", parts[0].with_name("part.csv"), "-o", "x")
    run("count", news, "--ngrams", 2, "-o", parts[0])
    assert "different rules" in refused("merge", *parts, "-o", tmp_path / "all.parquet")


def test_pipes(news, counts):
    csv = news.read_bytes()
    expected = fsmj.rank(counts).terms.tolist()
    assert [row["term"] for row in json.loads(run("rank", "-", "--json", stdin=csv).stdout)] == (
        expected
    )
    counted = run("count", "-", "-o", "-", "-q", stdin=csv).stdout_bytes
    ranked = run("rank", "-", "--json", stdin=counted).stdout
    assert [row["term"] for row in json.loads(ranked)] == expected
    trained = run("train", "-", "-o", "-", "-q", stdin=counted).stdout_bytes
    assert trained.startswith(b"PAR1")


@pytest.mark.skipif(sys.platform != "linux", reason="this system allows no such name")
def test_a_name_that_is_not_utf8_is_said(news):
    name = os.fsdecode(os.fsencode(news) + b"\xf6")
    news.rename(name)
    assert "a name must be UTF-8" in refused("rank", name)
    assert "a name must be UTF-8" in refused("count", name, "-o", news.with_suffix(".parquet"))


def test_classify_lines_files_and_columns(model, news, tmp_path):
    trained = fsmj.load_model(model)
    labels, probabilities, _ = trained.classify(TEXTS)
    expected = [f"{label}\t{p:.4f}" for label, p in zip(labels, probabilities)]
    lines = "\r\n".join(TEXTS)  # without an end to the last line
    assert run("classify", model, stdin=lines).stdout.splitlines() == expected
    assert run("classify", model, "-", stdin=lines + "\n").stdout.splitlines() == expected
    assert run("classify", model, news).stdout.splitlines() == expected
    assert run("classify", model, "-", "--text", "body", stdin=news.read_bytes()).stdout == (
        run("classify", model, news).stdout
    )
    folder = tmp_path / "letters"
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text)
    named = [f"{folder / f'{n}.txt'}\t{line}" for n, line in enumerate(expected)]
    assert run("classify", model, folder).stdout.splitlines() == named
    assert run("classify", model, folder / "0.txt").stdout.splitlines() == named[:1]
    (folder / "all.txt").write_text("\n".join(TEXTS))
    found = run("classify", model, folder / "all.txt", "--lines").stdout.splitlines()
    assert found == expected
    objects = run("classify", model, "--json", stdin=lines).stdout.splitlines()
    assert [json.loads(line)["label"] for line in objects] == labels.tolist()
    run("classify", model, news, "-o", tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv")["label"].tolist() == labels.tolist()
    run("classify", model, news, "-o", tmp_path / "out.jsonl")
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == len(TEXTS)


def test_classify_says_what_it_cannot_read(model):
    result = run("classify", model, stdin=b"gold \xff ore\nwheat\n")
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["metal", "grain"]
    assert "1 line of standard input not in UTF-8" in result.stderr
    assert run("classify", model, stdin=b"").stdout == ""
    result = run("classify", model, stdin=b"\nno known word\ngold\n")
    assert len(result.stdout.splitlines()) == 3
    assert "2 texts without any of the model's words" in result.stderr


@pytest.mark.network
@pytest.mark.parametrize("options", [["--top", "200"], ["--explained", "0.5"]])
def test_a_model_predicts_as_scikit_learn_on_r52(tmp_path, options):
    corpus = datasets.r52()
    for name, part in (("train", corpus.train), ("test", corpus.test)):
        frame = pd.DataFrame({"text": part.texts, "label": part.y})
        frame.to_parquet(tmp_path / f"{name}.parquet")
    model = tmp_path / "model.parquet"
    run("train", tmp_path / "train.parquet", *options, "-o", model)
    terms = fsmj.load_model(model).counts.terms
    vectorizer = CountVectorizer(vocabulary=terms)
    theirs = MultinomialNB().fit(vectorizer.transform(corpus.train.texts), corpus.train.y)
    predicted = theirs.predict(vectorizer.transform(corpus.test.texts))
    found = run("classify", model, tmp_path / "test.parquet").stdout.splitlines()
    assert [line.split("\t")[0] for line in found] == predicted.tolist()
    figures = json.loads(run("evaluate", model, tmp_path / "test.parquet", "--json").stdout)
    assert figures["accuracy"] == pytest.approx(accuracy_score(corpus.test.y, predicted))
    macro = f1_score(corpus.test.y, predicted, average="macro", zero_division=0)
    assert figures["macro_f1"] == pytest.approx(macro)
    ranking = fsmj.rank(fsmj.count_texts(corpus.train.texts, corpus.train.y))
    assert terms.tolist() == ranking.terms[: len(terms)].tolist()
    if "--explained" in options:
        assert ranking.explained[len(terms) - 1] >= 0.5 > ranking.explained[len(terms) - 2]


def test_train_chooses_the_number_of_words_by_cross_validation(news, tmp_path):
    model = tmp_path / "model.parquet"
    run("train", news, "--cv", 5, "-o", model)
    X = CountVectorizer().fit_transform(TEXTS)
    chosen = fsmj.FSMJCV().fit(X, LABELS).n_features_
    assert fsmj.load_model(model).counts.n_terms == chosen
    for method in ("cll", "ig", "bound"):
        run("train", news, "--cv", 5, "--method", method, "-o", model)
        chosen = fsmj.FSMJCV(method=method).fit(X, LABELS).n_features_
        assert fsmj.load_model(model).counts.n_terms == chosen
    run("train", news, "--cv", 5, "--one-standard-error", "-o", model)
    fewest = fsmj.FSMJCV(one_standard_error=True).fit(X, LABELS).n_features_
    assert fsmj.load_model(model).counts.n_terms == fewest
    assert "needs --cv" in refused("train", news, "--one-standard-error", "-o", model)
    assert "not several" in refused("train", news, "--cv", 5, "--top", 3, "-o", model)
    assert "--alpha" in refused("train", news, "--alpha", 0, "-o", model)


def test_evaluate_prints_a_row_for_each_class(model, news):
    lines = run("evaluate", model, news, "-q").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["grain", "metal"]
    assert lines[-1].startswith("accuracy 1.000, macro F1 1.000, 8 documents")
    other = "body,label\ngold,metal\n" + "".join(f"wheat,new{i}\n" for i in range(7))
    known = "the model knows no class 'new0', 'new1', 'new2', 'new3', 'new4' and 2 others: counted"
    assert known in run("evaluate", model, "-", stdin=other).stderr


def test_evaluate_counts_whole_documents_though_every_label_is_wrong(model):
    swapped = "body,label\ngold,grain\nwheat,metal\n"
    figures = json.loads(run("evaluate", model, "-", "--json", stdin=swapped).stdout)
    assert repr(figures["classes"]["grain"]["documents"]) == "1"


def test_evaluate_refuses_labels_of_which_the_model_knows_none(model):
    said = refused("evaluate", model, "-", "--label", "n", stdin="body,n\ngold,1\nwheat,2\n")
    assert "the model knows none of the labels '1', '2'; name the column" in said


@pytest.mark.parametrize("how", [["--cv", "2"], ["--test-share", "0.5"], ["--test"]])
def test_compare(news, tmp_path, how):
    folder = tmp_path / "comparison"
    arguments = [*how, str(news)] if how == ["--test"] else how
    result = run("compare", news, *arguments, "--methods", "fsmj,df,ig", "-o", folder, "-q")
    rows = [line.split("  ")[0] for line in result.stdout.splitlines()[1:5]]
    assert rows == ["FSMJ", "FSMJ, with rest cell", "DF", "IG, max"]
    curves = pd.read_csv(folder / "accuracy.csv")
    assert set(curves["method"]) == {"fsmj", "df", "ig"}
    assert (folder / "accuracy.png").stat().st_size > 1000
    assert "(did you mean ig?)" in refused("compare", news, "--methods", "df,igg")
    if how == ["--test"]:
        both = curves[(curves["method"] == "ig") & (curves["k"] == curves["k"].max())]
        X = CountVectorizer().fit_transform(TEXTS)
        theirs = (MultinomialNB().fit(X, LABELS).predict(X) == np.array(LABELS)).mean()
        assert both["accuracy"].tolist() == pytest.approx([theirs])


def test_compare_says_where_a_method_ends(news, monkeypatch):
    monkeypatch.setitem(fsmj.METHODS, "cmim", replace(fsmj.METHODS["cmim"], most=3))
    told = run("compare", news, "--methods", "df,cmim", "-q").stdout
    assert "–: the method ranks fewer words: CMIM (3)\n" in told


def test_compare_prints_json_and_needs_no_folder(news):
    rows = json.loads(run("compare", news, "--cv", 2, "--methods", "df", "--json", "-q").stdout)
    assert {row["method"] for row in rows} == {"df"}
    assert "not both" in refused("compare", news, "--cv", 2, "--test", news)


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


@pytest.mark.long
def test_labels_are_the_same_from_any_kind_of_file(tmp_path):
    for name, labels in {
        "whole": [1, 1, 1, 1, 2, 2, 2, 2],
        "real": [1.0] * 4 + [2.0] * 4,
        "half": [0.5] * 4 + [1.5] * 4,
        "truth": [True] * 4 + [False] * 4,
    }.items():
        frame = pd.DataFrame({"text": TEXTS, "label": labels})
        frame.to_parquet(tmp_path / "a.parquet")
        frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
        for chosen in (["--top", "9"], ["--cv", "5"]):
            model = tmp_path / f"{name}-model.parquet"
            run("train", tmp_path / "a.parquet", *chosen, "-o", model, "-q")
            for data in ("a.parquet", "a.jsonl"):
                figures = json.loads(run("evaluate", model, tmp_path / data, "--json").stdout)
                assert figures["accuracy"] > 0.8
        for how in (["--test", str(tmp_path / "a.jsonl")], ["--cv", "2"]):
            rows = json.loads(
                run("compare", tmp_path / "a.parquet", *how, "--methods", "df", "--json").stdout
            )
            assert max(row["accuracy"] for row in rows) > 0.5


@pytest.mark.long
def test_a_second_comparison_in_a_folder_does_not_mix_with_the_first(news, tmp_path):
    folder = tmp_path / "out"
    run("compare", news, "--cv", 3, "--methods", "fsmj,df,ig", "-o", folder)
    for again in (["--cv", 3], ["--cv", 2], ["--cv", 2, "--aggregate", "sum"], []):
        run("compare", news, *again, "--methods", "fsmj,ig", "-o", folder)
        curves = pd.read_csv(folder / "accuracy.csv")
        assert set(curves["method"]) == {"fsmj", "ig"}
        assert curves["problem"].nunique() == 1
        assert curves["aggregate"].dropna().nunique() == 1


def test_a_class_that_vanishes_in_a_part_does_not_stop_the_comparison(tmp_path):
    frame = pd.DataFrame({"text": [*TEXTS, "", "rare"], "label": [*LABELS, "rare", "rare"]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    result = run("compare", tmp_path / "a.csv", "--cv", 2, "--methods", "df")
    assert (
        "documents count as errors: no training document with words is labelled 'rare'"
        in result.stderr
    )


def test_a_folder_is_called_by_its_name(tmp_path, monkeypatch):
    for number, (text, label) in enumerate(zip(TEXTS, LABELS)):
        (tmp_path / label).mkdir(exist_ok=True)
        (tmp_path / label / f"{number}.txt").write_text(text)
    monkeypatch.chdir(tmp_path)
    printed = run("compare", ".", "--cv", 2, "--methods", "df").stdout
    assert "each tested once" in printed


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


def test_text_files_and_tables_together_name_their_files(model, news, tmp_path):
    (tmp_path / "a.txt").write_text("gold")
    for files in ([tmp_path / "a.txt", news], [news, tmp_path / "a.txt"]):
        run("classify", model, *files, "-o", tmp_path / "out.csv", "-q")
        found = pd.read_csv(tmp_path / "out.csv")
        assert found.columns.tolist() == ["file", "label", "probability"]
        assert set(found["file"]) == set(map(str, files))
    run("classify", model, "-o", tmp_path / "out.csv", stdin=b"")
    assert (tmp_path / "out.csv").read_text() == "label,probability\n"


@pytest.mark.posix
def test_links_are_followed_and_pipes_are_written_to(news, tmp_path):
    real, link, pipe = (tmp_path / f"{name}.csv" for name in ("real", "link", "pipe"))
    link.symlink_to(real)
    run("rank", news, "-o", link)
    assert link.is_symlink()
    assert "gold" in real.read_text()
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        run("rank", news, "-o", pipe)
        assert b"gold" in reader.stdout.read()
    assert pipe.is_fifo()
    assert "this is a folder" in refused("rank", news, "-o", tmp_path)
    assert "give one of them" in refused("rank", news, "-o", "-", "--json")


@pytest.mark.posix
def test_hostile_names_are_only_text(tmp_path):
    path = tmp_path / f"{HOSTILE.replace('/', '')}.csv"
    frame = pd.DataFrame({HOSTILE: [*TEXTS, "\x1b[31mred"], 'la"bel;': [*LABELS, HOSTILE]})
    frame.to_csv(path, index=False)
    options = (path, "--text", HOSTILE, "--label", 'la"bel;', "--pattern", r"\S+")
    printed = run("rank", *options, "--top", 100).stdout
    assert "\x1b" not in printed
    run("count", *options, "-o", tmp_path / "counts.parquet")
    counted = fsmj.load_counts(tmp_path / "counts.parquet")
    assert HOSTILE in counted.classes
    assert "\x1b[31mred" in counted.terms
    run("train", tmp_path / "counts.parquet", "-o", tmp_path / "model.parquet")
    result = run("classify", tmp_path / "model.parquet", stdin="\x1b[31mred " * 5)
    assert '"<script>alert(' in result.stdout  # quoted, as it holds quotes itself


def test_what_a_terminal_would_obey_is_made_visible():
    assert shown("a\nb\x1b") == "a�b�"
    assert len(shown("x" * 10_000)) == 40
    assert [bar(share, 2) for share in (-1, 0, 0.25, 1, 7)] == ["", "", "▌", "██", "██"]


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("options", [["--json"], ["-o", "-"], []], ids=str)
def test_nothing_that_a_terminal_would_obey_reaches_it(tmp_path, monkeypatch, options):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n\x1b[31mred \x9b1m,\x1b]0;x\x07a\ngold,b\n", encoding="utf-8")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    app(["rank", str(path), "--pattern", r"[^\s,]+", *options], standalone_mode=False)
    assert "[31mred" in screen.getvalue()
    assert not set(screen.getvalue()) & set("\x1b\x9b\x07")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_numbers_are_whole_on_any_screen(monkeypatch, width):
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    columns = [("word", "left"), ("gain", "right"), ("", "left"), ("times", "right"),
               ("speaks for", "left"), ("share", "right")]  # fmt: skip
    rows = [
        ("word" * 9, "12.345", "█" * 12, "1,234,567", "class" * 7, f"{n}.25%") for n in range(3)
    ]
    print_table(columns, rows)
    header, *lines = re.sub(r"\x1b\[\d+m", "", screen.getvalue()).splitlines()
    assert header.split() == ["word", "gain", "times", "speaks", "for", "share"]
    for n, line in enumerate(lines):
        assert [cell for cell in line.split() if cell[0].isdigit()] == [
            "12.345", "1,234,567", f"{n}.25%"
        ]  # fmt: skip
        assert line.startswith("word")


def test_on_a_narrow_screen_names_differ_and_what_can_be_spared_is_left_out(monkeypatch):
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    monkeypatch.setenv("COLUMNS", "36")
    monkeypatch.setenv("TERM", "xterm")
    columns = [("word", "left"), ("gain", "right"), ("times", "right"), ("docs", "right")]
    rows = [(f"antidisestablishmentarianism{n}", "12.345", "1,234", "1,000,000") for n in range(9)]
    print_table(columns, rows, spare=["docs", "times"])
    header, *lines = re.sub(r"\x1b\[\d+m", "", screen.getvalue()).splitlines()
    assert header.split() == ["word", "gain", "times"]
    assert len({line.split()[0] for line in lines}) == 9
    assert max(map(len, lines)) <= 36


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


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_while_modules_are_loaded(sent):
    code = (
        "import sys, os, signal, threading\n"
        "class Signal:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'typer': os.kill(os.getpid(), {int(sent)})\n"
        "sys.meta_path.insert(0, Signal())\n"
        "from fsmj.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (128 + sent, "", "")


@pytest.mark.parametrize("place", ["typer.main.get_command", "fsmj.cli.rank.check_target"])
def test_an_interrupt_before_and_in_a_command_is_no_traceback(news, tmp_path, place):
    """Also while options are read, where no command has begun that could say something."""
    module, name = place.rsplit(".", 1)
    code = (
        f"import sys, os, signal\nimport {module} as m\nbefore = m.{name}\n"
        f"def after(*args, **options):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n    return before(*args, **options)\n"
        f"m.{name} = after\n"
        "from fsmj.cli import main\nmain()"
    )
    given = ["rank", str(news), "-o", str(tmp_path / "words.csv")]
    done = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr in ("", "fsmj: interrupted\n")


@pytest.mark.long
@pytest.mark.parametrize("top", [1, 10**6])  # less than a buffer holds, and more
def test_a_closed_pipe_is_no_error(news, top):
    with subprocess.Popen(
        [*COMMAND, "rank", str(news), "-o", "-", f"--top={top}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.close()
        said = process.stderr.read().decode()
    assert "Traceback" not in said
    assert "Exception ignored" not in said


def in_a_shell(line, *arguments):
    """Run the command with its arguments in place of the sign, and all that a shell redirects."""
    line = line.replace("fsmj", shlex.join([*COMMAND, *map(str, arguments)]))
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True)
    return done.returncode, done.stderr.decode()


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_result_in_a_file_needs_no_streams(news, tmp_path, closed):
    given, words = ["rank", news, "--top", "3", "-o"], tmp_path / "words.csv"
    assert in_a_shell(f"fsmj {closed}", *given, words) == (0, "")
    again = subprocess.run([*COMMAND, *map(str, given), "-"], capture_output=True)
    assert words.read_bytes() == again.stdout


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("fsmj >&-", 2, "fsmj: Bad file descriptor\n"),
        pytest.param("fsmj >/dev/full", 2, "fsmj: No space left on device\n", marks=FULL),
        pytest.param("fsmj >/dev/full 2>/dev/full", 2, "", marks=FULL),
        pytest.param("fsmj 2>/dev/full", 0, "", marks=FULL),  # it has nothing to say but warnings
        ("fsmj | true", 1, ""),
    ],
)
@pytest.mark.parametrize("given", [["--help"], ["--version"], ["rank", "--json"], ["count", "-o-"]])
def test_what_cannot_be_printed_is_said(news, given, line, status, said):
    data = [] if given[0].startswith("-") else [news]
    assert in_a_shell(line, *given, *data, *(["-q"] if data else [])) == (status, said)


@pytest.mark.long
@FULL
@pytest.mark.parametrize("command", [["count"], ["rank"], ["rank", "--top=1"], ["rank", "--json"]])
def test_a_full_disk_is_said(news, command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *command, str(news), *(() if "--json" in command else ("-o", "-"))],
            stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert done.returncode == 2
    assert b"No space left" in done.stderr.splitlines()[-1]


def test_a_column_that_is_not_there_is_said_and_nothing_else(news):
    for option in ("--label", "--text"):
        said = refused("rank", news, option, "no")
        assert "has no column 'no'; it has" in said
        assert "reading the" not in said


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (9, -9)])
def test_an_interrupted_command_leaves_the_old_output(news, tmp_path, sent, status):
    output = tmp_path / "counts.parquet"
    run("count", news, "-o", output, "-q")
    before = output.read_bytes()
    pipe = tmp_path / "endless.csv"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "count", str(pipe), "-o", str(output)], stderr=subprocess.PIPE
    )
    with pipe.open("wb") as writer:
        writer.write(b"text,label\ngold,metal\n" * 100)
        writer.flush()
        time.sleep(0.2)
        process.send_signal(sent)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == status
    assert b"Traceback" not in said
    assert output.read_bytes() == before


@pytest.mark.long
def test_completion_and_version():
    completing = {"_FSMJ_COMPLETE": "complete_bash", "COMP_WORDS": "fsmj ra", "COMP_CWORD": "1"}
    done = subprocess.run(
        [*COMMAND], env={**os.environ, **completing}, capture_output=True, text=True
    )
    assert done.stdout.split() == ["rank"]
    assert run("--version").stdout.startswith("fsmj ")


@pytest.mark.parametrize(
    "command", ["rank", "count", "merge", "train", "classify", "evaluate", "compare"]
)
def test_help_has_an_example(command):
    assert f"fsmj {command}" in run(command, "--help").stdout
    assert "Example:" in run(command, "--help").stdout


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


def test_words_of_few_documents_are_not_called_sure(news):
    told = run("rank", news, "--resamples", 3, "--top", 3)
    measured = fsmj.stability(fsmj.Documents.from_texts(TEXTS, LABELS), n_resamples=3)
    judged = [v for v in measured.verdict[:3] if v in ("few documents", "no gain")]
    assert judged
    assert sum(told.stdout.count(verdict) for verdict in set(judged)) == len(judged)


def test_how_sure_a_word_is_does_not_hang_on_how_many_are_shown(news):
    documents = fsmj.Documents.from_texts(TEXTS, LABELS)
    usual = fsmj.stability(documents, n_resamples=3)
    for top in (usual.n_terms - 2, usual.n_terms, usual.n_terms + 1):
        told = run("rank", news, "--resamples", 3, "--top", top, "-o", "-")
        expected = usual if top <= usual.n_terms else fsmj.stability(documents, "fsmj", top, 3)
        assert expected.sentence in told.stderr
        found = pd.read_csv(io.StringIO(told.stdout))
        assert found["verdict"].tolist() == expected.verdict[:top].tolist()


def test_numbers_of_documents_are_whole_beside_words_that_are_not_judged(news):
    rows = run("rank", news, "--resamples", 2, "-o", "-").stdout.splitlines()
    header, *cells = (row.split(",") for row in rows)
    n_docs = {row[header.index("class_docs")] for row in cells}
    assert n_docs > {""}
    assert "".join(n_docs).isdigit()


def test_the_bar_of_resamples_begins_with_what_is_known(news, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes Rich take the pipe for a terminal
    monkeypatch.setattr("rich.progress.Progress.update", lambda *_, **told: heard.append(told))
    heard = []
    run("rank", news, "--resamples", 7)
    of_resamples = [told["completed"] for told in heard if told["total"] == 7]
    assert of_resamples == list(range(8))


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


def test_a_second_label_is_refused(news):
    said = refused("rank", news, "--label", "label", "--label", "topic")
    assert "--label names one column; leave out all but one of 'label' and 'topic'" in said


def test_counts_of_different_columns_make_a_model_that_names_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"body": TEXTS, "label": LABELS})
    frame.to_csv("a.csv", index=False)
    frame.rename(columns={"body": "text"}).to_csv("b.csv", index=False)
    for name in "ab":
        run("count", f"{name}.csv", "-o", f"{name}.parquet")
    run("train", "a.parquet", "b.parquet", "-o", "model.parquet")
    assert fsmj.load_model("model.parquet").columns == ()
