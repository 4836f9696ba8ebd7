"""`fsmj classify`: texts in, labels and probabilities out, as they come."""

from __future__ import annotations

import csv
import json as json_format
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol, TextIO

import typer

from fsmj._atomic import whole_file
from fsmj.cli.columns import guess_text
from fsmj.cli.data import opened
from fsmj.cli.options import Quiet
from fsmj.cli.output import STANDARD, checked_format
from fsmj.cli.terminal import say

_CHUNK = 1 << 20  # bytes of standard input at a time, if they are there

ModelFile = Annotated[Path, typer.Argument(help="A model made by fsmj train.", show_default=False)]


class Part(NamedTuple):
    """Some texts, and the file of each where a file is a document."""

    texts: list[str]
    files: list[str]


def classify(
    model: ModelFile,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Tables, text files, folders of text files; by default the lines of standard "
            "input (-).",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="The column with the text, in tables.", show_default=False)
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of a text file is a document.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to a .csv, .tsv or .jsonl file.", show_default=False
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each.")] = False,
    quiet: Quiet = False,
) -> None:
    """Give each text its most probable label, and the probability.

    Example: cat letters.txt | fsmj classify model.parquet
    """
    from fsmj.model import load_model

    trained = load_model(model)
    parts = (part for path in texts or ["-"] for part in _parts(path, text, lines, quiet))
    unknown = 0
    with _sink(output, json) as sink:
        for part in parts:
            labels, probabilities, words = trained.classify(part.texts)
            sink.take(part.files, labels.tolist(), probabilities.tolist())
            unknown += int((words == 0).sum())
    if unknown and not quiet:
        say(f"{unknown:,} texts have none of the model's words; they got the most frequent label")


def _parts(path: str, text: str | None, lines: bool, quiet: bool) -> Iterator[Part]:
    if path == "-" and text is None:
        yield from _lines(sys.stdin.buffer, "standard input")
    elif Path(path).is_dir() and text is None:
        found = (file for file in sorted(Path(path).rglob("*")) if file.is_file())
        yield from _whole_files(file for file in found if not file.name.startswith("."))
    elif path != "-" and Path(path).is_file() and not _is_table(path):
        if lines:
            with Path(path).open("rb") as stream:
                yield from _lines(stream, path)
        else:
            yield from _whole_files([Path(path)])
    else:
        yield from _column(path, text, quiet)


def _is_table(path: str) -> bool:
    from fsmj.corpus.places import format_by_name

    with Path(path).open("rb") as stream:
        return format_by_name(path) is not None or stream.read(4) == b"PAR1"


def _column(path: str, text: str | None, quiet: bool) -> Iterator[Part]:
    from fsmj.corpus import read_documents

    with opened([path], quiet=quiet) as source:
        column = guess_text(source.name, source.columns, text)
        if text is None and not quiet:
            say(f"reading the text from column {column!r}")
        for batch in read_documents(source.places, column, None):
            yield Part(batch.texts, [])


def _lines(stream: Any, name: str) -> Iterator[Part]:
    """Yield the lines that have come so far, so that a slow writer need not wait."""
    rest, damaged = b"", 0
    while chunk := stream.read1(_CHUNK):
        *complete, rest = (rest + chunk).split(b"\n")
        if complete:
            yield Part([_decoded(line) for line in complete], [])
            damaged += sum(not _is_utf8(line) for line in complete)
    if rest:
        yield Part([_decoded(rest)], [])
        damaged += not _is_utf8(rest)
    if damaged:
        say(f"{damaged:,} lines of {name} are not UTF-8; what cannot be read in them is left out")


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace").removesuffix("\r")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _whole_files(files: Iterable[Path]) -> Iterator[Part]:
    for file in files:
        try:
            yield Part([file.read_text(encoding="utf-8-sig")], [str(file)])
        except UnicodeDecodeError:
            raise ValueError(f"{file} is not text in UTF-8") from None


class Sink(Protocol):
    """Takes the results of some documents."""

    def take(self, files: list[str], labels: list[Any], probabilities: list[float]) -> None:
        """Write them and let them go."""


class _Rows:
    """Writes rows, separated by commas or tabs."""

    def __init__(self, stream: TextIO, delimiter: str, header: bool) -> None:
        self.stream, self.header = stream, header
        self.writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")

    def take(self, files: list[str], labels: list[Any], probabilities: list[float]) -> None:
        columns = [files] if files else []
        if self.header:
            self.writer.writerow([*(["file"] if files else []), "label", "probability"])
            self.header = False
        rounded = [f"{probability:.4f}" for probability in probabilities]
        self.writer.writerows(zip(*columns, labels, rounded, strict=True))
        self.stream.flush()


class _JsonLines:
    """Writes an object a line."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def take(self, files: list[str], labels: list[Any], probabilities: list[float]) -> None:
        names = [{"file": file} for file in files] or [{}] * len(labels)
        for name, label, probability in zip(names, labels, probabilities, strict=True):
            found = {**name, "label": label, "probability": round(probability, 6)}
            self.stream.write(json_format.dumps(found, ensure_ascii=False) + "\n")
        self.stream.flush()


@contextmanager
def _sink(output: Path | None, json: bool) -> Iterator[Sink]:
    if output is None or output == STANDARD:
        yield _JsonLines(sys.stdout) if json else _Rows(sys.stdout, "\t", header=False)
        return
    ending = checked_format(output, (".csv", ".tsv", ".jsonl"))
    with whole_file(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as stream:
        if ending == ".jsonl":
            yield _JsonLines(stream)
        else:
            yield _Rows(stream, "," if ending == ".csv" else "\t", header=True)
