"""Columns that have types: Parquet files, and data frames of pandas, polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsmj.corpus.batch import Rows, Wanted, joined, position
from fsmj.corpus.labels import tidied
from fsmj.corpus.places import DataFile
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress, not_in

_BATCH = 1024  # rows
_BATCH_SIZE = 1 << 22  # bytes
# At a time, before anybody knows how long their texts are: a small file may repeat a long one.
_FEW = 128


def columns_of(file: DataFile) -> list[str]:
    """Return the names of a Parquet file's columns."""
    with _parquet(file) as table:
        return [str(name) for name in table.schema_arrow.names]


def label_kind(file: DataFile, label: str) -> str:
    """Return what the labels of a Parquet file will be."""
    with _parquet(file) as table:
        schema = table.schema_arrow
        at = position(file.name, label, schema.names)
        return _label_type(schema.field(at).type, file.name)[0]


def read(
    file: DataFile, wanted: Wanted, separator: str | None, policy: Policy,
    progress: Progress | None = None,
) -> Iterator[Rows]:  # fmt: skip
    """Yield the rows of a Parquet file, some at a time."""
    import pyarrow as pa

    with _parquet(file) as table:
        n_rows = max(1, table.metadata.num_rows)
        done = 0
        names = table.schema_arrow.names
        for name in wanted.names:
            position(file.name, name, names)
        try:
            for batch in _gathered(table.iter_batches(_FEW, columns=wanted.names)):
                first = done + 1  # as a spreadsheet would number them, without a header

                def where(row: int, first: int = first) -> str:
                    return f"row {first + row:,} of {file.name}"

                yield _rows_of(batch, file.name, where, wanted, separator, policy)
                done += len(batch)
                if progress is not None:
                    progress(done / n_rows)
        except (pa.ArrowException, OSError) as reason:
            raise ValueError(f"{file.name} is damaged: {str(reason).splitlines()[0]}") from None


def _gathered(batches: Iterator[Any]) -> Iterator[Any]:
    """Put small batches together, as long as their texts are short."""
    import pyarrow as pa

    held: list[Any] = []
    n_bytes = 0
    for batch in batches:
        held.append(batch)
        n_bytes += batch.nbytes
        if len(held) * _FEW >= _BATCH or n_bytes >= _BATCH_SIZE:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held, n_bytes = [], 0
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def _parquet(file: DataFile) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # An open file, because Arrow takes some names for addresses.
        # Read ahead, it would hold all that it has read until the end.
        return pq.ParquetFile(pa.OSFile(file.path, "rb"), pre_buffer=False)
    except (pa.ArrowException, OSError) as reason:
        raise ValueError(f"{file.name} is damaged: {str(reason).splitlines()[0]}") from None


def read_frame(frame: Any, wanted: Wanted, separator: str | None, policy: Policy) -> Iterator[Rows]:
    """Yield the rows of a data frame, some at a time."""
    name, done = "the data frame", 0
    for batch in _frame_batches(frame, wanted):
        for start in range(0, len(batch), _BATCH):
            part = batch.slice(start, _BATCH)

            def where(row: int, first: int = done) -> str:
                return f"row {first + row:,} of {name}"

            yield _rows_of(part, name, where, wanted, separator, policy)
            done += len(part)


def _frame_batches(frame: Any, wanted: Wanted) -> Any:
    """Return a reader of some columns of a table of pandas, polars or Arrow."""
    import pyarrow as pa

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


def _rows_of(
    batch: Any, name: str, where: Callable[[int], str], wanted: Wanted, separator: str | None,
    policy: Policy,
) -> Rows:  # fmt: skip
    """Turn typed columns into texts and labels, without rows that cannot be read."""
    import pyarrow as pa

    columns = [_as_text(batch.column(column), name) for column in wanted.text]
    undecodable: dict[int, bytes] = {}
    for column in columns:
        undecodable |= _undecodable(column)
    for row, text in sorted(undecodable.items()):
        policy.refuse_unreadable(where(row), not_in("utf-8", text))
    kept = [row for row in range(len(batch)) if row not in undecodable]
    if undecodable:
        at = pa.array(kept, pa.int64())
        batch, columns = batch.take(at), [column.take(at) for column in columns]
    labels = None
    if wanted.label is not None:
        found = _labels(batch.column(wanted.label), name)
        labels = [tidied(label, separator) for label in found]
    return Rows(
        joined([column.cast(pa.string()) for column in columns]),
        labels,
        pa.record_batch([batch.column(column) for column in wanted.others], list(wanted.others)),
        lambda row: where(kept[row]),
    )


def _as_text(column: Any, name: str) -> Any:
    """Return a column of texts as strings, or as bytes that may be strings."""
    import pyarrow as pa
    import pyarrow.types as kind

    column = _plain(column)
    if kind.is_binary(column.type) or kind.is_large_binary(column.type):
        return column.cast(pa.binary())
    texts = (kind.is_string, kind.is_large_string, kind.is_string_view, kind.is_null)
    if any(is_text(column.type) for is_text in texts):
        return column.cast(pa.string())
    raise ValueError(f"the text column of {name} holds {column.type}, not text")


def _plain(column: Any) -> Any:
    """Return a column of categories as a column of their values."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    values = column.dictionary
    if pa.types.is_string_view(values.type):  # which polars has, and Arrow cannot pick from
        values = values.cast(pa.string())
    return values.take(column.indices)


def _undecodable(column: Any) -> dict[int, bytes]:
    """Return the rows whose bytes are not UTF-8; strings, too, may come unchecked."""
    import pyarrow as pa

    try:
        column.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        found = {}
        for row, text in enumerate(column.cast(pa.binary()).to_pylist()):
            try:
                (text or b"").decode()
            except UnicodeDecodeError:
                found[row] = text
        return found
    return {}


def _label_type(label: Any, name: str) -> tuple[str, bool]:
    """Return what labels of an Arrow type are in Python, and whether they are in lists."""
    import pyarrow.types as kind

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
    import pyarrow as pa

    as_type, several = _label_type(column.type, name)
    if as_type == "str" and not pa.types.is_null(column.type):
        column = _plain(column).cast(pa.list_(pa.string()) if several else pa.string())
    listed: list[Any] = column.to_pylist()
    return listed
