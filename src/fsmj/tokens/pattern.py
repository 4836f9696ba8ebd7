r"""One pattern for two regular expression engines, RE2 and Java's, and what RE2 finds by it.

``\w``, ``\d``, ``\s`` and ``.`` mean different characters in different engines, and each has
constructs that another one lacks. A pattern is therefore read here, once, and written out with
explicit characters; what could differ between engines is refused. No pattern meets Python's own
engine, which may take for ever on a pattern that comes with a file.
"""

from __future__ import annotations

import re
from typing import Any

from fsmj._extras import from_extras

_SPACES = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CATEGORY = re.compile(r"\{(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}")
_COUNT = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_LONGEST_COUNT = 1000  # RE2 accepts no more
_LONGEST_PATTERN = 2000
_DEEPEST = 50  # Java's engine calls itself for each group within a group
_MARK = "\U0010fffd"  # for private use: hardly any text has it
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


def literal(text: str) -> str:
    """Write characters so that no engine takes them for anything else."""
    return "".join(
        one if one.isascii() and one.isalnum() else f"\\x{{{ord(one):x}}}" for one in text
    )


def translate(pattern: str, marks: bool = False) -> str:
    r"""Write a token pattern as RE2 and Java read it; with marks, ``\w`` takes in combining marks.

    It has characters, classes such as ``[\w-]``, ``\w \d \s``, Unicode categories such as
    ``\p{L}``, ``*`` ``+`` ``?`` ``{2,5}`` and their lazy forms, ``|`` and ``(?:...)``.

    Examples
    --------
    >>> translate(r"\w+")
    '[\\p{L}\\p{N}_]+'
    """
    return _Translator(pattern, marks).whole()


def check(pattern: str, regex: str) -> None:
    """Refuse a translated pattern that RE2 cannot use, or that finds tokens without letters."""
    with from_extras():
        import pyarrow as pa
        import pyarrow.compute as pc

    try:
        empty = pc.match_substring_regex(pa.array([""]), regex)[0].as_py()
    except pa.ArrowInvalid as reason:
        why = str(reason).removeprefix("Invalid regular expression: ")
        raise ValueError(f"the token pattern {pattern!r} is wrong: {why}") from None
    if empty:
        raise ValueError(
            f"the token pattern {pattern!r} matches the empty text; use + instead of *"
        )


def mark_matches(texts: Any, regex: str) -> tuple[Any, str]:
    """Put a mark before and after each match in an Arrow array of strings; return it, too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    mark = _MARK
    if pc.any(pc.match_substring(texts, mark)).as_py():
        taken = set().union(*texts.to_pylist())
        mark = next(chr(point) for point in range(ord(_MARK), 0, -1) if chr(point) not in taken)
    # Marks make texts longer than they were, and 32 bits may have been just enough for these.
    texts = texts.cast(pa.large_string())
    replacement = f"{mark}\\0{mark}"
    return pc.replace_substring_regex(texts, pattern=regex, replacement=replacement), mark


class _Translator:
    """Reads a pattern from left to right and collects what to write."""

    def __init__(self, pattern: str, marks: bool) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.shorthands = {
            "w": r"\p{L}\p{N}_" + (r"\p{M}" if marks else ""),
            "d": r"\p{Nd}",
            "s": "".join(c if c == "-" else literal(c) for c in _SPACES),
        }

    def whole(self) -> str:
        if len(self.pattern) > _LONGEST_PATTERN:
            raise ValueError(f"a token pattern has at most {_LONGEST_PATTERN:,} characters")
        out, repeatable = [], False
        while self.at < len(self.pattern):
            piece, repeatable = self._piece(repeatable)
            out.append(piece)
        return "".join(out)

    def _refuse(self, why: str) -> ValueError:
        shown = self.pattern if len(self.pattern) <= 60 else f"{self.pattern[:57]}..."
        return ValueError(f"the token pattern {shown!r} {why}")

    def _piece(self, repeatable: bool) -> tuple[str, bool]:
        """Return the next piece, and whether it can be repeated."""
        char = self._next()
        count = _COUNT.match(self.pattern, self.at - 1) if char == "{" else None
        if char in "*+?" or count:
            if not repeatable:
                raise self._refuse(f"repeats nothing, or repeats a repetition, at {self.at - 1}")
            return self._repetition(char, count), False
        if char == "\\":
            following = self.pattern[self.at : self.at + 1]
            if following in set("WDS"):
                self.at += 1
                return f"[^{self.shorthands[following.lower()]}]", True
            if following in set("bB"):
                raise self._refuse(
                    r"has \b, which engines see differently; leave it out: \w+ ends where a word "
                    "ends"
                )
            item, is_character = self._item(char)
            return item if is_character else f"[{item}]", True
        if char == "[":
            return self._class(), True
        if char == "(":
            if not self.pattern.startswith("?:", self.at):
                raise self._refuse("has a group other than (?:...), which not every engine knows")
            self.at += 2
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._refuse(f"has more than {_DEEPEST} groups within each other")
            return "(?:", False
        if char in "^$":
            raise self._refuse(f"has the anchor {char}; a token may start anywhere")
        if char == ".":
            return f"[^{literal(chr(10))}]", True
        if char in "|)":
            self.depth -= char == ")"
            return char, char == ")"
        return literal(char), True

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

    def _item(self, char: str) -> tuple[str, bool]:
        """Return what may stand in a class, and whether it is one character; it begins so."""
        if char != "\\":
            return literal(char), True
        char = self._next()
        if char in "wds":
            return self.shorthands[char], False
        if char == "p":
            found = _CATEGORY.match(self.pattern, self.at)
            if not found:
                raise self._refuse(
                    r"has a \p without a category of characters such as \p{L} or \p{Lu}"
                )
            self.at = found.end()
            return f"\\p{{{found[1]}}}", False
        if char.isalnum() and char not in _CONTROLS:
            raise self._refuse(f"has the escape \\{char}, which not every engine knows")
        return literal(_CONTROLS.get(char, char)), True

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
        following = self.pattern[self.at : self.at + 1]
        if char == "\\" and following in set("WDS"):
            raise self._refuse(
                rf"has \{following} inside brackets; write categories such as \p{{L}}"
            )
        return self._item(char)
