"""A browser that opens reports from disk, for the tests of the page."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

import fsmj
from fsmj.reporting import Report
from fsmj.reporting.summary import Comparison, Contest, Duel, Line, Rival
from reports import DOCUMENTS

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ROWS = "#word-table .tabulator-row"
FIRST_WORD = f"{ROWS} .word >> nth=0"


def refuse(reason):
    if os.environ.get("FSMJ_TEST_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser():
    found = [os.environ.get("FSMJ_CHROMIUM"), *map(shutil.which, BROWSERS)]
    path = next(filter(None, found), None)
    if path is None:
        refuse(f"there is no {' or '.join(BROWSERS)}, and FSMJ_CHROMIUM names no browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        refuse("playwright is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path)
        yield started
        started.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a report from disk, without a network; whatever goes wrong on the page fails."""
    contexts, trouble, requests = [], [], []

    def open_report(report, width=1280, **options):
        path = report.save(tmp_path / "report & <b>.html")
        size = {"width": width, "height": 900}
        context = browser.new_context(offline=True, viewport=size, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        if page.locator("#word-table").count():  # it fills itself a moment later
            page.wait_for_selector(ROWS)
        assert requests == [path.as_uri()]
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert trouble == []
    assert len(requests) == len(contexts)


@pytest.fixture(scope="module")
def whole():
    """A report with all sections."""
    summary = fsmj.report(DOCUMENTS, cv=3, cautions=["Some rows were left out"]).summary
    return Report(replace(summary, comparison=Comparison("", (CONTEST,))))


def drawn_line(label, method, aggregate, accuracy):
    row = fsmj.METHODS[method]
    look = row.colour, row.marker, row.needs
    return Line(label, method, "", aggregate, False, np.nan, np.array(accuracy), *look)


CONTEST = Contest(
    "goods & ships",
    30,
    np.array([1, 2, 20]),
    (
        drawn_line("FSMJ", "fsmj", "", [0.5, 0.7, 0.9]),
        drawn_line("DF", "df", "", [0.4, 0.5, 0.9]),
        drawn_line("CLL", "cll", "", [0.6, 0.7, np.nan]),
        *(drawn_line(f"IG, {a}", "ig", a, [0.5, 0.6, 0.8]) for a in ("max", "sum", "average")),
        *(drawn_line(f"Chi, {a}", "chi2", a, [0.5, 0.6, 0.8]) for a in ("max", "sum", "average")),
    ),
    (1, 20),
    (
        Rival("IG, max", (Duel(5, 2, 0.4, "open"), Duel(9, 0, 0.01, "ahead"))),
        Rival("CLL", (Duel(0, 9, 0.01, "behind"), None)),
    ),
)


def words_shown(page):
    return page.locator(f"{ROWS} .word").all_inner_texts()


def expect(locator):
    from playwright.sync_api import expect

    return expect(locator)
