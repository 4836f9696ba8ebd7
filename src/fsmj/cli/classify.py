"""`fsmj classify`: texts in, labels and probabilities out, as they come."""

from __future__ import annotations

import csv
import json as json_format
import re
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TextIO

import typer

from fsmj._atomic import whole_file
from fsmj._names import counted
from fsmj._spreadsheets import guarded
from fsmj.cli.columns import USUAL
from fsmj.cli.data import opened
from fsmj.cli.options import Quiet
from fsmj.cli.output import STANDARD, check_target, checked_format, for_stream
from fsmj.cli.terminal import WORDLESS, say, visible

if TYPE_CHECKING:
    import pyarrow as pa

    from fsmj.model import Decisions, TextModel

_FORMATS = (".csv", ".tsv", ".jsonl")
_CHUNK = 1 << 20  # bytes of standard input at a time, if they are there

ModelFile = Annotated[Path, typer.Argument(help="A model made by fsmj train.")]


class Part(NamedTuple):
    """Some texts, and what is written beside their labels: columns, each as long as the texts."""

    texts: pa.Array
    beside: dict[str, Sequence[Any]]


def classify(
    model: ModelFile,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Tables, text files, folders of text files; by default the lines of standard "
            "input (-)."
        ),
    ] = None,
    text: Annotated[
        list[str] | None, typer.Option(help="The column with the text, in tables; may be repeated.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Write this column of a table beside the label; may be repeated. With "
            "-o all are written by default."
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of a text file is a document.")
    ] = False,
    encoding: Annotated[str, typer.Option(help="Of text files, such as cp1252.")] = "utf-8",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to a .csv, .tsv or .jsonl file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each.")] = False,
    quiet: Quiet = False,
) -> None:
    """Give each text its most probable label, and the probability.

    Example: cat letters.txt | fsmj classify model.parquet
    """
    from fsmj.model import load_model

    paths = texts or ["-"]
    if output is not None:
        read: list[str | Path] = [model]
        for path in paths:
            read += _files_of(path) if Path(path).is_dir() and not text else [path]
        check_target(output, _FORMATS, read)
    trained = load_model(model)
    given = _Texts(paths, text, keep, lines, encoding, output is not None, quiet, trained)
    unknown = 0
    with closing(given.parts()) as parts, _sink(output, json) as sink:
        for part in parts:
            decisions = trained.classify(part.texts)
            sink.take(part.beside, decisions)
            unknown += int((decisions.words == 0).sum())
    if unknown and not quiet:
        say(WORDLESS.format(counted(unknown, "text")))


@dataclass(frozen=True)
class _Texts:
    """What to classify, and how to read it."""

    paths: Sequence[str]
    text: list[str] | None
    keep: list[str] | None
    lines: bool
    encoding: str
    to_file: bool
    quiet: bool
    model: TextModel

    def parts(self) -> Generator[Part, None, None]:
        """Yield texts as they come, with the names of their files where these are needed."""
        read = {"document": self._documents, "lines": self._lines, "table": self._table}
        for path in self.paths:
            for part in read[self._kind(path)](path):
                files = {"file": [path] * len(part.texts)} if self._is_named else {}
                yield Part(part.texts, files | part.beside)

    @cached_property
    def _is_named(self) -> bool:
        """Whether some file is one text, so that its name stands beside the label."""
        return any(self._kind(path) == "document" for path in self.paths)

    def _kind(self, path: str) -> Literal["document", "lines", "table"]:
        """Return what a path names: texts that are files, texts that are lines, or a table."""
        if Path(path).is_dir():
            return "table" if self.text else "document"
        if path == "-":
            return "table" if self.text else "lines"
        if _is_text_file(path):
            return "lines" if self.lines else "document"
        return "table"

    def _documents(self, path: str) -> Iterator[Part]:
        import pyarrow as pa

        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        for file in _files_of(path):
            try:
                text = file.read_text(encoding=encoding)
            except UnicodeDecodeError:
                raise ValueError(
                    f"{file} is not text in {self.encoding}; name it with --encoding"
                ) from None
            yield Part(pa.array([text], pa.large_string()), {"file": [str(file)]})

    def _table(self, path: str) -> Iterator[Part]:
        from fsmj.corpus import read_batches

        with opened([path], quiet=self.quiet, model=self.model) as source:
            text = self.text or source.text_alone
            beside = self.keep or (source.columns if self.to_file and not self._is_named else ())
            how: dict[str, Any] = {"columns": beside, "encoding": self.encoding}
            for batch in read_batches(source.places, text, None, **how):
                yield Part(batch.texts, batch.others.to_pydict())

    def _lines(self, path: str) -> Iterator[Part]:
        """Yield the lines that have come so far, so that a slow writer need not wait."""
        piped = path == "-"
        if piped and (sys.stdin is None or sys.stdin.closed):
            raise ValueError("standard input is closed; name a file of texts")
        damaged = 0
        with nullcontext(sys.stdin.buffer) if piped else Path(path).open("rb") as stream:
            for number, block in enumerate(_whole_lines(stream)):
                texts, unreadable = _texts_of(block, self.encoding)
                damaged += unreadable
                if piped and number == 0 and not self.quiet:
                    _hint_at_table(texts)
                yield Part(texts, {})
        if damaged:
            lines, name = counted(damaged, "line"), "standard input" if piped else path
            say(
                f"{lines} of {name} not in {self.encoding.upper()}: what cannot be read is left "
                "out; give --encoding if they are in another"
            )


def _hint_at_table(texts: pa.Array) -> None:
    """Say so if what comes line by line begins like a table."""
    head = [cell.strip(' "').lower() for cell in re.split("[,;\t]", texts[0].as_py()[:200])]
    if len(head) > 1 and set(head) & set(USUAL["text"]):
        say(
            f"this looks like a table with the columns {', '.join(head)}; each line is "
            "taken for a text: give --text to read a column"
        )


def _files_of(path: str) -> list[Path]:
    """Return a file, or those below a folder."""
    if not Path(path).is_dir():
        return [Path(path)]
    return sorted(file for file in Path(path).rglob("[!.]*") if file.is_file())


def _is_text_file(path: str) -> bool:
    from fsmj.corpus.places import format_by_name

    if path == "-" or not Path(path).is_file() or format_by_name(path) is not None:
        return False
    with Path(path).open("rb") as stream:
        return stream.read(4) != b"PAR1"


def _whole_lines(stream: Any) -> Iterator[bytes]:
    begun: list[bytes] = []  # pieces of a line whose end has not come
    while chunk := stream.read1(_CHUNK):
        complete, end, rest = chunk.rpartition(b"\n")
        if end:
            yield b"".join([*begun, complete, end])
            begun = []
        begun.append(rest)
    if any(begun):
        yield b"".join([*begun, b"\n"])


def _texts_of(block: bytes, encoding: str) -> tuple[pa.Array, int]:
    """Return the lines of a block that ends with a line, and how many of them are damaged."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if encoding == "utf-8":
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
        offsets = np.concatenate([np.zeros(1, np.int64), ends])
        lines = pa.LargeStringArray.from_buffers(
            len(ends), pa.py_buffer(offsets), pa.py_buffer(block)
        )
        try:
            lines.validate(full=True)
        except pa.ArrowInvalid:
            pass
        else:
            return pc.ascii_rtrim(lines, "\r\n"), 0
    decoded = [line.decode(encoding, "replace") for line in block.split(b"\n")[:-1]]
    damaged = sum("�" in line for line in decoded)
    return pa.array([line.removesuffix("\r") for line in decoded], pa.large_string()), damaged


class _Rows:
    """Writes rows, separated by commas or tabs; in a file below the names of the columns."""

    def __init__(self, stream: TextIO, delimiter: str, *, to_file: bool) -> None:
        self.stream, self.to_file = stream, to_file
        # A spreadsheet must not work anything out, and a terminal must not obey.
        self.cell = guarded if to_file else visible if stream.isatty() else str
        self.writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        self.columns: list[str] | None = None

    def begin(self, beside: list[str]) -> None:
        """Name the columns, once."""
        if self.to_file and self.columns is None:
            self.writer.writerow([*map(guarded, beside), *result_names(beside)])
            self.columns = beside

    def take(self, beside: dict[str, Sequence[Any]], decisions: Decisions) -> None:
        """Write the results of some documents, and let them go."""
        self.begin(list(beside))
        if self.columns not in (None, list(beside)):
            raise ValueError("these tables have different columns; name those to write with --keep")
        labels = decisions.labels.tolist()
        written = {label: self._written(label) for label in set(labels)}  # which are few
        columns = [map(self._written, column) for column in beside.values()]
        chances = [f"{chance:.4f}" for chance in decisions.probabilities.tolist()]
        self.writer.writerows(zip(*columns, map(written.get, labels), chances, strict=True))
        self.stream.flush()

    def _written(self, cell: Any) -> Any:
        return self.cell(cell) if isinstance(cell, str) else cell


class _JsonLines:
    """Writes an object a line."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def take(self, beside: dict[str, Sequence[Any]], decisions: Decisions) -> None:
        """Write the results of some documents, and let them go."""
        label_name, chance_name = result_names(beside)
        columns = {
            **beside,
            label_name: decisions.labels.tolist(),
            chance_name: [round(chance, 6) for chance in decisions.probabilities.tolist()],
        }
        for row in zip(*columns.values(), strict=True):
            found = dict(zip(columns, row, strict=True))
            line = json_format.dumps(found, ensure_ascii=False, default=str)
            self.stream.write(for_stream(line, self.stream) + "\n")
        self.stream.flush()


def result_names(beside: Iterable[str]) -> tuple[str, str]:
    """Return the names of the two new columns, other than those that are there.

    Examples
    --------
    >>> result_names(["file"]), result_names(["text", "label"])
    (('label', 'probability'), ('predicted_label', 'predicted_probability'))
    """
    taken = {name.lower() for name in beside}
    prefix = ""
    while {f"{prefix}label", f"{prefix}probability"} & taken:
        prefix += "predicted_"
    return f"{prefix}label", f"{prefix}probability"


@contextmanager
def _sink(output: Path | None, json: bool) -> Iterator[_Rows | _JsonLines]:
    if output is None or output == STANDARD:
        yield _JsonLines(sys.stdout) if json else _Rows(sys.stdout, "\t", to_file=False)
        return
    ending = checked_format(output, _FORMATS)
    with whole_file(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as stream:
        if ending == ".jsonl":
            yield _JsonLines(stream)
        else:
            rows = _Rows(stream, "," if ending == ".csv" else "\t", to_file=True)
            yield rows
            rows.begin([])  # if there was no text
