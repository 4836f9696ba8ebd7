"""The one reader: every source of documents as a stream of batches, or as Documents."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from typing import Any

from fsmj._matrix import require_number_of_docs
from fsmj._scratch import scratch_folder
from fsmj.corpus import columnar, folders, jsonfile, separated
from fsmj.corpus.batch import Batch, Wanted, wanted
from fsmj.corpus.labels import label_text
from fsmj.corpus.languages import hint
from fsmj.corpus.places import ClassFolders, DataFile, Paths, Place, find
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress, hint_at_utf8
from fsmj.documents import Documents
from fsmj.tokens.rule import WORDS, TokenRule


def read_batches(
    paths: Paths,
    text: str | Sequence[str] = "text",
    label: str | None = "label",
    *,
    columns: Sequence[str] = (),
    label_separator: str | None = None,
    encoding: str = "utf-8",
    strict: bool = False,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
    progress: Progress | None = None,
) -> Generator[Batch, None, None]:
    """Read the documents of files, some at a time.

    Parameters
    ----------
    paths, text, label_separator, encoding, strict, skip_unlabelled, skip_missing, progress
        As for `fsmj.count_files`; what was left out is said at the end.
    label : str, optional
        The column with the label. None reads texts alone.
    columns : sequence of str
        Other columns to hand on; folders of texts have none.
    """
    everywhere = wanted(text, label, label_separator, encoding)
    policy = Policy(strict, skip_unlabelled, skip_missing)
    with scratch_folder() as scratch:
        places = find(paths, scratch)
        hint_at_utf8(places, everywhere.encoding)
        kinds = {_label_kind(place, everywhere) for place in places}
        for number, place in enumerate(places):
            here = everywhere
            if not isinstance(place, ClassFolders):
                here = everywhere._replace(others=tuple(columns))

            def shown(share: float, number: int = number) -> None:
                if progress is not None:
                    progress((number + share) / len(places))

            for rows in _reader(place).read(place, here, policy, shown):
                batch = policy.admit(rows)
                if len(kinds) > 1 and batch.labels is not None:
                    batch = batch._replace(labels=[*map(_as_text, batch.labels)])
                if len(batch.texts):
                    yield batch
            shown(1.0)
    names = ", ".join(dict.fromkeys(place.name for place in places[:3]))
    policy.finish(f"{names}{', ...' if len(places) > 3 else ''}")


def _reader(place: Place) -> Any:
    """Return the module that reads a place: its `columns_of` and `read`."""
    if isinstance(place, ClassFolders):
        return folders
    return {"parquet": columnar, "json": jsonfile}.get(place.format, separated)


def _label_kind(place: Place, wanted: Wanted) -> str:
    """Return what the labels of a place are; where places differ, all become strings."""
    if not (isinstance(place, DataFile) and place.format == "parquet"):
        return "str"
    if wanted.label is None or wanted.separator is not None:
        return "str"
    return columnar.label_kind(place, wanted.label)


def _as_text(label: Any) -> Any:
    return [*map(label_text, label)] if isinstance(label, list) else label_text(label)


def read_documents(
    paths: Paths,
    text: str | Sequence[str] = "text",
    label: str = "label",
    rule: TokenRule = WORDS,
    *,
    terms: Iterable[str] | None = None,
    min_docs: int = 1,
    min_class_docs: int = 1,
    **how: Any,
) -> Documents:
    """Read the documents of files and cut them into terms, with their texts.

    Parameters
    ----------
    paths, text, label, **how
        As for `read_batches`.
    rule, terms, min_docs
        As for `Documents.from_texts`.
    min_class_docs : int, default=1
        Leave out classes with fewer documents, and documents of no other class with them.

    Returns
    -------
    Documents
        In the order of the files.
    """
    require_number_of_docs(min_docs)
    require_number_of_docs(min_class_docs, "min_class_docs")
    texts: list[str] = []
    labels: list[Any] = []
    with closing(read_batches(paths, text, label, **how)) as batches:
        for batch in batches:
            texts += batch.texts.to_pylist()
            labels += batch.labels or []
    documents = Documents.from_texts(texts, labels, rule, terms=terms)
    documents = documents.without_small_classes(min_class_docs)
    if terms is not None:
        return documents
    kept = documents.prune(min_docs)
    hint(kept.counts)
    return kept


def file_columns(path: Any, encoding: str = "utf-8") -> list[str]:
    """Return the names of the columns of a file; none for a folder of text files.

    The path is as for `count_files`, but not standard input, which can be read only once.
    """
    with scratch_folder() as scratch:
        first = find(path, scratch)[0]
        return list(_reader(first).columns_of(first, encoding))
