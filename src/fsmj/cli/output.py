"""Results as files and as JSON: whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from fsmj._atomic import require_place, whole_file
from fsmj._scratch import scratch_folder
from fsmj.cli.terminal import visible

if TYPE_CHECKING:
    import pandas as pd

STANDARD = Path("-")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would work out
FORMATS = (".csv", ".parquet", ".json")


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
                safe[name] = [harmless(cell) for cell in safe[name]]
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


def harmless(cell: Any) -> Any:
    """Return a cell of a CSV file such that no spreadsheet takes it for a formula.

    Examples
    --------
    >>> harmless("=1+1"), harmless("gold"), harmless("-3")
    ("'=1+1", 'gold', '-3')
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULAS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def check_target(path: Path, formats: tuple[str, ...] = ()) -> None:
    """Refuse a place that cannot be written to before the work is done, not after."""
    if path != STANDARD:
        require_place(Path(os.path.realpath(path)))
        if formats:
            checked_format(path, formats)


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
    """Return the ending of a name, or say which ones there are."""
    ending = path.suffix.lower()
    if ending not in formats:
        raise ValueError(f"{path}: cannot tell the format; name it {' or '.join(formats)}")
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
