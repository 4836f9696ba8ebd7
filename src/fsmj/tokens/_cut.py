"""The compiled cut: bytes of UTF-8 to tokens to numbered terms, document by document.

Terms live in an open-addressing table. A slot holds a key and the term's number from 1 on, 0 where
it is free. Up to seven bytes, a key is the term itself: its bytes and their number. Beyond, it is a
hash and negative, and where keys agree, the terms are compared in full. A term is a piece of the
document's kept tokens joined by blanks: a token, some of them in a row, or some characters of one.

Tokens are found some hundreds at a time, taken together to pieces, then looked up. Larger arrays
take the place of full ones only between these loops, and the loops get their arrays one by one:
the compiler counts the references to an array that a loop replaces, takes out of a tuple, or
hands to another function, and for every byte or token that costs more than the work itself.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit
from fsmj.tokens._utf8 import decoded, encoded, next_character
from fsmj.tokens.characters import BREAK

LONGEST = 16  # of n-grams; a power of two
_HASH = -3750763034362895579  # FNV's offset and prime, as signed numbers
_PRIME = 1099511628211
_MIX = -7046029254386353131  # an odd number near 2**64 / golden ratio
_POSITIVE = 0x7FFFFFFFFFFFFFFF
_SHORT = 7  # bytes that fit into a key beside their number
_TOKENS = 512  # found at a time

# For what only compiled code calls: without ways in from Python and C it compiles quicker.
_WITHOUT_WAYS_IN: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_inner = njit(**_WITHOUT_WAYS_IN)


class Terms(NamedTuple):
    """A growing table of numbered terms."""

    slots: NDArray[np.int64]  # pairs: key, and number + 1
    starts: NDArray[np.int64]  # where each term's bytes start, and the last ones end
    letters: NDArray[np.uint8]
    here: NDArray[np.int32]  # how often each term occurs in the document at hand
    size: NDArray[np.int64]  # of one: how many terms there are


def no_terms() -> Terms:
    """Return an empty table."""
    return Terms(
        slots=np.zeros((1 << 12, 2), np.int64),
        starts=np.zeros((1 << 11) + 1, np.int64),
        letters=np.empty(1 << 14, np.uint8),
        here=np.zeros(1 << 11, np.int32),
        size=np.zeros(1, np.int64),
    )


@_inner
def _longer(array: Any, size: int, used: int) -> Any:
    """Return an array of another size with the same beginning."""
    longer = np.empty(size, array.dtype)
    for i in range(used):  # a slice takes a second to compile
        longer[i] = array[i]
    return longer


@_inner
def _with_room(terms: Terms, more_terms: int, more_bytes: int) -> Terms:
    """Return a table with room for more terms; at most half of its slots are ever taken."""
    size = terms.size[0]
    slots, starts, letters, here = terms.slots, terms.starts, terms.letters, terms.here
    if size + more_terms > len(here):
        capacity = len(here)
        while size + more_terms > capacity:
            capacity *= 2
        starts = _longer(starts, capacity + 1, size + 1)
        here = np.zeros(capacity, np.int32)
        for t in range(size):
            here[t] = terms.here[t]
        slots = np.zeros((2 * capacity, 2), np.int64)
        mask = len(slots) - 1
        for s in range(len(terms.slots)):
            if terms.slots[s, 1] != 0:
                at = _home(terms.slots[s, 0]) & mask
                while slots[at, 1] != 0:
                    at = (at + 1) & mask
                slots[at, 0], slots[at, 1] = terms.slots[s, 0], terms.slots[s, 1]
    used = starts[size]
    if used + more_bytes > len(letters):
        letters = _longer(letters, 2 * (used + more_bytes), used)
    return Terms(slots, starts, letters, here, terms.size)


@_inner
def _home(key: int) -> int:
    """Return where to look for a key first, as a number to be cut to the size of the table."""
    # A product's bits depend on lower ones only, so the first letters are mixed in twice.
    h = (key ^ (key >> 29)) * _MIX
    return (h ^ (h >> 32)) * _MIX >> 32


@_inner
def _key_of(letters: Any, start: int, end: int) -> int:
    """Return the key of a term."""
    key = 0
    if end - start <= _SHORT:
        for i in range(start, end):
            key = (key << 8) | letters[i]
        return key | ((end - start) << 56)
    key = _HASH
    for i in range(start, end):
        key = (key ^ letters[i]) * _PRIME
    return -1 - (key & _POSITIVE)


@njit(cache=True, nogil=True)
def _number_all(
    slots: Any, starts: Any, letters: Any, size: Any,
    text: Any, pieces: Any, n_pieces: int, add: bool,
) -> None:  # fmt: skip
    """Replace the key of each piece of a text by the number of its term.

    A new term is added, or its number is -1. Calls nothing that takes an array, see above.
    """
    mask = len(slots) - 1
    for p in range(n_pieces):
        start, length, key = pieces[p, 0], pieces[p, 1] - pieces[p, 0], pieces[p, 2]
        at = _home(key) & mask
        number = -1
        while slots[at, 1] != 0:
            if slots[at, 0] == key:
                number = slots[at, 1] - 1
                if key >= 0:
                    break
                first, same = starts[number], 0
                if starts[number + 1] - first == length:
                    while same < length and letters[first + same] == text[start + same]:
                        same += 1
                    if same == length:
                        break
                number = -1
            at = (at + 1) & mask
        if number < 0 and add:
            number = size[0]
            slots[at, 0] = key
            slots[at, 1] = number + 1
            first = starts[number]
            for i in range(length):
                letters[first + i] = text[start + i]
            starts[number + 1] = first + length
            size[0] = number + 1
        pieces[p, 2] = number


@njit(cache=True, nogil=True)
def add_terms(terms: Terms, texts: Any, offsets: Any) -> Terms:
    """Number whole texts as terms, in their order; equal ones get one number."""
    n_texts = len(offsets) - 1
    terms = _with_room(terms, n_texts, len(texts))
    pieces = np.empty((n_texts, 4), np.int64)
    for s in range(n_texts):
        pieces[s, 0], pieces[s, 1] = offsets[s], offsets[s + 1]
        pieces[s, 2] = _key_of(texts, offsets[s], offsets[s + 1])
    _number_all(terms.slots, terms.starts, terms.letters, terms.size, texts, pieces, n_texts, True)
    return terms


@njit(cache=True, nogil=True)
def cut(
    texts: Any,
    offsets: Any,
    becomes: Any,
    marked: bool,
    min_length: int,
    shortest: int,
    longest: int,
    characters: bool,
    dropped: Terms,
    terms: Terms,
    add: bool,
    stop: Any,
) -> Any:
    """Cut documents into terms, and count the terms of each.

    Parameters
    ----------
    texts, offsets : ndarray
        UTF-8; document d is ``texts[offsets[d] : offsets[d + 1]]``.
    becomes : ndarray
        The character that each one becomes, or `BREAK`. Only ASCII is needed for ASCII texts.
    marked : bool
        Whether a break stands at both ends of every token; otherwise tokens are what is left
        between breaks.
    min_length, shortest, longest, characters
        As in `TokenRule`.
    dropped : Terms
        The stop words.
    terms : Terms
        The terms so far.
    add : bool
        Whether to add new terms; otherwise they are left out.
    stop : ndarray of shape (1,)
        As soon as this is not 0, the result is of no use any more.

    Returns
    -------
    rows : ndarray of shape (n_docs + 1,)
        Where each document starts in the following ones.
    numbers, counts : ndarray
        The terms of each document, in no order, and how often they occur.
    terms : Terms
        The table, with the new terms.
    """
    n_docs = len(offsets) - 1
    rows = np.zeros(n_docs + 1, np.int64)
    numbers = np.empty(1024 + len(texts) // 8, np.int32)
    counts = np.empty(len(numbers), np.int32)
    longest_text = 0
    for d in range(n_docs):
        longest_text = max(longest_text, offsets[d + 1] - offsets[d])
    # Lower-casing turns two bytes into three at most; a blank follows each token.
    joined = np.empty(2 * longest_text + 8, np.uint8)
    # Begin, end, key and length of tokens; the last ones before these come first.
    tokens = np.empty((LONGEST + _TOKENS, 4), np.int64)
    pieces = np.empty((LONGEST + _TOKENS, 4), np.int64)  # begin, end and key, as of tokens
    single = longest == 1 and not characters  # then tokens are the pieces
    filled = 0
    for d in range(n_docs):
        if stop[0] != 0:
            break
        at, end, inside = offsets[d], offsets[d + 1], not marked
        here, known = np.int64(0), np.int64(0)  # whose kind is known at once
        while at < end and stop[0] == 0:
            n_tokens, at, here, inside = _find(
                texts, at, end, becomes, marked, inside, min_length,
                dropped.slots, dropped.size, dropped.starts, dropped.letters,
                joined, here, tokens, known,
            )  # fmt: skip
            n_pieces, n_bytes, listed = n_tokens, here, tokens
            if not single:
                n_pieces, n_bytes = _extent(tokens, known, n_tokens, shortest, longest, characters)
                if n_pieces > len(pieces):
                    pieces = np.empty((2 * n_pieces, 4), np.int64)
                _take_pieces(joined, tokens, known, n_tokens, shortest, longest, characters, pieces)
                listed = pieces
            if add:
                terms = _with_room(terms, n_pieces, n_bytes)
            while filled + n_pieces > len(numbers):
                numbers = _longer(numbers, 2 * len(numbers), filled)
            _number_all(
                terms.slots, terms.starts, terms.letters, terms.size,
                joined, listed, n_pieces, add,
            )  # fmt: skip
            filled = _tally(listed, n_pieces, terms.here, numbers, filled)
            before, known = n_tokens, np.int64(0 if single else min(n_tokens, LONGEST))
            for i in range(known):
                for field in range(4):
                    tokens[i, field] = tokens[before - known + i, field]
        if len(counts) < len(numbers):
            counts = _longer(counts, len(numbers), rows[d])
        for i in range(rows[d], filled):
            counts[i] = terms.here[numbers[i]]
            terms.here[numbers[i]] = 0
        rows[d + 1] = filled
    return rows, numbers[:filled], counts[:filled], terms


@_inner
def _find(
    texts: Any,
    at: int,
    end: int,
    becomes: Any,
    marked: bool,
    inside: bool,
    min_length: int,
    slots: Any,
    size: Any,
    starts: Any,
    letters: Any,
    joined: Any,
    here: int,
    tokens: Any,
    n_tokens: int,
) -> Any:
    """Find the next tokens, until there are enough, and copy them; return where this has come.

    The four arrays after `min_length` are the stop words'.
    """
    begin, length, packed = here, 0, 0
    while n_tokens < len(tokens):
        point: Any = np.int64(BREAK)
        if at < end:
            byte = texts[at]
            if byte < 128:
                point = np.int64(becomes[byte])
                at += 1
                if 0 <= point < 128:  # by far the most common case
                    if inside:
                        joined[here] = point
                        here += 1
                        length += 1
                        packed = (packed << 8) | point
                    continue
            else:
                point, at = decoded(texts, at, end)
                point = np.int64(becomes[point])
        elif length == 0:
            break
        if point != BREAK:
            if inside:
                start = here
                here = encoded(point, joined, here)
                length += 1
                for i in range(start, here):
                    packed = (packed << 8) | joined[i]
            continue
        if marked:
            inside = not inside
        if length >= min_length:
            tokens[n_tokens, 0] = begin
            tokens[n_tokens, 1] = here
            # As `_key_of` would: the bytes of a short token have been put together already.
            key = packed | ((here - begin) << 56)
            if here - begin > _SHORT:
                key = _HASH
                for i in range(begin, here):
                    key = (key ^ joined[i]) * _PRIME
                key = -1 - (key & _POSITIVE)
            tokens[n_tokens, 2] = key
            tokens[n_tokens, 3] = length
            if size[0] > 0:
                _number_all(
                    slots, starts, letters, size, joined, tokens[n_tokens : n_tokens + 1], 1, False
                )
                length = min_length if tokens[n_tokens, 2] < 0 else 0
                tokens[n_tokens, 2] = key
        if length >= min_length:
            n_tokens += 1
            joined[here] = 32
            here += 1
            begin = here
        here, length, packed = begin, 0, 0
    return n_tokens, at, here, inside


@_inner
def _extent(
    tokens: Any, known: int, n_tokens: int, shortest: int, longest: int, characters: bool
) -> Any:
    """Return how many pieces end in the tokens from `known` on, and how many bytes at most."""
    n_pieces = n_bytes = 0
    for k in range(known, n_tokens):
        for n in range(shortest, longest + 1):
            if characters:
                more = max(tokens[k, 3] - n + 1, 0)
                n_pieces += more
                n_bytes += more * 4 * n
            elif n <= k + 1:
                n_pieces += 1
                n_bytes += tokens[k, 1] - tokens[k - n + 1, 0]
    return n_pieces, n_bytes


@_inner
def _take_pieces(
    joined: Any,
    tokens: Any,
    known: int,
    n_tokens: int,
    shortest: int,
    longest: int,
    characters: bool,
    pieces: Any,
) -> None:
    """List the pieces that end in the tokens from `known` on: n-grams of tokens or characters."""
    filled = 0
    for k in range(known, n_tokens):
        begin, end = tokens[k, 0], tokens[k, 1]
        for n in range(shortest, longest + 1):
            if n > (tokens[k, 3] if characters else k + 1):
                break
            first, last = tokens[k if characters else k - n + 1, 0], end
            if characters:
                last = begin
                for _ in range(n):
                    last = next_character(joined, last, end)
            while True:
                pieces[filled, 0] = first
                pieces[filled, 1] = last
                pieces[filled, 2] = tokens[k, 2]
                if last - first != end - begin:
                    pieces[filled, 2] = _key_of(joined, first, last)
                filled += 1
                if last == end:
                    break
                first = next_character(joined, first, end)
                last = next_character(joined, last, end)


@_inner
def _tally(pieces: Any, n_pieces: int, here: Any, numbers: Any, filled: int) -> int:
    """Count the numbered pieces of a document, and list those that are new to it."""
    for p in range(n_pieces):
        number = pieces[p, 2]
        if number >= 0:
            if here[number] == 0:
                numbers[filled] = number
                filled += 1
            here[number] += 1
    return filled
