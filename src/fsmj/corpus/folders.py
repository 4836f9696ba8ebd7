"""Folders of text files, named by class."""

from __future__ import annotations

from collections.abc import Iterator

from fsmj.corpus.batch import Rows
from fsmj.corpus.labels import tidied
from fsmj.corpus.places import ClassFolders, text_file
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress, Utf8Stream, not_in

_BATCH = 512  # files
_BATCH_SIZE = 1 << 22  # bytes


def read(
    folders: ClassFolders, separator: str | None, encoding: str, labelled: bool, policy: Policy,
    progress: Progress | None = None,
) -> Iterator[Rows]:  # fmt: skip
    """Yield the files of a folder as rows, some at a time."""
    texts: list[bytes] = []
    labels: list[str] = []
    paths: list[str] = []
    size, n_files = 0, len(folders.documents)

    def rows() -> Rows:
        import pyarrow as pa

        names = paths.copy()
        return Rows(
            pa.array(texts, pa.binary()).cast(pa.string()),
            [tidied(label, separator) for label in labels] if labelled else None,
            pa.record_batch([], []),
            lambda row: names[row],
        )

    for done, (class_, path) in enumerate(folders.documents):
        text = _content(path, encoding)
        try:
            text.decode()
        except UnicodeDecodeError:
            policy.refuse_unreadable(path, not_in(encoding, text[:4096]))
            continue
        texts.append(text)
        labels.append(class_)
        paths.append(path)
        size += len(text)
        if len(texts) == _BATCH or size >= _BATCH_SIZE:
            yield rows()
            texts, labels, paths, size = [], [], [], 0
            if progress is not None:
                progress(done / n_files)
    if texts:
        yield rows()


def _content(path: str, encoding: str) -> bytes:
    with Utf8Stream(text_file(path), encoding) as stream:
        return b"".join(iter(stream.read, b""))
