"""The page of a report in a browser: it opens from disk, answers, and runs nothing foreign."""

import re
from dataclasses import replace

import numpy as np
import pytest

import fsmj
from fsmj.reporting import Report
from fsmj.reporting.summary import AccuracyCurve, Comparison, Contest, Line
from report_browser import FIRST_WORD, ROWS, drawn_line, expect, words_shown
from report_browser import browser as browser  # fixtures
from report_browser import opened as opened
from report_browser import whole as whole
from reports import COUNTS, DOCUMENTS, HOSTILE, LABELS, TEXTS, hostile_report

# Text and background of every piece of text, the background blended from all layers below it.
CONTRASTS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const over = (layers) => {
    canvas.globalCompositeOperation = "source-over";
    for (const layer of layers) { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !element.checkVisibility() || element.closest("script, option")) continue;
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.unshift(getComputedStyle(e).backgroundColor);
    const background = over(layers);
    const ink = over([...layers, getComputedStyle(element).color]);
    const [low, high] = [luminance(ink), luminance(background)].sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), text.slice(0, 40), element.className]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}"""  # noqa: E501


# What each chart writes left of its axis, by its title.
AXIS_LABELS = """async () => {
  const labels = {};
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    const title = this.canvas.closest("figure").querySelector("figcaption").textContent;
    if (this.textAlign === "right") (labels[title] ??= []).push(text);
    return fillText.call(this, text, ...place);
  };
  document.getElementById("theme").click(); // other colours: every chart is drawn anew
  await new Promise(requestAnimationFrame);
  return labels;
}"""


def close_together(low, high):
    """A report on measurements in a narrow range."""
    ks, accuracy = np.arange(100, 400, 100), np.array([low, (low + high) / 2, high])
    line = Line("FSMJ", "fsmj", "", "", False, float(accuracy.mean()), accuracy)
    contest = Contest("any", 9, ks, (line,), (), ())
    curve = AccuracyCurve("words", ks, accuracy, np.zeros(3), 100, low, 100, low)
    summary = fsmj.report(COUNTS).summary
    sizes = replace(summary.sizes, accuracy=(curve,))
    return Report(replace(summary, sizes=sizes, comparison=Comparison("", (contest,))))


def test_every_section_is_there(opened, whole):
    page = opened(whole)
    links = page.locator("#sections a")
    assert links.all_inner_texts() == ["Words", "How many", "Compare", "Documents", "About"]
    for link in links.all():
        assert page.locator(f"{link.get_attribute('href')} h2").count() == 1
    expect(page.locator("h1")).to_have_text(whole.summary.headline)
    assert page.locator("main .chart canvas").count() == 3
    assert page.locator("article.document").count() == len(whole.summary.documents.examples)


def test_sections_without_data_are_left_out(opened):
    page = opened(fsmj.report(COUNTS))
    assert page.locator("#sections a").all_inner_texts() == ["Words", "How many", "About"]
    assert "made from counts alone" in page.locator("#sizes").inner_text()


def test_the_table_sorts_by_mouse_and_by_keyboard(opened, whole):
    page, terms = opened(whole), whole.summary.words.terms
    assert words_shown(page)[:5] == list(terms[:5])
    page.click(".tabulator-col[tabulator-field=term] .heading")
    expect(page.locator(FIRST_WORD)).to_have_text(min(terms))
    page.focus(".tabulator-col[tabulator-field=rank] .heading")
    page.keyboard.press("Enter")
    expect(page.locator(FIRST_WORD)).to_have_text(terms[0])
    page.keyboard.press("Enter")
    expect(page.locator(FIRST_WORD)).to_have_text(terms[-1])


def test_the_table_is_searched_and_filtered_by_class(opened, whole):
    page, words = opened(whole), whole.summary.words
    page.fill("input[type=search]", "WORD1")
    found = [term for term in words.terms if "word1" in term]
    expect(page.locator(".count")).to_have_text(f"{len(found)} of {len(words.terms)} words")
    assert words_shown(page) == found
    page.fill("input[type=search]", "")
    page.fill("input[type=search]", "no such word")
    expect(page.locator(".tabulator-placeholder")).to_have_text("No word fits.")


@pytest.mark.parametrize("width", [1280, 560, 390])
def test_the_text_above_the_table_explains_the_columns_shown(opened, width):
    sure = fsmj.stability(DOCUMENTS, n_terms=10, n_resamples=5)
    page = opened(fsmj.report(DOCUMENTS, cv=2, stability=sure), width)
    shown = page.locator("#word-table .tabulator-col:visible").all_inner_texts()
    said = page.locator("#words .lead b:visible").all_inner_texts()
    explained = {"Gain", "Reached", "Sure", "More and less"}
    assert set(said) == explained.intersection(map(str.strip, shown))


def test_bars_stand_in_the_order_in_which_their_classes_are_named(opened, whole):
    page, words = opened(whole), whole.summary.words
    names = page.locator("[data-column='More and less'] bdi").all_inner_texts()
    assert sorted(names) == sorted(words.classes)
    for place in range(5):
        up = page.locator(".bars .for").nth(place).get_attribute("d")
        begins = {int(float(start)) for start in re.findall(r"M([\d.]+)", up)}
        ratio = dict(zip(words.classes, words.ratios[place], strict=True))
        assert begins == {i for i, name in enumerate(names) if ratio[name] > 0}


def test_hovering_names_the_word_at_that_rank(opened, whole):
    page, curve = opened(whole), whole.summary.sizes.divergence
    figure = page.locator("#sizes figure").first
    plot = figure.locator(".u-over")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 50)
    said = figure.locator(".readout").inner_text()
    assert said.startswith(f"{curve.ks[-1]} words")
    assert curve.terms[-1] in said
    figure.locator(".chart").focus()
    page.keyboard.press("ArrowLeft")
    assert curve.terms[-2] in figure.locator(".readout").inner_text()
    assert figure.locator(".readout").inner_text().startswith(f"{curve.ks[-2]} words")


def test_the_first_word_is_one_word(opened, whole):
    page = opened(whole)
    for figure in page.locator("main figure").all():
        figure.locator(".chart").focus()
        page.keyboard.press("PageDown")
        assert re.match(r"1 word\b", figure.locator(".readout").inner_text())


def test_the_accuracy_under_the_cursor_is_that_of_the_summary(opened, whole):
    page, (alone, rest) = opened(whole), whole.summary.sizes.accuracy
    figure = page.locator("#sizes figure").nth(1)
    figure.locator(".chart").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    said = figure.locator(".readout").inner_text()
    k = int(re.match(r"(\d+) words", said)[1])
    for curve in (alone, rest):
        assert f"{100 * curve.mean[list(curve.ks).index(k)]:.1f} %" in said


def test_methods_are_switched_on_and_off(opened, whole):
    page = opened(whole)
    chart, section = page.locator(".compare .chart"), page.locator("#comparison")

    def named():
        expect(chart.locator("canvas")).to_be_visible()
        chart.focus()
        page.keyboard.press("ArrowRight")
        return section.locator(".readout").inner_text()

    assert "FSMJ" in named()
    assert "IG, max" in named()
    section.get_by_label("IG, max", exact=True).uncheck()
    assert "IG, max" not in named()
    assert "FSMJ" in named()
    section.get_by_label("IG, sum", exact=True).check()
    assert "IG, sum" in named()
    section.get_by_role("button", name="Weighted average").click()
    assert "IG, average" in named()
    assert "IG, sum" not in named()
    on = section.get_by_role("checkbox", checked=True)
    while on.count():
        on.first.uncheck()
    assert "No line is switched on" in section.inner_text()


def test_the_keys_of_methods_differ_without_colour(opened, whole):
    ks = np.array([10, 500, 1000])
    lines = tuple(
        drawn_line(row.label, name, "", [0.5, 0.6, 0.7])
        for name, row in fsmj.METHODS.items()
        if not row.variant_of
    )
    contest = Contest("any", 9, ks, lines, (), (), up_to=500)
    page = opened(Report(replace(whole.summary, comparison=Comparison("", (contest,)))))
    keys = page.eval_on_selector_all(
        ".switch svg", "keys => keys.map((key) => [...key.children].map((path) => "
        "`${path.getAttribute('d')} ${path.getAttribute('stroke-dasharray')}`).join())",
    )  # fmt: skip
    assert len(set(keys)) == len(lines)


@pytest.mark.parametrize(("up_to", "begins"), [(500, "1 to 500"), (1000, "100 to 2,000")])
def test_the_comparison_begins_with_the_sizes_of_the_headline(opened, whole, up_to, begins):
    line = drawn_line("FSMJ", "fsmj", "", [0.5, 0.6, 0.7])
    contest = Contest("any", 9, np.array([10, 500, 1000]), (line,), (), (), up_to)
    page = opened(Report(replace(whole.summary, comparison=Comparison("", (contest,)))))
    assert page.locator("#range").input_value() == begins


def test_lines_that_leave_the_range_below_are_named(opened, whole):
    lines = (
        drawn_line("best", "fsmj", "", [0.7, 0.9, 0.95]),
        drawn_line("worse, but in the range", "ig", "", [0.8, 0.8, 0.75]),
        drawn_line("rising into it", "df", "", [0.1, 0.2, 0.9]),
        drawn_line("far below", "mi", "", [0.2, 0.2, 0.2]),
    )
    contest = Contest("any", 9, np.array([100, 500, 1000]), lines, (), (), up_to=1000)
    page = opened(Report(replace(whole.summary, comparison=Comparison("", (contest,)))))
    note = page.locator(".compare .note").inner_text()
    assert note == "Below the range, in whole or in part: rising into it; far below."


@pytest.mark.parametrize(
    ("low", "high"), [(0.981, 0.984), (0.5, 0.9), (0.9871, 0.9872), (0.93, 0.93), (0.4, 0.52)]
)
def test_the_labels_of_an_axis_are_its_values(opened, low, high):
    _, accuracy, comparison = opened(close_together(low, high)).evaluate(AXIS_LABELS).values()
    for labels in ([label.removesuffix(" %") for label in accuracy], comparison):
        steps = np.diff(np.array(labels, float))
        assert steps[0] > 0
        np.testing.assert_allclose(steps, steps[0])
    assert all(label.endswith(" %") for label in accuracy)


# For each chart: the names above its plot with their edges, and the rules with their tops.
MARKS = """async () => {
  const charts = {};
  const pen = CanvasRenderingContext2D.prototype;
  const { fillText, moveTo } = pen;
  const of = (canvas) => {
    const title = canvas.closest("figure").querySelector("figcaption").textContent;
    return (charts[title] ??= { names: [], rules: [] });
  };
  pen.fillText = function (text, x, y) {
    if (this.textAlign === "end") {
      const { width } = this.measureText(text);
      of(this.canvas).names.push([text, x - width, x, y]);
    }
    return fillText.call(this, text, x, y);
  };
  pen.moveTo = function (x, y) {
    if (this.textAlign === "end") of(this.canvas).rules.push([x, y]);
    return moveTo.call(this, x, y);
  };
  document.getElementById("theme").click(); // other colours: every chart is drawn anew
  await new Promise(requestAnimationFrame);
  return charts;
}"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(("enough", "best"), [(1, 1), (1, 2), (1, 300), (2, 3), (299, 300)])
def test_no_rule_passes_through_the_name_of_a_number(opened, width, enough, best):
    ks, mean = np.arange(1, 301), np.linspace(0.5, 0.9, 300)
    curve = AccuracyCurve("words", ks, mean, 0 * mean, best, mean[best - 1], enough, mean[0])
    summary = fsmj.report(COUNTS).summary
    sizes = replace(summary.sizes, accuracy=(curve,))
    charts = opened(Report(replace(summary, sizes=sizes)), width).evaluate(MARKS)
    chart = charts["Accuracy of naive Bayes"]
    assert len(chart["names"]) == len(chart["rules"]) == len({enough, best})
    for name, left, right, y in chart["names"]:
        for x, top in chart["rules"]:
            assert not (left < x < right and top < y), name


@pytest.mark.parametrize(
    ("n_classes", "filled", "said"), [(4, "none", "hollow"), (30, "color", "pale")]
)
def test_bars_of_many_classes_are_pale_where_a_word_is_absent(opened, n_classes, filled, said):
    one_each = fsmj.ClassTermCounts.from_matrix(np.eye(n_classes, dtype=int), range(n_classes))
    page = opened(fsmj.report(one_each))
    never = page.locator(".bars .never").first
    assert never.evaluate("bar => getComputedStyle(bar).fill").startswith(filled)
    assert f"{said} where never" in page.locator("#words .lead").inner_text()


def test_words_among_reasons_are_not_cut_on_a_phone(opened):
    words = [f"internationalisation{i}" for i in range(4)]
    texts = [" ".join([words[i % 2], words[2 + i % 3 % 2], "x" * (i % 5 + 2)]) for i in range(40)]
    documents = fsmj.Documents.from_texts(texts, ["ab"[i % 2] for i in range(40)])
    page = opened(fsmj.report(documents, cv=2), 390)
    reasons = page.locator(".reasons .word")
    assert reasons.count()
    for reason in reasons.all():
        assert reason.evaluate("word => word.scrollWidth <= word.clientWidth")


def test_duels_stand_in_a_table(opened, whole):
    page = opened(whole)
    (contest,) = whole.summary.comparison.contests
    rows = page.locator(".duels tbody tr")
    assert rows.count() == len(contest.rivals)
    assert rows.nth(0).locator("td").all_inner_texts() == ["5:2", "9:0▲"]
    assert rows.nth(1).locator("td").all_inner_texts() == ["0:9▼", "–"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_and_has_contrast(opened, whole, width, scheme):
    page = opened(whole, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 100
    assert contrasts[0][0] >= 4.5, contrasts[:5]


def test_five_classes_of_long_names_fit_on_a_phone(opened):
    names = ["rec.autos", "rec.motorcycles", "sci.med", "sci.space", "talk.politics.guns"]
    labels = [names[i % 5] for i in range(len(TEXTS))]
    page = opened(fsmj.report(fsmj.Documents.from_texts(TEXTS, labels), cv=2), 390)
    table = page.get_by_role("region", name="What is taken for what")
    assert table.evaluate("it => it.scrollWidth <= it.clientWidth")
    heads = page.locator(".reasons thead bdi", has_text="rec.motorcycles")
    assert heads.count()
    for head in heads.all():  # broken after the point only
        tops = head.evaluate("it => [...it.getClientRects()].map(({ top }) => top)")
        assert len(set(tops)) == 2


def test_the_reader_can_choose_the_colours(opened, whole):
    page = opened(whole, color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("#theme")
    dark = page.evaluate(background)
    assert dark != light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == dark
    page.click("#theme")
    assert page.evaluate(background) == light


def test_paper_shows_a_plain_table(opened, whole):
    page = opened(whole, 390, color_scheme="dark")
    assert not page.locator(".printed").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".printed").is_visible()
    assert not page.locator("#word-table").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator("#words .lead b:visible").all_inner_texts() == ["Gain", "Reached"]
    rows = page.locator(".printed tbody tr")
    assert rows.count() == min(40, len(whole.summary.words.terms))
    assert page.pdf().startswith(b"%PDF")


def test_hostile_names_are_text(opened):
    page = opened(hostile_report())
    assert page.title() == HOSTILE[0]
    shown = words_shown(page)
    assert HOSTILE[0] in shown
    assert HOSTILE[2] in shown
    assert max(map(len, shown)) < 200
    assert page.locator("script").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    bidi = "getComputedStyle(document.querySelector('#word-table .word bdi')).unicodeBidi"
    assert page.evaluate(bidi) == "isolate"
    page.select_option("#class-filter", label=HOSTILE[0])


def test_hostile_documents_are_text(opened):
    evil = "gold <img src=x onerror=alert(1)> </script><script>alert(2)</script> &amp; \u202e ore"
    texts = [f"{evil} {text}" for text in TEXTS]
    labels = [f"<i>{label}</i>" for label in LABELS]
    documents = fsmj.Documents.from_texts(texts, labels)
    page = opened(fsmj.report(documents, cv=2, command="<b>&\u2028"))
    assert page.locator("main img").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.locator("blockquote").first.inner_text()
    assert "<i>" in page.locator(".document h4").first.inner_text()
    assert "<b>&" in page.locator(".command code").inner_text()


def test_a_hundred_classes_and_many_words_are_paged(opened):
    rng = np.random.default_rng(0)
    X = rng.poisson(1, (100, 5000)) + np.eye(100, 5000)
    report = fsmj.report(fsmj.ClassTermCounts.from_matrix(X, range(100)), n_terms=4000)
    page = opened(report)
    assert 0 < page.locator(ROWS).count() < 200
    note = page.locator("#words .note").inner_text()
    assert "the first 4,000 of 5,000 ranked words" in note
    kept = len(report.summary.words.detailed)
    assert f"bars are kept for {kept:,} words" in note
    assert "in the order of the list “Speaks for”" in page.locator("#words .lead").inner_text()
    assert page.locator(".card:visible").count() == 12
    page.click("text=Show the other 88 classes")
    assert page.locator(".card:visible").count() == 100
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_the_frame_of_a_notebook_shows_the_page(browser):
    report = fsmj.report(COUNTS)
    page = browser.new_page()
    page.set_content(report._repr_html_())
    frame = page.frame_locator("iframe")
    expect(frame.locator("h1")).to_have_text(report.summary.headline)
    expect(frame.locator(FIRST_WORD)).to_have_text(report.summary.words.terms[0])
    page.close()
