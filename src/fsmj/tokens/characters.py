"""Tables that say what becomes of each character: Python's own idea of it, for compiled loops."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

N_ASCII = 128
BREAK = -1  # in a table: this character is no part of a token
_SURROGATES = slice(0xD800, 0xE000)  # of UTF-16; they are no characters

# The only character that becomes two, and the only one whose lower case depends on its place.
# A test asks Python whether this is so.
LOWERED_BY_CONTEXT = ("İ", "Σ")


@cache
def word_table(size: int, lowercase: bool, marks: bool) -> NDArray[np.int32]:
    r"""Return what each character becomes: itself, its lower case, or `BREAK` if it is not `\w`.

    There are as many as `size`: `N_ASCII`, which takes no time to make, or `every_character`.
    With `marks`, combining marks belong to words.
    """
    points = np.arange(size, dtype=np.int32)
    points[_SURROGATES] = ord(" ")
    after = points.tobytes().decode("utf-32-le")
    if lowercase:
        for character in LOWERED_BY_CONTEXT:  # texts with these are lower-cased beforehand
            after = after.replace(character, character.lower()[0])
        after = after.lower()
    table = np.frombuffer(after.encode("utf-32-le"), np.int32).copy()
    # Whether something is a word is asked after lower-casing.
    is_word = np.zeros(size, bool)
    for run in re.finditer(r"\w+", after):
        is_word[run.start() : run.end()] = True
    if marks:
        categories = map(unicodedata.category, after)
        is_word |= np.fromiter((name[0] == "M" for name in categories), bool, size)
    table[~is_word] = BREAK
    table.flags.writeable = False
    return table


@cache
def marked_words() -> re.Pattern[str]:
    """Return Python's expression for words that take in combining marks."""
    is_word = word_table(every_character(), False, True) != BREAK
    edges = np.flatnonzero(np.diff(is_word, prepend=False, append=False)).reshape(-1, 2)
    ranges = (f"\\U{first:08x}-\\U{end - 1:08x}" for first, end in edges.tolist())
    return re.compile(f"[{''.join(ranges)}]+")


@cache
def mark_table(mark: str) -> NDArray[np.int32]:
    """Return a table in which each character stays itself, but for the mark between tokens."""
    table = np.arange(every_character(), dtype=np.int32)
    table[ord(mark)] = BREAK
    table.flags.writeable = False
    return table


def every_character() -> int:
    """Return the number of characters in Unicode."""
    return sys.maxunicode + 1
