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
_BEYOND = 2.0**63

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
    """Adds up rows; `fields` returns those of a `ClassTermCounts`."""

    def __init__(self, path: Any) -> None:
        self.path = path
        self.names: dict[str, dict[Any, int]] = {"class": {}, "term": {}}
        self.kinds: dict[str, str] = {}
        self.parts: list[tuple[Numbers, ...]] = []
        self.n_rows, self.limit = 0, _ROWS

    def add(self, batch: Any) -> None:
        """Take some more rows, as an Arrow table or record batch."""
        require_columns(batch.schema, self.path)
        row, column = (self._coded(name, batch[name]) for name in ("class", "term"))
        if (
            batch["docs"].null_count
            or (batch["count"].is_null().to_numpy(False) & (row >= 0)).any()
        ):
            self._refuse("a number is missing")
        count, docs = (self._numbers(batch[name]) for name in ("count", "docs"))
        self.parts.append((row, column, count, docs))
        self.n_rows += len(row)
        if self.n_rows > self.limit:
            self._compact()

    def _refuse(self, reason: str) -> None:
        raise ValueError(f"{self.path} is not a sound table of counts: {reason}")

    def _coded(self, name: str, column: Any) -> NDArray[np.int64]:
        """Number the values by their first appearance; -1 where there is none."""
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
        codes = [-1 if v is None else known.setdefault(v, len(known)) for v in values]
        index = column.indices.fill_null(len(codes)).to_numpy(zero_copy_only=False)
        places: NDArray[np.int64] = np.array([*codes, -1], np.int64)[index]
        return places

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

    def _joined(self) -> tuple[Numbers, ...]:
        if not self.parts:
            return (*(np.empty(0, np.int64) for _ in COLUMNS),)
        return tuple(np.concatenate(parts) for parts in zip(*self.parts, strict=True))

    def _compact(self) -> None:
        row, column, count, docs = self._joined()
        self._refuse_overflow(row, column, count, docs)
        key, group = self._groups(row, column)
        n_columns = len(self.names["term"]) + 1
        count, docs = (added_up(group, values, len(key)) for values in (count, docs))
        self.parts = [(key // n_columns - 1, key % n_columns - 1, count, docs)]
        self.n_rows, self.limit = len(key), max(_ROWS, 2 * len(key))

    def _groups(self, row: Numbers, column: Numbers) -> tuple[Numbers, Numbers]:
        key = (row + 1) * (len(self.names["term"]) + 1) + column + 1
        return np.unique(key, return_inverse=True)

    def _refuse_overflow(
        self, row: Numbers, column: Numbers, count: Numbers, docs: Numbers
    ) -> None:
        """Refuse sums that the numbers' type cannot hold."""
        cells_and_totals = (row < 0) + 2 * (column < 0)
        self._refuse_sums(cells_and_totals, count)
        # Documents count in many cells: only those of one cell are ever added up.
        if float(docs.max(initial=0)) * len(docs) >= _BEYOND:
            self._refuse_sums(self._groups(row, column)[1], docs)

    def _refuse_sums(self, group: Numbers, values: Numbers) -> None:
        with np.errstate(over="ignore"):
            sums = np.bincount(group, values.astype(np.float64))
        if not (sums < (np.inf if values.dtype.kind == "f" else _BEYOND)).all():
            self._refuse(f"its numbers add up to {sums.max():.3g}, more than 64 bits can hold")

    def fields(self) -> dict[str, Any]:
        """Return the fields of the counts, if they can be those of any documents."""
        row, column, count, docs = self._joined()
        self._refuse_overflow(row, column, count, docs)
        cell, class_total, term_total = (
            (row >= 0) & (column >= 0), (row >= 0) & (column < 0), (row < 0) & (column >= 0)
        )  # fmt: skip
        n_docs = docs[(row < 0) & (column < 0)]
        n_classes, n_terms = (len(self.names[name]) for name in ("class", "term"))
        complete = (
            len(n_docs) > 0
            and len(np.unique(row[class_total])) == n_classes
            and len(np.unique(column[term_total])) == n_terms
        )
        if not complete:
            raise ValueError(
                f"{self.path} is not a complete table of counts; make it with `counts.save`"
            )
        classes, rank = self._classes()
        terms, place = self._terms()
        row, column = np.append(rank, -1)[row], np.append(place, -1)[column]
        term_counts, doc_counts = (
            csc_array((value[cell], (row[cell], column[cell])), shape=(n_classes, n_terms))
            for value in (count, docs)
        )
        tokens = added_up(row[class_total], count[class_total], n_classes)
        within = np.asarray(term_counts.sum(axis=1)).ravel()
        if (tokens < within * (1 - _ROUNDING)).any():
            self._refuse("a class has fewer tokens than its terms have together")
        fields = {
            "classes": classes,
            "terms": terms,
            "term_counts": term_counts,
            "doc_counts": doc_counts,
            "docs_per_class": added_up(row[class_total], docs[class_total], n_classes),
            "docs_per_term": added_up(column[term_total], docs[term_total], n_terms),
            "rest_counts": difference(np.maximum(tokens, within), within),
            "n_docs": n_docs.sum().item(),
        }
        self._refuse_impossible(fields, tokens)
        for table in (term_counts, doc_counts):
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


def added_up(index: Numbers, values: Numbers, size: int) -> Numbers:
    """Add up values by their index."""
    out = np.zeros(size, values.dtype)
    np.add.at(out, index, values)
    return out
