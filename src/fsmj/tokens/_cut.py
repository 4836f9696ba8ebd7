"""The compiled cut: bytes of UTF-8 to tokens to numbered terms, document by document.

A document goes through short loops, some hundreds of tokens at a time. Its characters become what
they are in a term, or gaps; the edges of the gaps are found; between them are tokens, of which some
are dropped; pieces are taken of them, each of which is a term: a token, some of them in a row, or
some characters of one; pieces are looked up in the table of terms, and tallied. No loop over bytes
has a branch where a word ends, which the processor would guess wrong.
"""

from typing import Any

import numpy as np

from fsmj._cache import njit
from fsmj.tokens._instructions import eight, lowest_bit, put_eight
from fsmj.tokens._terms import (
    BEGIN,
    EIGHT,
    END,
    NUMBER,
    Terms,
    inner,
    longer,
    number_all,
    set_keys,
    with_room,
)
from fsmj.tokens.characters import BREAK, N_ASCII

LONGEST = 16  # of n-grams; a power of two
_BLOCK = 2048  # bytes of a text that are taken at a time
_GAP = 0xFF  # a byte that is in no UTF-8
_BLANK = 0x20
_BITS = 64
# Of numpy's types: for a literal of Python's the compiler makes one more copy of a function.
_FIRST, _NO = np.int64(0), np.bool_(False)
# Without a sign: of numbers with one the compiler believes that they never overflow.
_NONE, _1, _7, _56, _63 = (np.uint64(n) for n in (0, 1, 7, 56, 63))
_ALL = ~_NONE
_HIGH_BITS, _LOW_BITS = np.uint64(0x8080808080808080), np.uint64(0x7F7F7F7F7F7F7F7F)
# A product with the lowest bits of eight bytes has these side by side in its highest byte.
_SIDE_BY_SIDE = np.uint64(0x0102040810204080)


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

    Document d is ``texts[offsets[d] : offsets[d + 1]]``, in UTF-8. A table says which character
    each one `becomes`, or `BREAK`; for texts in ASCII it need not go further. Tokens are what is
    left between breaks; if `marked`, what has a break at both of its ends. `min_length`,
    `shortest`, `longest` and `characters` are as in `TokenRule`, `dropped` are its stop words.
    New terms are added to `terms`, or left out. As soon as `stop` is not 0, the result is of no
    use any more.

    Returned are where each document starts (`rows`) in its terms (`numbers`, in no order) and in
    how often they occur (`counts`), and the table of terms.
    """
    n_docs = len(offsets) - 1
    rows = np.zeros(n_docs + 1, np.int64)
    numbers = np.empty(1024 + len(texts) // 8, np.int32)
    counts = np.empty(len(numbers), np.int32)
    longest_text = 0
    for d in range(n_docs):
        longest_text = max(longest_text, offsets[d + 1] - offsets[d])
    single = longest == 1 and not characters  # then tokens are the pieces
    # Lower-casing turns two bytes into three at most; a gap or blank follows each token.
    lowered = np.empty(2 * longest_text + 1 + _BITS, np.uint8)
    joined = np.empty(1 if single else len(lowered), np.uint8)
    of_ascii = np.empty(N_ASCII, np.uint8)
    for i in range(N_ASCII):
        of_ascii[i] = _GAP if becomes[i] == BREAK else becomes[i]
    edges = np.empty(2 * _BLOCK + EIGHT, np.int64)
    # The last tokens before the block at hand come first.
    tokens = np.empty((LONGEST + len(edges) // 2, 4), np.int64)
    pieces = np.empty((len(tokens), 4), np.int64)
    filled = _FIRST
    for d in range(n_docs):
        if stop[0] != 0:
            break
        at, end, inside, wide = offsets[d], offsets[d + 1], _NONE, _NO
        lower_end, joined_end, n_edges = np.int64(0), np.int64(0), np.int64(0)
        known: Any = np.int64(0)  # tokens of the blocks before
        while at < end and stop[0] == 0:
            begin = lower_end
            at, lower_end, wide = _lower(
                texts, at, min(at + _BLOCK, end), end, becomes, of_ascii, lowered, begin, wide
            )
            if at == end:
                lowered[lower_end] = _GAP  # so that the last token ends
                lower_end += 1
            n_edges, inside = _find_edges(lowered, begin, lower_end, marked, inside, edges, n_edges)
            n_tokens = _take_tokens(lowered, edges, n_edges // 2, min_length, wide, tokens, known)
            if n_edges & 1:
                edges[0] = edges[n_edges - 1]  # of a token that has not ended
            n_edges &= 1
            set_keys(lowered, tokens, known, n_tokens)
            if dropped.size[0] > 0:
                number_all(
                    dropped.slots, dropped.starts, dropped.letters, dropped.size,
                    lowered, tokens, known, n_tokens, _NO,
                )  # fmt: skip
                n_tokens = _without_numbered(tokens, known, n_tokens)
            n_pieces, listed, source = n_tokens, tokens, lowered
            n_bytes = lower_end - tokens[0, BEGIN] if n_tokens > 0 else 0
            if not single:
                joined_end = _join(lowered, tokens, known, n_tokens, joined, joined_end)
                n_pieces, n_bytes = _extent(tokens, known, n_tokens, shortest, longest, characters)
                if n_pieces > len(pieces):
                    pieces = np.empty((2 * n_pieces, 4), np.int64)
                n_pieces = _take_pieces(
                    joined, tokens, known, n_tokens, shortest, longest, characters, pieces
                )
                set_keys(joined, pieces, _FIRST, n_pieces)
                listed, source = pieces, joined
            if add:
                terms = with_room(terms, n_pieces, n_bytes)
            while filled + n_pieces > len(numbers):
                numbers = longer(numbers, 2 * len(numbers), filled)
            number_all(
                terms.slots, terms.starts, terms.letters, terms.size,
                source, listed, _FIRST, n_pieces, add,
            )  # fmt: skip
            filled = _tally(listed, n_pieces, terms.here, numbers, filled)
            known = np.int64(0 if single else min(n_tokens, LONGEST))
            for i in range(known):
                for field in range(4):
                    tokens[i, field] = tokens[n_tokens - known + i, field]
        if len(counts) < len(numbers):
            counts = longer(counts, len(numbers), rows[d])
        for i in range(rows[d], filled):
            counts[i] = terms.here[numbers[i]]
            terms.here[numbers[i]] = 0
        rows[d + 1] = filled
    return rows, numbers[:filled], counts[:filled], terms


@inner
def _lower(
    texts: Any, at: int, stop: int, end: int, becomes: Any, of_ascii: Any,
    lowered: Any, here: int, wide: bool,
) -> Any:  # fmt: skip
    """Write down what characters become; return where this has come in both texts.

    And whether there has been a character of several bytes so far.
    """
    while at < stop:
        if at + EIGHT <= stop and eight(texts, at) & _HIGH_BITS == _NONE:
            for i in range(EIGHT):
                lowered[here + i] = of_ascii[texts[at + i]]
            at += EIGHT
            here += EIGHT
        elif texts[at] < N_ASCII:
            lowered[here] = of_ascii[texts[at]]
            at += 1
            here += 1
        else:
            wide = True
            point, at = decoded(texts, at, end)
            point = becomes[point]
            if point == BREAK:
                lowered[here] = _GAP
                here += 1
            else:
                here = encoded(point, lowered, here)
    return at, here, wide


@inner
def _find_edges(
    lowered: Any, begin: int, end: int, marked: bool, inside: Any, edges: Any, n_edges: Any
) -> Any:
    """Add where tokens begin and end; return the number of edges, and `inside` for what follows.

    It goes through 64 bytes at a time, with a bit for each of them. `inside` is all ones or 0.
    """
    for start in range(begin, end, _BITS):
        letters = np.uint64(0)
        for i in range(EIGHT):
            # The highest bit of a byte, where the byte is no gap; then these bits side by side.
            other = ~eight(lowered, start + EIGHT * i)
            other = (((other & _LOW_BITS) + _LOW_BITS) | other) & _HIGH_BITS
            letters |= (other >> _7) * _SIDE_BY_SIDE >> _56 << np.uint64(EIGHT * i)
        beyond = _ALL << np.uint64(end - start) if end - start < _BITS else _NONE
        if marked:
            # Every gap turns what follows from outside to inside, or back.
            turned = ~(letters | beyond)
            for step in (1, 2, 4, 8, 16, 32):
                turned ^= turned << np.uint64(step)
            letters &= turned ^ inside
            inside ^= _ALL if turned >> _63 else _NONE
        # Where a token is open, the number of edges is odd.
        changes = (letters ^ ((letters << _1) | np.uint64(n_edges & 1))) & ~beyond
        while changes != _NONE:
            edges[n_edges] = start + lowest_bit(changes)
            n_edges += 1
            changes &= changes - _1
    return n_edges, inside


@inner
def _take_tokens(
    lowered: Any, edges: Any, n_found: int, min_length: int, wide: bool, tokens: Any, n_tokens: int
) -> int:
    """Add those tokens between edges that are long enough; return how many there are."""
    for k in range(n_found):
        begin, end = edges[2 * k], edges[2 * k + 1]
        length = end - begin
        if wide:
            for i in range(begin, end):
                length -= lowered[i] & 0xC0 == 0x80  # the further bytes of a character
        tokens[n_tokens, BEGIN] = begin
        tokens[n_tokens, END] = end
        n_tokens += length >= min_length
    return n_tokens


@inner
def _without_numbered(tokens: Any, known: int, n_tokens: int) -> int:
    """Keep tokens without a number; return how many there are."""
    kept = known
    for k in range(known, n_tokens):
        for field in range(4):
            tokens[kept, field] = tokens[k, field]
        kept += tokens[k, NUMBER] < 0
    return kept


@inner
def _join(lowered: Any, tokens: Any, known: int, n_tokens: int, joined: Any, here: int) -> int:
    """Copy tokens from `known` on, a blank after each; return where this has come."""
    for k in range(known, n_tokens):
        begin, length = tokens[k, BEGIN], tokens[k, END] - tokens[k, BEGIN]
        for i in range(0, length, EIGHT):
            put_eight(joined, here + i, eight(lowered, begin + i))
        joined[here + length] = _BLANK
        tokens[k, BEGIN], tokens[k, END] = here, here + length
        here += length + 1
    return here


@inner
def _extent(
    tokens: Any, known: int, n_tokens: int, shortest: int, longest: int, characters: bool
) -> Any:
    """Return how many pieces and bytes there are at most in the tokens from `known` on."""
    n_pieces = n_bytes = 0
    for k in range(known, n_tokens):
        for n in range(shortest, longest + 1):
            if characters:
                more = max(tokens[k, END] - tokens[k, BEGIN] - n + 1, 0)
                n_pieces += more
                n_bytes += more * 4 * n
            elif n <= k + 1:
                n_pieces += 1
                n_bytes += tokens[k, END] - tokens[k - n + 1, BEGIN]
    return n_pieces, n_bytes


@inner
def _take_pieces(
    joined: Any,
    tokens: Any,
    known: int,
    n_tokens: int,
    shortest: int,
    longest: int,
    characters: bool,
    pieces: Any,
) -> int:
    """List the pieces that end in the tokens from `known` on; return how many there are."""
    filled = 0
    for k in range(known, n_tokens):
        begin, end = tokens[k, BEGIN], tokens[k, END]
        for n in range(shortest, longest + 1):
            if not characters:
                if n <= k + 1:
                    pieces[filled, BEGIN] = tokens[k - n + 1, BEGIN]
                    pieces[filled, END] = end
                    filled += 1
                continue
            first = last = begin
            for _ in range(n - 1):
                last = next_character(joined, last, end)
            while last < end:
                last = next_character(joined, last, end)
                pieces[filled, BEGIN] = first
                pieces[filled, END] = last
                filled += 1
                first = next_character(joined, first, end)
    return filled


@inner
def _tally(pieces: Any, n_pieces: int, here: Any, numbers: Any, filled: int) -> int:
    """Count the numbered pieces of a document, and list those that are new to it."""
    for p in range(n_pieces):
        number = pieces[p, NUMBER]
        if number >= 0:
            numbers[filled] = number
            filled += here[number] == 0
            here[number] += 1
    return filled


@inner
def next_character(text: Any, at: int, end: int) -> int:
    """Return where the next character starts."""
    at += 1
    while at < end and text[at] & 0xC0 == 0x80:
        at += 1
    return at


@inner
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


@inner
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
