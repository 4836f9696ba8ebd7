"""A compiled table of numbered terms, which are looked up some hundreds at a time.

It is open addressing. A slot holds a key and the term's number from 1 on, 0 where it is free. Up
to seven bytes, a key is the term itself: its bytes and their number. Beyond, it is a hash and
negative, and where keys agree, the terms are compared in full.

Bytes are looked at eight at a time, so every array of them is eight longer than what it holds.
Larger arrays take the place of full ones only between the loops, and the loops get their arrays
one by one: the compiler counts the references to an array that a loop replaces, takes out of a
tuple, or hands to another function, and for every byte or token that costs more than the work.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit
from fsmj.tokens._instructions import eight, fetch

EIGHT = 8  # bytes that are looked at together, and bytes to spare at the end of an array
BEGIN, END, KEY, NUMBER = range(4)  # what is known of a piece of text
_AHEAD = 12  # how far ahead slots are fetched
_CHUNK = 4096  # terms that are added at a time
_SHORT = 7  # bytes that fit into a key beside their number
# Without a sign: of numbers with one the compiler believes that they never overflow.
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number near 2**64 / golden ratio
_1, _8, _29, _32, _56, _63 = (np.uint64(n) for n in (1, 8, 29, 32, 56, 63))
_LONG = _1 << _63  # set in keys of long terms

# For what only compiled code calls: without ways in from Python and C it compiles quicker.
_WITHOUT_WAYS_IN: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(**_WITHOUT_WAYS_IN)


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


@inner
def longer(array: Any, size: int, used: int) -> Any:
    """Return an array of another size with the same beginning."""
    copy = np.empty(size, array.dtype)
    for i in range(used):  # a slice takes a second to compile
        copy[i] = array[i]
    return copy


@inner
def with_room(terms: Terms, more_terms: int, more_bytes: int) -> Terms:
    """Return a table with room for more terms; at most half of its slots are ever taken."""
    size = terms.size[0]
    slots, starts, letters, here = terms.slots, terms.starts, terms.letters, terms.here
    if size + more_terms > len(here):
        capacity = len(here)
        while size + more_terms > capacity:
            capacity *= 2
        starts = longer(starts, capacity + 1, size + 1)
        here = np.zeros(capacity, np.int32)
        for t in range(size):
            here[t] = terms.here[t]
        slots = np.zeros((2 * capacity, 2), np.int64)
        mask = len(slots) - 1
        for s in range(len(terms.slots)):
            if terms.slots[s, 1] != 0:
                at = _home(np.uint64(terms.slots[s, 0])) & mask
                while slots[at, 1] != 0:
                    at = (at + 1) & mask
                slots[at, 0], slots[at, 1] = terms.slots[s, 0], terms.slots[s, 1]
    used = starts[size]
    if used + more_bytes + EIGHT > len(letters):
        letters = longer(letters, 2 * (used + more_bytes) + EIGHT, used)
    return Terms(slots, starts, letters, here, terms.size)


@inner
def mixed(key: Any) -> Any:
    """Let every bit have a say in the lower half."""
    key *= _MIX
    return key ^ (key >> _32)


@inner
def _home(key: Any) -> Any:
    """Return where to look for a key first, as a number to be cut to the size of the table."""
    # A product's bits depend on lower ones only, so the last letters are mixed in twice.
    return np.int64(mixed(key ^ (key >> _29)))


@inner
def set_keys(text: Any, pieces: Any, first: int, end: int) -> None:
    """Set the keys of some pieces of a text."""
    for p in range(first, end):
        begin, stop = pieces[p, BEGIN], pieces[p, END]
        length = np.uint64(stop - begin)
        if stop - begin <= _SHORT:
            key = eight(text, begin) & ((_1 << (_8 * length)) - _1)
            pieces[p, KEY] = key | (length << _56)
        else:
            key = length
            for at in range(begin, stop - EIGHT, EIGHT):
                key = mixed(key ^ eight(text, at))
            # The last eight overlap with those before.
            key = mixed(key ^ eight(text, stop - EIGHT))
            pieces[p, KEY] = key | _LONG


@njit(cache=True, nogil=True)
def number_all(
    slots: Any, starts: Any, letters: Any, size: Any,
    text: Any, pieces: Any, first_piece: int, n_pieces: int, add: bool,
) -> None:  # fmt: skip
    """Set the numbers of some pieces of a text, whose keys are set.

    A new term is added, or its number is -1. Calls nothing that takes an array, see above.
    """
    mask = len(slots) - 1
    for p in range(first_piece, n_pieces):
        if p + _AHEAD < n_pieces:
            fetch(slots, _home(np.uint64(pieces[p + _AHEAD, KEY])) & mask)
        key = pieces[p, KEY]
        at = _home(np.uint64(key)) & mask
        number = slots[at, 1] - 1
        while number >= 0:
            if slots[at, 0] == key:
                if key >= 0:
                    break
                begin, length = pieces[p, BEGIN], pieces[p, END] - pieces[p, BEGIN]
                first = starts[number]
                if starts[number + 1] - first == length:
                    # Eight by eight, and the last eight, which overlap with those before.
                    last = length - EIGHT
                    same = 0
                    while same < last and eight(letters, first + same) == eight(text, begin + same):
                        same += EIGHT
                    if same >= last and eight(letters, first + last) == eight(text, begin + last):
                        break
            at = (at + 1) & mask
            number = slots[at, 1] - 1
        if number < 0 and add:
            number = size[0]
            slots[at, 0] = key
            slots[at, 1] = number + 1
            begin, first = pieces[p, BEGIN], starts[number]
            length = pieces[p, END] - begin
            for i in range(length):
                letters[first + i] = text[begin + i]
            starts[number + 1] = first + length
            size[0] = number + 1
        pieces[p, NUMBER] = number


@njit(cache=True, nogil=True)
def add_terms(terms: Terms, texts: Any, offsets: Any) -> Any:
    """Add whole texts as terms, in their order; return the table, and the number of each.

    Equal ones get one number. The array of texts has `EIGHT` bytes to spare at its end.
    """
    n_texts = len(offsets) - 1
    numbers = np.empty(n_texts, np.int32)
    pieces = np.empty((min(n_texts, _CHUNK), 4), np.int64)
    for start in range(0, n_texts, _CHUNK):
        n_pieces = min(n_texts - start, _CHUNK)
        terms = with_room(terms, n_pieces, offsets[start + n_pieces] - offsets[start])
        for p in range(n_pieces):
            pieces[p, BEGIN], pieces[p, END] = offsets[start + p], offsets[start + p + 1]
        set_keys(texts, pieces, 0, n_pieces)
        number_all(
            terms.slots, terms.starts, terms.letters, terms.size, texts, pieces, 0, n_pieces, True
        )
        for p in range(n_pieces):
            numbers[start + p] = pieces[p, NUMBER]
    return terms, numbers
