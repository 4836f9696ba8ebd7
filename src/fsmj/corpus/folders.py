"""Folders of text files, named by class."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from fsmj.corpus.batch import Batch, Wanted
from fsmj.corpus.labels import tidied
from fsmj.corpus.places import ClassFolders, text_file
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress, Utf8Stream, not_in
from fsmj.tokens.cutter import in_parts

_BATCH = 512  # files


def columns_of(folders: ClassFolders, encoding: str) -> list[str]:
    """Return no names: files have no columns."""
    return []


def read(
    folders: ClassFolders, wanted: Wanted, policy: Policy, progress: Progress
) -> Iterator[Batch]:
    """Yield the files of a folder as rows, some at a time."""
    n_files = len(folders.documents)
    documents = _readable(folders, wanted.encoding, policy)
    for part in in_parts(documents, _BATCH, lambda document: len(document[-1])):
        done, classes, paths, texts = zip(*part, strict=True)
        labels = [tidied(class_, wanted.separator) for class_ in classes]
        yield Batch(
            pa.array(texts, pa.binary()).cast(pa.string()),
            None if wanted.label is None else labels,
            pa.record_batch([], []),
            paths.__getitem__,
        )
        progress(done[-1] / n_files)


def _readable(
    folders: ClassFolders, encoding: str, policy: Policy
) -> Iterator[tuple[int, str, str, bytes]]:
    """Yield number, class, path and content of the files that are text."""
    for number, (class_, path) in enumerate(folders.documents, 1):
        with Utf8Stream(text_file(path), encoding) as stream:
            text = b"".join(iter(stream.read, b""))
        try:
            text.decode()
        except UnicodeDecodeError:
            policy.refuse_unreadable(path, not_in(encoding, text[:4096]))
        else:
            yield number, class_, path, text
