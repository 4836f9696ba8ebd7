"""Compiled: where the rows and fields of separated values (CSV, RFC 4180) begin and end."""

from typing import Any

import numpy as np

from fsmj._cache import njit

FINE, STRAY, UNCLOSED = 0, 1, 2  # what the quotes of a row are: text after a quote, or no end
_QUOTE, _LF, _CR = 34, 10, 13


@njit(cache=True, nogil=True)
def split_rows(
    data: Any, at: int, line: int, final: bool, delimiter: int, slots: Any, fields: Any, rows: Any
) -> Any:
    """Find the complete rows at the beginning of some bytes.

    Line feeds, carriage returns and pairs of both end a row, also where they are mixed. Empty
    lines are no rows. A quote within a field that does not begin with one is a character.

    Looked at is `data` from `at` on, a line with the number `line`. If the file does not end where
    the bytes do (`final`), the last row may have to wait. Column c goes to the place ``slots[c]``
    of `fields`, or nowhere (-1).

    Written are, to `fields` of shape (3, n_slots, n_rows), begin and end of each field, and how
    many doubled quotes it has; to `rows` of shape (5, n_rows), begin, line, number of fields, what
    the quotes are, and whether there are quotes in a field that does not begin with one. Returned
    are the number of rows, and position and line of what follows them.
    """
    end, n_rows = len(data), 0
    ends_field = np.zeros(256, np.bool_)
    ends_field[_LF] = ends_field[_CR] = ends_field[delimiter] = True
    while n_rows < fields.shape[2] and at < end:
        i, now, column, quotes, inside = at, line, 0, FINE, 0
        complete = False
        if data[at] != _LF and data[at] != _CR:
            while True:
                begin, doubled = i, 0
                stop = -1
                if i < end and data[i] == _QUOTE:
                    begin = i + 1
                    i += 1
                    while i < end:
                        byte = data[i]
                        if byte == _QUOTE:
                            if i + 1 == end or data[i + 1] != _QUOTE:
                                break
                            doubled += 1
                            i += 1
                        elif byte == _LF or (byte == _CR and (i + 1 == end or data[i + 1] != _LF)):
                            now += 1
                        i += 1
                    stop = i
                    i += 1
                    if stop >= end:
                        i, stop, quotes = end, end, UNCLOSED
                    elif i < end and not ends_field[data[i]]:
                        quotes = STRAY
                while i < end and not ends_field[data[i]]:
                    inside |= data[i] == _QUOTE
                    i += 1
                if stop < 0:
                    stop = i
                if column < len(slots) and slots[column] >= 0:
                    slot = slots[column]
                    fields[0, slot, n_rows] = begin
                    fields[1, slot, n_rows] = stop
                    fields[2, slot, n_rows] = doubled
                column += 1
                if i < end and data[i] == delimiter:
                    i += 1
                    continue
                break
        if i < end:
            # After a carriage return a line feed may follow, and belong to it.
            complete = final or data[i] != _CR or i + 1 < end
            i += 2 if data[i] == _CR and i + 1 < end and data[i + 1] == _LF else 1
            now += 1
        else:
            complete = final
        if not complete:
            break
        if column > 0:
            rows[0, n_rows] = at
            rows[1, n_rows] = line
            rows[2, n_rows] = column
            rows[3, n_rows] = quotes
            rows[4, n_rows] = inside
            n_rows += 1
        at, line = i, now
    return n_rows, at, line


@njit(cache=True, nogil=True)
def gather(data: Any, field: Any, kept: Any, offsets: Any, out: Any) -> None:
    """Copy a field of the kept rows one after the other, with one quote for each doubled one.

    `field` holds begin, end and number of doubled quotes in each row; the k-th that is kept goes
    to ``out[offsets[k]:]``.
    """
    for k in range(len(kept)):
        begin, stop, doubled = field[0, kept[k]], field[1, kept[k]], field[2, kept[k]]
        at = offsets[k]
        if doubled == 0:
            for i in range(stop - begin):
                out[at + i] = data[begin + i]
        else:
            # Within a quoted field every quote is the first of a pair.
            i = begin
            while i < stop:
                while i < stop and data[i] != _QUOTE:
                    out[at] = data[i]
                    at += 1
                    i += 1
                if i < stop:
                    out[at] = _QUOTE
                    at += 1
                    i += 2
