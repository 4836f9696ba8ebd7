"""Where the documents are: files, patterns, folders, standard input."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from fsmj._names import counted

FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_ENDINGS = {".gz": "gzip", ".zst": "zstd"}
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_FOREIGN = {
    b"PK\x03\x04": "a ZIP file; unpack it first",
    b"\xd0\xcf\x11\xe0": "an old Excel file; save it as CSV (UTF-8) and give that",
    b"%PDF": "a PDF file; give its text",
    b"SQLite": "an SQLite database; export the table as CSV",
}


@dataclass(frozen=True)
class DataFile:
    """A table of documents: its name for people, its path for programs, and how to read it."""

    name: str
    path: str
    format: str
    compression: str  # "none", "gzip" or "zstd"


@dataclass(frozen=True)
class ClassFolders:
    """A folder with one folder for each class, and a file in it for each document."""

    name: str
    documents: tuple[tuple[str, str], ...]  # class and path


Place = DataFile | ClassFolders
Paths = str | os.PathLike[str] | Place | Iterable[str | os.PathLike[str] | Place]


def find(paths: Paths, scratch: Path) -> list[Place]:
    """Find the files that paths, patterns and folders name, or "-" for standard input.

    What was found before passes as it is. A name is a pattern only if there is no file of that
    name. What cannot be read where it is goes to the scratch folder.
    """
    if isinstance(paths, (str, os.PathLike, DataFile, ClassFolders)):
        paths = [paths]
    listed = list(paths)
    if not listed:
        raise ValueError("there are no files to count")
    return [place for path in listed for place in _find(path, scratch)]


def _find(given: str | os.PathLike[str] | Place, scratch: Path) -> Iterator[Place]:
    if isinstance(given, (DataFile, ClassFolders)):
        yield given
        return
    path = os.fspath(given)
    if path == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise ValueError("standard input is closed")
        yield _data_file("standard input", _spooled(sys.stdin.buffer, scratch), scratch)
    elif "\0" in path:
        raise ValueError(f"there is no file {path!r}")
    elif Path(path).is_dir():
        yield from _find_in_folder(Path(path), scratch)
    elif Path(path).exists():
        yield _data_file(path, path, scratch)
    elif glob.has_magic(path):
        found = glob.glob(path, recursive=True)  # noqa: PTH207  # a pattern may be absolute
        matched = sorted(name for name in found if not Path(name).is_dir())
        if not matched:
            raise ValueError(f"no file matches {path}")
        for name in matched:
            yield _data_file(name, name, scratch)
    else:
        raise ValueError(f"there is no file {path}")


def _find_in_folder(folder: Path, scratch: Path) -> Iterator[Place]:
    entries = [e for e in _entries(folder) if not e.name.startswith("_")]
    tables = [e for e in entries if e.is_file() and format_by_name(e.name)]
    if tables:
        # Writers that work in parallel leave empty files where a worker had no rows.
        filled = [table for table in tables if table.stat().st_size]
        empty = counted(len(tables) - len(filled), "empty file")
        if not filled:
            raise ValueError(f"the folder {folder} holds nothing but {empty}")
        if len(filled) < len(tables):
            warnings.warn(f"left out: {empty} in the folder {folder}", stacklevel=5)
        for table in filled:
            yield _data_file(str(table), str(table), scratch)
        return
    documents = tuple(
        (class_.name, str(file.absolute()))
        for class_ in entries
        if class_.is_dir()
        for file in _files_below(class_)
    )
    if not documents:
        raise ValueError(
            f"the folder {folder} holds neither tables ({', '.join(FORMATS)}) "
            "nor folders of text files named by class"
        )
    yield ClassFolders(str(folder), documents)


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder and not hidden; a folder that cannot be opened is an error."""
    try:
        return sorted(e for e in folder.iterdir() if not e.name.startswith("."))
    except OSError as reason:
        raise ValueError(f"the folder {folder} cannot be read: {reason.strerror}") from None


def _files_below(folder: Path) -> Iterator[Path]:
    # As deep as there are folders, but not through links to them, which may lead in a circle.
    for entry in _entries(folder):
        if entry.is_dir():
            if not entry.is_symlink():
                yield from _files_below(entry)
        elif entry.is_file():
            yield entry


def format_by_name(name: str) -> str | None:
    """Return the format that the ending of a name promises."""
    stem = name.lower().removesuffix(".gz").removesuffix(".zst")
    return FORMATS.get(Path(stem).suffix)


def _data_file(name: str, path: str, scratch: Path) -> DataFile:
    path = str(Path(path).absolute())
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):  # a pipe can be read only once
            with Path(path).open("rb") as stream:
                path = _spooled(stream, scratch)
        with Path(path).open("rb") as stream:
            start = stream.read(8)
    except OSError as reason:
        raise ValueError(f"{name} cannot be read: {reason.strerror}") from None
    compression = _by_start(_COMPRESSIONS, start) or "none"
    try:
        with decompressed(pa.OSFile(path, "rb"), compression) as stream:
            start = stream.read(4096)
    except OSError as reason:
        raise ValueError(f"{name} is damaged: {reason}") from None
    if not start:
        raise ValueError(f"{name} is empty")
    foreign = _by_start(_FOREIGN, start)
    if foreign and name.lower().endswith(_SHEETS):
        foreign = "a spreadsheet; save it as CSV (UTF-8) and give that"
    if foreign:
        raise ValueError(f"{name} is {foreign}")
    holds = "parquet" if start.startswith(b"PAR1") else None
    kind = format_by_name(name) or holds or _guessed(start)
    if holds and kind != holds:
        raise ValueError(f"{name} holds Parquet, though its name says {kind}")
    if kind == "parquet" and not holds:
        raise ValueError(f"{name} is not a Parquet file, though its name says so")
    if kind == "parquet" and compression != "none":
        try:
            with decompressed(pa.OSFile(path, "rb"), compression) as stream:
                path, compression = _spooled(stream, scratch), "none"
        except OSError as reason:
            raise ValueError(f"{name} is damaged: {reason}") from None
    return DataFile(name, path, kind, compression)


def _by_start(marks: dict[bytes, str], start: bytes) -> str | None:
    return next((what for mark, what in marks.items() if start.startswith(mark)), None)


def _guessed(start: bytes) -> str:
    """Tell a table from its first bytes where no name does; in UTF-16 every other one is 0."""
    text = start.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if text.startswith((b"{", b"[")):
        return "json"
    line = text.split(b"\n", 1)[0]
    return "tsv" if line.count(b"\t") > line.count(b",") else "csv"


def text_file(path: str) -> DataFile:
    """Return a file that is one document, compressed where its name says so."""
    return DataFile(path, path, "text", _ENDINGS.get(Path(path).suffix.lower(), "none"))


def decompressed(file: Any, compression: str) -> Any:
    """Return a stream of what an open file holds."""
    return file if compression == "none" else pa.CompressedInputStream(file, compression)


def _spooled(stream: Any, scratch: Path) -> str:
    """Copy a stream to disk, so that it can be looked at first and read then."""
    target = scratch / f"file-{len(list(scratch.iterdir()))}"
    with target.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    return str(target)
