"""Documents themselves, for what needs more than their counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj.corpus.duck import MISSING_LABEL, UNREADABLE_ROW, Engine, load_duckdb, open_engine
from fsmj.corpus.places import ClassFolders, Paths, find
from fsmj.corpus.rule import TokenRule
from fsmj.corpus.streams import folder_documents
from fsmj.corpus.tables import Table, documents, missing_label_error, tables
from fsmj.corpus.unreadable import Unreadable

_DEFAULT_RULE = TokenRule()


class Batch(NamedTuple):
    """Some documents, in the order of their files."""

    texts: list[str]
    labels: list[Any]
    """A document with several labels has a list of them; empty where none were asked for."""


def read_documents(
    paths: Paths,
    text: str = "text",
    label: str | None = "label",
    *,
    label_separator: str | None = None,
    strict: bool = False,
) -> Iterator[Batch]:
    r"""Read the documents of files, some at a time.

    Parameters
    ----------
    paths : path-like, or iterable of them
        As for `count_files`.
    text : str
        The column with the text.
    label : str, optional
        The column with the label. None reads texts alone; then a row without a readable text
        has an empty one, so that there is one for each row that the reader can make out. (Of a
        CSV file, it leaves out rows with too many columns, for example.)
    label_separator : str, optional
        What separates several labels in one string.
    strict : bool, default=False
        Whether a row that cannot be read is an error. Otherwise a warning at the end says how
        many were left out, or taken as empty.

    Yields
    ------
    Batch
        Texts and labels.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("label,text\ntea,Green tea\noil,Crude\n")
    ...     list(read_documents(path))
    [Batch(texts=['Green tea', 'Crude'], labels=['tea', 'oil'])]
    """
    unreadable = Unreadable()
    without_text = unreadable if label is not None else Unreadable()
    read: list[Table] = []
    found: Iterator[tuple[list[Any], ...]]
    with open_engine() as engine:
        engine.rows("SET preserve_insertion_order = true")
        for place in find(paths, engine.folder):
            if isinstance(place, ClassFolders):
                _, parts = folder_documents([place], strict, without_text, None)
                found = (tuple(column.to_pylist() for column in part.columns) for part in parts)
            else:
                (table,) = tables([place], text, label or text, label_separator, engine)
                read.append(table)
                found = _columns_of(engine, table, label, strict, unreadable)
            for columns in found:
                yield _readable(columns, label is not None, without_text)
        unreadable.add_rejected(engine, read)
    if unreadable.count:
        warnings.warn(f"{unreadable}; left out", stacklevel=2)
    if label is None and without_text.count:
        warnings.warn(f"{without_text}; taken as empty", stacklevel=2)


def document_matrix(
    texts: Iterable[str], rule: TokenRule = _DEFAULT_RULE, min_docs: int = 1
) -> tuple[csr_array, NDArray[Any]]:
    """Lay texts out as a matrix, a row for each document and a column for each term.

    Parameters
    ----------
    texts : iterable of str
        The documents.
    rule : TokenRule, optional
        How to cut a text into terms.
    min_docs : int, default=1
        Leave out terms that occur in fewer documents.

    Returns
    -------
    X : csr_array of shape (n_docs, n_terms)
        How often each term occurs in each document.
    terms : ndarray of shape (n_terms,)
        The terms, sorted.

    Examples
    --------
    >>> X, terms = document_matrix(["Black tea, green tea", "Crude oil"])
    >>> X.toarray()[:, list(terms).index("tea")]
    array([2, 0])
    """
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=rule.tokens, min_df=min_docs, dtype=np.int64)
    try:
        X = csr_array(vectorizer.fit_transform(texts))
    except ValueError as reason:
        if "empty vocabulary" in str(reason):
            raise ValueError("these texts have no terms to count") from None
        if "documents than min_df" in str(reason) or "no terms remain" in str(reason):
            raise ValueError(f"no term occurs in {min_docs:,} documents; lower min_docs") from None
        raise
    return X, np.asarray(vectorizer.get_feature_names_out(), object)


def _columns_of(
    engine: Engine, table: Table, label: str | None, strict: bool, unreadable: Unreadable
) -> Iterator[tuple[list[Any], ...]]:
    """Yield some texts, and their labels if asked for, at a time."""
    import pyarrow as pa

    if label is None:
        text = f"coalesce({table.text}, error('{UNREADABLE_ROW}'))" if strict else table.text
        query = f"SELECT {text} AS text FROM {table.rows(strict=strict)}"
    else:
        query = documents(table, table.kind, table.several, strict)
    try:
        for batch in pa.RecordBatchReader.from_stream(engine.connection.sql(query)):
            yield tuple(column.to_pylist() for column in batch.columns)
    except (OSError, load_duckdb().Error) as reason:  # Arrow reports what stops DuckDB later on
        if MISSING_LABEL in str(reason) and label is not None:
            raise missing_label_error(engine, [table], label) from None
        if UNREADABLE_ROW in str(reason):
            unreadable.find_in(engine, [table])
            raise ValueError(f"{unreadable.first} (strict reading)") from None
        # What stopped a strict reading may be a row that another reading leaves out.
        unreadable.scan_csv(engine, [table])
        stopped = strict and unreadable.count
        raise ValueError(str(unreadable if stopped else reason).splitlines()[0]) from None


def _readable(columns: tuple[list[Any], ...], labelled: bool, unreadable: Unreadable) -> Batch:
    texts, *labels = columns
    missing = texts.count(None)
    if missing:
        unreadable.count += missing
        unreadable.note("one that has no readable text")
    if not labelled:
        return Batch([text or "" for text in texts], [])
    single = [one[0] if isinstance(one, list) and len(one) == 1 else one for one in labels[0]]
    kept = [(text, one) for text, one in zip(texts, single, strict=True) if text is not None]
    return Batch([text for text, _ in kept], [one for _, one in kept])
