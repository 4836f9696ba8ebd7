"""Results as files and as JSON: whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from fsmj._atomic import require_place, whole_file
from fsmj._scratch import scratch_folder
from fsmj._spreadsheets import guarded
from fsmj.cli.terminal import visible

if TYPE_CHECKING:
    import pandas as pd

STANDARD = Path("-")
FORMATS = (".csv", ".parquet", ".json")
PARQUET, PAGE = (".parquet", ".pq", ""), (".html", ".htm", "")  # the only format needs no ending


def write_frame(frames: Iterable[pd.DataFrame], path: Path) -> None:
    """Write a table in the format that the name says; "-" is CSV on standard output.

    It comes in parts, as it may be too large to be held.
    """
    if path == STANDARD:
        _stream_csv(frames, sys.stdout)
        return
    write = _WRITERS[checked_format(path, FORMATS)]
    with whole_file(path) as scratch:
        write(frames, scratch)


def _write_csv(frames: Iterable[pd.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        _stream_csv(frames, stream)


def _stream_csv(frames: Iterable[pd.DataFrame], stream: TextIO) -> None:
    for number, frame in enumerate(frames):
        safe = frame.copy(deep=False)
        for name in safe.columns:
            if safe[name].dtype.kind not in "biuf":
                safe[name] = [guarded(cell) for cell in safe[name]]
        safe.columns = safe.columns.map(guarded)
        rows = safe.to_csv(index=False, header=number == 0, lineterminator="\n")
        stream.write(for_stream(rows, stream))


def _write_json(frames: Iterable[pd.DataFrame], path: Path) -> None:
    import pandas as pd

    path.write_text(
        f"{records(pd.concat(frames, ignore_index=True))}\n", encoding="utf-8", newline="\n"
    )


def _write_parquet(frames: Iterable[pd.DataFrame], path: Path) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    tables = (pa.Table.from_pandas(frame, preserve_index=False) for frame in frames)
    first = next(tables)
    with ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)


def check_target(path: Path, formats: tuple[str, ...], inputs: Iterable[str | Path]) -> None:
    """Refuse, before the work is done, a file that cannot be written, or that is read."""
    if path != STANDARD:
        require_place(Path(os.path.realpath(path)))
        checked_format(path, formats)
        _refuse_inputs(path, inputs)


def check_folder(path: Path, inputs: Iterable[str | Path] = (), writes: Iterable[str] = ()) -> None:
    """Refuse, before the work is done, a folder called like a file, or that holds what is read."""
    if path.suffix.lower() in (*FORMATS, *PAGE[:-1]):
        raise ValueError(f"{path} is to be a folder; give it a name that does not end like a file")
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if there.is_dir() and not os.access(there, os.W_OK):
        raise PermissionError(errno.EACCES, "nothing can be written here", str(there))
    for name in writes:
        _refuse_inputs(path / name, inputs)


def _refuse_inputs(path: Path, inputs: Iterable[str | Path]) -> None:
    """Refuse to replace a file by what is made of it, whatever names and links lead to it."""
    if path.is_file():
        target = path.stat()
        if any(os.path.samestat(target, read) for given in inputs for read in _named(str(given))):
            raise ValueError(f"{path} is one of the files to read; write to another one")


def _named(given: str) -> Iterator[os.stat_result]:
    """Yield what is known of the files that a path, folder or pattern names, or "-"."""
    if given == "-":
        with suppress(AttributeError, OSError, ValueError):  # closed, or no real file
            yield os.fstat(sys.stdin.fileno())
        return
    files = [given] if Path(given).exists() else glob(given, recursive=True)  # noqa: PTH207
    if Path(given).is_dir():
        from fsmj.corpus.places import DataFile, find  # of all that is in it, what is read

        with scratch_folder() as scratch:
            for place in find(given, scratch):
                files += (
                    [place.path]
                    if isinstance(place, DataFile)
                    else [file for _, file in place.documents]
                )
    for file in files:
        if Path(file).is_file():
            yield Path(file).stat()


def write_parquet(path: Path, write: Callable[[Path], None]) -> None:
    """Let a function write its file, by way of a scratch file if it goes to standard output."""
    if path != STANDARD:
        write(path)
        return
    if sys.stdout.isatty():
        raise ValueError("a Parquet file is no text for a screen; name a file with -o")
    with scratch_folder() as folder:
        scratch = folder / "output.parquet"
        write(scratch)
        with scratch.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def checked_format(path: Path, formats: tuple[str, ...]) -> str:
    """Return the ending of a name, if what is written keeps its promise."""
    ending = path.suffix.lower()
    if ending not in formats:
        trouble = f"cannot write the format {ending}" if ending else "cannot tell the format"
        raise ValueError(f"{path}: {trouble}; name it {' or '.join(filter(None, formats))}")
    return ending


def print_json(value: Any) -> None:
    """Print a table or a dictionary as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    print(for_stream(text, sys.stdout))


def for_stream(text: str, stream: TextIO) -> str:
    """Make visible what a terminal would obey, if the stream is one."""
    return visible(text) if stream.isatty() else text


def records(frame: pd.DataFrame) -> str:
    """Return a table as a JSON list of its rows."""
    return str(frame.to_json(orient="records", force_ascii=False, indent=2))


_WRITERS: dict[str, Callable[[Any, Path], None]] = {
    ".csv": _write_csv, ".parquet": _write_parquet, ".json": _write_json
}  # fmt: skip
