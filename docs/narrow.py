"""Open every built page as on a phone and on a desk, in light and dark: none may be too wide.

Run by `make docs` where there is a browser.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCREENS = {
    "phone, light": ((390, 844), "light"),
    "phone, dark": ((390, 844), "dark"),
    "desk": ((1280, 900), "light"),
    "laptop": ((1366, 768), "light"),
}
# What sticks out beyond the screen, but for what scrolls within a box of its own: the theme lets
# all of the content scroll, which nobody would notice. Formulas come a moment after the page.
TOO_WIDE = """async () => {
  await window.MathJax?.startup?.promise;
  const scrolls = (element) =>
    element && !element.matches(".content") &&
    (["auto", "scroll"].includes(getComputedStyle(element).overflowX) ||
    scrolls(element.parentElement));
  const seen = ".content *:not(mjx-assistive-mml, mjx-assistive-mml *)";
  const wide = [...document.querySelectorAll(seen)].filter((element) =>
    element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement));
  const page = document.documentElement;
  return wide.map((element) => element.outerHTML.slice(0, 60))
    .concat(page.scrollWidth > page.clientWidth ? ["the page"] : []);
}"""


def main(folder: Path) -> int:
    """Name the pages that would have to be scrolled sideways; return how many they are."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        print("no browser: whether pages are too wide was not looked at")
        return 0
    wide = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        for screen, ((width, height), theme) in SCREENS.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            for file in sorted(folder.rglob("*.html")):
                page.goto(file.absolute().as_uri())
                for found in page.evaluate(TOO_WIDE)[:3]:
                    print(f"{file.relative_to(folder)} ({screen}): too wide: {found!r}")
                    wide += 1
            page.close()
        browser.close()
    return wide


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) > 0)
