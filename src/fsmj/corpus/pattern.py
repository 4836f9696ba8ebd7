r"""One pattern for three regular expression engines: Python's, RE2 and Java's.

``\w``, ``\d``, ``\s`` and ``.`` mean different characters in each of them, and each has
constructs that another one lacks. A pattern is therefore read here, once, and written out for
each engine with explicit characters; what could differ between engines is refused.
"""

import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

_SPACES = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CATEGORY = re.compile(r"\{(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}")
_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}")
_LONGEST_COUNT = 1000  # RE2 accepts no more
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


@dataclass(frozen=True)
class Dialect:
    """How an engine writes a character, and the characters of a Unicode category."""

    character: Callable[[str], str]
    category: Callable[[str], str]


@cache
def _categories() -> dict[str, str]:
    """Return the code points of each Unicode category as ranges of Python's character classes."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    start, last = 0, unicodedata.category("\0")
    for point in range(1, sys.maxunicode + 2):
        now = unicodedata.category(chr(point)) if point <= sys.maxunicode else ""
        if now != last:
            ranges.setdefault(last, []).append((start, point - 1))
            start, last = point, now
    return {
        name: "".join(f"\\U{first:08x}-\\U{end:08x}" for first, end in found)
        for name, found in ranges.items()
    }


def _python_category(name: str) -> str:
    return "".join(found for key, found in _categories().items() if key.startswith(name))


def _braced(character: str) -> str:
    return (
        character if character.isascii() and character.isalnum() else f"\\x{{{ord(character):x}}}"
    )


PYTHON = Dialect(
    lambda character: f"\\U{ord(character):08x}" if not character.isalnum() else character,
    _python_category,
)
RE2_AND_JAVA = Dialect(_braced, lambda name: f"\\p{{{name}}}")


def translate(pattern: str, dialect: Dialect, marks: bool = False) -> str:
    r"""Write a token pattern for one engine.

    Parameters
    ----------
    pattern : str
        Characters, classes such as ``[\w-]``, ``\w \d \s``, Unicode categories such as ``\p{L}``,
        ``*`` ``+`` ``?`` ``{2,5}`` and their lazy forms, ``|`` and ``(?:...)``.
    dialect : Dialect
        The engine to write for.
    marks : bool, default=False
        Whether ``\w`` takes in combining marks.

    Examples
    --------
    >>> translate(r"\w+", RE2_AND_JAVA)
    '[\\p{L}\\p{N}_]+'
    """
    return _Translator(pattern, dialect, marks).whole()


class _Translator:
    """Reads a pattern from left to right and collects what to write."""

    def __init__(self, pattern: str, dialect: Dialect, marks: bool) -> None:
        self.pattern = pattern
        self.at = 0
        self.dialect = dialect
        # Python's \w is fast and means what the categories L and N and the underscore mean.
        word = r"\w" if dialect is PYTHON else dialect.category("L") + dialect.category("N") + "_"
        digit = r"\d" if dialect is PYTHON else dialect.category("Nd")
        self.shorthands = {
            "w": word + (dialect.category("M") if marks else ""),
            "d": digit,
            "s": "".join(c if c == "-" else dialect.character(c) for c in _SPACES),
        }

    def whole(self) -> str:
        out, repeatable = [], False
        while self.at < len(self.pattern):
            piece, repeatable = self._piece(repeatable)
            out.append(piece)
        return "".join(out)

    def _refuse(self, why: str) -> ValueError:
        return ValueError(f"the token pattern {self.pattern!r} {why}")

    def _piece(self, repeatable: bool) -> tuple[str, bool]:
        """Return the next piece, and whether it can be repeated."""
        char = self._next()
        count = _COUNT.match(self.pattern, self.at - 1) if char == "{" else None
        if char in "*+?" or count:
            if not repeatable:
                raise self._refuse(f"repeats nothing, or repeats a repetition, at {self.at - 1}")
            return self._repetition(char, count), False
        if char == "\\":
            return self._escape(), True
        if char == "[":
            return self._class(), True
        if char == "(":
            if not self.pattern.startswith("?:", self.at):
                raise self._refuse("has a group other than (?:...), which not every engine knows")
            self.at += 2
            return "(?:", False
        if char in "^$":
            raise self._refuse(f"has the anchor {char}; a token may start anywhere")
        if char == ".":
            return f"[^{self.dialect.character(chr(10))}]", True
        if char in "|)":
            return char, char == ")"
        return self.dialect.character(char), True

    def _next(self) -> str:
        if self.at == len(self.pattern):
            raise self._refuse("ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def _repetition(self, char: str, count: re.Match[str] | None) -> str:
        if count:
            self.at = count.end()
            char = count.group()
            if max(int(n) for n in (count[1], count[3] or 0)) > _LONGEST_COUNT:
                raise self._refuse(f"counts beyond {_LONGEST_COUNT} in {char}")
        if self.pattern.startswith("?", self.at):
            self.at += 1
            return char + "?"
        return char

    def _escape(self) -> str:
        char = self._next()
        if char in "wds":
            return f"[{self.shorthands[char]}]"
        if char in "WDS":
            return f"[^{self.shorthands[char.lower()]}]"
        if char == "p":
            return f"[{self._category()}]"
        if char in "bB":
            raise self._refuse(
                r"has \b, which engines see differently; leave it out: \w+ ends where a word ends"
            )
        return self.dialect.character(self._literal(char))

    def _literal(self, char: str) -> str:
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char.isalnum():
            raise self._refuse(f"has the escape \\{char}, which not every engine knows")
        return char

    def _category(self) -> str:
        found = _CATEGORY.match(self.pattern, self.at)
        if not found:
            raise self._refuse(r"has a \p without a category of characters such as \p{L} or \p{Lu}")
        self.at = found.end()
        return self.dialect.category(found[1])

    def _class(self) -> str:
        """Translate a character class, its opening bracket already read."""
        out = ["["]
        if self.pattern.startswith("^", self.at):
            self.at += 1
            out.append("^")
        first = True
        while first or not self.pattern.startswith("]", self.at):
            first = False
            item, is_character = self._class_item()
            if is_character and self.pattern[self.at : self.at + 1] == "-" and (
                self.pattern[self.at + 1 : self.at + 2] not in ("]", "")
            ):  # fmt: skip
                self.at += 1
                end, is_character = self._class_item()
                if not is_character:
                    raise self._refuse("has a range that ends in several characters")
                item += "-" + end
            out.append(item)
        self.at += 1
        return "".join([*out, "]"])

    def _class_item(self) -> tuple[str, bool]:
        char = self._next()
        if char != "\\":
            return self.dialect.character(char), True
        char = self._next()
        if char in "wds":
            return self.shorthands[char], False
        if char in "WDS":
            raise self._refuse(rf"has \{char} inside brackets; write categories such as \p{{L}}")
        if char == "p":
            return self._category(), False
        return self.dialect.character(self._literal(char)), True
