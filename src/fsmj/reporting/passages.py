"""A text in pieces: the selected words, and what lies between them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from fsmj.reporting.summary import Passage
from fsmj.tokens.rule import TokenRule

LONGEST_TEXT = 1200


class Excerpt(NamedTuple):
    """A piece of a text as it is shown and as it is searched: letter by letter the same places."""

    shown: str
    lowered: str
    begins: bool
    """Whether the text begins here."""
    ends: bool


class Place(NamedTuple):
    """Where a term stands."""

    first: int
    last: int
    term: str


def excerpt_of(text: str, rule: TokenRule, around: int = 0, longest: int = LONGEST_TEXT) -> Excerpt:
    """Cut a piece out of a text, about a third of it before a letter, between words."""
    lowered = text.lower() if rule.lowercase else text
    # Few letters have a lower case of another length; places are those of the lower case then.
    shown = text if len(lowered) == len(text) else lowered
    first = max(0, min(around - longest // 3, len(shown) - longest))
    last = min(len(shown), first + longest)
    if first:
        first = _next_space(shown, first, last)
    if last < len(shown):
        space = shown.rfind(" ", last - longest // 8, last)
        last = last if space < 0 else space + 1
    return Excerpt(shown[first:last], lowered[first:last], first == 0, last == len(shown))


def _next_space(text: str, first: int, last: int) -> int:
    space = text.find(" ", first, min(last, first + 40))
    return first if space < 0 else space + 1


def places_of(excerpt: Excerpt, rule: TokenRule, terms: Container[str]) -> Iterator[Place]:
    """Yield where terms begin and end; sequences of words after single words."""
    plain = replace(rule, stop_words=(), ngram_range=(1, 1), min_length=1, characters=False)
    dropped, words, end = set(rule.stop_words), [], 0
    for token in plain.tokens(excerpt.lowered):
        start = excerpt.lowered.find(token, end)
        end = start + len(token)
        if len(token) >= rule.min_length and token not in dropped:
            words.append(Place(start, end, token))
    shortest, longest = rule.ngram_range
    for n in range(shortest, longest + 1):
        pieces = _characters(words, n) if rule.characters else _sequences(words, n)
        yield from (place for place in pieces if place.term in terms)


def _sequences(words: list[Place], n: int) -> Iterator[Place]:
    for i in range(len(words) - n + 1):
        term = " ".join(word.term for word in words[i : i + n]) if n > 1 else words[i].term
        yield Place(words[i].first, words[i + n - 1].last, term)


def _characters(words: list[Place], n: int) -> Iterator[Place]:
    for first, last, token in words:
        for start in range(last - first - n + 1):
            yield Place(first + start, first + start + n, token[start : start + n])


def passages_of(
    excerpt: Excerpt, rule: TokenRule, leads: Mapping[str, float], ranks: Mapping[str, int]
) -> tuple[Passage, ...]:
    """Mark terms and their leads in a piece of a text; where they overlap, the longer one.

    Examples
    --------
    >>> rule = TokenRule()
    >>> passages = passages_of(excerpt_of("Gold, old gold!", rule), rule, {"gold": 1.5}, {})
    >>> [(passage.text, passage.lead) for passage in passages]
    [('Gold', 1.5), (', old ', None), ('gold', 1.5), ('!', None)]
    """
    found = sorted(places_of(excerpt, rule, leads), key=lambda place: place.first - place.last)
    taken, marked = bytearray(len(excerpt.shown)), []
    for place in found:
        if not any(taken[place.first : place.last]):
            taken[place.first : place.last] = b"\1" * (place.last - place.first)
            marked.append(place)
    passages, done = [], 0
    for first, last, term in sorted(marked):
        if first > done:
            passages.append(Passage(excerpt.shown[done:first]))
        passages.append(Passage(excerpt.shown[first:last], leads[term], ranks.get(term)))
        done = last
    if done < len(excerpt.shown):
        passages.append(Passage(excerpt.shown[done:]))
    return tuple(passages)
