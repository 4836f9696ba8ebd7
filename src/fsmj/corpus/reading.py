"""The one reader: every source of documents as a stream of batches, or as Documents."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from fsmj._scratch import scratch_folder
from fsmj.corpus import columnar, folders, jsonfile, separated
from fsmj.corpus.batch import Batch, Rows, Wanted, texts_of
from fsmj.corpus.counter import sorted_labels
from fsmj.corpus.labels import LabelCodes, label_text, refuse_empty_separator
from fsmj.corpus.languages import hint
from fsmj.corpus.places import ClassFolders, DataFile, Paths, Place, find
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import Progress, checked_encoding, hint_at_utf8
from fsmj.documents import Documents
from fsmj.tokens.matrix import term_matrix
from fsmj.tokens.rule import TokenRule

_DEFAULT_RULE = TokenRule()


def read_batches(
    paths: Paths,
    text: str | Sequence[str] = "text",
    label: str | None = "label",
    *,
    columns: Sequence[str] | str = (),
    label_separator: str | None = None,
    encoding: str = "utf-8",
    strict: bool = False,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
    progress: Progress | None = None,
) -> Generator[Batch, None, None]:
    r"""Read the documents of files, some at a time.

    Parameters
    ----------
    paths : path-like, or iterable of them
        CSV, TSV, JSON lines, JSON arrays and Parquet files, also compressed by gzip or zstd;
        patterns such as ``part-*.csv``; folders of such files; folders that hold a folder of text
        files for each class; "-" for standard input.
    text : str or sequence of str
        The column with the text; of several, the texts are joined by line ends.
    label : str, optional
        The column with the label. None reads texts alone.
    columns : sequence of str, or "all"
        Other columns to hand on.
    label_separator : str, optional
        What separates several labels in one string.
    encoding : str, default="utf-8"
        The encoding of files of text.
    strict : bool, default=False
        Whether a row that cannot be read is an error. Otherwise a few are left out, with a
        warning at the end; more than a few are an error.
    skip_unlabelled, skip_missing : bool, default=False
        Whether to leave out, with a warning at the end, documents whose label or text is missing.
        Otherwise they are an error. An empty text is not missing: it has no words.
    progress : callable, optional
        Called with the share of the work that is done, from 0 to 1.

    Yields
    ------
    Batch
        Texts as an Arrow array, labels as a list, other columns as an Arrow batch.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("label,text\ntea,Green tea\noil,Crude\n")
    ...     [(batch.texts.to_pylist(), batch.labels) for batch in read_batches(path)]
    [(['Green tea', 'Crude'], ['tea', 'oil'])]
    """
    refuse_empty_separator(label_separator)
    encoding = checked_encoding(encoding)
    policy = Policy(strict, skip_unlabelled, skip_missing)
    with scratch_folder() as scratch:
        places = find(paths, scratch)
        hint_at_utf8(places, encoding)
        one_kind = label is None or len({_kind(place, label, label_separator) for place in places})
        for number, place in enumerate(places):
            others = _others(place, text, label, columns, encoding)
            wanted = Wanted(texts_of(text), label, others)

            def shown(share: float, number: int = number) -> None:
                if progress is not None:
                    progress((number + share) / len(places))

            for rows in _rows(place, wanted, label_separator, encoding, policy, shown):
                batch = policy.admit(rows)
                if one_kind != 1 and batch.labels is not None:
                    batch = batch._replace(labels=[_as_text(one) for one in batch.labels])
                if len(batch.texts):
                    yield batch
            shown(1.0)
    policy.finish(_names(places))


def _rows(
    place: Place, wanted: Wanted, separator: str | None, encoding: str, policy: Policy,
    progress: Progress,
) -> Iterator[Rows]:  # fmt: skip
    if isinstance(place, ClassFolders):
        return folders.read(place, separator, encoding, wanted.label is not None, policy, progress)
    if place.format == "parquet":
        return columnar.read(place, wanted, separator, policy, progress)
    read = jsonfile.read if place.format == "json" else separated.read
    return read(place, wanted, separator, encoding, policy, progress)


def _kind(place: Place, label: str, separator: str | None) -> str:
    """Return what the labels of a place are; where places differ, all become strings."""
    if isinstance(place, DataFile) and place.format == "parquet" and separator is None:
        return columnar.label_kind(place, label)
    return "str"


def _as_text(label: Any) -> Any:
    return [*map(label_text, label)] if isinstance(label, list) else label_text(label)


def _others(
    place: Place, text: str | Sequence[str], label: str | None, columns: Sequence[str] | str,
    encoding: str,
) -> tuple[str, ...]:  # fmt: skip
    if isinstance(place, ClassFolders):
        return ()
    if columns == "all":
        return tuple(file_columns(place, encoding=encoding))
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _names(places: list[Place]) -> str:
    names = ", ".join(dict.fromkeys(place.name for place in places[:3]))
    return f"{names}{', ...' if len(places) > 3 else ''}"


def read_documents(
    paths: Paths,
    text: str | Sequence[str] = "text",
    label: str = "label",
    rule: TokenRule = _DEFAULT_RULE,
    *,
    terms: Iterable[str] | None = None,
    min_docs: int = 1,
    min_class_docs: int = 1,
    label_separator: str | None = None,
    encoding: str = "utf-8",
    strict: bool = False,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
    progress: Progress | None = None,
) -> Documents:
    r"""Read the documents of files and cut them into terms, with their texts.

    Parameters
    ----------
    paths, text, label, label_separator, encoding, strict, skip_unlabelled, skip_missing, progress
        As for `read_batches`.
    rule : TokenRule, optional
        How to cut a text into terms.
    terms : iterable of str, optional
        The columns, such as those of training documents; by default all terms, sorted.
    min_docs : int, default=1
        Leave out terms that occur in fewer documents, unless `terms` are given.
    min_class_docs : int, default=1
        Leave out classes with fewer documents, and documents of no other class with them.

    Returns
    -------
    Documents
        In the order of the files.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("label,text\ntea,Green tea\noil,Crude\n")
    ...     read_documents(path)
    Documents(2 documents × 3 terms, 2 classes)
    """
    codes = LabelCodes()
    texts: list[str] = []
    first, member = [np.zeros(1, np.int64)], [np.empty(0, np.int64)]
    batches = read_batches(
        paths, text, label, label_separator=label_separator, encoding=encoding, strict=strict,
        skip_unlabelled=skip_unlabelled, skip_missing=skip_missing, progress=progress,
    )  # fmt: skip
    with closing(batches):
        for batch in batches:
            begin, classes = codes.encode(batch.labels or [])
            texts += batch.texts.to_pylist()
            first.append(begin[1:] + first[-1][-1])
            member.append(classes)
    starts, members = np.concatenate(first), np.concatenate(member)
    ones, shape = np.ones(len(members), np.int64), (len(texts), len(codes.labels))
    membership = csr_array((ones, members, starts), shape=shape)
    names, order = sorted_labels(codes.labels)
    X, columns = term_matrix(texts, rule, terms=terms)
    documents = Documents(X, membership[:, order], columns, texts, rule=rule)
    documents.classes = names
    documents = documents.without_small_classes(min_class_docs)
    if terms is not None:
        return documents
    kept = documents.prune(min_docs)
    hint(kept.counts)
    return kept


def file_columns(path: Any, encoding: str = "utf-8") -> list[str]:
    r"""Return the names of the columns of a file; none for a folder of text files.

    Parameters
    ----------
    path : path-like
        As for `count_files`, but not standard input, which can be read only once.
    encoding : str, default="utf-8"
        The encoding of files of text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("label,text\n")
    ...     file_columns(path)
    ['label', 'text']
    """
    with scratch_folder() as scratch:
        first = find(path, scratch)[0]
        if isinstance(first, ClassFolders):
            return []
        if first.format == "parquet":
            return columnar.columns_of(first)
        if first.format == "json":
            return jsonfile.columns_of(first, encoding)
        return separated.columns_of(first, encoding)
