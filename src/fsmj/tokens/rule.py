r"""TokenRule: what counts as a token, defined once for every engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from operator import index
from typing import Any

from fsmj.tokens.pattern import check, mark_matches, translate

_PATTERN = r"\w+"
_MOST_REPEATS = 16  # beyond, a counted repetition of a large class grows the compiled pattern

# A rule may come with a file, so nothing in it may take for ever.
LONGEST_NGRAM = 16
_LONGEST_TOKEN = 1_000_000
_MOST_STOP_WORDS = 100_000


@dataclass(frozen=True)
class TokenRule:
    r"""How a text is cut into terms.

    The default finds exactly the words of scikit-learn's ``CountVectorizer``. Every engine
    obeys the same rule; only characters newer than an engine's Unicode tables may be seen
    differently.

    Parameters
    ----------
    pattern : str, default=r"\w+"
        A regular expression for a token. ``\w`` is any letter, number or underscore of any
        script. There are no anchors, look-arounds or capturing groups, and no ``\b``: a run of
        ``\w`` ends where the word ends. ``\p{L}`` and the other categories of letters, marks,
        numbers, punctuation, symbols and separators are understood.
    lowercase : bool, default=True
        Whether to lower-case the text first, as Python's `str.lower` does.
    stop_words : iterable of str, or "english", default=()
        Tokens to drop before n-grams are formed; "english" is scikit-learn's list.
    ngram_range : tuple of two ints, default=(1, 1)
        The shortest and the longest sequence of tokens to count, 16 at most; (1, 2) is words
        and pairs.
    min_length : int, default=2
        Drop tokens with fewer characters.
    marks : bool, default=False
        Whether ``\w`` also takes in combining marks. Indic and other scripts need it: their
        vowel signs are marks, and without them words fall apart.
    characters : bool, default=False
        Whether `ngram_range` counts the characters of a token instead of tokens, for languages
        that put no blanks between words: then (1, 2) is each character, and each two that
        follow each other within a token.

    Examples
    --------
    >>> TokenRule().tokens("The naïve approach: a_1 & B2")
    ['the', 'naïve', 'approach', 'a_1', 'b2']
    >>> TokenRule(stop_words=["the"], ngram_range=(1, 2)).tokens("The old man")
    ['old', 'man', 'old man']
    >>> TokenRule(ngram_range=(2, 2), characters=True).tokens("東京都 Oslo")
    ['東京', '京都', 'os', 'sl', 'lo']
    >>> TokenRule.from_json(TokenRule(marks=True).to_json()) == TokenRule(marks=True)
    True
    """

    pattern: str = _PATTERN
    lowercase: bool = True
    stop_words: Iterable[str] = ()
    ngram_range: tuple[int, int] = (1, 1)
    min_length: int = 2
    marks: bool = False
    characters: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_words", _stop_words(self.stop_words))
        object.__setattr__(self, "ngram_range", _ngram_range(self.ngram_range))
        for name in ("lowercase", "marks", "characters"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if not (type(self.min_length) is int and 1 <= self.min_length <= _LONGEST_TOKEN):
            raise ValueError(
                f"min_length must be a whole number from 1 to {_LONGEST_TOKEN:,}, "
                f"not {self.min_length!r}"
            )
        if not isinstance(self.pattern, str):
            raise ValueError(f"pattern must be a string, not {self.pattern!r}")
        if not self.plain:
            check(self.pattern, self.regex)

    @property
    def plain(self) -> bool:
        """Whether tokens are runs of word characters, which need no expression to be found."""
        return self.pattern == _PATTERN

    @cached_property
    def _dropped(self) -> frozenset[str]:
        return frozenset(self.stop_words)

    @property
    def regex(self) -> str:
        """The pattern as RE2 and Java read it."""
        translated = translate(self.pattern, self.marks)
        if not self._foldable:
            return translated
        # Let the pattern itself find only long tokens, which saves a pass over them.
        return f"{translated.removesuffix('+')}{{{self.min_length},}}"

    @property
    def shortest_kept(self) -> int:
        """The length of token to ask for after matching; 1 where the pattern already does."""
        return 1 if self._foldable else self.min_length

    @property
    def _foldable(self) -> bool:
        return self.plain and self.min_length <= _MOST_REPEATS

    def tokens(self, text: str) -> list[str]:
        """Cut one text into its terms, in scikit-learn's order: words, then pairs, and so on."""
        words = self._words(text.lower() if self.lowercase else text)
        kept = [word for word in words
                if len(word) >= self.min_length and word not in self._dropped]  # fmt: skip
        shortest, longest = self.ngram_range
        lengths = range(shortest, longest + 1)
        if self.characters:
            return [
                word[start : start + n]
                for n in lengths
                for word in kept
                for start in range(len(word) - n + 1)
            ]
        if longest == 1:
            return kept
        return [
            " ".join(kept[start : start + n]) for n in lengths for start in range(len(kept) - n + 1)
        ]

    def _words(self, text: str) -> list[str]:
        """Find the tokens of a text that has been lower-cased."""
        if not self.plain:
            import pyarrow as pa

            marked, mark = mark_matches(pa.array([text]), self.regex)
            return str(marked[0].as_py()).split(mark)[1::2]
        if self.marks:
            from fsmj.tokens.characters import marked_words

            return marked_words().findall(text)
        return re.findall(r"\w+", text)

    def to_json(self) -> str:
        """Write the rule as JSON, to keep it with a model."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> TokenRule:
        """Read a rule that `to_json` has written."""
        try:
            values = json.loads(text)
        except ValueError as reason:
            raise ValueError(f"this is not a token rule in JSON: {reason}") from None
        except RecursionError:
            raise ValueError("this is not a token rule in JSON: it is nested too deeply") from None
        known = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or not known.issuperset(values):
            raise ValueError(f"a token rule in JSON has the fields {', '.join(sorted(known))}")
        return cls(**values)


def _stop_words(words: Any) -> tuple[str, ...]:
    if isinstance(words, str):
        if words != "english":
            raise ValueError(f'stop_words must be a list of words, or "english", not {words!r}')
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = ENGLISH_STOP_WORDS
    try:
        found = tuple(sorted(set(words or ())))
    except TypeError:
        found = (None,)
    if not all(isinstance(word, str) for word in found):
        raise ValueError('stop_words must be a list of words, or "english"')
    if len(found) > _MOST_STOP_WORDS:
        raise ValueError(f"there are at most {_MOST_STOP_WORDS:,} stop words, not {len(found):,}")
    return found


def _ngram_range(ngram_range: Any) -> tuple[int, int]:
    try:
        shortest, longest = map(index, ngram_range)
    except (TypeError, ValueError):
        shortest = longest = 0
    if not 1 <= shortest <= longest <= LONGEST_NGRAM:
        raise ValueError(
            f"ngram_range must be two numbers such as (1, 2), at most {LONGEST_NGRAM}, "
            f"not {ngram_range!r:.60}"
        )
    return shortest, longest


WORDS = TokenRule()
"""The words of ``CountVectorizer``."""
