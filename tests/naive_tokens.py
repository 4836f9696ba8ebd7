"""Slow, obvious cutting and counting of texts; nothing is from the package."""

import re
import unicodedata
from collections import Counter


def is_word(character, marks=False):
    return bool(re.match(r"\w", character)) or (
        marks and unicodedata.category(character).startswith("M")
    )


def words(text, marks=False):
    """Runs of word characters, one character after the other."""
    found = [""]
    for character in text:
        if is_word(character, marks):
            found[-1] += character
        else:
            found.append("")
    return [word for word in found if word]


def terms(
    text, *, pattern=None, lowercase=True, stop_words=(), ngram_range=(1, 1), min_length=2,
    marks=False, characters=False,
):  # fmt: skip
    """The terms of a text, in any order; `pattern` is Python's, with \\w for words only."""
    text = text.lower() if lowercase else text
    found = words(text, marks) if pattern is None else re.findall(pattern, text)
    kept = [word for word in found if len(word) >= min_length and word not in stop_words]
    out = []
    for n in range(ngram_range[0], ngram_range[1] + 1):
        for sequence in kept if characters else [kept]:
            starts = range(len(sequence) - n + 1)
            out += [
                ("" if characters else " ").join(sequence[start : start + n]) for start in starts
            ]
    return out


def count(texts, labels, **rule):
    """The counts by class and term, the documents by class and term, and those of each term.

    `labels` holds the classes of each document.
    """
    occurrences, documents, of_term = Counter(), Counter(), Counter()
    for text, classes in zip(texts, labels):
        found = terms(text, **rule)
        of_term.update(set(found))
        for class_ in classes:
            occurrences.update((class_, term) for term in found)
            documents.update((class_, term) for term in set(found))
    return occurrences, documents, of_term
