"""Documents to report on, and a reader of pages, for the tests of the report."""

from html.parser import HTMLParser

import numpy as np

import fsmj

CLASSES = ("grain", "metal", "ship")
OWN = {
    "grain": ["wheat", "corn", "crop"],
    "metal": ["gold", "ore", "mine"],
    "ship": ["port", "crew"],
}
HOSTILE = ("</script><script>alert(1)</script>", "\u2028\u202e<!--", "&lt;'\"", "x" * 10_000)


def corpus(n_docs, seed):
    """Texts in which each class prefers a few words of its own, and labels."""
    rng = np.random.default_rng(seed)
    common = [f"word{i}" for i in range(30)]
    texts, labels = [], []
    for i in range(n_docs):
        label = CLASSES[i % 3]
        own = rng.choice(OWN[label], rng.integers(0, 3))
        noise = rng.choice(common + OWN[CLASSES[(i + 1) % 3]], 8)
        texts.append(" ".join([*own, *noise]))
        labels.append(label)
    return texts, labels


TEXTS, LABELS = corpus(60, seed=1)
TEST_TEXTS, TEST_LABELS = corpus(30, seed=2)
DOCUMENTS = fsmj.Documents.from_texts(TEXTS, LABELS)
TEST = fsmj.Documents.from_texts(TEST_TEXTS, TEST_LABELS, terms=DOCUMENTS.terms)
COUNTS = DOCUMENTS.counts


def hostile_report():
    X = np.eye(len(HOSTILE), dtype=int) + 1
    counts = fsmj.ClassTermCounts.from_matrix(X, HOSTILE, HOSTILE)
    return fsmj.report(counts, title=HOSTILE[0], cautions=[HOSTILE[0]])


class Elements(HTMLParser):
    """The scripts, styles, data, attributes and visible text of a page."""

    def __init__(self, page):
        super().__init__()
        self.scripts, self.styles, self.data, self.attributes = [], [], [], []
        self.text = ""
        self.inside = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]
        kinds = {"script": self.scripts, "style": self.styles}
        self.inside = kinds.get(tag)
        if dict(attrs).get("type") == "application/json":
            self.inside = self.data
        if self.inside is not None:
            self.inside.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside is not None:
            self.inside[-1] += text
        else:
            self.text += text

    def value(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]
