"""Documents that pass by once: iterables, data frames, folders of text files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsmj.corpus.duck import Progress
from fsmj.corpus.places import ClassFolders, decompressed
from fsmj.corpus.tables import LABEL_THEM, position
from fsmj.corpus.unreadable import Unreadable

_BATCH = 2048  # documents, which DuckDB takes at once
_BATCH_SIZE = 1 << 22  # characters
_END = object()


class LabelCodes:
    """Numbers labels of any type as they appear."""

    def __init__(self) -> None:
        self.labels: list[Any] = []
        self._codes: dict[Any, int] = {}

    def of(self, label: Any, document: int) -> list[int]:
        """Return the numbers of one document's label or labels."""
        several = isinstance(label, (list, tuple, set, frozenset))
        try:
            return [self._code(one) for one in dict.fromkeys(label if several else [label])]
        except TypeError:
            kind = type(label).__name__
            raise ValueError(
                f"the label of document {document} is a {kind}; "
                "give a string, a number, or a list of them"
            ) from None
        except ValueError:
            raise ValueError(f"the label of document {document} is missing; {LABEL_THEM}") from None

    def _code(self, label: Any) -> int:
        code = self._codes.get(label)
        if code is None:
            label = getattr(label, "item", lambda: label)()  # a number or string of NumPy's
            if label is None or label != label or label == "":
                raise ValueError
            code = self._codes.setdefault(label, len(self._codes))
            if code == len(self.labels):
                self.labels.append(label)
        return code


def coded_documents(texts: Iterable[str], labels: Iterable[Any], codes: LabelCodes) -> Any:
    """Yield Arrow batches of `text` and `label`, the latter as lists of numbers."""
    import pyarrow as pa

    schema = pa.schema({"text": pa.string(), "label": pa.list_(pa.int32())})

    def pairs() -> Iterator[tuple[str, list[int]]]:
        text_iterator, label_iterator = iter(texts), iter(labels)
        for document, text in enumerate(text_iterator):
            label = next(label_iterator, _END)
            if label is _END:
                raise ValueError(f"there are more texts than labels, of which there are {document}")
            if not isinstance(text, str):
                kind = "missing" if text is None else f"a {type(text).__name__}, not a string"
                raise ValueError(f"the text of document {document} is {kind}")
            yield text, codes.of(label, document)
        if next(label_iterator, _END) is not _END:
            raise ValueError("there are more labels than texts")

    return schema, _batches(schema, pairs())


def folder_documents(
    folders: list[ClassFolders], strict: bool, unreadable: Unreadable, progress: Progress | None
) -> Any:
    """Yield Arrow batches of `text` and `label`; a file that is not UTF-8 has no text."""
    import pyarrow as pa

    schema = pa.schema({"text": pa.string(), "label": pa.string()})
    files = [document for folder in folders for document in folder.documents]

    def pairs() -> Iterator[tuple[str | None, str]]:
        for done, (class_, path) in enumerate(files):
            text = _text_of(path)
            if text is None:
                unreadable.note(f"{path}, which is not text in UTF-8")
                if strict:
                    raise ValueError(f"{path} is not text in UTF-8")
            if progress is not None and done % 100 == 0:
                progress(done / len(files))
            yield text, class_

    return schema, _batches(schema, pairs())


def _text_of(path: str) -> str | None:
    compression = {".gz": "gzip", ".zst": "zstd"}.get(path[path.rfind(".") :].lower(), "none")
    try:
        with decompressed(path, compression) as stream:
            content: bytes = stream.read()
        return content.decode("utf-8-sig")
    except (UnicodeDecodeError, OSError):
        return None


def _batches(schema: Any, pairs: Iterable[tuple[Any, Any]]) -> Iterator[Any]:
    import pyarrow as pa

    def batch() -> Any:
        # Lone surrogates are no characters; as question marks they separate words just the same.
        encoded = [None if text is None else text.encode("utf-8", "replace") for text in texts]
        columns = [pa.array(encoded, pa.binary()).cast(pa.string()),
                   pa.array(labels, schema.field("label").type)]  # fmt: skip
        return pa.record_batch(columns, schema=schema)

    texts: list[Any] = []
    labels: list[Any] = []
    size = 0
    for text, label in pairs:
        texts.append(text)
        labels.append(label)
        size += len(text or "")
        if len(texts) == _BATCH or size >= _BATCH_SIZE:
            yield batch()
            texts, labels, size = [], [], 0
    if texts:
        yield batch()


def watched(reader: Any, text: str, unreadable: Unreadable) -> Iterator[Any]:
    """Pass the batches of a data frame on, and note the first row without a text."""
    import pyarrow.compute as pc

    start = 0
    for batch in reader:
        column = batch.column(batch.schema.get_field_index(text))
        if column.null_count and not unreadable.first:
            row = start + pc.index(column.is_null(), True).as_py()
            unreadable.note(f"row {row:,} of the data frame, which has no text")
        start += len(batch)
        yield batch


def _column_names(frame: Any) -> list[str]:
    if hasattr(frame, "collect_schema"):  # of polars, which may be lazy
        return list(frame.collect_schema().names())
    if hasattr(frame, "schema"):  # of Arrow
        return list(frame.schema.names)
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    raise ValueError(f"a {type(frame).__name__} is not a data frame that can be counted")


def frame_columns(frame: Any, text: str, label: str) -> Any:
    """Return a reader of two columns of a pandas, polars or Arrow table, or DuckDB relation."""
    import pyarrow as pa

    names = _column_names(frame)
    for name in (text, label):
        position("the data frame", name, names)
    wanted = list(dict.fromkeys([text, label]))
    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if "duckdb" in type(frame).__module__:
        quotes = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
        frame = frame.project(quotes)
    elif hasattr(frame, "select"):
        frame = frame.select(wanted)
        frame = frame.collect() if hasattr(frame, "collect") else frame
    else:
        frame = frame[wanted]
    try:
        return pa.RecordBatchReader.from_stream(frame)
    except (pa.ArrowException, TypeError) as reason:
        raise ValueError(f"the data frame cannot be read: {str(reason).splitlines()[0]}") from None
