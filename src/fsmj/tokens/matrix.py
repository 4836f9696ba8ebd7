"""Texts to a matrix of terms: the one way for the whole package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj._extras import from_extras
from fsmj._interruptible import interruptible
from fsmj._matrix import object_array, require_number_of_docs, strings_of
from fsmj.tokens.cutter import Cutter, arrays_of
from fsmj.tokens.rule import TokenRule

with from_extras():
    import pyarrow as pa
    import pyarrow.compute as pc


def term_matrix(
    texts: Any, rule: TokenRule, *, terms: Iterable[str] | None = None, min_docs: int = 1
) -> tuple[csr_array, NDArray[Any]]:
    """Lay texts out as a matrix, and return the terms of its columns.

    The texts may be an Arrow array. The columns are the terms that are given; or all that occur
    in `min_docs` documents, sorted.

    Examples
    --------
    >>> X, terms = term_matrix(["Black tea, green tea", "Crude oil"], TokenRule())
    >>> X.toarray()[:, list(terms).index("tea")]
    array([2, 0])
    """
    require_number_of_docs(min_docs)
    if terms is not None:
        columns = listed_terms(terms)
        return counted_terms(texts, Cutter(rule, columns)), columns
    cutter = Cutter(rule)
    X = _counted(texts, cutter)
    if cutter.n_terms == 0:
        raise ValueError("these texts have no terms to count")
    kept = np.bincount(X.indices, minlength=cutter.n_terms) >= min_docs
    if not kept.any():
        raise ValueError(f"no term occurs in {min_docs:,} documents; lower min_docs")
    order = order_of(cutter.terms())
    columns = order[kept[order]]
    return _in_order(X[:, columns]), object_array(strings(rows_of(cutter.terms(), columns)))


# Arrow imports pandas to turn its arrays into NumPy's or the other way round. That takes as long
# as it takes to count a dozen megabytes, so numbers are handed over as they lie in memory.


def order_of(terms: Any) -> NDArray[np.int64]:
    """Return the order of an Arrow array of UTF-8 bytes, which sort as their characters do."""
    order = pc.array_sort_indices(terms)
    return np.frombuffer(order.buffers()[1], np.int64, len(order))


def rows_of(terms: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of an Arrow array."""
    at = pa.py_buffer(np.ascontiguousarray(rows, np.int64))
    return terms.take(pa.Array.from_buffers(pa.int64(), len(rows), [None, at]))


def strings(terms: Any) -> list[str]:
    """Return an Arrow array of UTF-8 bytes as strings."""
    listed: list[str] = terms.cast(pa.large_string()).to_pylist()
    return listed


def counted_terms(texts: Any, cutter: Cutter) -> csr_array:
    """Count the terms of texts, a column for each number of a term."""
    return _in_order(_counted(texts, cutter))


def _counted(texts: Any, cutter: Cutter) -> csr_array:
    parts = [interruptible(cutter.cut, array) for array in arrays_of(texts)]
    lengths = [np.diff(part.starts) for part in parts]
    starts = np.concatenate([[0], *lengths]).cumsum()
    numbers = np.concatenate([np.empty(0, np.int32), *(part.numbers for part in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)])
    if len(numbers) < 2**31:
        starts = starts.astype(np.int32)  # otherwise SciPy makes all indices as long as these
    return csr_array((counts, numbers, starts), shape=(len(starts) - 1, cutter.n_terms))


def _in_order(X: csr_array) -> csr_array:
    """Return a matrix, the columns of each row in order."""
    if X.shape[1] > X.nnz:
        X.sort_indices()
        return X
    # Going through all columns once sorts all rows, three times as fast as each for itself.
    return X.tocsc().tocsr()


def listed_terms(terms: Iterable[str]) -> NDArray[Any]:
    """Return terms as an array, each of them once."""
    if isinstance(terms, str):
        raise ValueError("terms must be a list or another iterable of strings, not one string")
    columns = object_array([*strings_of(terms, "term")])
    if len(set(columns)) < len(columns):
        raise ValueError("the terms contain a term twice")
    return columns
