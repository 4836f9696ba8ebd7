"""Characters in UTF-8, for compiled loops."""

from typing import Any

import numpy as np

from fsmj._cache import njit


@njit(cache=True, nogil=True)
def next_character(text: Any, at: int, end: int) -> int:
    """Return where the next character starts."""
    at += 1
    while at < end and text[at] & 0xC0 == 0x80:
        at += 1
    return at


@njit(cache=True, nogil=True)
def decoded(text: Any, at: int, end: int) -> Any:
    """Return the character at a place, and where the next one starts."""
    byte = np.int64(text[at])
    more = 3 if byte >= 0xF0 else 2 if byte >= 0xE0 else 1
    point = byte & (0x3F >> more)
    at += 1
    while more > 0 and at < end:
        point = (point << 6) | (np.int64(text[at]) & 0x3F)
        at += 1
        more -= 1
    return min(point, 0x10FFFF), at


@njit(cache=True, nogil=True)
def encoded(point: int, text: Any, at: int) -> int:
    """Write a character, and return where the next one goes."""
    if point < 0x80:
        text[at] = point
        return at + 1
    if point < 0x800:
        text[at] = 0xC0 | (point >> 6)
        text[at + 1] = 0x80 | (point & 0x3F)
        return at + 2
    if point < 0x10000:
        text[at] = 0xE0 | (point >> 12)
        text[at + 1] = 0x80 | ((point >> 6) & 0x3F)
        text[at + 2] = 0x80 | (point & 0x3F)
        return at + 3
    text[at] = 0xF0 | (point >> 18)
    text[at + 1] = 0x80 | ((point >> 12) & 0x3F)
    text[at + 2] = 0x80 | ((point >> 6) & 0x3F)
    text[at + 3] = 0x80 | (point & 0x3F)
    return at + 4
