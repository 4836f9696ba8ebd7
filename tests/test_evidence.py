"""Numbers beside words: tables, one class against the rest, and the commands that write them."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import fsmj
import naive_evidence
from fsmj import evidence
from fsmj.cli.app import app
from fsmj.evidence import Cells, Variant
from reports import CLASSES, COUNTS, DOCUMENTS, HOSTILE, LABELS, TEST_LABELS, TEST_TEXTS, TEXTS
from strategies import class_term_counts, document_matrix

VARIANTS = [Variant(), Variant("complement", "prior", 0.5), Variant("mixture", "prior")]


# Tables


@given(document_matrix(), st.sampled_from(["fsmj", "df"]))
def test_the_table_by_class_adds_up_to_the_counts(drawn, method):
    X, y = drawn
    counts = fsmj.ClassTermCounts.from_matrix(X, y).heard()
    if counts.n_classes < 2:
        return
    ranking = fsmj.rank(counts, method)
    table, whole = ranking.by_class(), ranking.to_frame()
    assert len(table) == len(whole) * counts.n_classes
    sums = table.groupby("rank")[["count", "docs", "contribution"]].sum()
    np.testing.assert_array_equal(sums["count"], whole["count"])
    np.testing.assert_array_equal(sums["docs"], whole["docs"])
    np.testing.assert_allclose(sums["contribution"].sum(), ranking.total_divergence, atol=1e-9)
    by_class = table.groupby("class")[["count", "per_1000"]].sum()
    np.testing.assert_array_equal(by_class["count"], counts.tokens_per_class)
    np.testing.assert_allclose(by_class["per_1000"], 1000)
    assert np.isfinite(table["log2_ratio"]).all()
    for row in table.itertuples():
        rows = y == row[3]
        assert row.count == X[rows, ranking.order[row.rank - 1]].sum()
        assert row.share == pytest.approx((X[rows, ranking.order[row.rank - 1]] > 0).mean())


@given(document_matrix())
def test_shares_are_those_of_the_class_and_of_all_other_documents(drawn):
    X, y = drawn
    counts = fsmj.ClassTermCounts.from_matrix(X, y).heard()
    if counts.n_classes < 2:
        return
    kept = np.isin(y, counts.classes)
    X, y = X[kept], y[kept]
    ranking = fsmj.rank(counts)
    for column, row in zip(ranking.order, ranking.to_frame().to_dict("records")):
        present, inside = X[:, column] > 0, y == row["class"]
        assert row["count"] == X[:, column].sum()
        assert row["docs"] == present.sum()
        assert row["share"] == pytest.approx(present[inside].mean())
        assert row["share_elsewhere"] == pytest.approx(present[~inside].mean())


@given(class_term_counts(max_classes=6, max_terms=12), st.sampled_from(VARIANTS))
def test_a_word_speaks_for_the_class_to_which_it_adds_most(counts, variant):
    columns, cells = np.arange(counts.n_terms), Cells(counts, variant)
    parts = cells.contributions(columns)
    found = cells.strongest(columns)
    np.testing.assert_allclose(parts[found, columns], parts.max(axis=0), atol=1e-12)


def test_tables_do_not_depend_on_the_blocks_they_are_made_in(monkeypatch):
    ranking = fsmj.rank(COUNTS)
    whole, frame = ranking.by_class(), ranking.to_frame()
    parts = ranking.contributions()
    monkeypatch.setattr(evidence, "_BLOCK", 7)
    assert len(list(ranking.by_class_in_parts())) > 10
    pd.testing.assert_frame_equal(ranking.by_class(), whole)
    pd.testing.assert_frame_equal(ranking.to_frame(), frame)
    np.testing.assert_array_equal(ranking.contributions(), parts)


# The ratio

SIZES = st.integers(0, 10**6)


@given(SIZES, SIZES, SIZES, SIZES)
def test_the_ratio_is_finite_and_turns_its_sign_with_its_sides(count, more, other, more_there):
    here, there = count + more + 1, other + more_there + 1
    found = evidence.log2_ratio(count, here, other, there)
    assert np.isfinite(found)
    assert found == pytest.approx(naive_evidence.log2_ratio(count, here, other, there), abs=1e-9)
    assert found == pytest.approx(-evidence.log2_ratio(other, there, count, here), abs=1e-9)
    if abs(count * there - other * here) > 0:
        assert np.sign(found) == np.sign(count * there - other * here)


def test_the_ratio_of_frequent_words_is_the_plain_one():
    found = evidence.log2_ratio(4_000_000, 10**8, 1_000_000, 10**8)
    assert found == pytest.approx(2, abs=1e-5)


def test_a_word_so_rare_that_its_absence_tells_nothing_has_no_ratio():
    assert abs(evidence.log2_ratio(0, 100, 1, 1_000_000)) < 0.01


# One class against the rest


@given(document_matrix())
def test_documents_and_counts_are_set_against_the_rest_alike(drawn):
    X, y = drawn
    documents = fsmj.Documents(X, y)
    class_ = documents.classes[0]
    if len(documents.classes) == 1:
        with pytest.raises(ValueError, match="there is no other class"):
            documents.against_rest(class_)
        return
    two = documents.counts.against_rest(class_)
    assert two == documents.against_rest(class_).counts
    again = np.where(y == class_, class_, f"not {class_}")
    assert two == fsmj.ClassTermCounts.from_matrix(X, again)


# A notebook


def test_a_notebook_shows_a_table_of_text():
    X = np.eye(len(HOSTILE), dtype=int) + 1
    counts = fsmj.ClassTermCounts.from_matrix(X, HOSTILE, HOSTILE)
    page = fsmj.rank(counts)._repr_html_()
    assert "<script" not in page
    assert "&lt;/script&gt;" in page
    assert page.count("<tr") == 1 + len(HOSTILE)
    assert "(the first 20 of 38)" in fsmj.rank(COUNTS)._repr_html_()


def test_a_notebook_shows_long_names_in_short_and_apart():
    long = [f"{'a' * 30} {part} {'z' * 30}" for part in ("north", "south")]
    counts = fsmj.ClassTermCounts.from_matrix(np.eye(2, dtype=int), long, ["x" * 500, "y"])
    page = fsmj.rank(counts)._repr_html_()
    assert "north" in page
    assert "south" in page
    assert "z" * 30 not in page
    assert "x" * 200 not in page


# The commands


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    folder = tmp_path_factory.mktemp("news")
    pd.DataFrame({"body": TEXTS, "topic": LABELS}).to_csv(folder / "news.csv", index=False)
    test = pd.DataFrame({"body": TEST_TEXTS, "topic": TEST_LABELS, "id": range(30)})
    test.to_csv(folder / "test.csv", index=False)
    return folder


def run(*arguments, status=0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    return result


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_rank_writes_the_table_by_class(news, tmp_path, ending):
    path = tmp_path / f"words.{ending}"
    run("rank", news / "news.csv", "--by-class", "--top", 9, "-o", path)
    written = getattr(pd, f"read_{ending}")(path)
    expected = fsmj.rank(COUNTS).by_class(9)
    pd.testing.assert_frame_equal(written, expected, check_dtype=False)


def test_rank_prints_the_table_by_class(news):
    printed = run("rank", news / "news.csv", "--by-class", "--top", 2, "-o", "-").stdout
    assert printed == fsmj.rank(COUNTS).by_class(2).to_csv(index=False)
    shown = run("rank", news / "news.csv", "--by-class", "--top", 2).stdout
    assert len(shown.splitlines()) == 1 + 2 * len(CLASSES)


def test_rank_tells_one_class_from_all_others(news, tmp_path):
    path = tmp_path / "words.csv"
    run("rank", news / "news.csv", "--class", "ship", "-o", path)
    expected = fsmj.rank(COUNTS.against_rest("ship")).to_frame()
    written = pd.read_csv(path)
    assert written["term"].tolist() == expected["term"].tolist()
    assert set(written["class"]) <= {"ship", "not ship"}
    said = run("rank", news / "news.csv", "--class", "shop", status=2).stderr
    assert said.count("\n") == 2  # which columns are read, and what is wrong
    assert "shop" in said


def test_rank_says_how_sure_each_word_is(news, tmp_path):
    path = tmp_path / "sure.csv"
    said = run("rank", news / "news.csv", "--resamples", 8, "--top", 5, "-o", path).stderr
    measured = fsmj.stability(DOCUMENTS, n_resamples=8)
    assert measured.sentence in said
    written, expected = pd.read_csv(path), measured.to_frame().head(5)
    for name in ("term", "class", "share_of_resamples", "rank_low", "log2_low", "log2_high"):
        assert written[name].tolist() == pytest.approx(expected[name].tolist())
    shown = run("rank", news / "news.csv", "--resamples", 8, "--top", 5).stdout
    first = re.split(r"\s{2,}", shown.splitlines()[1].strip())
    told = measured.verdict[0] in ("sure", "unsure")
    assert (f"{measured.share[0]:.0%}" if told else measured.verdict[0]) in first
    COUNTS.save(tmp_path / "counts.parquet")
    said = run("rank", tmp_path / "counts.parquet", "--resamples", 8, status=2).stderr
    assert "--resamples needs the documents themselves" in said


def test_all_words_are_written_though_few_are_looked_for_in_resamples(news, tmp_path, monkeypatch):
    monkeypatch.setattr("fsmj.resampling.MOST_TERMS", 4)
    run("rank", news / "news.csv", "--resamples", 3, "-o", tmp_path / "all.csv")
    written = pd.read_csv(tmp_path / "all.csv")
    assert len(written) == COUNTS.n_terms
    measured = fsmj.stability(DOCUMENTS, n_terms=4, n_resamples=3)
    found = dict(zip(measured.terms, measured.share, strict=True))
    assert len(found) < len(written)
    for term, share in zip(written["term"], written["share_of_resamples"], strict=True):
        assert np.isnan(share) if term not in found else share == pytest.approx(found[term])


@pytest.mark.long
def test_several_columns_are_read_as_one_text_by_every_command(tmp_path):
    halves = [text.split(" ", 1) for text in TEXTS]
    columns = {"title": [a for a, _ in halves], "body": [b for _, b in halves], "label": LABELS}
    pd.DataFrame(columns).to_csv(tmp_path / "news.csv", index=False)
    both = (tmp_path / "news.csv", "--text", "title", "--text", "body")
    ranked = run("rank", *both, "-o", "-").stdout.splitlines()[1:]
    assert [line.split(",")[1] for line in ranked] == fsmj.rank(COUNTS).terms.tolist()
    run("count", *both, "-o", tmp_path / "counts.parquet")
    assert fsmj.load_counts(tmp_path / "counts.parquet") == COUNTS
    model = tmp_path / "model.parquet"
    run("train", *both, "-o", model)
    expected = (fsmj.load_model(model).predict(TEXTS) == np.array(LABELS)).mean()
    assert f"accuracy {expected:.3f}" in run("evaluate", model, *both).stdout
    run("classify", model, *both, "-o", tmp_path / "given.csv")
    given = pd.read_csv(tmp_path / "given.csv")
    assert (given["predicted_label"] == given["label"]).mean() == pytest.approx(expected)
    run("report", *both, "-o", tmp_path / "report.html")
    run("compare", *both, "--methods", "fsmj,df", "-o", tmp_path / "results")


def test_characters_are_counted_on_demand(tmp_path):
    texts = ["金の価格は今日上昇した", "小麦の収穫は今年も良い"] * 3
    path = tmp_path / "texts.csv"
    pd.DataFrame({"text": texts, "label": ["gold", "wheat"] * 3}).to_csv(path, index=False)
    assert "written without spaces" in run("rank", path).stderr
    result = run("rank", path, "--characters", "--ngrams", 2, "-o", "-")
    assert "written without spaces" not in result.stderr
    rule = fsmj.TokenRule(characters=True, ngram_range=(1, 2))
    counts = fsmj.count_texts(texts, ["gold", "wheat"] * 3, rule)
    ranked = [line.split(",")[1] for line in result.stdout.splitlines()[1:]]
    assert ranked == fsmj.rank(counts).terms.tolist()


def test_evaluate_prints_and_writes_what_is_taken_for_what(news, tmp_path):
    model = tmp_path / "model.parquet"
    run("train", news / "news.csv", "-o", model)
    path = tmp_path / "confusion.csv"
    shown = run("evaluate", model, news / "test.csv", "--confusion", path).stdout
    given = fsmj.load_model(model).predict(TEST_TEXTS)
    expected = pd.crosstab(pd.Series(TEST_LABELS), pd.Series(given))
    expected = expected.reindex(index=CLASSES, columns=CLASSES, fill_value=0)
    written = pd.read_csv(path, index_col="label")
    np.testing.assert_array_equal(written, expected)
    rows = [line.split() for line in shown.splitlines() if line.startswith(CLASSES)]
    assert rows[-3:] == [[c, *map(str, expected.loc[c])] for c in CLASSES]
    told = json.loads(run("evaluate", model, news / "test.csv", "--json").stdout)
    assert told["confusion"] == {c: dict(expected.loc[c]) for c in CLASSES}
    kept = tmp_path / "given.csv"
    run("classify", model, news / "test.csv", "--text", "body", "-o", kept)
    table = pd.read_csv(kept)
    assert table.columns.tolist() == ["body", "topic", "id", "label", "probability"]
    assert table["label"].tolist() == given.tolist()


def test_of_many_classes_evaluate_prints_the_most_frequent_mistakes(tmp_path):
    names = [f"c{i:02}" for i in range(13)]
    table = pd.DataFrame({"text": [f"word{i}" for i in range(13)], "label": names})
    table.to_csv(tmp_path / "train.csv", index=False)
    wrong = pd.concat([table, table.assign(label="c00"), table.tail(3).assign(label="c05")])
    wrong.to_csv(tmp_path / "test.csv", index=False)
    run("train", tmp_path / "train.csv", "-o", tmp_path / "model.parquet")
    shown = run("evaluate", tmp_path / "model.parquet", tmp_path / "test.csv").stdout
    rows = [line.split() for line in shown.partition("most frequent mistakes")[2].splitlines()]
    mistakes = [row for row in rows if len(row) == 3 and row[2] == "1"]
    assert mistakes == [["c00", f"c{i:02}", "1"] for i in range(1, 13)]


def test_the_report_may_be_of_one_class_and_says_how_sure_it_is(news, tmp_path):
    page = tmp_path / "report.html"
    run("report", news / "news.csv", "--class", "ship", "--resamples", 4, "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "not ship" in text
    assert "of 4 resamples" in text


def test_rows_that_were_left_out_are_a_caution_of_the_report(news, tmp_path):
    table = pd.concat([pd.read_csv(news / "news.csv"), pd.DataFrame({"body": ["lost"]})])
    table.to_csv(tmp_path / "holes.csv", index=False)
    page = tmp_path / "report.html"
    said = run("report", tmp_path / "holes.csv", "--skip-unlabelled", "-o", page).stderr
    assert "left out: 1 row without a label" in said
    assert "<bdi>Left out: 1 row without a label" in page.read_text(encoding="utf-8")
