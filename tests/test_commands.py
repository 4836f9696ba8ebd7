"""What the commands print and write, as a stranger would use them."""

import io
import json
import os
import re
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import MultinomialNB

import fsmj
from commands import COMMAND, LABELS, TEXTS, refused, run
from commands import counts as counts
from commands import model as model
from commands import news as news
from fsmj import datasets


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


def test_text_files_and_tables_together_name_their_files(model, news, tmp_path):
    (tmp_path / "a.txt").write_text("gold")
    for files in ([tmp_path / "a.txt", news], [news, tmp_path / "a.txt"]):
        run("classify", model, *files, "-o", tmp_path / "out.csv", "-q")
        found = pd.read_csv(tmp_path / "out.csv")
        assert found.columns.tolist() == ["file", "label", "probability"]
        assert set(found["file"]) == set(map(str, files))
    run("classify", model, "-o", tmp_path / "out.csv", stdin=b"")
    assert (tmp_path / "out.csv").read_text() == "label,probability\n"


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
