"""Counts as one Parquet table: readable by anything, merged by adding up its rows."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._atomic import whole_file
from fsmj._matrix import difference

_PREFIX = "fsmj."  # of our keys among those of other writers


def write(path: str | os.PathLike[str], counts: Any, metadata: Mapping[str, str]) -> None:
    """Write the table, whole or not at all; `ClassTermCounts.save` describes it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def column(kind: Any, *parts: Any) -> Any:
        return pa.chunked_array(
            [pa.nulls(p, kind) if isinstance(p, int) else pa.array(p, kind) for p in parts]
        )

    n_terms, n_classes, cells = counts.n_terms, counts.n_classes, counts.term_counts.tocoo()
    names = np.arange(n_terms) if counts.terms is None else counts.terms
    label = pa.array(counts.classes).type
    term = pa.int64() if counts.terms is None else pa.string()
    count = pa.from_numpy_dtype(counts.term_counts.dtype)
    docs = pa.from_numpy_dtype(counts.docs_per_class.dtype)
    totals = counts.tokens_per_class
    table = pa.table(
        {
            "class": column(label, 1 + n_terms, counts.classes, counts.classes[cells.row]),
            "term": column(term, 1, names, n_classes, names[cells.col]),
            "count": column(count, 1 + n_terms, totals, cells.data),
            "docs": column(docs, [counts.n_docs], counts.docs_per_term, counts.docs_per_class,
                           counts.doc_counts.data),
        },
        metadata={_PREFIX + key: value for key, value in metadata.items()},
    )  # fmt: skip
    with whole_file(path) as scratch:
        pq.write_table(table, scratch, compression="zstd")


def read_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return what was written beside a table; nothing for a folder of tables."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if _found(path).is_dir():
        return {}
    try:
        found = pq.read_schema(path).metadata or {}
    except pa.ArrowException:
        raise ValueError(f"{path} is not a Parquet file") from None
    pairs = ((key.decode(), value.decode()) for key, value in found.items())
    return {key.removeprefix(_PREFIX): value for key, value in pairs if key.startswith(_PREFIX)}


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the counts in a table, or in a folder of tables that add up."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    _found(path)
    try:
        table = pq.read_table(path, columns=["class", "term", "count", "docs"])
    except pa.ArrowException as reason:
        raise ValueError(
            f"{path} is not a table of counts with the columns class, term, count and docs "
            f"({str(reason).splitlines()[0]})"
        ) from None
    listed_classes, row = _coded(table["class"])
    classes, rank = np.unique(listed_classes, return_inverse=True)
    row = np.where(row >= 0, np.append(rank, 0)[row], -1)
    named = not pa.types.is_integer(table["term"].type)
    terms, column = _coded(table["term"])
    if not named:
        column = np.where(column >= 0, np.append(terms, 0)[column], -1)
        terms = np.arange(column.max(initial=-1) + 1)
    count, docs = (np.asarray(table[name].fill_null(0).to_numpy()) for name in ("count", "docs"))
    shape = (len(classes), len(terms))
    cell, class_total, term_total = (
        (row >= 0) & (column >= 0), (row >= 0) & (column < 0), (row < 0) & (column >= 0)
    )  # fmt: skip
    n_docs = docs[(row < 0) & (column < 0)]
    term_counts, doc_counts = (
        csc_array((value[cell], (row[cell], column[cell])), shape=shape) for value in (count, docs)
    )
    complete = (
        len(n_docs) > 0
        and len(np.unique(row[class_total])) == shape[0]
        and len(np.unique(column[term_total])) == shape[1]
    )
    if not complete or min(count.min(initial=0), docs.min(initial=0)) < 0:
        raise ValueError(f"{path} is not a complete table of counts; make it with `counts.save`")
    totals = _added_up(row[class_total], count[class_total], shape[0])
    within = np.asarray(term_counts.sum(axis=1)).ravel()
    return {
        "classes": classes,
        "terms": terms.astype(object) if named else None,
        "term_counts": term_counts,
        "doc_counts": doc_counts,
        "docs_per_class": _added_up(row[class_total], docs[class_total], shape[0]),
        "docs_per_term": _added_up(column[term_total], docs[term_total], shape[1]),
        "rest_counts": difference(totals, within),
        "n_docs": n_docs.sum().item(),
    }


def _found(path: str | os.PathLike[str]) -> Path:
    if not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file", os.fspath(path))
    return Path(path)


def _coded(column: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the values of an Arrow column in order of appearance, and codes; null is -1."""
    coded = column.combine_chunks().dictionary_encode()
    values = coded.dictionary.to_numpy(zero_copy_only=False)
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return values, codes.astype(np.int64)


def _added_up(index: NDArray[np.int64], values: NDArray[Any], size: int) -> NDArray[Any]:
    out = np.zeros(size, values.dtype)
    np.add.at(out, index, values)
    return out
