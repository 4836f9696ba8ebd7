"""Folders of text files, named by class."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from fsmj.corpus.batch import Batch, Wanted
from fsmj.corpus.labels import tidied
from fsmj.corpus.places import ClassFolders, text_file
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress, Utf8Stream
from fsmj.tokens.cutter import in_parts

_BATCH = 512  # files


def columns_of(folders: ClassFolders, encoding: str) -> list[str]:
    """Return no names: files have no columns."""
    return []


def read(
    folders: ClassFolders, wanted: Wanted, policy: Policy, progress: Progress
) -> Iterator[Batch]:
    """Yield the files of a folder as rows, some at a time."""
    done = 0
    documents = ((class_, path, _content(path, wanted.encoding))
                 for class_, path in folders.documents)  # fmt: skip
    for part in in_parts(documents, _BATCH, lambda document: len(document[-1])):
        classes, paths, contents = zip(*part, strict=True)
        (texts,), kept = policy.decoded(
            [pa.array(contents, pa.binary())], wanted.encoding, paths.__getitem__
        )
        rows = kept.tolist()
        labels = [tidied(classes[row], wanted.separator) for row in rows]
        yield Batch(
            texts,
            None if wanted.label is None else labels,
            pa.record_batch([], []),
            [paths[row] for row in rows].__getitem__,
        )
        done += len(part)
        progress(done / len(folders.documents))


def _content(path: str, encoding: str) -> bytes:
    with Utf8Stream(text_file(path), encoding) as stream:
        return b"".join(iter(stream.read, b""))
