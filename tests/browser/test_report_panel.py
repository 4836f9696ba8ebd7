"""Words, classes and decisions of a report in a browser: what a click shows."""

import numpy as np
import pytest

import fsmj
from report_browser import FIRST_WORD, expect, words_shown
from report_browser import browser as browser  # fixtures
from report_browser import opened as opened
from report_browser import whole as whole
from reports import DOCUMENTS, LABELS, TEXTS


def test_a_word_shows_all_classes_with_its_numbers(opened, whole):
    page, words = opened(whole), whole.summary.words
    gold = words.terms.index("gold")
    page.fill("input[type=search]", "gold")
    expect(page.locator(FIRST_WORD)).to_have_text("gold")
    page.locator(FIRST_WORD).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#beside h3")).to_have_text("gold")
    rows = {
        row.locator("th").inner_text(): row.locator("td:not(.track)").all_inner_texts()
        for row in page.locator("#beside .by-class tbody tr").all()
    }
    assert list(rows) == [words.classes[i] for i in np.argsort(-words.ratios[gold])]
    for i, name in enumerate(words.classes):
        times, docs = words.class_occurrences[gold, i], words.class_documents[gold, i]
        share = 100 * docs / words.docs_per_class[i]
        never = [f"never, in {words.tokens_per_class[i]:.0f} words"]
        assert rows[name] == ([f"{times:.0f}", f"{docs:.0f}", f"{share:.1f} %"] if times else never)
    absent = page.locator("#beside .by-class .never .bar.never")
    assert absent.count() == (words.class_occurrences[gold] == 0).sum() > 0


def test_a_word_that_occurs_once_does_so_once(opened):
    documents = fsmj.Documents.from_texts(["tram bus"] + ["bus"] * 3, ["a", "a", "b", "b"])
    page = opened(fsmj.report(documents))
    for word, said in (("tram", "Once in 1 document;"), ("bus", "4 times in 4 documents;")):
        page.locator("#word-table .word", has_text=word).click()
        assert said in page.locator("#beside").inner_text()


def test_a_share_of_few_documents_is_no_percentage(opened):
    documents = fsmj.Documents.from_texts(["tram"] * 2 + ["bus tram"] * 12, ["a"] * 2 + ["b"] * 12)
    page = opened(fsmj.report(documents))
    page.locator("#word-table .word", has_text="tram").click()
    rows = page.locator("#beside .by-class tbody tr").all_inner_texts()
    assert sorted(row.split("\t")[-1] for row in rows) == ["100.0 %", "2 of 2"]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_word_of_a_card_is_shown_in_the_documents(opened, whole, width):
    page = opened(whole, width)
    word = page.locator(".card ol:visible .word").nth(2)
    term = word.inner_text()
    word.click()
    panel = page.locator("#word")
    expect(panel.locator("h3")).to_have_text(term)
    box = panel.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert 0 < box["y"] < box["y"] + box["height"] <= 900
    marked = panel.locator(".sentence mark")
    assert marked.count() > 1
    assert {text.lower() for text in marked.all_inner_texts()} == {term}
    shown = set(panel.locator(".sentence bdi").all_inner_texts())
    place = whole.summary.words.terms.index(term)
    met = np.flatnonzero(whole.summary.words.class_occurrences[place])
    assert shown == {whole.summary.words.classes[i] for i in met}
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_a_word_of_a_document_opens_its_panel(opened, whole):
    page = opened(whole)
    mark = page.locator(".document mark[data-word]").first
    mark.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#word h3")).to_have_text(mark.inner_text())
    page.click("#word .close")
    expect(page.locator("#word")).to_be_hidden()


def test_a_word_among_the_reasons_opens_its_panel(opened, whole):
    page = opened(whole)
    reason = page.locator(".reasons .word").first
    reason.click()
    expect(page.locator("#word h3")).to_have_text(reason.inner_text())
    marked = page.locator("#word .sentence mark").first
    assert marked.inner_text().lower() == reason.inner_text()


def test_a_tapped_word_of_the_table_is_in_view_on_a_phone(opened, whole):
    page = opened(whole, 390)
    assert page.locator(".tabulator-col[tabulator-field=strongest]").is_visible()
    page.click(FIRST_WORD)
    expect(page.locator("#word h3")).to_have_text(whole.summary.words.terms[0])
    expect(page.locator("#word h3")).to_be_in_viewport()


@pytest.mark.parametrize("order", ["contribution", "ratio"])
def test_the_list_of_a_class_is_that_of_its_card(opened, whole, order):
    page, words = opened(whole), whole.summary.words
    page.click(f"#card-order button[value={order}]")
    page.click(".card >> text=ship")
    card = page.locator(".card", has=page.locator("h4", has_text="ship"))
    listed = getattr(next(c for c in words.by_class if c.name == "ship"), f"by_{order}")
    terms = [words.terms[place] for place in listed.places]
    expect(page.locator(".count")).to_have_text(f"{len(terms)} words")
    assert page.locator("#class-filter").input_value() == str(words.classes.index("ship"))
    assert words_shown(page)[:12] == terms[:12]
    assert card.locator("ol:visible .word").all_inner_texts() == terms[:12]
    expect(page.locator("#beside h3")).to_have_text(terms[0])
    page.select_option("#class-filter", "")
    expect(page.locator(FIRST_WORD)).to_have_text(words.terms[0])


def test_a_number_of_the_table_of_decisions_shows_such_documents(opened, whole):
    page, confusion = opened(whole), whole.summary.documents.confusion
    rows = page.locator(".confusion tbody tr")
    numbers = [[cell or "0" for cell in row.locator("td").all_inner_texts()] for row in rows.all()]
    table = np.array([row[:-1] for row in numbers], int)
    np.testing.assert_array_equal(table, confusion.table)
    right = [
        f"{100 * share:.1f}\N{NO-BREAK SPACE}%" for share in np.diag(table) / table.sum(axis=1)
    ]
    assert [row[-1] for row in numbers] == right
    cell = page.locator(".confusion .other [data-cell]").first
    label, decision = map(int, cell.get_attribute("data-cell").split(","))
    cell.click()
    shown = page.locator("#cell")
    names = whole.summary.samples.classes
    assert f"{names[label]}, taken for {names[decision]}" in shown.inner_text()
    texts = shown.locator("blockquote").all_inner_texts()
    assert texts
    assert {LABELS[TEXTS.index(text)] for text in texts} == {names[label]}
    known = shown.locator("[data-word]").first
    known.click()
    expect(page.locator("#word h3")).to_have_text(known.inner_text())


def test_many_classes_leave_room_for_the_sentences_until_they_are_wanted(opened):
    texts = [f"own{i} shared" for i in range(15) for _ in range(3)]
    labels = [f"class {i:02}" for i in range(15) for _ in range(3)]
    page = opened(fsmj.report(fsmj.Documents.from_texts(texts, labels), cv=3))
    rows = page.locator("#beside .by-class tbody tr")
    assert rows.count() == 15
    assert rows.locator("visible=true").count() == 10
    page.click("#beside >> text=Show the other 5 classes")
    assert rows.locator("visible=true").count() == 15
    assert page.locator("#beside .all-classes").count() == 0


def test_two_pieces_of_a_document_show_a_sentence_once(opened):
    late = "grain " + "padding " * 60 + "carloadings"
    texts = [late, "wheat crop", "wheat port", "port crew", "crew ship"]
    report = fsmj.report(fsmj.Documents.from_texts(texts, ["a", "b", "b", "c", "c"]), cv=2)
    page = opened(report)
    page.fill("#search", "carloadings")
    page.click("#word-table .word >> text=/^carloadings$/")
    assert page.locator("#beside .sentence").count() == 1


def test_the_order_that_is_chosen_can_be_read_under_the_pointer(opened, whole):
    page = opened(whole)
    button = page.locator("#card-order [aria-pressed=true]")
    button.hover()
    ink, paper = button.evaluate(
        "b => [getComputedStyle(b).color, getComputedStyle(b).backgroundColor]"
    )
    assert ink != paper


def test_every_word_of_a_card_has_its_numbers(opened):
    # The words that only one class has come last in the ranking of all: they are rare.
    rng = np.random.default_rng(0)
    X = np.hstack([rng.poisson(1, (60, 2500)), np.eye(3, dtype=int)[np.arange(60) % 3]])
    terms = [f"w{i}" for i in range(2500)] + ["alpha", "beta", "gamma"]
    counts = fsmj.ClassTermCounts.from_matrix(
        X, np.array(["a", "b", "c"])[np.arange(60) % 3], terms
    )
    report = fsmj.report(fsmj.rank(counts, "df"))
    assert report.summary.words.terms[-3:] == ("alpha", "beta", "gamma")
    page = opened(report)
    page.click("#card-order button[value=ratio]")
    page.click(".card ol:visible .word >> text=alpha")
    rows = page.locator("#word .by-class tbody tr")
    assert rows.first.locator("td:not(.track)").all_inner_texts() == ["20", "20", "100.0 %"]
    assert rows.nth(1).locator("td:not(.track)").inner_text().startswith("never, in ")


def test_a_word_that_hangs_on_one_document_looks_unsure(opened):
    texts, labels = [*TEXTS, f"gold {'zyx ' * 200}"], [*LABELS, "metal"]
    documents = fsmj.Documents.from_texts(texts, labels)
    sure = fsmj.stability(documents, n_terms=10, n_resamples=40)
    page = opened(fsmj.report(documents, cv=2, stability=sure))
    page.click("#word-table .word >> text=zyx")
    share = sure.share[sure.terms.tolist().index("zyx")]
    said = page.locator("#beside .unsure").first.inner_text()
    assert said.startswith(f"Unsure: among the first 10 in {round(100 * share)} % of")
    assert "to beyond 10" in said
    row = page.locator("#word-table .tabulator-row", has_text="zyx")
    assert row.locator(".unsure").inner_text() == f"{round(100 * share)} %"


def test_a_word_of_two_documents_does_not_look_sure(opened):
    texts = [*TEXTS, "a quokka naps", "the quokka wakes"]
    documents = fsmj.Documents.from_texts(texts, [*LABELS, "animals", "animals"])
    sure = fsmj.stability(documents, n_terms=10, n_resamples=20)
    page = opened(fsmj.report(documents, cv=2, stability=sure))
    row = page.locator("#word-table .tabulator-row", has_text="quokka")
    assert row.locator("[tabulator-field=share]").inner_text() == "few docs"
    row.locator(".word").click()
    panel = page.locator("#beside").inner_text()
    assert "Too few documents to tell: among the first 10 in 100 %" in panel
    page.click("#word-table .tabulator-col >> text=Sure")  # what cannot be told is not at the top
    shares = page.locator("#word-table .tabulator-row [tabulator-field=share]").all_inner_texts()
    told = [int(share.removesuffix(" %")) for share in shares if share.endswith("%")]
    assert told == sorted(told, reverse=True)
    assert [share.endswith("%") for share in shares][: len(told)] == [True] * len(told)
    missing = page.locator("#word-table .word").last.inner_text()
    page.click(f"#word-table .word >> text={missing}")
    assert "Not among the first 10 in any resampled corpus" in page.locator("#beside").inner_text()


def test_the_page_is_readable_without_scripts(browser, tmp_path):
    report = fsmj.report(DOCUMENTS, cv=2)
    path = report.save(tmp_path / "report.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    words = report.summary.words
    listed = page.locator(".printed tbody tr")
    assert listed.count() == min(40, len(words.terms))
    assert listed.first.is_visible()
    assert page.locator(".card ol:visible .word").first.is_visible()
    assert page.locator(".confusion").is_visible()
    assert page.locator("article.document blockquote").first.is_visible()
    assert not page.locator(".scripted").first.is_visible()
    context.close()


def test_where_all_words_are_taken_none_is_called_sure(opened):
    n_terms = DOCUMENTS.n_terms
    sure = fsmj.stability(DOCUMENTS, n_terms=n_terms, n_resamples=20)
    report = fsmj.report(DOCUMENTS, cv=2, stability=sure)
    assert any(f"{n_terms} words are few enough" in said for said in report.summary.details)
    page = opened(report)
    assert page.locator("#word-table .tabulator-col", has_text="Sure").count() == 0
    panel = page.locator("#beside").inner_text()
    assert "ure: among" not in panel
    assert "In 90 % of the resampled corpora at rank" in panel
