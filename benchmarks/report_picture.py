"""Take the README's picture of a report: 20 Newsgroups, as ``docs/report.png``.

Run it with ``python benchmarks/report_picture.py``; it needs playwright and chromium.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import fsmj
from fsmj import datasets
from report import browser_path

TARGET = Path(__file__).parent.parent / "docs" / "report.png"


def main():
    corpus = datasets.newsgroups()
    sure = fsmj.stability(corpus.train)
    report = fsmj.report(corpus.train, test=corpus.test, title=corpus.name, stability=sure)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = report.save(Path(folder, "report.html"))
        browser = playwright.chromium.launch(executable_path=browser_path())
        page = browser.new_page(viewport={"width": 1280, "height": 1200}, color_scheme="light")
        page.goto(path.as_uri())
        page.click(".tabulator-row .word >> text=/^god$/")
        page.wait_for_selector("#beside h3 >> text=/^god$/")
        page.mouse.move(0, 0)
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
