"""A text in pieces: the selected words, and what lies between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from fsmj.corpus import TokenRule
from fsmj.reporting.summary import Passage

LONGEST_TEXT = 1200


def passages_of(
    text: str, rule: TokenRule, leads: Mapping[str, float]
) -> tuple[tuple[Passage, ...], bool]:
    """Mark terms and their leads in the beginning of a text, and tell whether the text goes on.

    Examples
    --------
    >>> passages, _ = passages_of("Gold, old gold!", TokenRule(), {"gold": 1.5})
    >>> [(passage.text, passage.lead) for passage in passages]
    [('Gold', 1.5), (', old ', None), ('gold', 1.5), ('!', None)]
    """
    lowered = text.lower() if rule.lowercase else text
    # Few letters have a lower case of another length; places are those of the lower case then.
    shown = (text if len(lowered) == len(text) else lowered)[:LONGEST_TEXT]
    leads_at: list[tuple[int, float] | None] = [None] * len(shown)
    for first, last, lead in _places(text, lowered, rule, leads):
        leads_at[first:last] = [(first, lead)] * len(leads_at[first:last])
    pieces = groupby(zip(shown, leads_at, strict=True), key=lambda pair: pair[1])
    passages = tuple(
        Passage("".join(letter for letter, _ in piece), place and place[1])
        for place, piece in pieces
    )
    return passages, len(lowered) > len(shown)


def _places(
    text: str, lowered: str, rule: TokenRule, leads: Mapping[str, float]
) -> Iterator[tuple[int, int, float]]:
    """Yield where the terms begin and end, and their leads; longer ones last."""
    every_token = replace(rule, stop_words=(), ngram_range=(1, 1), min_length=1)
    dropped, words, end = set(rule.stop_words), [], 0
    for token in every_token.tokens(text):
        start = lowered.index(token, end)
        end = start + len(token)
        if len(token) >= rule.min_length and token not in dropped:
            words.append((token, start, end))
    shortest, longest = rule.ngram_range
    for n in range(shortest, longest + 1):
        for i in range(len(words) - n + 1):
            sequence = words[i : i + n]
            term = " ".join(token for token, _, _ in sequence)
            if term in leads:
                yield sequence[0][1], sequence[-1][2], leads[term]
