"""Counts as one Parquet table: readable by anything, merged by adding up its rows."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fsmj._atomic import whole_file
from fsmj._extras import from_extras
from fsmj.counts._table import COLUMNS, KINDS, Sums, kind_of, require_columns

FORMAT = 1  # raised when older versions would misread a file
_PREFIX = "fsmj."  # of our keys among those of other writers
SPARK_RULE = _PREFIX + "rule"  # in the metadata of the column `term`
_FORMAT = _PREFIX + "format"
_BATCH = 1 << 20  # rows
# A row of real counts takes a byte or more. Runs of equal values may take next to nothing, and
# no file says truly how large it becomes: so it is bounded by what it is.
_DENSEST = 200  # rows, or bytes when unpacked, in a byte of the file;
_FEW_ROWS, _SMALL = 1 << 20, 1 << 26  # and these in any file
_SPARK_SCHEMA = "org.apache.spark.sql.parquet.row.metadata"


def write(path: str | os.PathLike[str], counts: Any, metadata: Mapping[str, str]) -> None:
    """Write the table, whole or not at all; `ClassTermCounts.save` describes it."""
    with from_extras():
        import pyarrow as pa
        import pyarrow.parquet as pq

    n_terms, n_classes, cells = counts.n_terms, counts.n_classes, counts.term_counts
    names = np.arange(n_terms) if counts.terms is None else counts.terms
    label = pa.array(counts.classes).type
    if kind_of(label) not in KINDS["class"]:
        raise ValueError(f"labels of the type {label} cannot be saved; make them strings")
    schema = pa.schema(
        {
            "class": label,
            "term": pa.int64() if counts.terms is None else pa.string(),
            "count": pa.from_numpy_dtype(cells.dtype),
            "docs": pa.from_numpy_dtype(counts.docs_per_class.dtype),
        },
        metadata={_FORMAT: str(FORMAT)} | {_PREFIX + key: v for key, v in metadata.items()},
    )

    def rows(*columns: Any) -> Any:  # a number stands for as many nulls
        return pa.table(
            [
                pa.nulls(column, field.type)
                if isinstance(column, int)
                else pa.array(column, field.type)
                for column, field in zip(columns, schema, strict=True)
            ],
            schema=schema,
        )

    with (
        whole_file(path) as scratch,
        pq.ParquetWriter(scratch, schema, compression="zstd") as writer,
    ):
        totals = [
            rows(1, 1, 1, [counts.n_docs]),
            rows(n_terms, names, n_terms, counts.docs_per_term),
            rows(counts.classes, n_classes, counts.tokens_per_class, counts.docs_per_class),
        ]
        writer.write_table(pa.concat_tables(totals))
        for first in range(0, cells.nnz, _BATCH):  # as a whole, names would take much room
            part = slice(first, min(first + _BATCH, cells.nnz))
            of_term = np.searchsorted(cells.indptr, np.arange(part.start, part.stop), "right") - 1
            writer.write_table(
                rows(counts.classes[cells.indices[part]], names[of_term], cells.data[part],
                     counts.doc_counts.data[part])
            )  # fmt: skip


def load_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return what was written beside a table; for a folder, that on which its tables agree."""
    with from_extras():
        import pyarrow as pa
        import pyarrow.parquet as pq

    if _found(path).is_dir():
        parts = [load_metadata(part) for part in _files(path)]
        if len({part["rule"] for part in parts if "rule" in part}) > 1:
            raise ValueError(f"the counts in {path} were made by different rules of what a word is")
        first = parts[0] if parts else {}
        return {
            key: value for key, value in first.items()
            if all(part.get(key) == value for part in parts)
        }  # fmt: skip
    with _readable(path), pa.OSFile(os.fspath(path), "rb") as source:
        found = pq.read_schema(source).metadata or {}
        pairs = {
            key.decode(): value.decode()
            for key, value in found.items()
            if key.startswith((_PREFIX.encode(), _SPARK_SCHEMA.encode()))
        }
    _refuse_newer(path, pairs.pop(_FORMAT, str(FORMAT)))
    kept = _of_spark(pairs.get(_SPARK_SCHEMA, "{}"))
    return kept | {
        key.removeprefix(_PREFIX): value for key, value in pairs.items() if key.startswith(_PREFIX)
    }


def _refuse_newer(path: str | os.PathLike[str], version: str) -> None:
    if not (version.isascii() and version.isdigit() and len(version) < 10):
        raise ValueError(f"{path} is damaged: its format is {version[:20]!r}")
    if int(version) > FORMAT:
        raise ValueError(
            f"{path} was written by a newer fsmj, in format {version}; this one reads formats up "
            f"to {FORMAT}: update fsmj"
        )


def _of_spark(schema: str) -> dict[str, str]:
    """Return the rule that Spark keeps in its own description of the column `term`."""
    try:
        fields = {field["name"]: field["metadata"] for field in json.loads(schema)["fields"]}
        return {"rule": str(fields["term"][SPARK_RULE])}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the counts in a table, or in a folder of tables that add up."""
    return fields_of((batch for file in _files(path) for batch in _batches(file)), path)


def fields_of(tables: Iterable[Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the counts in Arrow tables that add up and came from a path."""
    sums = Sums(path)
    for table in tables:
        sums.add(table)
    return sums.fields()


def _batches(file: Path) -> Iterator[Any]:
    """Yield the rows of a file, some at a time, however many it says to have."""
    with from_extras():
        import pyarrow as pa
        import pyarrow.parquet as pq

    with _readable(file), pa.OSFile(os.fspath(file), "rb") as source:
        require_columns(pq.read_schema(source), file)
    # A long term that fills a million rows is held once. Arrow would keep a damaged file open.
    with (
        _readable(file),
        pa.OSFile(os.fspath(file), "rb") as source,
        pq.ParquetFile(source, read_dictionary=["class", "term"]) as table,
    ):
        _refuse_inflated(file, table.metadata)
        for batch in table.iter_batches(_BATCH, columns=list(COLUMNS)):
            batch.validate(full=True)  # that text is UTF-8, and that codes stand for a value
            yield batch


def _refuse_inflated(file: Path, metadata: Any) -> None:
    """Refuse a file that would take far more room, or time, than any counts of its size."""
    size = file.stat().st_size
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    n_bytes = sum(group.total_byte_size for group in groups)
    if metadata.num_rows > _FEW_ROWS + _DENSEST * size or n_bytes > _SMALL + _DENSEST * size:
        raise ValueError(
            f"{file} is no sound table of counts: its {size:,} bytes claim to hold "
            f"{metadata.num_rows:,} rows of {n_bytes:,} bytes"
        )


@contextmanager
def _readable(file: str | os.PathLike[str]) -> Iterator[None]:
    """Say in one sentence that a file is damaged, or that it is something else."""
    with from_extras():
        import pyarrow as pa

    try:
        yield
    except PermissionError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as reason:
        with Path(file).open("rb") as start:
            is_parquet = start.read(4) == b"PAR1"
        if not is_parquet:
            raise ValueError(f"{file} is not a Parquet file") from None
        said = (str(reason).splitlines() or [type(reason).__name__])[0]
        raise ValueError(f"{file} is damaged or cut short ({said})") from None


def _files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the file, or those of a folder in the order of their names."""
    if not _found(path).is_dir():
        return [Path(path)]
    parts = [part for part in sorted(Path(path).rglob("[!._]*")) if part.is_file()]
    if not parts:
        raise ValueError(f"{path} is a folder without tables of counts")
    return parts


def _found(path: str | os.PathLike[str]) -> Path:
    if not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file", os.fspath(path))
    return Path(path)
