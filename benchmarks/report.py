"""How fast a report is made and opens, in headless Chromium.

It is made of 20 Newsgroups, and of 100,000 ranked terms and 100 classes; the latter is opened.

Run it with ``python benchmarks/report.py``; FSMJ_CHROMIUM names the browser if it is not
``chromium`` on the path. Making a report is measured in processor time; opening it is what a
reader waits, on this machine.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse import random_array

import fsmj
from timing import print_machine, print_ratio

N_TERMS, N_CLASSES = 100_000, 100
FRAMES = """() => new Promise((done) => {
  const holder = document.querySelector(".tabulator-tableholder");
  const gaps = [];
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    holder.scrollTop += 400;
    if (gaps.length < 120) requestAnimationFrame(step);
    else done(gaps.slice(1));
  };
  requestAnimationFrame(step);
})"""


def large_counts():
    """Counts that follow Zipf's law, each class with terms of its own."""
    rng = np.random.default_rng(0)
    mean = 40 / np.arange(1, N_TERMS + 1) ** 0.6
    kept = random_array((N_CLASSES, N_TERMS), density=0.1, rng=rng).toarray() > 0
    X = rng.poisson(mean * (1 + 10 * kept))
    X[0] += 1  # no term without any document
    return fsmj.ClassTermCounts.from_matrix(
        X, [f"class {i:03}" for i in range(N_CLASSES)], [f"term{i:06}" for i in range(N_TERMS)]
    )


def browser_path():
    path = os.environ.get("FSMJ_CHROMIUM") or shutil.which("chromium")
    if path is None:
        sys.exit("there is no chromium on the path; FSMJ_CHROMIUM may name one")
    return path


def make_newsgroups():
    corpus = fsmj.datasets.newsgroups()
    for how, options in (("test documents", {"test": corpus.test}), ("5 parts", {"cv": 5})):
        start = time.process_time()
        page = fsmj.report(corpus.train, **options).to_html()
        spent, size = time.process_time() - start, len(page.encode()) / 1e6
        what = f"A report on 20 Newsgroups, {how}, in seconds"
        print_ratio(what, spent, "at most 5", f"{size:.1f} MB")


def main():
    from playwright.sync_api import expect, sync_playwright

    print_machine()
    make_newsgroups()
    counts = large_counts()
    ranking = fsmj.rank(counts)
    start = time.process_time()
    report = fsmj.report(ranking)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = report.save(Path(folder, "report.html"))
        made = time.process_time() - start
        print(f"{N_TERMS:,} terms, {N_CLASSES} classes: {path.stat().st_size / 1e6:.1f} MB")
        print(f"made in {made:.1f} s of processor time after ranking")
        browser = playwright.chromium.launch(executable_path=browser_path())
        opened = []
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            start = time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready] .tabulator-row")
            opened.append(time.perf_counter() - start)
        print(f"opened, the table filled: {', '.join(f'{t:.2f}' for t in opened)} s (under 3)")
        gaps = np.array(page.evaluate(FRAMES))
        slow = np.quantile(gaps, 0.95)
        print(f"scrolling fast: a frame takes {np.median(gaps):.0f} ms, 19 of 20 {slow:.0f} ms")
        start = time.perf_counter()
        page.fill("input[type=search]", "term01234")
        expect(page.locator(".count")).to_contain_text("10 of")
        print(f"a search: {time.perf_counter() - start:.2f} s")
        page.fill("input[type=search]", "")
        expect(page.locator(".count")).to_have_text("100,000 words")
        start = time.perf_counter()
        page.click(".tabulator-col[tabulator-field=term]")
        expect(page.locator(".tabulator-row .word").first).to_have_text("term000000")
        print(f"sorted by word: {time.perf_counter() - start:.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
