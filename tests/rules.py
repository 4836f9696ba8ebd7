"""Awkward texts and rules for property tests, and the terms by the slow way."""

from collections import Counter as Tally

from hypothesis import strategies as st

import naive_tokens

# Our pattern, and Python's for the same tokens.
PATTERNS = {
    r"\w+": None,
    r"[a-z]+(?:-[a-z]+)*": r"[a-z]+(?:-[a-z]+)*",
    r"\d+|[a-z]{2,3}?": r"\d+|[a-z]{2,3}?",
    r"[a-z ]+": r"[a-z ]+",
    r"\S+": r"\S+",
}
LETTERS = st.sampled_from("aAbzk19_ -'.\n\0éÉßẞΣσςİıſKȺⱥ中文字\u0301हिन्दी𝐁𐐔😀\uffff\U0010fffd")
TEXTS = st.lists(st.text(LETTERS, max_size=25) | st.text(max_size=8), max_size=8)
RULES = st.fixed_dictionaries(
    {
        "pattern": st.sampled_from(list(PATTERNS)),
        "lowercase": st.booleans(),
        "stop_words": st.sampled_from([(), ("a", "ab", "中文", "abbbbbbbbbb")]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 4), (3, 3)]),
        "min_length": st.sampled_from([1, 2, 3]),
        "characters": st.booleans(),
    }
)


def by_hand(texts, **rule):
    rule["pattern"] = PATTERNS[rule.get("pattern", r"\w+")]
    return [Tally(naive_tokens.terms(text, **rule)) for text in texts]


def rows_of(X, terms):
    return [
        {terms[c]: int(n) for c, n in zip(X[[d]].indices, X[[d]].data)} for d in range(X.shape[0])
    ]
