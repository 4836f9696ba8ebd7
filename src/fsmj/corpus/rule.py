r"""TokenRule: what counts as a token, defined once for every engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from fsmj.corpus.pattern import PYTHON, RE2_AND_JAVA, translate

_WORDS = r"\w+"
_MOST_REPEATS = 16  # beyond, a counted repetition of a large class grows the compiled pattern


@dataclass(frozen=True)
class TokenRule:
    r"""How a text is cut into terms.

    The default finds exactly the words of scikit-learn's ``CountVectorizer``. Every engine
    (Python, DuckDB, Spark) obeys the same rule; only characters newer than an engine's Unicode
    tables may be seen differently.

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
        The shortest and the longest sequence of tokens to count; (1, 2) is words and pairs.
    min_length : int, default=2
        Drop tokens with fewer characters.
    marks : bool, default=False
        Whether ``\w`` also takes in combining marks. Indic and other scripts need it: their
        vowel signs are marks, and without them words fall apart.

    Examples
    --------
    >>> TokenRule().tokens("The naïve approach: a_1 & B2")
    ['the', 'naïve', 'approach', 'a_1', 'b2']
    >>> TokenRule(stop_words=["the"], ngram_range=(1, 2)).tokens("The old man")
    ['old', 'man', 'old man']
    >>> TokenRule.from_json(TokenRule(marks=True).to_json()) == TokenRule(marks=True)
    True
    """

    pattern: str = _WORDS
    lowercase: bool = True
    stop_words: Iterable[str] = ()
    ngram_range: tuple[int, int] = (1, 1)
    min_length: int = 2
    marks: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_words", _stop_words(self.stop_words))
        object.__setattr__(self, "ngram_range", _ngram_range(self.ngram_range))
        for name in ("lowercase", "marks"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if not isinstance(self.min_length, int) or self.min_length < 1:
            raise ValueError(
                f"min_length must be a whole number from 1 on, not {self.min_length!r}"
            )
        if not isinstance(self.pattern, str):
            raise ValueError(f"pattern must be a string, not {self.pattern!r}")
        if self._compiled.fullmatch(""):
            raise ValueError(
                f"the token pattern {self.pattern!r} matches nothing at all; use + instead of *"
            )

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        try:
            return re.compile(self._folded(translate(self.pattern, PYTHON, self.marks)))
        except re.error as reason:
            raise ValueError(f"the token pattern {self.pattern!r} is wrong: {reason}") from None

    @cached_property
    def _dropped(self) -> frozenset[str]:
        return frozenset(self.stop_words)

    @property
    def regex(self) -> str:
        """The pattern as RE2 and Java read it."""
        return self._folded(translate(self.pattern, RE2_AND_JAVA, self.marks))

    @property
    def shortest_kept(self) -> int:
        """The length of token to ask for after matching; 1 where the pattern already does."""
        return 1 if self._foldable else self.min_length

    @property
    def _foldable(self) -> bool:
        return self.pattern == _WORDS and self.min_length <= _MOST_REPEATS

    def _folded(self, translated: str) -> str:
        """Let the pattern itself find only long tokens, which saves a pass over them."""
        if not self._foldable:
            return translated
        return f"{translated.removesuffix('+')}{{{self.min_length},}}"

    def tokens(self, text: str) -> list[str]:
        """Cut one text into its terms, in scikit-learn's order: words, then pairs, and so on."""
        words = self._compiled.findall(text.lower() if self.lowercase else text)
        if self.shortest_kept > 1:
            words = [word for word in words if len(word) >= self.min_length]
        if self._dropped:
            words = [word for word in words if word not in self._dropped]
        shortest, longest = self.ngram_range
        if longest == 1:
            return words
        return [
            " ".join(words[start : start + n])
            for n in range(shortest, longest + 1)
            for start in range(len(words) - n + 1)
        ]

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
        return tuple(sorted(set(words or ())))
    except TypeError:
        raise ValueError('stop_words must be a list of words, or "english"') from None


def _ngram_range(ngram_range: Any) -> tuple[int, int]:
    try:
        shortest, longest = ngram_range
        if 1 <= int(shortest) == shortest <= int(longest) == longest:
            return int(shortest), int(longest)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"ngram_range must be two numbers such as (1, 2), not {ngram_range!r}")
