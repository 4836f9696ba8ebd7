"""The page of a report as a file, its pictures, and the command."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from typer.testing import CliRunner

import fsmj
from fsmj.cli.app import app
from fsmj.reporting import build
from fsmj.reporting.page import plain
from fsmj.reporting.pictures import draw_accuracy
from fsmj.reporting.summary import AccuracyCurve
from reports import (
    CLASSES,
    COUNTS,
    DOCUMENTS,
    HOSTILE,
    LABELS,
    TEST_LABELS,
    TEST_TEXTS,
    TEXTS,
    Elements,
    hostile_report,
)

# The page


def test_the_page_carries_the_summary_and_nothing_breaks_out():
    report = hostile_report()
    elements = Elements(report.to_html())
    assert len(elements.scripts) == 3
    data = json.loads(elements.data[0])
    assert data["words"]["terms"] == list(report.summary.words.terms)
    assert HOSTILE[0] in data["words"]["terms"]
    assert "\u202e" in "".join(data["words"]["terms"])
    assert "\u202e" not in "".join([*report.summary.details, *report.summary.cautions])
    assert max(map(len, data["words"]["terms"])) < 200
    assert elements.text.count(HOSTILE[0]) >= 4  # title, caution, card and table


def test_the_page_can_be_read_without_scripts():
    report = fsmj.report(DOCUMENTS, cv=3)
    elements = Elements(report.to_html())
    summary, text = report.summary, re.sub(r"\s+", " ", elements.text)
    said = [
        summary.headline, *summary.details, *summary.cautions, *summary.sizes.notes,
        summary.documents.note, summary.about.command,
        *(fact.value for fact in (*summary.figures, *summary.about.facts)),
        "Naive Bayes is too sure of itself",  # beside the probability of each decision
    ]  # fmt: skip
    for sentence in said:
        assert sentence in text
    for example in summary.documents.examples:
        assert "".join(passage.text for passage in example.passages) in elements.text
    places = map(int, elements.value("button", "data-word"))
    expected = {
        place
        for class_ in summary.words.by_class
        for listed in (class_.by_contribution, class_.by_ratio)
        for place in listed.places[:12].tolist()
    }
    examples = summary.documents.examples
    reasons = {reason.place for example in examples for reason in example.reasons} - {None}
    assert set(places) == expected | reasons


def text_of(report):
    return " ".join(Elements(report.to_html()).text.split())


def test_of_a_part_of_the_words_no_card_says_that_it_has_the_first():
    assert "Of the 4 words listed, those that speak most for each" in text_of(
        fsmj.report(COUNTS, n_terms=4)
    )
    assert "Of the 4 words listed, those" in text_of(fsmj.report(fsmj.rank(COUNTS, n_terms=4)))
    assert "The words that speak most for each" in text_of(fsmj.report(COUNTS))


def test_only_documents_that_were_decided_are_said_to_be_shown_so():
    several = fsmj.Documents.from_texts(TEXTS, [[label, "all"] for label in LABELS])
    assert "decisions of each kind" not in text_of(fsmj.report(several))
    assert "decisions of each kind" in text_of(fsmj.report(DOCUMENTS, cv=2))


def test_of_few_documents_no_percentage_is_right():
    texts, labels = [*TEXTS, "a quokka naps", "the quokka wakes"], [*LABELS, "animals", "animals"]
    report = fsmj.report(fsmj.Documents.from_texts(texts, labels), cv=2)
    confusion = report.summary.documents.confusion
    row = confusion.table[confusion.names.index("animals")]
    right = row[confusion.names.index("animals")]
    page = re.sub(r"\s+", " ", report.to_html())
    shown = re.findall(r'<td class="recall">(.*?)</td>', page)
    assert shown[confusion.names.index("animals")] == f"{right} of 2"
    assert all(cell.endswith("%") for cell in shown[1:])


def test_the_policy_allows_just_the_scripts_and_styles_of_the_page():
    elements = Elements(fsmj.report(DOCUMENTS, cv=2).to_html())
    policy = elements.value("meta", "content")[0]

    def hashes(texts):
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        return {f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests}

    rules = {name: set(values) for name, *values in map(str.split, policy.split(";"))}
    assert rules["default-src"] == {"'none'"}
    assert rules["script-src"] == hashes(elements.scripts)
    assert rules["style-src"] == hashes(elements.styles)
    names = {name for _, name, _ in elements.attributes}
    assert not {name for name in names if name == "style" or name.startswith("on")}


def test_the_page_refers_to_nothing_outside():
    elements = Elements(fsmj.report(COUNTS).to_html())
    assert elements.value("script", "src") == []
    assert set(elements.value("link", "href")) == {"data:,"}


def test_a_notebook_shows_the_page_in_a_closed_frame():
    report = fsmj.report(COUNTS)
    elements = Elements(report._repr_html_())
    assert elements.value("iframe", "sandbox") == ["allow-scripts"]
    assert elements.value("iframe", "srcdoc") == [report.to_html()]
    assert html.escape("<") not in elements.value("iframe", "srcdoc")[0][:15]


def test_a_failed_save_leaves_the_earlier_page(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    report = fsmj.report(COUNTS, path)
    earlier = path.read_text(encoding="utf-8")
    assert earlier == report.to_html()

    def fail(summary):
        raise OSError("no room")

    monkeypatch.setattr(build, "page_of", fail)
    with pytest.raises(OSError, match="no room"):
        report.save(path)
    assert path.read_text(encoding="utf-8") == earlier
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_says_how_to_make_it_again():
    made = fsmj.report(DOCUMENTS, cv=3, method="ig", aggregate="sum")
    again = "fsmj.report(documents, method='ig', aggregate='sum', cv=3)"
    assert made.summary.about.command == again
    assert fsmj.report(fsmj.rank(COUNTS)).summary.about.command == "fsmj.report(ranking)"
    assert fsmj.report(COUNTS, command="make it").summary.about.command == "make it"


def test_the_same_input_gives_the_same_page():
    pages = (fsmj.report(DOCUMENTS, cv=3).to_html() for _ in range(2))
    assert next(pages) == next(pages)


def test_half_a_surrogate_pair_does_not_stop_the_page(tmp_path):
    counts = fsmj.ClassTermCounts.from_matrix([[2, 0], [0, 1]], ["a", "b"], ["\ud83d", "c"])
    assert fsmj.report(counts).save(tmp_path / "report.html").exists()


@given(st.floats(-1e6, 1e6).filter(lambda value: abs(value) > 1e-200))
def test_numbers_on_the_page_have_four_digits_or_two_decimals(value):
    (shown,) = plain(np.array([value]))
    last = 10.0 ** min(np.floor(np.log10(abs(value))) - 3, -2)  # the last decimal that is kept
    assert abs(shown - value) <= 0.501 * last
    assert plain(float(shown)) == shown


# Pictures


@pytest.mark.long
def test_every_figure_is_written_as_png_and_svg(tmp_path):
    written = fsmj.report(DOCUMENTS, cv=3).save_figures(tmp_path / "figures")
    assert [path.stem for path in written] == ["words", "divergence", "accuracy", "confusion"]
    for path in written:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in path.with_suffix(".svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(("enough", "best"), [(40, 46), (40, 400), (46, 46)])
def test_no_name_of_a_number_lies_on_the_line_of_another(enough, best):
    sizes = fsmj.report(DOCUMENTS, cv=3).summary.sizes
    ks, mean = np.arange(1, 1001), np.linspace(0.2, 0.9, 1000)
    curve = AccuracyCurve("words", ks, mean, 0 * mean, best, 0.9, enough, 0.8)
    figure = draw_accuracy(replace(sizes, accuracy=(curve, curve)))
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    for name in axes.texts:
        box = name.get_window_extent()
        for k in (enough, best):
            x, _ = axes.transData.transform((k, 0.5))
            assert not box.x0 < x < box.x1


def test_figures_take_names_as_they_are(tmp_path):
    X = np.eye(3, dtype=int) + 1
    names = ["$\\frac$", "\x00\u202e", "<&>"]
    counts = fsmj.ClassTermCounts.from_matrix(X, names, names)
    assert len(fsmj.report(counts).save_figures(tmp_path)) == 2


@pytest.mark.long
def test_words_that_the_font_lacks_are_no_news(tmp_path, recwarn):
    names = ["金", "小麦"]
    counts = fsmj.ClassTermCounts.from_matrix([[2, 1], [1, 2]], names, names)
    fsmj.report(counts).save_figures(tmp_path)
    assert [one for one in recwarn if "missing from" in str(one.message)] == []
    assert "小麦" in (tmp_path / "words.svg").read_text(encoding="utf-8")


# The command


def run(*arguments, status=0):
    result = CliRunner().invoke(app, ["report", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result


def page_at(path):
    return Elements(path.read_text(encoding="utf-8"))


def test_the_command_reports_on_documents(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    pd.DataFrame({"body": TEXTS, "topic": LABELS}).to_csv(train, index=False)
    pd.DataFrame({"body": TEST_TEXTS, "topic": TEST_LABELS}).to_csv(test, index=False)
    page = tmp_path / "out.html"
    said = run(train, "--test", test, "-o", page, "--top", 9).stderr
    elements = page_at(page)
    assert "words hold 80 % of what tells" in said
    assert "train.csv" in elements.text
    assert "measured on 30 test documents" in elements.text
    assert len(json.loads(elements.data[0])["words"]["terms"]) == 9


def test_the_command_reports_on_counts(tmp_path):
    COUNTS.save(tmp_path / "counts.parquet")
    page = tmp_path / "report.html"
    run(tmp_path / "counts.parquet", "--method", "ig", "-o", page, "--title", "Goods", "--quiet")
    assert "Goods" in page_at(page).text
    assert "Information gain" in page_at(page).text


def test_the_command_reports_on_lists_of_labels(tmp_path):
    labels = [[label, "all"] for label in LABELS]
    file, page = tmp_path / "several.jsonl", tmp_path / "report.html"
    pd.DataFrame({"text": TEXTS, "label": labels}).to_json(file, orient="records", lines=True)
    run(file, "-o", page)
    assert json.loads(page_at(page).data[0])["words"]["classes"] == ["all", *CLASSES]
    page.unlink()
    test = tmp_path / "test.csv"
    pd.DataFrame({"text": TEST_TEXTS, "label": TEST_LABELS}).to_csv(test, index=False)
    assert "leave out the test documents" in run(file, "--test", test, "-o", page, status=2).stderr
    assert not page.exists()


def test_a_class_may_be_named_as_the_folder_of_results(tmp_path):
    for class_, text in (("runs", "she ran a mile"), ("rests", "he slept")):
        (tmp_path / "texts" / class_).mkdir(parents=True)
        for number in range(2):
            (tmp_path / "texts" / class_ / f"{number}.txt").write_text(text)
    run(tmp_path / "texts", "-o", tmp_path / "report.html")
    data = json.loads(page_at(tmp_path / "report.html").data[0])
    assert data["words"]["classes"] == ["rests", "runs"]


def test_the_command_refuses_in_one_sentence(tmp_path):
    COUNTS.save(tmp_path / "counts.parquet")
    page = tmp_path / "report.html"
    said = run(tmp_path / "counts.parquet", "-o", tmp_path / "no" / "page.html", status=2).stderr
    assert f"{tmp_path / 'no'}: there is no such folder" in said
    said = run(tmp_path / "counts.parquet", "--test", "x.csv", "-o", page, status=2).stderr
    assert said.count("\n") == 1
    assert "need documents" in said
    assert not page.exists()


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ([], "There is no mistake to show; these are"),
        # No other document has their words: both are given to the same class.
        (["zebra", "yak"], "There is no mistake to show that has any of the selected words"),
    ],
)
def test_what_is_said_of_mistakes_is_what_is_shown(odd, said):
    texts = ["wheat crop", "crop corn wheat", "gold ore", "ore gold mine"] * 5 + odd
    labels = ["grain", "grain", "metal", "metal"] * 5 + ["grain", "metal"][: len(odd)]
    report = fsmj.report(fsmj.Documents.from_texts(texts, labels), cv=5)
    assert all(example.right for example in report.summary.documents.examples)
    assert said in " ".join(Elements(report.to_html()).text.split())
