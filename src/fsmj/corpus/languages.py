"""Scripts that are written without spaces: a hint where texts are hardly cut into words."""

from __future__ import annotations

import re
import warnings

import numpy as np
from numpy.typing import NDArray

from fsmj.counts import ClassTermCounts

_LOOKED_AT = 2000  # of the most frequent terms
_SHARE = 0.3  # of the words that make a language
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_THAI = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
# Words have one to three characters, most of them two; with marks, one to eight.
_LONG_HAN, _LONG_THAI = 4, 10


def uncut(counts: ClassTermCounts) -> str:
    """Return a sentence if most words are as long as sentences, or only pieces of words.

    Examples
    --------
    >>> import fsmj
    >>> texts = ["金の価格は今日上昇した", "小麦の収穫は今年も良い"]
    >>> rule = fsmj.TokenRule(characters=True, ngram_range=(2, 2))
    >>> uncut(fsmj.count_texts(texts, ["gold", "wheat"], rule))
    ''
    """
    rule = counts.rule
    if counts.terms is None or not len(counts.terms) or (rule is not None and rule.characters):
        return ""
    occurrences = np.asarray(counts.term_counts.sum(axis=0), float).ravel()
    frequent = np.argsort(-occurrences, kind="stable")[:_LOOKED_AT]
    terms = [str(term) for term in counts.terms[frequent]]
    weight, lengths = occurrences[frequent], np.array([len(term) for term in terms])

    def length_of(script: re.Pattern[str]) -> float:
        """Return how long the words of a script are; 0 where it is rare."""
        chosen: NDArray[np.bool_] = np.array([bool(script.search(term)) for term in terms])
        common = weight[chosen].sum() > _SHARE * weight.sum()
        return float(np.average(lengths[chosen], weights=weight[chosen])) if common else 0.0

    if length_of(_HAN) > _LONG_HAN:
        return (
            "Chinese and Japanese are written without spaces: most “words” here are as long as "
            "sentences; cut the texts into words first, or count their characters (--characters; "
            "in Python TokenRule(characters=True))"
        )
    thai = length_of(_THAI)
    if thai > _LONG_THAI or (thai and not (rule is not None and rule.marks)):
        found = "as long as sentences" if rule is not None and rule.marks else "pieces of words"
        return (
            "Thai, Lao, Burmese and Khmer are written without spaces and with marks: the “words” "
            f"here are {found}; cut the texts into words first, or count their characters and keep "
            "marks (--characters --marks; in Python TokenRule(characters=True, marks=True))"
        )
    return ""


def hint(counts: ClassTermCounts, stacklevel: int = 3) -> None:
    """Warn of texts that the token rule hardly cuts."""
    sentence = uncut(counts)
    if sentence:
        warnings.warn(sentence, stacklevel=stacklevel)
