"""Texts to a matrix of terms: the one way for the whole package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj._extras import from_extras
from fsmj._interruptible import interruptible
from fsmj.tokens.cutter import Cutter, arrays_of
from fsmj.tokens.rule import TokenRule

with from_extras():
    import pyarrow as pa
    import pyarrow.compute as pc


def term_matrix(
    texts: Any,
    rule: TokenRule,
    *,
    terms: Iterable[str] | None = None,
    min_docs: int = 1,
) -> tuple[csr_array, NDArray[Any]]:
    """Lay texts out as a matrix, a row for each document and a column for each term.

    Parameters
    ----------
    texts : iterable of str, or Arrow array of strings
        The documents.
    rule : TokenRule
        How to cut a text into terms.
    terms : iterable of str, optional
        The columns; by default all terms that occur, sorted.
    min_docs : int, default=1
        Leave out terms that occur in fewer documents, unless `terms` are given.

    Returns
    -------
    X : csr_array of shape (n_docs, n_terms)
        How often each term occurs in each document.
    terms : ndarray of shape (n_terms,)
        The columns.

    Examples
    --------
    >>> X, terms = term_matrix(["Black tea, green tea", "Crude oil"], TokenRule())
    >>> X.toarray()[:, list(terms).index("tea")]
    array([2, 0])
    """
    if terms is not None:
        columns = listed_terms(terms)
        return counted_terms(texts, Cutter(rule, columns)), columns
    cutter = Cutter(rule)
    X = counted_terms(texts, cutter)
    if cutter.n_terms == 0:
        raise ValueError("these texts have no terms to count")
    kept = np.bincount(X.indices, minlength=cutter.n_terms) >= min_docs
    if not kept.any():
        raise ValueError(f"no term occurs in {min_docs:,} documents; lower min_docs")
    names, order = sorted_terms(cutter.terms())
    X = _with_columns(X, order[kept[order]])
    return X, names.filter(pa.array(kept[order])).cast(pa.large_string()).to_numpy(False)


def sorted_terms(terms: Any) -> tuple[Any, NDArray[np.int64]]:
    """Sort an Arrow array of UTF-8 bytes, which sort as their characters do; return the order."""
    order = pc.array_sort_indices(terms)
    return terms.take(order), order.to_numpy().astype(np.int64)


def counted_terms(texts: Any, cutter: Cutter) -> csr_array:
    """Count the terms of texts, a column for each number of a term."""
    parts = [interruptible(cutter.cut, array) for array in arrays_of(texts)]
    lengths = [np.diff(part.starts) for part in parts]
    starts = np.concatenate([[0], *lengths]).cumsum()
    numbers = np.concatenate([np.empty(0, np.int32), *(part.numbers for part in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)])
    X = csr_array((counts, numbers, starts), shape=(len(starts) - 1, cutter.n_terms))
    X.sort_indices()
    return X


def _with_columns(X: csr_array, columns: NDArray[np.int64]) -> csr_array:
    """Return these columns of a matrix, in this order."""
    place = np.full(X.shape[1], -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    indices = place[X.indices]
    kept = indices >= 0
    starts = np.concatenate([[0], kept.cumsum()])[X.indptr]
    taken = csr_array((X.data[kept], indices[kept], starts), shape=(X.shape[0], len(columns)))
    taken.sort_indices()
    return taken


def listed_terms(terms: Iterable[str]) -> NDArray[Any]:
    """Return terms as an array, each of them once."""
    if isinstance(terms, str):
        raise ValueError("terms must be a list or another iterable of strings, not one string")
    columns = np.array([*terms, None], object)[:-1]
    if len(set(columns)) < len(columns):
        raise ValueError("the terms contain a term twice")
    return columns
