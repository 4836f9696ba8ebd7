"""Columns that have types: Parquet files, and data frames of pandas, polars and Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.types as kind

from fsmj.corpus.batch import Batch, Wanted, position
from fsmj.corpus.labels import tidied
from fsmj.corpus.places import DataFile
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress
from fsmj.tokens.cutter import in_parts

_BATCH = 1024  # rows
# At a time, before anybody knows how long their texts are: a small file may repeat a long one.
_FEW = 128


def columns_of(file: DataFile, encoding: str) -> list[str]:
    """Return the names of a Parquet file's columns."""
    with _parquet(file) as table:
        return [str(name) for name in table.schema_arrow.names]


def label_kind(file: DataFile, label: str) -> str:
    """Return what the labels of a Parquet file will be."""
    with _parquet(file) as table:
        schema = table.schema_arrow
        at = position(file.name, label, schema.names)
        return _label_type(schema.field(at).type, file.name)[0]


def read(file: DataFile, wanted: Wanted, policy: Policy, progress: Progress) -> Iterator[Batch]:
    """Yield the rows of a Parquet file, some at a time."""
    with _parquet(file) as table:
        n_rows = max(1, table.metadata.num_rows)
        done = 0
        for name in wanted.names:
            position(file.name, name, table.schema_arrow.names)
        few = table.iter_batches(_FEW, columns=wanted.names)
        for part in in_parts(few, _BATCH // _FEW, lambda batch: batch.nbytes):
            for batch in pa.Table.from_batches(part).combine_chunks().to_batches():
                # As a spreadsheet would number them, without a header.
                yield _rows_of(batch, file.name, done + 1, wanted, policy)
                done += len(batch)
                progress(done / n_rows)


@contextmanager
def _parquet(file: DataFile) -> Iterator[Any]:
    import pyarrow.parquet as pq

    try:
        # An open file, because Arrow takes some names for addresses, and would keep a damaged one
        # open. Read ahead, it would hold all that it has read until the end.
        with (
            pa.OSFile(file.path, "rb") as source,
            pq.ParquetFile(source, pre_buffer=False) as table,
        ):
            yield table
    except (pa.ArrowException, OSError) as reason:
        raise ValueError(f"{file.name} is damaged: {str(reason).splitlines()[0]}") from None


def read_frame(frame: Any, wanted: Wanted, policy: Policy) -> Iterator[Batch]:
    """Yield the rows of a data frame, some at a time."""
    done = 0
    for batch in _frame_batches(frame, wanted):
        for start in range(0, len(batch), _BATCH):
            part = batch.slice(start, _BATCH)
            yield _rows_of(part, "the data frame", done, wanted, policy)
            done += len(part)


def _frame_batches(frame: Any, wanted: Wanted) -> Any:
    """Return a reader of some columns of a table of pandas, polars or Arrow."""
    names = _column_names(frame)
    for name in wanted.names:
        position("the data frame", name, names)
    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if hasattr(frame, "select"):
        frame = frame.select(wanted.names)
        frame = frame.collect() if hasattr(frame, "collect") else frame
    else:
        frame = frame[wanted.names]
    try:
        return pa.RecordBatchReader.from_stream(frame)
    except (pa.ArrowException, TypeError) as reason:
        raise ValueError(f"the data frame cannot be read: {str(reason).splitlines()[0]}") from None


def _column_names(frame: Any) -> list[str]:
    if hasattr(frame, "collect_schema"):  # of polars, which may be lazy
        return list(frame.collect_schema().names())
    if hasattr(frame, "schema"):  # of Arrow
        return list(frame.schema.names)
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    raise ValueError(f"a {type(frame).__name__} is not a data frame that can be counted")


def _rows_of(batch: Any, name: str, first: int, wanted: Wanted, policy: Policy) -> Batch:
    """Turn typed columns into texts and labels, without rows that cannot be read."""

    def where(row: int) -> str:
        return f"row {first + row:,} of {name}"

    columns = [_as_bytes(batch.column(column), name) for column in wanted.text]
    texts, kept = policy.decoded(columns, "utf-8", where)
    if len(kept) < len(batch):
        batch = batch.take(pa.array(kept))
    labels = None
    if wanted.label is not None:
        found = _labels(batch.column(wanted.label), name)
        labels = [tidied(label, wanted.separator) for label in found]
    by_name = {name: batch.column(name) for name in wanted.others}
    by_name |= dict(zip(wanted.text, texts, strict=True))
    return wanted.batch(by_name, labels, lambda row: where(int(kept[row])))


def _as_bytes(column: Any, name: str) -> Any:
    """Return a column of texts as bytes: not even strings have all been checked to be UTF-8."""
    column = _plain(column)
    texts = (kind.is_string, kind.is_large_string, kind.is_string_view, kind.is_null)
    if any(is_text(column.type) for is_text in texts):
        return column.cast(pa.string()).cast(pa.binary())
    if kind.is_binary(column.type) or kind.is_large_binary(column.type):
        return column.cast(pa.binary())
    raise ValueError(f"the text column of {name} holds {column.type}, not text")


def _plain(column: Any) -> Any:
    """Return a column of categories as a column of their values."""
    if not kind.is_dictionary(column.type):
        return column
    values = column.dictionary
    if kind.is_string_view(values.type):  # which polars has, and Arrow cannot pick from
        values = values.cast(pa.string())
    return values.take(column.indices)


def _label_type(label: Any, name: str) -> tuple[str, bool]:
    """Return what labels of an Arrow type are in Python, and whether they are in lists."""
    label = label.value_type if kind.is_dictionary(label) else label
    several = kind.is_list(label) or kind.is_large_list(label) or kind.is_fixed_size_list(label)
    single = label.value_type if several else label
    single = single.value_type if kind.is_dictionary(single) else single
    if kind.is_nested(single):
        raise ValueError(f"the label column of {name} holds {label}, not labels")
    if kind.is_integer(single):
        return "int", several
    if kind.is_boolean(single):
        return "bool", several
    return ("float" if kind.is_floating(single) else "str"), several


def _labels(column: Any, name: str) -> list[Any]:
    """Return labels as numbers, truth values or strings, or lists of them."""
    as_type, several = _label_type(column.type, name)
    if as_type == "str" and not kind.is_null(column.type):
        column = _plain(column).cast(pa.list_(pa.string()) if several else pa.string())
    listed: list[Any] = column.to_pylist()
    return listed
