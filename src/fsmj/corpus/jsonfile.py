"""JSON: an object in each line, or an array of objects."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from fsmj.corpus.batch import Batch, Wanted, position
from fsmj.corpus.labels import label_text, tidied
from fsmj.corpus.places import DataFile
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import BLOCK, LONGEST, Progress, Utf8Stream, not_in
from fsmj.tokens.cutter import array_of, in_parts

_LOOK_AT = 100  # objects whose fields are the columns
_SPACE = re.compile(r"[ \t\r\n]*")
_KINDS = {bool: "a truth value", int: "a number", float: "a number", list: "a list",
          dict: "an object"}  # fmt: skip


class _Value(NamedTuple):
    """What stands in a line, or why it cannot be read."""

    line: int
    value: Any
    trouble: str = ""


def columns_of(file: DataFile, encoding: str) -> list[str]:
    """Return the fields of the first objects, in the order in which they appear."""
    with Utf8Stream(file, encoding) as stream:
        first = [one.value for one in islice(_values(stream), _LOOK_AT)]
    objects = [value for value in first if isinstance(value, dict)]
    if first and not objects:
        raise ValueError(f"{file.name} is not JSON lines: no line of it is an object")
    return list(dict.fromkeys(name for one in objects for name in one))


def read(file: DataFile, wanted: Wanted, policy: Policy, progress: Progress) -> Iterator[Batch]:
    """Yield the rows of a file, some at a time."""
    columns = columns_of(file, wanted.encoding)
    for name in wanted.names:
        if columns:
            position(file.name, name, columns)

    def size(one: _Value) -> int:
        texts = (one.value.get(column) for column in wanted.text)
        return sum(len(text) for text in texts if isinstance(text, str))

    def fine(one: _Value) -> bool:
        trouble = one.trouble or _trouble(one.value, wanted)
        if trouble:
            policy.refuse_unreadable(f"line {one.line:,} of {file.name}", trouble)
        return not trouble

    with Utf8Stream(file, wanted.encoding) as stream:
        for part in in_parts(filter(fine, _values(stream)), size=size):
            yield _rows_of(part, file.name, wanted)
            progress(stream.share)


def _trouble(value: Any, wanted: Wanted) -> str:
    """Say why a value is no document; nothing if it is an object with texts where they should be.

    NaN stands for what is missing, as in a data frame.
    """
    if not isinstance(value, dict):
        return "is not an object"
    label = None if wanted.label is None else value.get(wanted.label)
    for one in label if isinstance(label, list) else [label]:
        if isinstance(one, (dict, list)):
            return f"has an object in {wanted.label!r}, not a label"
    for column in wanted.text:
        text = value.get(column)
        if text is not None and not isinstance(text, str) and text == text:
            return f"has {_KINDS[type(text)]} in {column!r}, not a text"
    return ""


def _rows_of(part: list[_Value], name: str, wanted: Wanted) -> Batch:
    columns = {
        column: array_of([_text(one.value.get(column)) for one in part])
        for column in (*wanted.text, *wanted.others)
    }
    labels = None
    if wanted.label is not None:
        labels = [tidied(_label(one.value.get(wanted.label)), wanted.separator) for one in part]
    return wanted.batch(columns, labels, lambda row: f"line {part[row].line:,} of {name}")


def _label(label: Any) -> Any:
    """Return labels as strings, as they are in a CSV file."""
    if isinstance(label, list):
        return [_label(one) for one in label]
    if label is None or isinstance(label, str) or label != label:
        return label
    return label_text(label)


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _values(stream: Utf8Stream) -> Iterator[_Value]:
    """Yield the objects of a file, whether it is a list of lines or an array."""
    start = b""
    while not start.strip() and (block := stream.read()):
        start += block
    if start.lstrip().startswith(b"["):
        yield from _elements(start, stream)
        return
    for number, line in enumerate(_lines(start, stream), 1):
        line = line.removeprefix(codecs.BOM_UTF8)
        if not line.strip():
            continue
        try:
            yield _Value(number, json.loads(line.decode()))
        except UnicodeDecodeError:
            yield _Value(number, None, not_in(stream.encoding, line))
        except (ValueError, RecursionError) as reason:
            yield _Value(number, None, f"is not JSON ({_said(reason)})")


def _said(reason: Exception) -> str:
    """Return what the parser says, in short."""
    if isinstance(reason, RecursionError):
        return "it is nested too deeply"
    return str(getattr(reason, "msg", "") or reason)


def _lines(start: bytes, stream: Utf8Stream) -> Iterator[bytes]:
    """Yield lines; no string of JSON holds a line end as such, so all three kinds separate."""
    block, unfinished = start, [b""]
    size = 0
    while block:
        *complete, last = block.split(b"\n")
        if complete:
            complete[0] = b"".join([*unfinished, complete[0]])
            unfinished, size = [], 0
        for line in complete:
            yield from line.removesuffix(b"\r").split(b"\r")
        unfinished.append(last)
        size += len(last)
        if size > LONGEST:
            raise ValueError(f"{stream.name} has a line that is longer than a gigabyte")
        block = stream.read()
    yield from b"".join(unfinished).split(b"\r")


def _elements(start: bytes, stream: Utf8Stream) -> Iterator[_Value]:
    """Yield the elements of an array, with the lines where they begin."""
    decode = json.JSONDecoder().raw_decode
    text = _Text(start, stream)
    text.comes("[")
    closed = text.comes("]")
    while not closed:
        text.skip_space()
        line = text.line
        while True:
            try:
                value, end = decode(text.held, text.at)
                # The end of a number shows only by what follows it.
                if end < len(text.held) or not text.more():
                    break
            except RecursionError as reason:
                raise ValueError(f"{stream.name} is not JSON: {_said(reason)}") from None
            except ValueError as reason:
                if not text.more():
                    raise ValueError(
                        f"{stream.name} is not JSON: line {line:,} cannot be read ({_said(reason)})"
                    ) from None
        text.go_to(end)
        yield _Value(line, value)
        closed = text.comes("]")
        if not closed and not text.comes(","):
            raise ValueError(
                f"{stream.name} is not JSON: after the element in line {line:,} there is no comma"
            )
    text.skip_space()
    if text.at < len(text.held):
        raise ValueError(f"{stream.name} is not JSON: the array ends before line {text.line:,}")


class _Text:
    """Text that is read as far as it is needed, and forgotten behind."""

    def __init__(self, start: bytes, stream: Utf8Stream) -> None:
        self.held, self.at, self.line = "", 0, 1
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._take(start)

    def _take(self, block: bytes) -> None:
        try:
            self.held = self.held[self.at :] + self._decoder.decode(block)
        except UnicodeDecodeError as reason:
            around = block[max(0, reason.start - 50) : reason.start + 50]
            raise ValueError(
                f"{self._stream.name} {not_in(self._stream.encoding, around)}"
            ) from None
        self.at = 0

    def more(self) -> bool:
        """Read on; whether there was anything."""
        if len(self.held) - self.at > LONGEST:
            raise ValueError(f"{self._stream.name} has an element longer than a gigabyte")
        block = self._stream.read(max(BLOCK, len(self.held) - self.at))
        if block:
            self._take(block)
        return bool(block)

    def go_to(self, end: int) -> None:
        """Leave what is before a position behind."""
        self.line += self.held.count("\n", self.at, end)
        self.at = end

    def skip_space(self) -> None:
        """Go to the next character that is not a space, if there is one."""
        while True:
            self.go_to(_SPACE.match(self.held, self.at).end())  # type: ignore[union-attr]
            if self.at < len(self.held) or not self.more():
                return

    def comes(self, character: str) -> bool:
        """Whether a character comes next; then it is passed."""
        self.skip_space()
        there = self.held.startswith(character, self.at)
        self.at += there
        return there
