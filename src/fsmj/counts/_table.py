"""Rows of class, term, count and docs, checked and added up to counts.

They may come from a stranger's file: nothing is believed, and what is held in memory depends on
the different classes and terms, not on how many rows there are or on a number in one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._matrix import difference, object_array

COLUMNS = ("class", "term", "count", "docs")
_ROWS = 1 << 21  # of equal class and term are added up when there are so many
_ROUNDING = 1e-9  # by which sums of fractions may differ

Numbers = NDArray[Any]


def kind_of(type_: Any) -> str:
    """Return what an Arrow column holds: text, numbers, ... as a word for messages."""
    from pyarrow import types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    for kind, fits in (
        ("text", (types.is_string, types.is_large_string, types.is_string_view)),
        ("integers", (types.is_integer,)),
        ("fractions", (types.is_floating, types.is_decimal)),
        ("booleans", (types.is_boolean,)),
        ("nothing", (types.is_null,)),
    ):
        if any(fit(type_) for fit in fits):
            return kind
    return str(type_)


KINDS = {
    "class": ("text", "integers", "fractions", "booleans", "nothing"),
    "term": ("text", "integers", "nothing"),
    "count": ("integers", "fractions"),
    "docs": ("integers", "fractions"),
}


def require_columns(schema: Any, path: Any) -> None:
    """Refuse a table without the four columns, or with other things in them."""
    for name in COLUMNS:
        if schema.names.count(name) != 1:
            raise ValueError(
                f"{path} is not a table of counts with the columns class, term, count and docs"
            )
        kind = kind_of(schema.field(name).type)
        if kind not in KINDS[name]:
            allowed = [word for word in KINDS[name] if word != "nothing"]
            raise ValueError(
                f"{path} is not a table of counts: its column {name!r} holds {kind}, not "
                f"{' or '.join(allowed)}"
            )


class Sums:
    """Adds up rows; `fields` returns those of a `ClassTermCounts`.

    Classes and terms are numbered from 1 on: the number 0 is that of the rows without one, which
    hold totals. So the sums are two tables with the totals in row and column 0.
    """

    def __init__(self, path: Any) -> None:
        self.path = path
        self.names: dict[str, dict[Any, int]] = {"class": {}, "term": {}}
        self.kinds: dict[str, str] = {}
        # Of the columns class, term, count and docs.
        kinds = (np.int32, np.int32, np.int64, np.int64)
        self.parts: tuple[list[Numbers], ...] = tuple([np.empty(0, kind)] for kind in kinds)
        self.n_rows, self.limit = 0, _ROWS

    def add(self, batch: Any) -> None:
        """Take some more rows, as an Arrow table or record batch."""
        require_columns(batch.schema, self.path)
        row, column = (self._coded(name, batch[name]) for name in ("class", "term"))
        if batch["docs"].null_count or (batch["count"].is_null().to_numpy(False) & (row > 0)).any():
            self._refuse("a number is missing")
        self._put(row, column, *(self._numbers(batch[name]) for name in ("count", "docs")))
        self.n_rows += len(row)
        if self.n_rows > self.limit:
            count, docs = self._tables(*self._taken())
            column = np.arange(docs.shape[1], dtype=np.int32).repeat(np.diff(docs.indptr))
            self._put(docs.indices.astype(np.int32, copy=False), column, count.data, docs.data)
            self.n_rows, self.limit = docs.nnz, max(_ROWS, 2 * docs.nnz)

    def _put(self, *columns: Numbers) -> None:
        for parts, column in zip(self.parts, columns, strict=True):
            parts.append(column)

    def _taken(self) -> list[Numbers]:
        """Take all rows out, a column at a time, so that little is held twice."""
        columns = []
        for parts in self.parts:
            columns.append(np.concatenate(parts))
            del parts[1:]
        return columns

    def _refuse(self, reason: str) -> None:
        raise ValueError(f"{self.path} is not a sound table of counts: {reason}")

    def _coded(self, name: str, column: Any) -> Numbers:
        """Number the values by their first appearance, from 1 on; 0 where there is none."""
        import pyarrow as pa

        kind = kind_of(column.type).replace("fractions", "integers")  # 1 and 1.0 are one label
        if kind != "nothing" and self.kinds.setdefault(name, kind) != kind:
            self._refuse(f"its parts have different kinds of {name}")
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        known, values = self.names[name], column.dictionary.to_pylist()
        if any(value != value for value in values):  # NaN
            self._refuse(f"a {name} is not a number")
        codes = [0 if v is None else known.setdefault(v, len(known) + 1) for v in values]
        index = column.indices.fill_null(len(codes)).to_numpy(zero_copy_only=False)
        numbers: Numbers = np.array([*codes, 0], np.int32)[index]
        return numbers

    def _numbers(self, column: Any) -> Numbers:
        """Return the values in 64 bits, 0 where there is none."""
        import pyarrow as pa

        whole = pa.types.is_integer(column.type) or getattr(column.type, "scale", 1) == 0
        try:
            wide = column.fill_null(0).cast(pa.int64() if whole else pa.float64())
        except pa.ArrowInvalid:
            self._refuse("it holds a number that 64 bits cannot hold")
        numbers = np.asarray(wide.to_numpy(zero_copy_only=False))
        if not np.isfinite(numbers).all():
            self._refuse("it holds a number that is not finite")
        if numbers.min(initial=0) < 0:
            self._refuse("it holds a negative number")
        return numbers

    def _tables(
        self, row: Numbers, column: Numbers, count: Numbers, docs: Numbers
    ) -> tuple[csc_array, csc_array]:
        """Add up rows of equal class and term; what adds up to 0 stays there."""
        shape = tuple(len(self.names[name]) + 1 for name in ("class", "term"))

        def added_up(values: Numbers) -> csc_array:
            return csc_array((values, (row, column)), shape=shape)

        if _may_overflow(count):
            cells_and_totals = (row == 0) + 2 * (column == 0)
            self._refuse_overflow(np.bincount(cells_and_totals, count.astype(np.float64)), count)
        if _may_overflow(docs):  # only those of one cell are ever added up
            self._refuse_overflow(added_up(docs.astype(np.float64)).data, docs)
        return added_up(count), added_up(docs)

    def _refuse_overflow(self, sums: Numbers, values: Numbers) -> None:
        if not (sums < _beyond(values)).all():
            self._refuse(f"its numbers add up to {sums.max():.3g}, more than 64 bits can hold")

    def fields(self) -> dict[str, Any]:
        """Return the fields of the counts, if they can be those of any documents."""
        classes, rank = self._classes()
        terms, place = self._terms()
        row, column, *numbers = self._taken()
        row, column = (
            np.append(0, order + 1).astype(np.int32)[codes]
            for order, codes in ((rank, row), (place, column))
        )
        count, docs = self._tables(row, column, *numbers)
        del row, column, numbers
        n_classes, n_terms = (n - 1 for n in docs.shape)
        if docs.indptr[1] <= n_classes or np.count_nonzero(docs.indices == 0) <= n_terms:
            raise ValueError(
                f"{self.path} is not a complete table of counts; make it with `counts.save`"
            )
        tokens, docs_per_class = (table[1:, [0]].toarray().ravel() for table in (count, docs))
        docs_per_term, n_docs = docs[[0], 1:].toarray().ravel(), docs[0, 0].item()
        count, docs = count[1:, 1:], docs[1:, 1:]
        within = np.asarray(count.sum(axis=1)).ravel()
        if (tokens < within * (1 - _ROUNDING)).any():
            self._refuse("a class has fewer tokens than its terms have together")
        fields = {
            "classes": classes,
            "terms": terms,
            "term_counts": count,
            "doc_counts": docs,
            "docs_per_class": docs_per_class,
            "docs_per_term": docs_per_term,
            "rest_counts": difference(np.maximum(tokens, within), within),
            "n_docs": n_docs,
        }
        self._refuse_impossible(fields, tokens)
        for table in (count, docs):
            table.eliminate_zeros()
        return fields

    def _classes(self) -> tuple[Numbers, Numbers]:
        listed = list(self.names["class"])
        named = self.kinds.get("class", "text") == "text"
        classes, rank = np.unique(np.array(listed, object if named else None), return_inverse=True)
        return classes, rank

    def _terms(self) -> tuple[Numbers | None, Numbers]:
        """Return the names of the terms and their columns; terms without names have numbers."""
        listed = list(self.names["term"])
        if self.kinds.get("term", "text") == "text":
            return object_array(listed), np.arange(len(listed))
        lowest, highest = min(listed, default=0), max(listed, default=-1)
        if lowest < 0 or highest + 1 != len(listed):
            self._refuse(
                f"its terms are numbered from {lowest} to {highest}, but there are {len(listed):,}"
            )
        return None, np.array(listed, np.int64)

    def _refuse_impossible(self, fields: dict[str, Any], tokens: Numbers) -> None:
        count, docs = fields["term_counts"], fields["doc_counts"]
        per_class, per_term = fields["docs_per_class"], fields["docs_per_term"]
        limit = 1 + _ROUNDING
        all_docs = fields["n_docs"] * limit
        column = np.repeat(np.arange(docs.shape[1]), np.diff(docs.indptr))
        whole = count.dtype.kind == docs.dtype.kind == "i"
        for wrong, reason in (
            (((count.data > 0) != (docs.data > 0)), "a term occurs in no document of a class, "
             "or a document with the term has none of its occurrences"),
            (docs.data > per_class[docs.indices] * limit, "a term is in more documents of a "
             "class than there are"),
            (docs.data > per_term[column] * limit, "a term is in more documents of a class "
             "than of all classes"),
            (per_class > all_docs, "a class has more documents than there are"),
            (per_term > all_docs, "a term is in more documents than there are"),
            ((tokens > 0) & (per_class <= 0), "a class has tokens but no documents"),
            (whole and count.data < docs.data, "a term is in more documents than it occurs"),
        ):  # fmt: skip
            if np.any(wrong):
                self._refuse(reason)


def _beyond(values: Numbers) -> float:
    """Return what a sum of the type of these numbers cannot reach."""
    return float("inf") if values.dtype.kind == "f" else 2.0**63


def _may_overflow(values: Numbers) -> bool:
    return not float(values.max(initial=0)) * len(values) < _beyond(values)
