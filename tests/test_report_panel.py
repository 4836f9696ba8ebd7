"""Words, classes and decisions of a report in a browser: what a click shows."""

import numpy as np
import pytest

from report_browser import FIRST_WORD, expect, words_shown
from report_browser import browser as browser  # fixtures
from report_browser import opened as opened
from report_browser import whole as whole
from reports import LABELS, TEXTS


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
    expect(page.locator(".count")).to_have_text(f"{len(terms)} of {len(terms)} words")
    assert page.locator("#class-filter").input_value() == str(words.classes.index("ship"))
    assert words_shown(page)[:12] == terms[:12]
    assert card.locator("ol:visible .word").all_inner_texts() == terms[:12]
    page.select_option("#class-filter", "")
    expect(page.locator(FIRST_WORD)).to_have_text(words.terms[0])


def test_a_number_of_the_table_of_decisions_shows_such_documents(opened, whole):
    page, confusion = opened(whole), whole.summary.documents.confusion
    rows = page.locator(".confusion tbody tr")
    numbers = [[cell or "0" for cell in row.locator("td").all_inner_texts()] for row in rows.all()]
    np.testing.assert_array_equal(np.array(numbers, int), confusion.table)
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
