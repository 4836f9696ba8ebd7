"""Tables of documents as SQL: CSV and TSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fsmj.corpus.duck import MISSING_LABEL, UNREADABLE_ROW, Engine
from fsmj.corpus.places import DataFile, decompressed
from fsmj.corpus.sql import quoted, quoted_list

_LONGEST_DOCUMENT = 1 << 25  # bytes; a longer row of a CSV or JSON file counts as unreadable
_DELIMITERS = (",", ";", "\t", "|")
_LENIENT = "ignore_errors = true, store_rejects = true"
LABEL_THEM = "label such documents, or take them out of the data"
EMPTY_SEPARATOR = "the label separator is empty"
_LOOK_AT = 100  # rows whose fields are the columns of a JSON file


@dataclass(frozen=True)
class Table:
    """Files of one kind and how to get texts and labels from them.

    Parameters
    ----------
    files : tuple of DataFile
        Files that one reader can read together.
    reader : str
        The SQL table function, with ``{}`` for the list of paths.
    text, label : str
        SQL expressions over the reader's columns; the label may be a list.
    kind : str
        The SQL type of a class.
    several : bool
        Whether the label is a list.
    """

    files: tuple[DataFile, ...]
    reader: str
    text: str
    label: str
    kind: str
    several: bool

    @property
    def rejects(self) -> bool:
        """Whether the reader itself leaves rows out, and keeps a record of them."""
        return _LENIENT in self.reader

    def rows(self, files: Iterable[DataFile] | None = None, strict: bool = False) -> str:
        """Return the SQL table of these files, by default all."""
        paths = quoted_list(file.path for file in (self.files if files is None else files))
        reader = self.reader.replace(_LENIENT, "ignore_errors = false") if strict else self.reader
        return reader.replace("{}", paths)


def tables(
    files: Iterable[DataFile], text: str, label: str, separator: str | None, engine: Engine
) -> list[Table]:
    """Look at each file and put those together that can be read together."""
    groups: dict[tuple[str, str, str, str, bool], list[DataFile]] = {}
    for file in files:
        groups.setdefault(_LOOKS[file.format](file, text, label, engine), []).append(file)
    return [
        Table(tuple(members), reader, text, *split(label, kind, several, separator))
        for (reader, text, label, kind, several), members in groups.items()
    ]


def split(label: str, kind: str, several: bool, separator: str | None) -> tuple[str, str, bool]:
    """Split a label at a separator, if there is one and the label is not a list already."""
    if separator is None or several:
        return label, kind, several
    if not separator:
        raise ValueError(EMPTY_SEPARATOR)
    parts = f"string_split({label}::VARCHAR, {quoted(separator)})"
    trimmed = f"list_transform({parts}, lambda part: trim(part))"
    # Nothing between separators is no label; nothing at all is a missing one.
    found = f"list_filter({trimmed}, lambda part: part <> '')"
    return f"CASE WHEN len({found}) > 0 THEN {found} END", "VARCHAR", True


def documents(table: Table, kind: str, several: bool, strict: bool) -> str:
    """Return the query for `text` and `label`; a missing label, or strictness, stops it."""
    label = f"({table.label})::{table.kind}{'[]' if table.several else ''}"
    label = f"({label})::{kind}{'[]' if table.several else ''}"
    if several and not table.several:
        label = f"CASE WHEN {label} IS NOT NULL THEN [{label}] END"
    unreadable = f"error('{UNREADABLE_ROW}')" if strict else ("[]" if several else "NULL")
    unique = "list_distinct(label)" if several else "label"
    return f"""
        SELECT text, CASE WHEN text IS NULL THEN {unreadable}
                          WHEN {missing_label("label", several)} THEN error('{MISSING_LABEL}')
                          ELSE {unique} END AS label
        FROM (SELECT {table.text} AS text, {label} AS label FROM {table.rows(strict=strict)})"""


def missing_label(label: str, several: bool) -> str:
    """Return the SQL condition that a document has no label, or that one of a list is null."""
    if several:
        return f"({label} IS NULL OR list_aggregate({label}, 'count') < len({label}))"
    return f"{label} IS NULL"


def first_row(engine: Engine, table: Table, condition: str) -> tuple[str, int] | None:
    """Return the file and the number of its first row for which a condition holds."""
    inner = f"SELECT {table.text} AS text, {table.label} AS label, row_number() OVER () AS row"
    engine.rows("SET preserve_insertion_order = true")
    for file in table.files:
        query = f"SELECT row FROM ({inner} FROM {table.rows([file])}) WHERE {condition} LIMIT 1"
        for (row,) in engine.rows(query):
            return file.name, row
    return None


def missing_label_error(engine: Engine, read: list[Table], label: str) -> ValueError:
    """Look for the first document without a label, and say where it is."""
    for table in read:
        found = first_row(
            engine, table, f"text IS NOT NULL AND {missing_label('label', table.several)}"
        )
        if found:
            where = f"row {found[1]:,} of {found[0]}"
            return ValueError(f"the label in {where} (column {label!r}) is missing; {LABEL_THEM}")
    return ValueError(f"a label in the column {label!r} is missing; {LABEL_THEM}")


def position(owner: str, wanted: str, columns: list[str]) -> int:
    """Return the position of a column, or say which ones its owner has."""
    if columns.count(wanted) == 1:
        return columns.index(wanted)
    if wanted in columns:
        raise ValueError(f"{owner} has {columns.count(wanted)} columns named {wanted!r}")
    listed = ", ".join(map(repr, columns[:20])) + (", ..." if len(columns) > 20 else "")
    raise ValueError(f"{owner} has no column {wanted!r}; it has {listed}")


def columns_of(file: DataFile, engine: Engine) -> list[str]:
    """Return the names of a file's columns."""
    if file.format == "parquet":
        return [str(name) for name in _parquet_schema(file).names]
    if file.format == "json":
        return _json_fields(file, engine)
    return _header(file, ())[1]


def _header(file: DataFile, wanted: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the delimiter and the column names of a CSV or TSV file."""
    rows = {}
    for delimiter in "\t" if file.format == "tsv" else _DELIMITERS:
        with decompressed(file.path, file.compression) as stream:
            lines = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
            try:
                rows[delimiter] = next(csv.reader(lines, delimiter=delimiter), [])
            except (csv.Error, OSError) as reason:
                raise ValueError(f"{file.name} has no readable header: {reason}") from None
    return max(rows.items(), key=lambda row: (set(wanted) <= set(row[1]), len(row[1])))


def _look_at_csv(
    file: DataFile, text: str, label: str, _: Engine
) -> tuple[str, str, str, str, bool]:
    delimiter, columns = _header(file, (text, label))
    at = [position(file.name, name, columns) for name in (text, label)]
    types = ", ".join(f"'c{position}': 'VARCHAR'" for position in range(len(columns)))
    # The columns go by position, and the form of the file is told instead of guessed: then
    # neither names nor contents can lead the reader astray.
    reader = (
        f"read_csv({{}}, auto_detect = false, header = true, columns = {{{types}}},"
        f" delim = {quoted(delimiter)}, quote = '\"', escape = '\"', compression ="
        f" '{file.compression}', {_LENIENT},"
        f" max_line_size = {_LONGEST_DOCUMENT}, buffer_size = {_LONGEST_DOCUMENT},"
        " hive_partitioning = false)"
    )
    return reader, f"coalesce(c{at[0]}, '')", f"c{at[1]}", "VARCHAR", False


def _json_reader(file: DataFile) -> str:
    with decompressed(file.path, file.compression) as stream:
        array = stream.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    form = "format = 'array'" if array else "format = 'newline_delimited', ignore_errors = true"
    compression = file.compression.replace("none", "uncompressed")
    return (
        f"read_json_objects({{}}, {form}, compression = '{compression}',"
        f" maximum_object_size = {_LONGEST_DOCUMENT}, hive_partitioning = false)"
    )


def _json_fields(file: DataFile, engine: Engine) -> list[str]:
    rows = _json_reader(file).replace("{}", quoted_list([file.path]))
    try:
        found = engine.rows(
            "SELECT DISTINCT unnest(json_keys(json)) FROM"
            f" (SELECT json FROM {rows} LIMIT {_LOOK_AT}) WHERE json_type(json) = 'OBJECT'"
        )
    except ValueError as reason:
        raise ValueError(f"{file.name} is not JSON: {reason}") from None
    if not found:
        raise ValueError(f"{file.name} is not JSON lines: no line of it is an object")
    return sorted(name for (name,) in found)


def _look_at_json(
    file: DataFile, text: str, label: str, engine: Engine
) -> tuple[str, str, str, str, bool]:
    fields = _json_fields(file, engine)
    for name in (text, label):
        position(file.name, name, fields)
    at_text, at_label = (
        quoted("/" + name.replace("~", "~0").replace("/", "~1")) for name in (text, label)
    )
    text = f"json_extract_string(json, {at_text})"
    text = f"CASE json_type(json, {at_text}) WHEN 'VARCHAR' THEN {text} END"
    label = f"json_extract(json, {at_label})"
    labels = (
        f"CASE json_type({label}) WHEN 'ARRAY' THEN json_extract({label}, '$[*]')"
        f" WHEN 'NULL' THEN NULL WHEN 'OBJECT' THEN NULL ELSE [{label}] END"
    )
    # The number NaN is no label, as in Parquet; a string of these letters has quotes here.
    one = "CASE WHEN one::VARCHAR <> 'NaN' THEN nullif(json_extract_string(one, '$'), '') END"
    label = f"list_transform({labels}, lambda one: {one})"
    return _json_reader(file), text, label, "VARCHAR", True


def _parquet_schema(file: DataFile) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(file.path)
    except (pa.ArrowException, OSError) as reason:
        raise ValueError(f"{file.name} is damaged: {str(reason).splitlines()[0]}") from None


def _look_at_parquet(
    file: DataFile, text: str, label: str, _: Engine
) -> tuple[str, str, str, str, bool]:
    schema = _parquet_schema(file)
    for name in (text, label):
        position(file.name, name, schema.names)
        # SQL does not tell capital from small letters in names.
        position(file.name, name.lower(), [other.lower() for other in schema.names])
    reader = "read_parquet({}, hive_partitioning = false)"
    return reader, *columns_to_sql(schema, text, label, file.name)


def columns_to_sql(schema: Any, text: str, label: str, name: str) -> tuple[str, str, str, bool]:
    """Return SQL for text and label of an Arrow table, the label's type, and if it is a list."""
    at_text, at_label = ('"' + column.replace('"', '""') + '"' for column in (text, label))
    as_text, as_label, kind, several = _typed(
        schema.field(text).type, schema.field(label).type, name
    )
    return as_text.replace("{}", at_text), as_label.replace("{}", at_label), kind, several


def _typed(text: Any, label: Any, name: str) -> tuple[str, str, str, bool]:
    import pyarrow.types as kind

    text, label = (t.value_type if kind.is_dictionary(t) else t for t in (text, label))
    if kind.is_binary(text) or kind.is_large_binary(text):
        as_text = "try(decode({}))"
    elif kind.is_string(text) or kind.is_large_string(text) or kind.is_string_view(text):
        as_text = "{}::VARCHAR"
    else:
        raise ValueError(f"the text column of {name} holds {text}, not text")
    several = kind.is_list(label) or kind.is_large_list(label) or kind.is_fixed_size_list(label)
    single = label.value_type if several else label
    single = single.value_type if kind.is_dictionary(single) else single
    if kind.is_integer(single):
        as_type = "BIGINT"
    elif kind.is_boolean(single):
        as_type = "BOOLEAN"
    elif kind.is_floating(single):
        as_type = "DOUBLE"
    elif kind.is_nested(single):
        raise ValueError(f"the label column of {name} holds {label}, not labels")
    else:
        as_type = "VARCHAR"
    as_label = _label("{}", as_type)
    if several:
        as_label = f"list_transform({{}}::{as_type}[], lambda one: {_label('one', as_type)})"
    return as_text, as_label, as_type, several


def _label(value: str, kind: str) -> str:
    """Return SQL for one label; an empty string, as in a CSV file, and the number NaN are none."""
    if kind == "DOUBLE":
        # By isnan: DuckDB skips a comparison with NaN if NaN is beyond a Parquet file's maximum.
        return f"CASE WHEN NOT isnan({value}::DOUBLE) THEN {value}::DOUBLE END"
    return f"nullif({value}::VARCHAR, '')" if kind == "VARCHAR" else value


_LOOKS = {
    "csv": _look_at_csv,
    "tsv": _look_at_csv,
    "json": _look_at_json,
    "parquet": _look_at_parquet,
}
