"""`fsmj classify`: texts in, labels and probabilities out, as they come."""

from __future__ import annotations

import csv
import json as json_format
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TextIO

import typer

from fsmj._atomic import whole_file
from fsmj.cli.columns import guess_text
from fsmj.cli.data import opened
from fsmj.cli.options import Quiet
from fsmj.cli.output import STANDARD, check_target, checked_format
from fsmj.cli.terminal import counted, say

_FORMATS = (".csv", ".tsv", ".jsonl")
_CHUNK = 1 << 20  # bytes of standard input at a time, if they are there

ModelFile = Annotated[Path, typer.Argument(help="A model made by fsmj train.", show_default=False)]


class Part(NamedTuple):
    """Some texts, and where each of them is from."""

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

    if output is not None:
        check_target(output, _FORMATS)
    trained = load_model(model)
    paths = texts or ["-"]
    parts = (part for path in paths for part in _parts(path, text, lines, quiet))
    named = any(_is_whole(path, text, lines) for path in paths)
    unknown = 0
    with _sink(output, json, named) as sink:
        for part in parts:
            labels, probabilities, words = trained.classify(part.texts)
            sink.take(part.files, labels.tolist(), probabilities.tolist())
            unknown += int((words == 0).sum())
    if unknown and not quiet:
        say(
            f"{counted(unknown, 'text')} without any of the model's words got the most frequent "
            "label"
        )


def _parts(path: str, text: str | None, lines: bool, quiet: bool) -> Iterator[Part]:
    if path == "-" and text is None:
        yield from _lines(sys.stdin.buffer, "standard input")
    elif Path(path).is_dir() and text is None:
        found = (file for file in sorted(Path(path).rglob("*")) if file.is_file())
        yield from _whole_files(file for file in found if not file.name.startswith("."))
    elif _is_whole(path, text, lines):
        yield from _whole_files([Path(path)])
    elif lines and _is_text_file(path):
        with Path(path).open("rb") as stream:
            yield from _lines(stream, path)
    else:
        yield from _column(path, text, quiet)


def _is_whole(path: str, text: str | None, lines: bool) -> bool:
    """Whether a path names documents that are files."""
    if Path(path).is_dir():
        return text is None
    return not lines and _is_text_file(path)


def _is_text_file(path: str) -> bool:
    return path != "-" and Path(path).is_file() and not _is_table(path)


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
            yield Part(batch.texts, [path] * len(batch.texts))


def _lines(stream: Any, name: str) -> Iterator[Part]:
    """Yield the lines that have come so far, so that a slow writer need not wait."""
    rest, damaged = b"", 0
    while chunk := stream.read1(_CHUNK):
        *complete, rest = (rest + chunk).split(b"\n")
        if complete:
            yield Part([_decoded(line) for line in complete], [name] * len(complete))
            damaged += sum(not _is_utf8(line) for line in complete)
    if rest:
        yield Part([_decoded(rest)], [name])
        damaged += not _is_utf8(rest)
    if damaged:
        say(f"{counted(damaged, 'line')} of {name} not in UTF-8: what cannot be read is left out")


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


class _Rows:
    """Writes rows, separated by commas or tabs."""

    def __init__(self, stream: TextIO, named: bool, delimiter: str, header: bool) -> None:
        self.stream, self.named = stream, named
        self.writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        if header:
            self.writer.writerow([*(["file"] if named else []), "label", "probability"])

    def take(self, files: list[str], labels: list[Any], probabilities: list[float]) -> None:
        """Write the results of some documents, and let them go."""
        names = [files] if self.named else []
        rounded = [f"{probability:.4f}" for probability in probabilities]
        self.writer.writerows(zip(*names, labels, rounded, strict=True))
        self.stream.flush()


class _JsonLines:
    """Writes an object a line."""

    def __init__(self, stream: TextIO, named: bool) -> None:
        self.stream, self.named = stream, named

    def take(self, files: list[str], labels: list[Any], probabilities: list[float]) -> None:
        """Write the results of some documents, and let them go."""
        for file, label, probability in zip(files, labels, probabilities, strict=True):
            name = {"file": file} if self.named else {}
            found = {**name, "label": label, "probability": round(probability, 6)}
            self.stream.write(json_format.dumps(found, ensure_ascii=False) + "\n")
        self.stream.flush()


@contextmanager
def _sink(output: Path | None, json: bool, named: bool) -> Iterator[_Rows | _JsonLines]:
    if output is None or output == STANDARD:
        yield (
            _JsonLines(sys.stdout, named) if json
            else _Rows(sys.stdout, named, "\t", header=False)
        )  # fmt: skip
        return
    ending = checked_format(output, _FORMATS)
    with whole_file(output) as scratch, scratch.open("w", encoding="utf-8", newline="") as stream:
        if ending == ".jsonl":
            yield _JsonLines(stream, named)
        else:
            yield _Rows(stream, named, "," if ending == ".csv" else "\t", header=True)
