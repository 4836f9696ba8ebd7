"""What a reader should know before believing a report."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents
from fsmj.reporting.names import name_of
from fsmj.reporting.subjects import Subject

FEW_DOCUMENTS = 10
_NAMED = 5  # classes; more would fill the page
_LOOKED_AT = 2000  # of the most frequent terms
_SHARE = 0.3  # of the words that make a language
# Scripts written without spaces: Han and kana; and Thai, Lao, Burmese and Khmer, where marks count.
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_THAI = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_LONG_HAN = 4  # words have one to three characters, most of them two


def cautions_of(subject: Subject) -> Iterator[str]:
    """Yield what may mislead: small and silent classes, duplicates, scripts without spaces."""
    counts = subject.ranking.counts
    yield from _small_classes(counts)
    if subject.documents is not None:
        yield from _silent_classes(subject.documents, counts)
        yield from _duplicates(subject.documents)
    if subject.n_unlearnt:
        one = subject.n_unlearnt == 1
        are = "counts as an error" if one else "count as errors"
        yield (
            f"{_n_documents(subject.n_unlearnt)} held out {are}: "
            f"no document to learn from has {'its' if one else 'their'} label and a word."
        )
    yield from _uncut_texts(counts)


def _small_classes(counts: ClassTermCounts) -> Iterator[str]:
    small = np.flatnonzero(counts.docs_per_class < FEW_DOCUMENTS)
    if len(small) == 0:
        return
    smallest_first = small[np.argsort(counts.docs_per_class[small], kind="stable")]
    named = [
        f"“{name_of(counts.classes[i], 40)}” ({counts.docs_per_class[i]:,.6g})"
        for i in smallest_first[:_NAMED]
    ]
    more = f" and {len(small) - _NAMED:,} more" if len(small) > _NAMED else ""
    one = len(small) == 1
    yield (
        f"{'One class has' if one else f'{len(small):,} classes have'} fewer than "
        f"{FEW_DOCUMENTS} documents: {', '.join(named)}{more}. "
        f"What tells {'it' if one else 'them'} apart may be the words of a single document."
    )


def _silent_classes(documents: Documents, counts: ClassTermCounts) -> Iterator[str]:
    silent = documents.classes[~np.isin(documents.classes, counts.classes)].tolist()
    if silent:
        named = ", ".join(f"“{name_of(class_, 40)}”" for class_ in silent[:_NAMED])
        more = " and others" if len(silent) > _NAMED else ""
        yield f"No word is left of {named}{more}: such documents take no part."


def _duplicates(documents: Documents) -> Iterator[str]:
    n_equal = count_duplicates(documents)
    if n_equal:
        verb = "has" if n_equal == 1 else "have"
        yield (
            f"{_n_documents(n_equal)} of {documents.n_docs:,} {verb} the same words as an earlier "
            "one. Copies make their words look more telling, and accuracy higher, than they are."
        )


def count_duplicates(documents: Documents) -> int:
    """Count the documents whose set of words is that of an earlier document."""
    X = documents.X
    filled = np.flatnonzero(np.diff(X.indptr))
    if len(filled) == 0:
        return 0
    # A sum of random numbers of 64 bits, one for each word, stands for a set of words.
    keys = np.random.default_rng(0).integers(2**64, size=documents.n_terms, dtype=np.uint64)
    sums = np.add.reduceat(keys[X.indices], X.indptr[filled])
    return len(filled) - len(np.unique(sums))


def _uncut_texts(counts: ClassTermCounts) -> Iterator[str]:
    if counts.terms is None:
        return
    occurrences = np.asarray(counts.term_counts.sum(axis=0), float).ravel()
    frequent = np.argsort(-occurrences, kind="stable")[:_LOOKED_AT]
    terms = [str(term) for term in counts.terms[frequent]]
    weight, lengths = occurrences[frequent], np.array([len(term) for term in terms])
    han = np.array([bool(_HAN.search(term)) for term in terms])
    thai = np.array([bool(_THAI.search(term)) for term in terms])
    rule = counts.rule
    if _share(han, weight) > _SHARE and np.average(lengths[han], weights=weight[han]) > _LONG_HAN:
        yield (
            "Chinese and Japanese are written without spaces: most “words” here are as long as "
            "sentences. Cut the texts into words first, or count character sequences."
        )
    if _share(thai, weight) > _SHARE and (rule is None or not rule.marks):
        yield (
            "Thai, Lao, Burmese and Khmer are written without spaces and with marks: the “words” "
            "here are pieces of words. Cut the texts into words first, and keep marks."
        )


def _share(chosen: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    return float(weight[chosen].sum() / max(weight.sum(), 1e-300))


def _n_documents(n: int) -> str:
    return f"{n:,} document" if n == 1 else f"{n:,} documents"
