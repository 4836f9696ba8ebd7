"""What a file holds, as bytes in UTF-8: decompressed, decoded, without a byte order mark."""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa

from fsmj.corpus.places import DataFile, Place, decompressed, text_file

Progress = Callable[[float], None]
BLOCK = 1 << 22  # bytes that are read at a time
LONGEST = 1 << 30  # bytes of a row; an open quote would otherwise fill the memory
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_SAMPLE = 1 << 20  # bytes that are looked at beforehand
_FEW = 100  # files
_UNDECODABLE = "fsmj.undecodable"
# A lone surrogate is no valid UTF-8: so whoever validates the bytes finds the place again.
codecs.register_error(_UNDECODABLE, lambda error: ("\udcff", getattr(error, "end", 0)))


def checked_encoding(encoding: str) -> str:
    """Return the name under which Python knows an encoding of texts."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, TypeError, ValueError):
        raise ValueError(
            f"the encoding {encoding!r} is not known; it is a name such as utf-8, cp1252 or utf-16"
        ) from None
    return "utf-8" if name in ("utf-8", "utf-8-sig", "ascii") else name


def hint_at_utf8(places: Iterable[Place], encoding: str) -> None:
    """Warn of a file that is read in another encoding though its letters are in UTF-8.

    By chance, letters of another encoding are hardly ever in UTF-8, where the bytes beyond 127
    come in certain rows only. Read wrongly they make words all the same.
    """
    if encoding == "utf-8":
        return
    name = next((name for name, sample in _samples(places) if _has_letters_in_utf8(sample)), None)
    if name is not None:
        warnings.warn(
            f"{name} is in utf-8, it seems; read in {encoding}, other letters take the place of "
            "those with accents",
            stacklevel=3,
        )


def _samples(places: Iterable[Place]) -> Iterator[tuple[str, bytes]]:
    """Yield how files of text begin; of texts in folders, the first few."""
    for place in places:
        if isinstance(place, DataFile):
            files = [place] if place.format != "parquet" else []
        else:
            files = [text_file(path) for _, path in place.documents[:_FEW]]
        for file in files:
            with (
                suppress(OSError),
                decompressed(pa.OSFile(file.path, "rb"), file.compression) as stream,
            ):
                yield file.name, bytes(stream.read(_SAMPLE))


def _has_letters_in_utf8(sample: bytes) -> bool:
    if sample.startswith(codecs.BOM_UTF8):  # which is believed
        return False
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return not text.isascii() and "\0" not in text


def not_in(encoding: str, sample: bytes) -> str:
    """Say that bytes are not in an encoding, and in which they may be.

    Examples
    --------
    >>> not_in("utf-8", "naïve".encode("cp1252"))
    'is not text in utf-8; perhaps its encoding is cp1252'
    """
    likely = _likely(sample) if encoding == "utf-8" else None
    advice = f"perhaps its encoding is {likely}" if likely else "name its encoding"
    return f"is not text in {encoding}; {advice}"


def _likely(sample: bytes) -> str | None:
    marked = next((name for mark, name in _MARKS.items() if sample.startswith(mark)), None)
    if marked:
        return marked
    zeros = [sample[parity::2].count(0) for parity in (0, 1)]
    if max(zeros) * 4 > len(sample):  # every other byte of western text in UTF-16
        return "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    # A few letters with accents among many without; in other scripts most bytes are high.
    high = sum(byte >= 128 for byte in sample)
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252" if high * 3 < len(sample) else None


class Utf8Stream:
    """Reads a file from its beginning to its end."""

    def __init__(self, file: DataFile, encoding: str) -> None:
        self.name, self.encoding = file.name, checked_encoding(encoding)
        try:
            self._file = pa.OSFile(file.path, "rb")
        except OSError as reason:
            raise ValueError(f"{file.name} cannot be read: {reason}") from None
        self._size = max(1, self._file.size())
        self._stream = decompressed(self._file, file.compression)
        self._decoder: Any = None
        try:
            self._ahead = self._begun()
        except ValueError:
            self._file.close()
            raise

    def _begun(self) -> bytes:
        """Return the beginning of the text, once it is clear that it can be read."""
        start = self._read(4096)
        mark = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
        if self.encoding == "utf-8" and (mark or b"\0" in start[:2]):
            raise ValueError(f"{self.name} {not_in('utf-8', start)}")
        if self.encoding != "utf-8" and not start.startswith(codecs.BOM_UTF8):
            self._decoder = codecs.getincrementaldecoder(self.encoding)(_UNDECODABLE)
        try:
            return self._decoded(start).removeprefix(codecs.BOM_UTF8)
        except UnicodeError as reason:  # UTF-16 that does not say which half comes first
            raise ValueError(
                f"{self.name} is not in {self.encoding}: {reason}; name another --encoding"
            ) from None

    def __enter__(self) -> Utf8Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._file.close()

    @property
    def share(self) -> float:
        """The share of the file that has been read, from 0 to 1."""
        return float(min(1.0, self._file.tell() / self._size))

    def read(self, size: int = BLOCK) -> bytes:
        """Return about as many bytes; none at the end."""
        ahead, self._ahead = self._ahead, b""
        while not ahead:
            raw = self._read(size)
            ahead = self._decoded(raw)
            if not raw:
                break
        return ahead

    def _read(self, size: int) -> bytes:
        try:
            return bytes(self._stream.read(size))
        except OSError as reason:
            raise ValueError(f"{self.name} is damaged: {str(reason).splitlines()[0]}") from None

    def _decoded(self, raw: bytes) -> bytes:
        if self._decoder is None:
            return raw
        text: str = self._decoder.decode(raw, final=not raw)
        return text.encode("utf-8", "surrogatepass")
